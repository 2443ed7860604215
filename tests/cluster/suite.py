#!/usr/bin/env python3
"""Runs the failures, two at a time, and prints what was done and what was lost."""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from failures import (cut_a_node_off, fill_etcds_disk, jump_clocks, kill_a_matchmaker, kill_a_node,
                      pause_a_node, restart_node_by_node, stop_etcd)
from figures import figures
from guards import guard_everything
from world import Failure

FAILURES = [kill_a_node, kill_a_matchmaker, stop_etcd, pause_a_node, cut_a_node_off, jump_clocks,
            fill_etcds_disk, restart_node_by_node, guard_everything]
# What measures has the machine for itself.
ALONE = [figures]


def run(failure, options):
    began = time.monotonic()
    try:
        said, failed = failure(options), False
    except (Failure, subprocess.SubprocessError, OSError) as error:
        said, failed = f"FAILED: {error}", True
    print(f"--- {failure.__name__} ({time.monotonic() - began:.0f} s): {said}", flush=True)
    return failure.__doc__, said, failed


def main():
    known = {failure.__name__: failure for failure in FAILURES + ALONE}
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--tools", required=True, type=Path)
    parser.add_argument("--long", action="store_true", help="etcd is stopped for 30 s, not for 8")
    parser.add_argument("names", nargs="*", help=", ".join(known))
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    wanted = [known[name] for name in options.names] or list(known.values())
    with ThreadPoolExecutor(2) as pool:
        table = list(pool.map(lambda failure: run(failure, options),
                              [failure for failure in wanted if failure not in ALONE]))
    table += [run(failure, options) for failure in wanted if failure in ALONE]
    print("\n| what was done | what was lost |\n|---|---|")
    for done, said, _ in table:
        print(f"| {done} | {said} |")
    return 1 if any(failed for _, _, failed in table) else 0


if __name__ == "__main__":
    sys.exit(main())
