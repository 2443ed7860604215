"""What happens to players and rooms when a part of the cluster fails. Each failure is a function: it
does one thing to real processes, holds what comes of it to what was promised, and says what was lost."""

import os
import platform
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from world import Load, Wire, World, expect, until


def kill_a_node(options):
    """kill -9 of one of two nodes"""
    # The product's own lease and idle time: this is how long players are away.
    with World(options, "kill-node", lease_s=10, idle_s=10) as world:
        world.stand()
        joins = 48
        load = Load(world, "--play", "--come-back", "--joins", joins, "--rate", 20, "--linger", 16)
        until(lambda: load.count("playing") >= joins, "everybody plays", 30)
        dead = world.nodes[0]
        on_dead = {e["room"] for e in load.of("seated") if e["address"] == dead.address}
        others = {e["room"] for e in load.of("seated")} - on_dead
        expect(on_dead and others, "both nodes have rooms")
        killed = time.monotonic()
        dead.kill()
        until(lambda: not on_dead & world.listed(world.matchmakers[1]),
              "the dead node's rooms are listed no more", world.lease_s * 1.5 + 2)
        unlisted = time.monotonic() - killed
        figures = load.figures()
        lost = load.of("lost")
        expect({e["room"] for e in lost} <= on_dead, "no other room is disturbed")
        expect(lost and figures["came_back"] == len(lost),
               f"{figures['came_back']} of {len(lost)} came back")
        back = [e["at"] - killed for e in load.of("playing") if e["away_ms"] is not None]
        expect(max(back) <= 10, f"the last was back after {max(back):.1f} s")
        return (f"{len(on_dead)} matches; its {len(lost)} players were in another room after "
                f"{min(back):.1f} to {max(back):.1f} s, {len(others)} other matches went on; "
                f"unlisted after {unlisted:.1f} s (lease 10 s)")


def kill_a_matchmaker(options):
    """kill -9 of one of two matchmakers during joins"""
    with World(options, "kill-matchmaker") as world:
        world.stand()
        joins = 300
        load = Load(world, "--joins", joins, "--rate", 60)
        until(lambda: load.count("seated") >= joins // 3, "a third is seated", 30)
        world.matchmakers[0].kill()
        figures = load.figures()
        expect(figures["promised_twice"] == 0, f"{figures['promised_twice']} seats given twice")
        expect(figures["seated"] >= joins - 20, f"{figures['seated']} of {joins} seated")
        again = Load(world, "--play", "--joins", 20, "--rate", 50, "--linger", 1,
                     matchmakers=world.matchmakers[1:]).figures()
        expect(again["join_to_first_snapshot_ms"]["count"] == 20, "the other serves")
        # What was promised through either and not taken runs out where it is kept.
        until(lambda: not world.running() and not world.listed(world.matchmakers[1]),
              "no seat and no room is stranded", 30)
        return (f"{joins - figures['seated']} of {joins} joins, those under way; no seat given "
                "twice, the other replica served on, every untaken seat ran out")


def stop_etcd(options):
    """etcd stopped"""
    seconds = 30 if options.long else 8
    with World(options, "stop-etcd", idle_s=10) as world:
        world.stand()
        load = Load(world, "--play", "--joins", 12, "--rate", 20, "--linger", seconds + 15)
        until(lambda: load.count("playing") >= 12, "everybody plays", 30)
        rooms = world.running()
        world.etcd.kill()
        stopped = time.monotonic()
        until(lambda: refused(world), "joins are UNAVAILABLE with advice", 10)
        before = {**world.ticks(world.nodes[0]), **world.ticks(world.nodes[1])}
        expect(set(before) == set(rooms), "every room runs")
        time.sleep(max(0.0, seconds - (time.monotonic() - stopped)))
        expect(refused(world), "joins are still UNAVAILABLE with advice")
        world.tick_on(before)
        world.start_etcd()
        back = time.monotonic()
        until(lambda: seated(world), "joins work again", 20)
        recovered = time.monotonic() - back
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return (f"nothing; {seconds} s of joins refused as UNAVAILABLE with advice, rooms "
                f"ticked on, joins work {recovered:.1f} s after etcd is back")


def pause_a_node(options):
    """a node paused for 3 s, then for longer than its lease"""
    with World(options, "pause-node", lease_s=6, idle_s=20) as world:
        world.stand()
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 34)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        rooms = {e["room"] for e in load.of("seated")}
        listed = lambda: world.listed(world.matchmakers[0])
        until(lambda: rooms <= listed(), "every room is listed", 5)
        owners = world.owners()
        node = world.nodes[0]
        on_it = {e["room"] for e in load.of("seated") if e["address"] == node.address}
        node.signal(signal.SIGSTOP)
        time.sleep(3)
        expect(rooms <= listed(), "one missed beat declares nobody dead")
        node.signal(signal.SIGCONT)
        time.sleep(2)
        expect(world.owners() == owners, "coming back changes no owner and no epoch")
        node.signal(signal.SIGSTOP)
        until(lambda: not on_it & listed(), "declared dead", 16)
        expect(rooms - on_it <= listed(), "only its own rooms")
        node.signal(signal.SIGCONT)
        until(lambda: rooms <= listed(), "claimed again", 20)
        claimed = world.owners()
        for room in on_it:
            expect(claimed[room].epoch > owners[room].epoch, "under a new epoch")
        world.one_owner_each()
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return "nothing; after 3 s still listed, after its lease unlisted, then claimed again"


def cut_a_node_off(options):
    """a node and a matchmaker cut off from etcd for longer than a lease"""
    with World(options, "cut-off", idle_s=10) as world:
        wires = [Wire(world.etcd_port) for _ in range(3)]
        for wire in wires[:2]:
            world.start_node(etcd_port=wire.port)
        near, far = world.start_matchmaker(), world.start_matchmaker(etcd_port=wires[2].port)
        world.ready(2)
        load = Load(world, "--play", "--joins", 36, "--rate", 20, "--linger", 30,
                    matchmakers=[near])
        until(lambda: load.count("playing") >= 36, "everybody plays", 30)
        # The node with more of the three rooms or more.
        owned = world.running()
        names = list(owned.values())
        node, other = sorted(world.nodes, key=lambda n: -names.count(n.name))
        on_it = {room for room, name in owned.items() if name == node.name}
        expect(len(on_it) >= 2, "the node has two rooms")
        listed = lambda: world.listed(near)
        cut = [wires[world.nodes.index(node)], wires[2]]
        for wire in cut:
            wire.cut()
        until(lambda: not on_it & listed(), "its rooms are listed no more", world.lease_s + 6)
        world.tick_on(world.ticks(node))
        expect(refused(world, [far]), "the matchmaker that is cut off sends nobody anywhere")
        expect(seated(world, [near]), "the other sends players to the other node")
        # An operator opens one of the unlisted rooms elsewhere: from now on that is the owner.
        moved = sorted(on_it)[0]
        opened = world.ctl(near, "rooms", "create", "arena", "--room", moved, "--node", other.name)
        expect(opened is not None, "the room is opened on the other node")
        until(lambda: world.owners().get(moved, ("",))[0] == other.name, "and is its own", 5)
        for wire in cut:
            wire.mend()
        until(lambda: on_it <= listed(), "the rest is listed again", 20)
        until(lambda: moved not in world.ticks(node), "the node that is fenced off gives way", 10)
        expect(moved in world.ticks(other), "the owner keeps the room")
        world.one_owner_each()
        until(lambda: seated(world, [far]), "the matchmaker serves again", 10)
        figures = load.figures()
        told = load.of("lost")
        expect({e["room"] for e in told} == {moved}, f"players lost: {figures['lost']}")
        expect({e["why"] for e in told} == {"room_closed"}, f"told: {figures['lost']}")
        return (f"of {len(on_it)} rooms that ticked on unlisted, the one that an operator opened "
                f"elsewhere meanwhile; its {len(told)} players were told, the rest claimed again")


def jump_clocks(options):
    """wall clocks of a node and a matchmaker set an hour ahead, then one back"""
    library = options.tools / f"usr/lib/{platform.machine()}-linux-gnu/faketime/libfaketime.so.1"
    with World(options, "clock", idle_s=5) as world:
        clock = world.folder / "clock"
        clock.write_text("+0\n")
        faked = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock),
                 "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        node = world.start_node("node-1", environment=faked)
        world.start_matchmaker(environment=faked)
        world.ready(1)
        load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 18)
        until(lambda: load.count("playing") >= 8, "everybody plays", 30)
        owners = world.owners()
        for jump in (3600, -3600):
            clock.write_text(f"{jump:+}\n")
            until(lambda: abs(world.clock_ahead_s(node) - jump) < 60, "the node's clock jumped", 15)
            expect(seated(world), f"joins work at {jump:+} s")
            played = Load(world, "--play", "--joins", 2, "--rate", 20, "--linger", 2).figures()
            expect(played["join_to_first_snapshot_ms"]["count"] == 2, f"tickets hold at {jump:+} s")
        expect(owners.items() <= world.owners().items(), "every room keeps its owner and epoch")
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        return "nothing; tickets, seats, leases and ticks go by clocks that do not jump"


def fill_etcds_disk(options):
    """etcd's disk full"""
    expect(os.geteuid() == 0, "mounting a small tmpfs needs root")
    folder = Path(tempfile.mkdtemp(prefix="fairshot-disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], check=True)
    try:
        with World(options, "full-disk", idle_s=10, etcd_data=folder / "data") as world:
            world.stand(1, 1)
            load = Load(world, "--play", "--joins", 8, "--rate", 20, "--linger", 30)
            until(lambda: load.count("playing") >= 8, "everybody plays", 30)
            with open(folder / "ballast", "wb", buffering=0) as ballast:
                try:
                    while True:
                        ballast.write(b"\0" * 65536)
                except OSError:
                    pass
            # etcd writes into files it has set aside before; a flood of values uses them up.
            for turn in range(400):
                if not world.etcdctl("put", f"/flood/{turn % 4}", "x" * 100_000):
                    break
            until(lambda: refused(world), "joins are UNAVAILABLE with advice", 20)
            before = world.ticks(world.nodes[0])
            expect(before, "rooms run")
            world.tick_on(before)
            (folder / "ballast").unlink()
            world.etcd.kill()
            world.start_etcd()
            until(lambda: seated(world), "joins work again", 30)
            figures = load.figures()
            expect(not figures["lost"], f"players lost: {figures['lost']}")
            return ("nothing; joins refused as UNAVAILABLE until there was room and etcd was "
                    "restarted")
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
        folder.rmdir()


def restart_node_by_node(options):
    """a rolling restart of two nodes under load: one drained, one by SIGTERM"""
    with World(options, "rolling", lease_s=4, idle_s=5) as world:
        world.stand()
        load = Load(world, "--play", "--stay", 4, "--joins", 150, "--rate", 5, "--linger", 6)
        until(lambda: load.count("playing") >= 10, "matches run", 30)
        took = []
        for name in ("node-1", "node-2"):
            node = next(n for n in world.nodes if n.name == name and n.runs())
            began = time.monotonic()
            if name == "node-1":
                drained = world.ctl(world.matchmakers[0], "nodes", "drain", name, "--deadline", "60s")
                expect(drained is not None, f"{name} drains")
            else:
                node.signal(signal.SIGTERM)
            expect(node.wait(45) == 0, f"{name} ends with exit code 0")
            took.append(time.monotonic() - began)
            world.nodes.remove(node)
            world.start_node(name)
            world.ready(2)
        figures = load.figures()
        expect(not figures["lost"], f"players lost: {figures['lost']}")
        expect(figures["seated"] == 150, f"{figures['seated']} of 150 seated")
        expect(figures["join_to_first_snapshot_ms"]["count"] == 150, "everybody played")
        return (f"nothing; every match that could finish did, every join was seated; empty after "
                f"{took[0]:.1f} s and {took[1]:.1f} s")


def refused(world, matchmakers=None):
    """Whether a join is refused as UNAVAILABLE, with advice when to come back."""
    one = Load(world, "--joins", 1, matchmakers=matchmakers).figures()
    return one["refused"] == {"Unavailable": 1} and one["refused_with_advice"] == 1


def seated(world, matchmakers=None):
    return Load(world, "--joins", 1, matchmakers=matchmakers).figures()["seated"] == 1
