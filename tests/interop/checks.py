"""Plays against a running server and says, a line a check, what held. Exits with 1 where one did not.

    python checks.py MATCHMAKER METRICS-URL
"""

import asyncio
import math
import re
import secrets
import statistics
import sys
import time
import urllib.request
from dataclasses import replace

import body
import datagrams
import examples
import play
import seats
import wire
from session import PinMismatch, connect
from snapshots import MONSTER

MODE, MONSTERS = "arena", 16
CHECK_S_MAX = 90
PREDICTED_WITHIN_M = 0.01
DRAWN_WITHIN_M = 0.05
LOSES_ONE_IN = 3
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Evening:
    """One player's evening: what a check leaves is what the next begins with."""

    def __init__(self, matchmaker, metrics):
        self.matchmaker, self.metrics = matchmaker, metrics
        self.me = self.seat_of_me = None

    # --- coming in

    @check
    async def the_examples_of_the_page_read_and_write(self):
        return f"{examples.check()} examples"

    @check
    async def another_certificate_is_turned_down(self):
        seat = await self.seat(monsters=0)
        assert len(seat.certificate_sha256) == 32
        try:
            await connect(replace(seat, certificate_sha256=bytes(32)))
        except PinMismatch as why:
            return str(why)
        raise AssertionError("the pin was not checked")

    @check
    async def a_seat_and_a_hello_are_welcomed(self):
        return await self.enter(monsters=0)

    @check
    async def grant_and_loadout_are_applied_in_order(self):
        await self.loadout_of_life(1)
        totals = self.me.inventory.totals()
        for given in self.me.mode["loadout"]:
            assert totals[play.weapon(self.me, given["weapon"])] == given.get("rounds", 0), totals
        return f"life 1, revision {self.me.inventory.revision}, rounds by weapon {totals}"

    # --- frames and snapshots

    @check
    async def frames_go_at_64_hz_and_each_is_applied_once(self):
        me, hz = self.me, self.me.welcome.tick_hz
        # A busy machine stalls either side, so the usual way between two frames is what counts.
        for tried in range(1, 11):
            applied, number, times = me.own.applied, me.number, []
            for _ in range(2 * hz):
                await me.step()
                times.append(time.monotonic())
            usual_s = statistics.median(b - a for a, b in zip(times, times[1:]))
            sent, applied = me.number - number, me.own.applied - applied
            if 0.8 < usual_s * hz < 1.25 and abs(applied - sent) <= 16:
                return f"{usual_s * 1000:.1f} ms between two; {sent} sent, {applied} applied meanwhile (try {tried})"
        raise AssertionError(f"{usual_s * 1000:.1f} ms from one to the next; {sent} sent, {applied} applied")

    @check
    async def the_body_moves_as_the_inputs_say(self):
        me = self.me
        yaw = play.free_way(me, 6.0)
        start, (fx, fz) = me.body().position_m, body.forward(yaw)
        expected = await play.walk(me, [datagrams.Hands(forward=127, yaw=yaw)] * 64)
        end = await play.rest(me)
        ahead = (end[0] - start[0]) * fx + (end[2] - start[2]) * fz
        off = math.dist(end, expected)
        assert ahead > 4.0 and off < PREDICTED_WITHIN_M, (ahead, off)
        return f"{ahead:.2f} m ahead in a second, {off * 1000:.2f} mm from where it was predicted"

    @check
    async def a_jump_rises_and_lands(self):
        me, heights = self.me, []
        await me.step(play.jumping(me))
        for _ in range(64):
            await me.step(play.still(me))
            heights.append(me.own.position_m[1])
        await play.rest(me)
        movement = me.mode.get("movement", {})
        rise = movement.get("jump_speed_m_s", 5.5) ** 2 / 2 / movement.get("gravity_m_s2", 15.0)
        assert abs(max(heights) - rise) < 0.1 and me.own.grounded, (max(heights), rise)
        return f"{max(heights):.2f} m"

    @check
    async def lost_datagrams_cost_no_frame(self):
        me, sent = self.me, 0

        def keeps(_):
            nonlocal sent
            sent += 1
            return sent % LOSES_ONE_IN != 0

        yaw = play.free_way(me, 4.0)
        me.keeps_datagram = keeps
        inputs = [datagrams.Hands(forward=127, right=(i % 16 - 8) * 8, yaw=yaw) for i in range(48)]
        expected = await play.walk(me, inputs)
        me.keeps_datagram = lambda _: True
        off = math.dist(await play.rest(me), expected)
        assert off < PREDICTED_WITHIN_M, off
        return f"{sent // LOSES_ONE_IN} of {sent} lost, {off * 1000:.2f} mm from where it was predicted"

    @check
    async def another_player_sees_every_pose_of_hers(self):
        me, seen, own = self.me, {}, {}
        seat = await asyncio.to_thread(seats.seat_beside, self.matchmaker, self.seat_of_me)
        friend = await connect(seat)
        await friend.hello(seat.ticket)

        def watch():
            for tick, picture in friend.pictures.held.items():
                seen[tick] = picture.entities.get(me.welcome.entity)
            own.update((tick, picture.own) for tick, picture in me.pictures.held.items())
            return walked.done()

        async def walk():
            way = play.free_way(me, 4.0)
            curve = [(way + i * 37, round(6000 * math.sin(i / 11))) for i in range(64)]
            await play.walk(me, [datagrams.Hands(forward=90, yaw=y % 65536, pitch=p) for y, p in curve])
            await play.rest(me)

        walked = asyncio.ensure_future(walk())
        await friend.until(watch, 30, "the walk")
        await walked
        await friend.goodbye()
        hands = {frame.number: frame.hands for frame in me.made}
        both = [t for t in own if seen.get(t) and seen[t].tick == t and own[t].applied in hands]
        for tick in both:
            look = hands[own[tick].applied]
            assert (seen[tick].yaw, seen[tick].pitch) == (look.yaw, look.pitch), tick
        off = max(math.dist([p / 256 for p in seen[t].place], own[t].position_m) for t in both)
        assert len(both) > 20 and off < 1 / 256, (len(both), off)
        return f"{len(both)} of them, looks equal, places within {off * 1000:.1f} mm"

    # --- shots

    @check
    async def shots_far_too_fast_are_refused_as_rate(self):
        await play.take_in_hand(self.me, "scattergun")
        return await self.refusal("rate", await play.shoot(self.me, (0.0, 0.0, -1.0), count=8))

    @check
    async def a_shot_from_5_m_away_is_refused_as_origin(self):
        fx, fz = body.forward(play.free_way(self.me, 6.0))
        await play.take_in_hand(self.me, "rifle")
        shots = await play.shoot(self.me, (0.0, 0.0, -1.0), offset_m=(5 * fx, 0.0, 5 * fz))
        return await self.refusal("origin", shots)

    # --- in another room, among monsters

    @check
    async def goodbye_ends_the_session_as_asked(self):
        await self.me.goodbye()
        return ended(self.me, "goodbye")

    @check
    async def a_room_of_monsters_is_entered(self):
        return await self.enter(MONSTERS)

    @check
    async def snapshots_come_as_differences_and_decode(self):
        me = self.me
        await self.loadout_of_life(1)
        read, differences = me.snapshots, me.pictures.differences
        await me.until(lambda: me.snapshots >= read + 64, 20, "64 snapshots")
        read, differences = me.snapshots - read, me.pictures.differences - differences
        kinds = [e.kind for e in me.pictures.newest.entities.values()]
        # After a stall of this side the server begins anew with a whole one.
        assert differences > read * 0.8 and me.unreadable == 0, (differences, read, me.unreadable)
        assert kinds.count(MONSTER) == MONSTERS, kinds
        return f"{differences} of {read} built on another; {MONSTERS} monsters"

    @check
    async def a_shot_at_a_monster_hits_where_it_was_drawn(self):
        me = self.me
        for tried in range(1, 31):  # another may step between
            await self.loadout_of_life(me.inventory.life)
            await play.take_in_hand(me, "rifle")
            shot, target, drawn = await play.shoot_at_a_monster(me)
            verdict = await play.verdict(me, shot)
            if verdict["rule"] is None and [s["target"] for s in verdict["strikes"]] == [target]:
                break
        assert verdict["rule"] is None and verdict["strikes"], verdict
        (hit, *_) = me.events("Hit", target=target, source=me.welcome.entity)
        assert hit["weapon"] == ("shot", shot.weapon, shot.number) and hit["amount"] > 0, hit
        # The ray meets the drawn axis, so it enters the body one radius before it.
        at, eye = verdict["strikes"][0]["at"], shot.origin_m
        flat = math.dist((at[0], at[2]), (drawn[0], drawn[2]))
        off = abs(flat - play.monster(me, me.pictures.newest.entities[target]).get("radius_m", 0.4))
        assert off < DRAWN_WITHIN_M, (at, drawn)
        return (
            f"shot {shot.number} took {hit['amount']:g} health of entity {target} at {math.dist(eye, at):.1f} m, "
            f"{off * 1000:.0f} mm from where it was drawn (try {tried})"
        )

    @check
    async def a_death_empties_the_inventory_and_a_grant_fills_it(self):
        me, life, before = self.me, self.me.inventory.life, self.me.inventory.totals()

        def killed():
            return me.events("Killed", target=me.welcome.entity, life=life)

        await me.until(killed, 60, "a death")
        await self.loadout_of_life(life + 1)
        assert me.inventory.totals() != before, "rounds were spent before and are there again"
        await play.take_in_hand(me, "rifle")
        (shot,) = await play.shoot(me, (0.0, 1.0, 0.0))
        verdict = await play.verdict(me, shot)
        assert verdict["rule"] is None and shot.life == life + 1, verdict
        return f"life {life + 1}, revision {me.inventory.revision}, and a shot of it accepted"

    @check
    async def event_batches_came_without_a_gap_and_were_acknowledged(self):
        me = self.me
        assert me.closed is None and me.batches > 10
        return f"1 to {me.batches}, {len(me.log)} events"

    # --- bad inputs

    @check
    async def garbage_datagrams_are_counted_and_survived(self):
        me, before = self.me, await self.malformed()
        for _ in range(5):
            me.send_raw_datagram(b"\xa1" + b"\xff" * 40)
            me.send_raw_datagram(secrets.token_bytes(1) + b"\xff" * 199)
        applied = me.own.applied
        await me.until(lambda: me.own.applied > applied + 64, 20, "frames to go on")
        counted = await self.malformed() - before
        assert counted == 10, counted
        return f"{counted} counted, and the session plays on"

    @check
    async def a_lost_player_comes_back_to_her_seat(self):
        seat = await self.seat(monsters=0)
        before = await connect(seat)
        await before.hello(seat.ticket)
        await before.until(lambda: before.playing() and before.own.applied, 10, "frames")
        before.vanish()
        again = await connect(seat)
        await again.hello(before.welcome.rejoin_ticket)
        places = [(s.welcome.player, s.welcome.entity) for s in (before, again)]
        assert places[0] == places[1], places
        await again.until(lambda: again.batches and again.commands, 10, "events and commands, from 1 on")
        await again.goodbye()
        return f"{places[1][0]} as entity {places[1][1]} again; {ended(again, 'goodbye')}"

    @check
    async def a_ticket_is_good_once(self):
        seat = await self.seat(monsters=0)
        first = await connect(seat)
        await first.hello(seat.ticket)
        second = await self.greet(seat, wire.framed(wire.hello(seat.ticket)))
        await first.goodbye()
        return ended(second, "ticket_used")

    @check
    async def a_forged_ticket_is_refused(self):
        seat = await self.seat(monsters=0)
        ticket = seat.ticket[:-1] + bytes([seat.ticket[-1] ^ 1])
        return ended(await self.greet(seat, wire.framed(wire.hello(ticket))), "ticket_forged")

    @check
    async def a_truncated_hello_is_refused(self):
        seat = await self.seat(monsters=0)
        return ended(await self.greet(seat, wire.framed(wire.hello(seat.ticket)[:-20])), "hello")

    @check
    async def a_hello_cut_off_with_its_stream_is_refused(self):
        seat = await self.seat(monsters=0)
        cut = wire.framed(wire.hello(seat.ticket))[:-20]
        return ended(await self.greet(seat, cut, last=True), "hello")

    # --- helpers

    async def enter(self, monsters):
        seat = self.seat_of_me = await self.seat(monsters)
        self.me = await connect(seat)
        await self.me.hello(seat.ticket)
        w = self.me.welcome
        assert (w.player, w.room, w.mode_name) == (seat.player, seat.room, MODE)
        return f"{w.player} is entity {w.entity} of {w.room} at tick {w.tick}"

    async def seat(self, monsters):
        (seat,) = await asyncio.to_thread(seats.seats, self.matchmaker, MODE, 1, monsters)
        return seat

    async def loadout_of_life(self, life):
        me = self.me

        def given():
            return me.playing() and me.inventory.life == life and len(me.inventory.slots) == len(me.mode["loadout"])

        await me.until(given, 20, f"the loadout of life {life}")

        def lives():
            return me.own.alive and me.own.life == life and me.own.revision == me.inventory.revision

        await me.until(lives, 10, "the own state to say so too")

    async def refusal(self, rule, shots):
        """The last of the shots is refused by the rule, with a reason."""
        verdicts = [await play.verdict(self.me, shot) for shot in shots]
        assert verdicts[-1]["rule"] == rule, verdicts
        number = shots[-1].number
        await self.me.until(lambda: self.me.events("ShotRefused", number=number), 10, "the reason")
        (refused,) = self.me.events("ShotRefused", number=number)
        assert refused["rule"] == rule and refused["reason"], refused
        accepted = sum(v["rule"] is None for v in verdicts)
        return f"{accepted} of {len(shots)} accepted; shot {number}, rule {rule}: {refused['reason']}"

    async def greet(self, seat, stream, last=False):
        """Says these bytes first and waits for the end."""
        session = await connect(seat)
        session.send_stream(stream, last)
        await session.end(20)
        return session

    async def malformed(self):
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(self.metrics, timeout=5).read().decode())
        return sum(int(n) for n in re.findall(r"^fairshot_malformed_total\{.*\} (\d+)$", page, re.MULTILINE))


def ended(session, label):
    code, reason = session.closed
    assert wire.CLOSE_CODES.get(code) == label, f"closed with {code}: {reason}"
    if session.closing:
        assert session.closing.code == code, session.closing
    told = " (and the stream said so before)" if session.closing else ""
    return f"closed with {code} {label}: {reason}{told}"


async def main(matchmaker, metrics):
    evening, failed = Evening(matchmaker, metrics), 0
    for one in CHECKS:
        name = one.__name__.replace("_", " ")
        try:
            print(f"ok    {name}: {await asyncio.wait_for(one(evening), CHECK_S_MAX)}", flush=True)
        except Exception as why:
            failed += 1
            print(f"FAIL  {name}: {type(why).__name__} {why}", flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(*sys.argv[1:])) else 0)
