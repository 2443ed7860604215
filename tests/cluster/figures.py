"""How fast joining is, with etcd and every process on this machine."""

import os
import time

from world import Load, World, expect


def figures(options):
    """figures: joins through one matchmaker with etcd on this machine"""
    load = os.getloadavg()[0]
    # On a machine that others use, times say nothing of this program: they are told and not held.
    busy = load > os.cpu_count()
    said = f"{burst(options, busy)}; {steady(options, busy)}"
    return f"{said}; under load ({load:.0f} on {os.cpu_count()} cores)" if busy else said


def burst(options, busy):
    """Crowds that come at once, and the listing of what they fill."""
    with World(options, "burst", lease_s=10, seats_s=120) as world:
        world.stand(2, 1)
        matchmaker = world.matchmakers[0]
        # Rooms of 16 seats; an address may ask 2,000 times at once and then 200 times a second.
        bursts = []
        for _ in range(3):
            bursts.append(Load(world, "--joins", 1100, "--rate", 11000).figures())
            expect(bursts[-1]["seated"] == 1100, f"seated {bursts[-1]['seated']} of 1,100")
            expect(bursts[-1]["promised_twice"] == 0, "no seat is given twice")
            time.sleep(max(0.0, 5.5 - bursts[-1]["seconds"]))
        rooms = len(world.listed(matchmaker))
        expect(rooms >= 200, f"{rooms} rooms hold 3,300 seats")
        listing = sorted(world.listing(matchmaker)["ms"] for _ in range(5))[2]
        expect(busy or listing < 20, f"{rooms} rooms listed in {listing:.1f} ms")
        rates = sorted(1100 / burst["seconds"] for burst in bursts)
        return (f"1,100 joins at once: {rates[1]:.0f} a second (median of three, {rates[0]:.0f} to "
                f"{rates[2]:.0f}); {rooms} rooms of two nodes listed and filtered in {listing:.1f} ms")


def steady(options, busy):
    """Players who come one after the other, and play."""
    with World(options, "steady", lease_s=10, idle_s=10) as world:
        world.stand(2, 1)
        spreads = []
        for _ in range(3):
            played = Load(world, "--play", "--stay", 1, "--joins", 300, "--rate", 50, "--linger", 3)
            spread = played.figures()["join_to_first_snapshot_ms"]
            expect(spread["count"] == 300, f"{spread['count']} of 300 saw a snapshot")
            spreads.append((spread["p99"], spread["p50"]))
        p99, p50 = sorted(spreads)[1]
        expect(busy or p99 <= 250, f"join to first snapshot p99 {p99} ms")
        return (f"at 50 joins a second join to first snapshot p50 {p50} ms, p99 {p99} ms (median of "
                "three)")
