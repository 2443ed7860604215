"""How the client's own body moves, to predict it: "The body's step" of docs/wire.md.

Open ground only, as far as an example needs: no walls, no ledges. What a wall changes, the next snapshot says.
"""

import math
from dataclasses import dataclass

from datagrams import JUMP

FULL_TURN = 65536


@dataclass(frozen=True)
class Body:
    position_m: tuple
    velocity_m_s: tuple
    grounded: bool


def forward(yaw):
    """Along the ground, x and z."""
    turn = yaw / FULL_TURN * math.tau
    return -math.sin(turn), -math.cos(turn)


def stepped(body, hands, mode):
    """The body one tick later."""
    movement = mode.get("movement", {})
    dt_s = 1 / mode.get("tick_hz", 64)
    x, y, z = body.position_m
    vx, vy, vz = body.velocity_m_s

    wish = wished(hands, movement.get("run_speed_m_s", 5.0))
    if body.grounded:
        vx, vz = approach((vx, vz), wish, movement.get("acceleration_m_s2", 60.0) * dt_s)
    elif wish != (0.0, 0.0):
        vx, vz = approach((vx, vz), wish, movement.get("air_acceleration_m_s2", 12.0) * dt_s)

    grounded = body.grounded
    if grounded and hands.buttons & JUMP:
        vy, grounded = movement.get("jump_speed_m_s", 5.5), False
    vy = 0.0 if grounded else vy - movement.get("gravity_m_s2", 15.0) * dt_s

    x, y, z = x + vx * dt_s, y + vy * dt_s, z + vz * dt_s
    if y <= 0.0:
        y = 0.0
        if vy <= 0.0:
            vy, grounded = 0.0, True
    return Body((x, y, z), (vx, vy, vz), grounded)


def wished(hands, speed_m_s):
    """The velocity over the ground that an input asks for."""
    ahead, aside = hands.forward / 127, hands.right / 127
    fx, fz = forward(hands.yaw)
    wx, wz = fx * ahead - fz * aside, fz * ahead + fx * aside
    length = max(1.0, math.hypot(wx, wz))
    return wx * speed_m_s / length, wz * speed_m_s / length


def approach(now, wish, most):
    way = wish[0] - now[0], wish[1] - now[1]
    length = math.hypot(*way)
    if length <= most:
        return wish
    return now[0] + way[0] * most / length, now[1] + way[1] * most / length


def predicted(own, frames, mode):
    """The body now: the room's word, and every own frame above `applied` that is of the own life."""
    body = Body(own.position_m, own.velocity_m_s, own.grounded)
    for frame in frames:
        if frame.number > own.applied and frame.life == own.life:
            body = stepped(body, frame.hands, mode)
    return body
