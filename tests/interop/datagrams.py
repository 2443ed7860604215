"""Datagrams up: frames and shots, by "Datagrams up" of docs/wire.md."""

import struct
from dataclasses import dataclass

from bits import BitWriter, since

BYTES_MAX = 1_162
FRAMES_MAX, SHOTS_MAX = 42, 31
JUMP, FIRE = 1, 2


@dataclass(frozen=True)
class Hands:
    """What one frame's input says."""

    forward: int = 0  # -127 to 127
    right: int = 0
    buttons: int = 0
    yaw: int = 0
    pitch: int = 0


@dataclass(frozen=True)
class Frame:
    number: int
    life: int
    revision: int
    hands: Hands
    view: tuple  # tick, 65536ths of the way to the next
    weapon: int = 0
    total: int = 0
    clip: int = 0
    firing: bool = False


@dataclass(frozen=True)
class Shot:
    number: int
    life: int
    revision: int
    weapon: int
    total: int
    frame: int
    view: tuple
    origin_m: tuple
    direction: tuple
    names: tuple = ()  # (pellet, entity): only for a client-judged weapon

    def bytes(self):
        return struct.pack(
            "<IHHBHIIH6f", self.number, self.life, self.revision, self.weapon, self.total, self.frame,
            *self.view, *self.origin_m, *self.direction,
        ) + b"".join(struct.pack("<BH", *name) for name in self.names)  # fmt: skip


def datagram_up(newest, older, batch, frames, shots):
    """`newest` and `older`: ticks of held snapshots, or None. `frames` and `shots`: the oldest first."""
    w = BitWriter()
    w.put(0xA1, 8)
    if w.flag(newest is not None):
        w.put(newest, 32)
        w.put(0 if older is None else since(newest, older, 32), 6)
    w.small(batch, 10)
    w.put(len(frames), 7)
    w.put(len(shots), 5)
    before = None
    for frame in frames:
        if before is None:
            first_frame(w, frame, newest or 0)
        else:
            further_frame(w, frame, before)
        before = frame
    out = bytearray(w.bytes())
    for shot in shots:
        data = shot.bytes()
        out.append(len(data))
        out += data
    return bytes(out)


def first_frame(w, frame, newest):
    w.small(frame.number, 12)
    w.small(frame.life, 4)
    w.small(frame.revision, 4)
    put_hands(w, frame.hands)
    w.put(frame.hands.yaw, 16)
    w.put(frame.hands.pitch, 16)
    w.way(since(frame.view[0], newest, 32), 4)
    w.put(frame.view[1], 16)
    w.put(frame.weapon, 8)
    w.small(frame.total, 6)
    w.small(frame.clip, 6)
    w.flag(frame.firing)


def further_frame(w, frame, before):
    w.small(frame.number - before.number - 1, 0)
    a, b = before.hands, frame.hands
    if w.flag((a.forward, a.right, a.buttons) != (b.forward, b.right, b.buttons)):
        put_hands(w, b)
    if w.flag((a.yaw, a.pitch) != (b.yaw, b.pitch)):
        w.way(since(b.yaw, a.yaw, 16), 6)
        w.way(b.pitch - a.pitch, 6)
    off = (since(frame.view[0], before.view[0], 32) - 1) * 65536 + frame.view[1] - before.view[1]
    if w.flag(off != 0):
        if w.flag(abs(off) < 1 << 24):
            w.way(off, 8)
        else:
            w.put(frame.view[1], 16)
            w.put(frame.view[0], 32)
    w.flag(frame.firing)
    inventory = [(f.life, f.revision, f.weapon, f.total, f.clip) for f in (before, frame)]
    if w.flag(inventory[0] != inventory[1]):
        w.way(since(frame.life, before.life, 16), 0)
        w.way(since(frame.revision, before.revision, 16), 0)
        if w.flag(frame.weapon != before.weapon):
            w.put(frame.weapon, 8)
        w.way(since(frame.total, before.total, 16), 1)
        w.way(since(frame.clip, before.clip, 16), 1)


def put_hands(w, hands):
    w.put(hands.forward, 8)
    w.put(hands.right, 8)
    w.put(hands.buttons, 8)
