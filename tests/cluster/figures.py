"""How fast joining is, with etcd and every process on this machine."""

import time

from world import Load, World, expect, until


def figures(options):
    """figures: joins through one matchmaker with etcd on this machine"""
    with World(options, "figures", lease_s=10, idle_s=10) as world:
        world.stand(2, 1)
        matchmaker = world.matchmakers[0]
        # Rooms of 16 seats.
        bursts = [Load(world, "--joins", 1100, "--rate", 11000).figures() for _ in range(3)]
        rooms = len(world.listed(matchmaker))
        expect(rooms >= 200, f"{rooms} rooms after 3,300 joins")
        listing = sorted(world.listing(matchmaker)["ms"] for _ in range(5))[2]
        expect(listing < 20, f"{rooms} rooms listed in {listing:.1f} ms")
        for burst in bursts:
            expect(burst["seated"] == 1100, f"{burst['seated']} of 1,100 seated: {burst['refused']}")
            expect(burst["promised_twice"] == 0, "no seat is given twice")
        rates = sorted(1100 / burst["seconds"] for burst in bursts)
        # Nobody came: the seats run out, and the rooms with them.
        until(lambda: not world.listed(matchmaker), "the rooms are gone", 30)
        time.sleep(1)
        spreads = []
        for _ in range(3):
            played = Load(world, "--play", "--stay", 1, "--joins", 300, "--rate", 50, "--linger", 3)
            spread = played.figures()["join_to_first_snapshot_ms"]
            expect(spread["count"] == 300, f"{spread['count']} of 300 saw a snapshot")
            spreads.append((spread["p99"], spread["p50"]))
        p99, p50 = sorted(spreads)[1]
        expect(p99 <= 250, f"join to first snapshot p99 {p99} ms")
        return (f"1,100 joins at once: {rates[1]:.0f} a second (median of three, {rates[0]:.0f} to "
                f"{rates[2]:.0f}); {rooms} rooms of two nodes listed in {listing:.1f} ms; at 50 joins a "
                f"second join to first snapshot p50 {p50} ms, p99 {p99} ms (median of three)")
