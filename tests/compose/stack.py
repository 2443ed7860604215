#!/usr/bin/env python3
"""Drives the compose stack from outside: what an operator and players would do, in order."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = "fairshot-test"
# Ports of their own, so that a stack or a server that runs here already is left alone.
ENVIRONMENT = {
    **os.environ,
    "FAIRSHOT_IMAGE": "fairshot-test/fairshot",
    "ETCD_IMAGE": "fairshot-test/etcd",
    "PROMETHEUS_IMAGE": "fairshot-test/prometheus",
    "FAIRSHOT_JOIN_PORT_1": "17600", "FAIRSHOT_JOIN_PORT_2": "17610",
    "FAIRSHOT_NODE_1_PORT": "17700", "FAIRSHOT_NODE_1_PORT_LAST": "17701",
    "FAIRSHOT_NODE_2_PORT": "17710", "FAIRSHOT_NODE_2_PORT_LAST": "17711",
    "PROMETHEUS_PORT": "19090", "GRAFANA_PORT": "13000", "FAIRSHOT_GRACE_S": "5",
}


class Failure(Exception):
    pass


def expect(held, what):
    if not held:
        raise Failure(what)


def until(check, what, seconds=60, every=0.5):
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        expect(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(every)


class Stack:
    def __init__(self, program):
        self.base = [*program, "-p", PROJECT, "-f", "docker-compose.yml",
                     "-f", "tests/compose/override.yml"]

    def __call__(self, *arguments, check=True, quiet=False, seconds=180):
        return subprocess.run(
            [*self.base, *arguments], cwd=ROOT, env=ENVIRONMENT, check=check, text=True,
            timeout=seconds, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None)

    def container(self, service):
        """The service's container, ended or not. Asked of Docker itself, which is quicker than compose."""
        found = docker("ps", "-aq", "--filter", f"label=com.docker.compose.project={PROJECT}",
                       "--filter", f"label=com.docker.compose.service={service}").stdout.split()
        return found[0] if found else ""

    def health(self, service):
        shown = docker("inspect", "-f", "{{.State.Status}} {{.State.Health.Status}}",
                       self.container(service))
        return shown.stdout.strip()

    def ctl(self, *arguments, at="matchmaker-1"):
        done = docker("exec", self.container(at), "fairshotctl", "--json", *arguments)
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def docker(*arguments):
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, timeout=60,
                          check=False)


def programs():
    """Every compose here: version 1, and version 2 where there is one."""
    found = []
    if shutil.which("docker-compose"):
        found.append(["docker-compose"])
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        found.append(["docker", "compose"])
    return found


def valid(program, checker):
    """The file is clean by itself, and valid under the compose specification's schema."""
    subprocess.run([*program, "-f", "docker-compose.yml", "config", "-q"], cwd=ROOT, check=True)
    subprocess.run([checker, "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return "clean, and valid under the compose specification's schema"


def prometheus(query):
    url = "http://127.0.0.1:19090/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)["data"]["result"]


def dashboard_queries():
    shown = json.loads((ROOT / "deploy/grafana/dashboards/fairshot.json").read_text())
    variables = {v["name"]: ".*" for v in shown.get("templating", {}).get("list", [])}
    for panel in shown["panels"]:
        for inner in [panel, *panel.get("panels", [])]:
            for target in inner.get("targets", []):
                query = target.get("expr", "")
                query = query.replace("$__rate_interval", "1m").replace("$__interval", "30s")
                query = query.replace("$__range", "5m")
                for name, value in variables.items():
                    query = re.sub(rf"\${name}\b|\${{{name}(:\w+)?}}", value, query)
                yield inner.get("title", "?"), query


def answering(stack):
    return [node for node in stack.ctl("nodes") or [] if not node["unreachable"]]


def swarm(options, *arguments, port=17600):
    return subprocess.Popen(
        [str(options.bin / "fairshot-swarm"), "--connect", f"127.0.0.1:{port}", "--json",
         *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def report(child, seconds=120):
    out, _ = child.communicate(timeout=seconds)
    expect(child.returncode == 0, f"the swarm ended with {child.returncode}")
    return json.loads(out[out.index("{"):])


def play(options, stack):
    """What the stack is for."""
    step = lambda words: print(f"    {words}", flush=True)
    began = time.monotonic()
    stack("up", "-d", "--no-build")
    services = ["etcd", "matchmaker-1", "matchmaker-2", "node-1", "node-2", "prometheus", "grafana",
                "otel-collector"]
    for service in services:
        until(lambda s=service: stack.health(s) == "running healthy", f"{service} is healthy", 90)
    step(f"every service healthy after {time.monotonic() - began:.0f} s")
    until(lambda: len(answering(stack)) == 2, "two nodes answer", 30)

    bots = swarm(options, "--rooms", 4, "--players", 4, "--seconds", 45)
    players = until(lambda: (p := stack.ctl("players") or []) and len(p) >= 12 and p,
                    "bots from outside play", 40)
    step(f"{len(players)} bots joined from outside the containers")
    weapons = stack.ctl("weapons", "arena")
    weapon = next(w for w in weapons if w["clipSize"] > 0)["name"]
    given = stack.ctl("give", players[0]["player"], weapon, "30")
    expect(given is not None, f"{weapon} is given to {players[0]['player']}")
    kept = stack.ctl("inventory", players[0]["player"], at="matchmaker-2")
    expect(kept is not None, "the inventory reads back through the other matchmaker")
    kicked = stack.ctl("kick", players[1]["player"], "--reason", "a test")
    expect(kicked is not None, "a player is kicked")
    until(lambda: (p := stack.ctl("players")) is not None and
          all(one["player"] != players[1]["player"] for one in p), "she is gone", 15)
    step(f"gave {weapon}, read it back through the other matchmaker, kicked a player")

    until(lambda: [r for r in prometheus("up{job=\"fairshot\"}") if r["value"][1] == "1"].__len__() == 4,
          "Prometheus scrapes all four processes", 60)
    silent = []
    for title, query in dashboard_queries():
        try:
            if not prometheus(query):
                silent.append(title)
        except OSError as error:
            raise Failure(f"the dashboard's query of {title!r} is refused: {query}: {error}") from None
    expect(prometheus("sum(fairshot_players) > 0") or prometheus("count({__name__=~'fairshot_.*'}) > 20"),
           "the scrape has figures")
    step(f"scraped by the real Prometheus; the dashboard's queries all answer"
         f"{', empty so far: ' + ', '.join(sorted(set(silent))) if silent else ''}")
    end = report(bots)
    expect(end["connected"] == 16, f"{end['connected']} of 16 connected")
    expect(end["shots_accepted"] > 0 and not end["shots_refused"], f"refused: {end['shots_refused']}")
    step(f"{end['shots_accepted']} shots accepted, none refused")

    expect(docker("kill", stack.container("node-1")).returncode == 0, "node-1's container is killed")
    killed = time.monotonic()
    until(lambda: [n["node"] for n in stack.ctl("nodes") or []] == ["node-2"],
          "the killed node is gone", 30)
    gone = time.monotonic() - killed
    end = report(swarm(options, "--rooms", 2, "--players", 4, "--seconds", 5, port=17610))
    expect(end["connected"] == 8, f"{end['connected']} of 8 connected to the other node")
    step(f"node-1's container killed: gone after {gone:.0f} s, the other node serves")

    drained = stack.ctl("nodes", "drain", "node-2", "--deadline", "20s")
    expect(drained is not None, "the other drains")
    until(lambda: not stack.health("node-2").startswith("running"), "it ends when it is empty", 40)
    code = docker("inspect", "-f", "{{.State.ExitCode}}", stack.container("node-2"))
    expect(code.stdout.strip() == "0", f"it ended with exit code {code.stdout.strip()}")
    step("node-2 drained and ended with exit code 0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--checker", required=True, help="check-jsonschema")
    parser.add_argument("--keep", action="store_true", help="leave the stack up")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    for program in programs():
        stack = Stack(program)
        print(f"--- {' '.join(program)}: {valid(program, options.checker)}", flush=True)
        stack("down", "-v", "--remove-orphans", check=False, quiet=True)
        try:
            play(options, stack)
        except (Failure, subprocess.SubprocessError, OSError) as error:
            print(f"FAILED: {error}", file=sys.stderr)
            logs = stack("logs", "--tail", "30", check=False).stdout
            print(logs, file=sys.stderr)
            return 1
        finally:
            if not options.keep:
                stack("down", "-v", "--remove-orphans", check=False, quiet=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
