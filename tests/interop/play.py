"""What a player does in a session: look, walk, see, aim, shoot, and wait for the verdict."""

import math
from dataclasses import replace

import body
import datagrams
import sight
from snapshots import MONSTER

FULL_TURN = 65536
SEES_M = 40.0


def looking(direction):
    """Hands at rest, the eyes along a direction."""
    yaw = math.atan2(-direction[0], -direction[2]) / math.tau * FULL_TURN
    pitch = math.asin(max(-1.0, min(1.0, direction[1]))) / math.tau * FULL_TURN
    return datagrams.Hands(yaw=round(yaw) % FULL_TURN, pitch=round(pitch))


def still(session):
    return datagrams.Hands(yaw=session.hands.yaw, pitch=session.hands.pitch)


async def walk(session, inputs):
    """Makes a frame of each input; answers where the body comes to rest by the client's own reckoning."""
    expected = session.body()
    for hands in inputs:
        await session.step(hands)
        expected = body.stepped(expected, hands, session.mode)
    for _ in range(64):
        expected = body.stepped(expected, still(session), session.mode)
    return expected.position_m


async def rest(session):
    """Stands until every frame made so far was applied and the body rests."""
    last = session.number

    def rests():
        return session.own.applied > last + 8 and not any(session.own.velocity_m_s)

    await session.until(rests, 10, "the body to rest")
    return session.own.position_m


def free_way(session, metres):
    """A yaw along which nothing stands for so far."""
    x, y, z = session.body().position_m
    for yaw in range(0, FULL_TURN, 2048):
        fx, fz = body.forward(yaw)
        for aside in (-0.6, 0.0, 0.6):
            start = (x - fz * aside, y + 0.1, z + fx * aside)
            end = (start[0] + fx * metres, start[1], start[2] + fz * metres)
            high = tuple((px, py + 0.9, pz) for px, py, pz in (start, end))
            if not (
                sight.is_inside(session.mode, end, 0.5)
                and sight.is_clear(session.mode, start, end)
                and sight.is_clear(session.mode, *high)
            ):
                break
        else:
            return yaw
    raise AssertionError("walled in")


def weapon(session, name):
    """Its number in the mode's catalogue."""
    return next(w["id"] for w in session.mode["weapons"] if w["name"] == name)


async def take_in_hand(session, name):
    """A client swaps on its own: the next frame says it."""
    session.inventory.arm(weapon(session, name))
    await session.step(still(session))


def target(session, view):
    """The furthest monster in clear sight, and the middle of it as it is drawn."""
    seen, eye = [], session.eye_m()
    for id, entity in view.b.entities.items():
        feet = view.pose_m(id)
        if feet is None or entity.kind != MONSTER:
            continue
        middle = (feet[0], feet[1] + monster(session, entity).get("height_m", 1.8) / 2, feet[2])
        far = math.dist(eye, middle)
        if far < SEES_M and sight.is_clear(session.mode, eye, middle):
            seen.append((far, id, middle))
    return max(seen)[1:] if seen else None


def monster(session, entity):
    return session.mode["monsters"][entity.index]


async def shoot_at_a_monster(session):
    """Aims at what the frame of the shot draws; answers the shot, the target and where it was drawn."""
    await session.until(lambda: target(session, session.view()), 30, "a monster in sight")
    aimed = None

    def act(view):
        nonlocal aimed
        aimed = target(session, view)
        if aimed is None:
            return still(session), []
        direction, _ = sight.towards(session.eye_m(), aimed[1])
        return looking(direction), [(session.eye_m(), direction)]

    fired = []
    while not fired:
        fired = await session.step(act=act)
    return fired[0], *aimed


async def shoot(session, direction, count=1, offset_m=(0.0, 0.0, 0.0)):
    """So many shots after one frame, from so far off the eye."""
    origin = tuple(e + o for e, o in zip(session.eye_m(), offset_m))
    return await session.step(act=lambda _: (looking(direction), [(origin, direction)] * count))


async def verdict(session, shot):
    def judged():
        return session.events("ShotJudged", number=shot.number, shooter=session.welcome.entity)

    await session.until(judged, 10, f"a verdict on shot {shot.number}")
    return judged()[0]


def jumping(session):
    return replace(still(session), buttons=datagrams.JUMP)
