"""Runs the swarm against a server of its own and checks what it reports.

Each check is one line of output; the last line counts them. Figures that depend on the machine
(CPU, memory, lateness) are printed, not judged.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request

PROGRAMS = os.environ["FAIRSHOT_BIN"]
SWARM = os.path.join(PROGRAMS, "fairshot-swarm")
CTL = os.path.join(PROGRAMS, "fairshotctl")
METRICS = "http://127.0.0.1:7602/metrics"

results = {"passed": 0, "failed": 0}


def check(what, holds, seen):
    results["passed" if holds else "failed"] += 1
    print(f"{'ok  ' if holds else 'FAIL'} {what}: {seen}", flush=True)


def swarm(*flags, seconds):
    run = subprocess.run(
        [SWARM, "--spawn", "--seconds", str(seconds), "--json", *flags],
        stdout=subprocess.PIPE,
        timeout=seconds + 60,
        check=True,
    )
    return json.loads(run.stdout.decode().strip().splitlines()[-1])


def honest_rooms():
    figures = swarm("--rooms", "25", "--players", "4", "--npcs", "40", seconds=20)
    print(json.dumps(figures))
    check("100 players connected", figures["connected"] == 100, figures["connected"])
    check("ticks within 1 % of 64 Hz", abs(figures["tick_hz_mean"] - 64) <= 0.64, figures["tick_hz_mean"])
    check("shots accepted over 1000", figures["shots_accepted"] > 1000, figures["shots_accepted"])
    dealt, seen = figures["hits_dealt"], figures["hits_seen"]
    check("hits dealt over 300", dealt > 300, dealt)
    check("hits dealt equal hits seen within 1 %", abs(dealt - seen) <= 0.01 * seen, (dealt, seen))
    check("deaths over 10", figures["deaths"] > 10, figures["deaths"])
    check("no honest shot refused", not figures["shots_refused"], figures["shots_refused"])
    check("no shot unanswered", figures["shots_unanswered"] == 0, figures["shots_unanswered"])
    check("nobody disconnected", figures["disconnects"] == 0, figures["disconnects"])


def cheats():
    for name, rule, accepted_max in [
        ("rapid-fire", "rate", None),
        ("teleport-origin", "origin", 0),
        ("unowned", "held", 0),
        ("frozen-ammo", "ammo", None),
    ]:
        figures = swarm("--rooms", "2", "--players", "4", "--npcs", "40", "--cheat", name, seconds=20)
        cheat = figures["cheat"]
        print(json.dumps(cheat))
        # The slowest of them fires a rifle of 0.75 shots a second, in two rooms for 20 s.
        check(f"{name} fired", cheat["sent"] > 15, cheat["sent"])
        check(f"{name} refused under {rule} alone", set(cheat["refused"]) == {rule}, cheat["refused"])
        if accepted_max is None:
            accepted_max = cheat["accepted_max"]
        check(f"{name} accepted at most {accepted_max}", cheat["accepted"] <= accepted_max, cheat["accepted"])
        check(f"{name}: honest players refused nothing", not figures["shots_refused"], figures["shots_refused"])


def counters_agree():
    """Each room's last refusedShotsTotal, summed by rule, is the Prometheus counter."""
    load = subprocess.Popen(
        [SWARM, "--spawn", "--rooms", "2", "--players", "4", "--npcs", "10", "--seconds", "8",
         "--linger", "12", "--cheat", "rapid-fire", "--json"],
        stdout=subprocess.PIPE,
    )
    try:
        wait_for_metrics(load)
        time.sleep(9)  # the play; what is read below is read while the bots linger in silence
        beats = subprocess.run(
            [CTL, "heartbeats", "--json", "--count", "4"],
            stdout=subprocess.PIPE, timeout=14, check=True,
        ).stdout.decode()
        last = {}
        for line in beats.splitlines():
            beat = json.loads(line)
            last[beat["room"]] = beat["refusedShotsTotal"]
        summed = {}
        for total in last.values():
            for rule, count in total.items():
                summed[rule] = summed.get(rule, 0) + count
        scraped = refused_by_rule(urllib.request.urlopen(METRICS, timeout=5).read().decode())
        check("heartbeats of 2 rooms", len(last) == 2, sorted(last))
        check("refusals were counted", summed.get("rate", 0) > 0, summed)
        check("refusedShotsTotal equals the Prometheus counter", summed == scraped, (summed, scraped))
    finally:
        load.wait(timeout=60)


def wait_for_metrics(load):
    for _ in range(600):
        if load.poll() is not None:
            raise SystemExit("the swarm ended before its server answered")
        try:
            urllib.request.urlopen(METRICS, timeout=1).read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("no metrics within a minute")


def refused_by_rule(page):
    counts = {}
    for line in page.splitlines():
        if line.startswith("fairshot_shots_refused_total{"):
            rule = line.split('rule="')[1].split('"')[0]
            value = int(float(line.rsplit(" ", 1)[1]))
            if value:
                counts[rule] = counts.get(rule, 0) + value
    return counts


if __name__ == "__main__":
    honest_rooms()
    cheats()
    counters_agree()
    print(f"{results['passed']} passed, {results['failed']} failed")
    sys.exit(1 if results["failed"] else 0)
