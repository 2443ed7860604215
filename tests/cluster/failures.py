#!/usr/bin/env python3
"""What happens to players and rooms when a part of the cluster fails. Each failure is a function: it
does one thing to real processes and says what was lost."""

import argparse
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

from world import Failure, Load, Wire, World, expect, until


def kill_a_node(options):
    """kill -9 of one of two nodes"""
    world = World(options, "kill-node")
    try:
        world.stand()
        joins = 24
        load = Load(world, "--play", "--come-back", "--joins", joins, "--rate", 20, "--linger", 16)
        until(lambda: load.count("playing") >= joins, "everybody plays", 30)
        dead = world.nodes[0]
        on_dead = {e["room"] for e in load.of("seated") if e["address"] == dead.address}
        others = {e["room"] for e in load.of("seated")} - on_dead
        expect(on_dead and others, "both nodes have rooms")
        killed = time.monotonic()
        dead.kill()
        until(lambda: not on_dead & set(world.listed(world.matchmakers[1])["rooms"]),
              "the dead node's rooms are listed no more", world.lease_s + 4)
        unlisted = time.monotonic() - killed
        figures = load.figures()
        lost = {e["room"] for e in load.of("lost")}
        expect(lost <= on_dead, "no other room is disturbed")
        gone = len(load.of("lost"))
        expect(figures["came_back"] == gone, f"{figures['came_back']} of {gone} came back")
        return world, (f"{len(on_dead)} matches with {gone} players; unlisted after {unlisted:.1f} s, "
                       f"all in a room again within {figures['away_ms']['max'] / 1000:.1f} s of "
                       f"noticing (idle timeout {world.idle_s} s); other rooms undisturbed")
    except BaseException:
        world.end(keep=True)
        raise


def kill_a_matchmaker(options):
    """kill -9 of one of two matchmakers during joins"""
    world = World(options, "kill-matchmaker")
    try:
        world.stand()
        joins = 300
        load = Load(world, "--joins", joins, "--rate", 60)
        until(lambda: load.count("seated") >= joins // 3, "a third is seated", 30)
        world.matchmakers[0].kill()
        figures = load.figures()
        expect(figures["promised_twice"] == 0, f"{figures['promised_twice']} seats given twice")
        expect(figures["seated"] >= joins - 20, f"{figures['seated']} of {joins} seated")
        again = Load(world, "--joins", 20, "--rate", 50, matchmakers=world.matchmakers[1:]).figures()
        expect(again["seated"] == 20, "the other serves")
        return world, (f"{joins - figures['seated']} of {joins} joins under way; no seat given twice, "
                       "the other replica served on")
    except BaseException:
        world.end(keep=True)
        raise


def stop_etcd(options):
    """etcd stopped"""
    seconds = 30 if options.long else 8
    world = World(options, "stop-etcd", idle_s=10)
    try:
        world.stand()
        load = Load(world, "--play", "--joins", 12, "--rate", 20, "--linger", seconds + 15)
        until(lambda: load.count("playing") >= 12, "everybody plays", 30)
        world.etcd.kill()
        stopped = time.monotonic()
        until(lambda: refused(world), "joins are UNAVAILABLE with advice", 10)
        before = world.ticks(world.nodes[0])
        time.sleep(max(0.0, seconds - (time.monotonic() - stopped)))
        after = world.ticks(world.nodes[0])
        expect(before and all(after.get(room, 0) > tick for room, tick in before.items()),
               "rooms tick on")
        world.start_etcd()
        back = time.monotonic()
        until(lambda: seated(world), "joins work again", 20)
        recovered = time.monotonic() - back
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return world, (f"nothing; {seconds} s of joins refused as UNAVAILABLE with advice, rooms "
                       f"ticked on, joins work {recovered:.1f} s after etcd is back")
    except BaseException:
        world.end(keep=True)
        raise


def pause_a_node(options):
    """a node paused for 3 s, then for longer than its lease"""
    world = World(options, "pause-node", lease_s=6, idle_s=20)
    try:
        world.stand()
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 34)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        rooms = {e["room"] for e in load.of("seated")}
        listed = lambda: set(world.listed(world.matchmakers[0])["rooms"])
        until(lambda: rooms <= listed(), "every room is listed", 5)
        node = world.nodes[0]
        on_it = {e["room"] for e in load.of("seated") if e["address"] == node.address}
        node.signal(signal.SIGSTOP)
        time.sleep(3)
        expect(rooms <= listed(), "one missed beat declares nobody dead")
        node.signal(signal.SIGCONT)
        time.sleep(2)
        expect(rooms <= listed(), "nor does coming back")
        node.signal(signal.SIGSTOP)
        until(lambda: not on_it & listed(), "declared dead", 16)
        expect(rooms - on_it <= listed(), "only its own rooms")
        node.signal(signal.SIGCONT)
        until(lambda: rooms <= listed(), "claimed again under a new epoch", 20)
        ids = [room["room"] for room in world.ctl(world.matchmakers[0], "rooms") or []]
        expect(len(ids) == len(set(ids)), "a room has two owners")
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return world, "nothing; after 3 s still listed, after its lease unlisted, then claimed again"
    except BaseException:
        world.end(keep=True)
        raise


def cut_a_node_off(options):
    """a node cut off from etcd for longer than its lease"""
    world = World(options, "cut-off", idle_s=10)
    try:
        wire = Wire(world.etcd_port)
        world.start_node("node-1", etcd_port=wire.port)
        world.start_node("node-2")
        world.start_matchmaker()
        world.ready(2)
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 26)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        node = world.nodes[0]
        on_it = {e["room"] for e in load.of("seated") if e["address"] == node.address}
        expect(on_it, "the node has rooms")
        listed = lambda: set(world.listed(world.matchmakers[0])["rooms"])
        wire.cut()
        until(lambda: not on_it & listed(), "its rooms are listed no more", world.lease_s + 6)
        before = world.ticks(node)
        time.sleep(1)
        after = world.ticks(node)
        expect(all(after.get(room, 0) > before.get(room, 0) for room in on_it), "rooms tick on")
        wire.mend()
        until(lambda: on_it <= listed(), "listed again", 20)
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return world, "nothing; its rooms ticked on unlisted and were claimed again"
    except BaseException:
        world.end(keep=True)
        raise


def jump_clocks(options):
    """a node's wall clock set an hour ahead, then two back"""
    library = options.tools / f"usr/lib/{platform.machine()}-linux-gnu/faketime/libfaketime.so.1"
    world = World(options, "clock", idle_s=5)
    try:
        clock = world.folder / "clock"
        clock.write_text("+0\n")
        faked = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock),
                 "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1",
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        world.start_node("node-1", environment=faked)
        world.start_matchmaker()
        world.ready(1)
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 14)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        for jump in ("+3600", "-3600"):
            clock.write_text(f"{jump}\n")
            time.sleep(2)
            expect(seated(world), f"joins work at {jump}")
            played = Load(world, "--play", "--joins", 2, "--rate", 20, "--linger", 2).figures()
            expect(played["join_to_first_snapshot_ms"]["count"] == 2, f"tickets hold at {jump}")
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return world, "nothing; tickets, seats and ticks go by clocks that do not jump"
    except BaseException:
        world.end(keep=True)
        raise


def fill_etcds_disk(options):
    """etcd's disk full"""
    if os.geteuid() != 0:
        return None, "skipped: mounting a small tmpfs needs root"
    folder = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True)
                  .stdout.strip())
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], check=False)
    if mounted.returncode != 0:
        folder.rmdir()
        return None, "skipped: no tmpfs may be mounted here"
    world = None
    try:
        world = World(options, "full-disk", idle_s=10, etcd_data=folder / "data")
        world.stand(1, 1)
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 30)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        with open(folder / "ballast", "wb") as ballast:
            try:
                while True:
                    ballast.write(b"\0" * 65536)
                    ballast.flush()
            except OSError:
                pass
        # etcd writes into files it has set aside before; a flood of values uses them up.
        flood = "x" * 500_000
        etcdctl = [str(options.tools / "usr/bin/etcdctl"), f"--endpoints=127.0.0.1:{world.etcd_port}",
                   "--command-timeout=2s", "put"]
        for turn in range(400):
            put = subprocess.run([*etcdctl, f"/flood/{turn % 4}", flood], check=False,
                                 env={**os.environ, "ETCDCTL_API": "3"},
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if put.returncode != 0:
                break
        until(lambda: refused(world), "joins are UNAVAILABLE with advice", 20)
        before = world.ticks(world.nodes[0])
        time.sleep(1)
        after = world.ticks(world.nodes[0])
        expect(before and all(after.get(room, 0) > tick for room, tick in before.items()),
               "rooms tick on")
        (folder / "ballast").unlink()
        world.etcd.kill()
        world.start_etcd()
        until(lambda: seated(world), "joins work again", 30)
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return world, "nothing; joins refused as UNAVAILABLE until there was room and etcd was restarted"
    except BaseException:
        if world:
            world.end(keep=True)
        raise
    finally:
        if world and world.etcd:
            world.etcd.kill()
        subprocess.run(["umount", "-l", folder], check=False)


def restart_node_by_node(options):
    """a rolling restart of two nodes under load, by drain"""
    world = World(options, "rolling", lease_s=4, idle_s=5)
    try:
        world.stand()
        load = Load(world, "--play", "--stay", 4, "--joins", 150, "--rate", 5, "--linger", 6)
        until(lambda: load.count("playing") >= 10, "matches run", 30)
        for name in ("node-1", "node-2"):
            node = next(n for n in world.nodes if n.name == name and n.runs())
            drained = world.ctl(world.matchmakers[0], "nodes", "drain", name, "--deadline", "60s")
            expect(drained is not None, f"{name} drains")
            began = time.monotonic()
            expect(node.wait(45) == 0, f"{name} ends with exit code 0")
            print(f"    {name} was empty after {time.monotonic() - began:.1f} s")
            world.start_node(name)
            world.ready(2)
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        expect(figures["seated"] == 150, f"{figures['seated']} of 150 seated")
        return world, "nothing; every match that could finish did, every join was seated"
    except BaseException:
        world.end(keep=True)
        raise


def figures(options):
    """figures: joins through one matchmaker with etcd on this machine"""
    world = World(options, "figures", idle_s=10)
    try:
        world.stand(2, 1)
        burst = Load(world, "--joins", 400, "--rate", 2000).figures()
        expect(burst["promised_twice"] == 0, "no seat is given twice")
        listing = sorted(world.listed(world.matchmakers[0])["ms"] for _ in range(5))[2]
        rooms = len(world.listed(world.matchmakers[0])["rooms"])
        time.sleep(16)
        played = Load(world, "--play", "--stay", 1, "--joins", 500, "--rate", 50, "--linger", 3)
        played = played.figures()
        snapshot = played["join_to_first_snapshot_ms"]
        expect(snapshot["count"] == 500, f"{snapshot['count']} of 500 saw a snapshot")
        return world, (f"400 joins in {burst['seconds']:.2f} s ({400 / burst['seconds']:.0f}/s); "
                       f"{rooms} rooms listed in {listing:.1f} ms; at 50 joins/s join to first "
                       f"snapshot p50 {snapshot['p50']} ms, p99 {snapshot['p99']} ms")
    except BaseException:
        world.end(keep=True)
        raise


def refused(world):
    """Whether a join is refused as UNAVAILABLE, with advice when to come back."""
    one = Load(world, "--joins", 1).figures()
    return one["refused"] == {"Unavailable": 1} and one["refused_with_advice"] == 1


def seated(world):
    return Load(world, "--joins", 1).figures()["seated"] == 1


FAILURES = [kill_a_node, kill_a_matchmaker, stop_etcd, pause_a_node, cut_a_node_off, jump_clocks,
            fill_etcds_disk, restart_node_by_node, figures]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--tools", required=True, type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("names", nargs="*", help=", ".join(f.__name__ for f in FAILURES))
    options = parser.parse_args()
    known = {failure.__name__: failure for failure in FAILURES}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    table, failed = [], False
    for failure in [known[name] for name in options.names] or FAILURES:
        print(f"--- {failure.__name__}: {failure.__doc__}", flush=True)
        began = time.monotonic()
        try:
            world, lost = failure(options)
            if world:
                world.end()
        except (Failure, subprocess.SubprocessError, OSError) as error:
            failed, lost = True, f"FAILED: {error}"
        took = time.monotonic() - began
        print(f"    {lost} ({took:.0f} s)", flush=True)
        table.append((failure.__doc__, lost))
    print("\n| what was done | what was lost |\n|---|---|")
    for done, lost in table:
        print(f"| {done} | {lost} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
