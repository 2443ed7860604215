"""The messages of the ordered stream: docs/wire.md, read and written.

Values in, values out: no connection, no clock.
"""

import struct
from dataclasses import dataclass, field

from bits import ByteReader, Unreadable, block, text

VERSION = 1
MESSAGE_BYTES_MAX = 393_216
NOT_SET = 0xFFFF

RULES = "malformed weapon armed late held ammo rate origin cover rewind range reload".split()
CLOSE_CODES = {
    0: "goodbye", 1: "stopping", 2: "room_closed", 3: "room_failed", 4: "kicked", 5: "banned",
    6: "superseded", 7: "idle", 8: "slow", 9: "diverged", 10: "version", 11: "hello",
    12: "protocol", 13: "malformed", 14: "flood", 20: "ticket_forged", 21: "ticket_expired",
    22: "ticket_used", 23: "ticket_room", 24: "ticket_node", 25: "ticket_revoked", 26: "full",
    30: "internal",
}  # fmt: skip


# --- messages up


def framed(message):
    """As it goes into the stream: its length before it."""
    return block(message)


def hello(ticket, traceparent="", version=VERSION):
    return struct.pack("<BH", 1, version) + block(ticket) + text(traceparent)


def apply_failed(revision):
    return struct.pack("<BH", 2, revision)


def goodbye():
    return b"\x04"


# --- messages down


@dataclass
class Table:
    """Recurring texts and records, as the room and every session's reader keep them."""

    texts: list = field(default_factory=list)
    records: list = field(default_factory=list)

    def text(self, reader):
        n = reader.varint()
        if n >= 2:
            return look_up(self.texts, n - 2)
        words = reader.text()
        if n == 1:
            self.texts.append(words)
        return words

    def record(self, reader):
        n = reader.varint()
        if n >= 2:
            return look_up(self.records, n - 2)
        record = value(reader, self)
        if n == 1:
            self.records.append(record)
        return record


@dataclass
class Welcome:
    entity: int
    life: int
    player: str
    room: str
    tick: int
    tick_hz: int
    snapshot_every: int
    rejoin_within_ms: int
    rejoin_ticket: bytes
    mode_name: str
    mode: str  # TOML
    table: Table


@dataclass
class Command:
    revision: int
    what: str  # give, take, set_ammo, clear, set_armed
    weapon: int = 0
    rounds: int = 0
    clip: int = NOT_SET
    arm: bool = False


@dataclass
class RespawnGrant:
    life: int


@dataclass
class Events:
    number: int
    tick: int
    events: list


@dataclass
class GameReply:
    number: int
    accepted: bool
    value: object = None
    refusal: str = ""


@dataclass
class Closing:
    code: int
    reason: str


def message_down(data, table):
    """One message, used up exactly. `table` is the welcome's, None before it."""
    reader = ByteReader(data)
    kind = reader.u8()
    if kind not in MESSAGES_DOWN or (table is None and kind not in (1, 6)):
        raise Unreadable("kind")
    message = MESSAGES_DOWN[kind](reader, table)
    reader.end()
    return message


def read_welcome(reader, _):
    entity, life = reader.fields("HH")
    player, room = reader.text(), reader.text()
    tick, tick_hz, every, rejoin_within_ms = reader.fields("IHHI")
    ticket, mode_name, mode = reader.block(), reader.text(), reader.text()
    table = Table()
    table.texts = [reader.text() for _ in range(reader.varint())]
    table.records = [value(reader, table) for _ in range(reader.varint())]
    return Welcome(
        entity, life, player, room, tick, tick_hz, every, rejoin_within_ms, ticket, mode_name, mode, table
    )  # fmt: skip


def read_command(reader, _):
    revision, what = reader.fields("HB")
    match what:
        case 0 | 1:
            weapon, rounds = reader.fields("BH")
            return Command(revision, "give", weapon, rounds, arm=what == 1)
        case 2:
            return Command(revision, "take", reader.u8())
        case 3:
            weapon, total, clip = reader.fields("BHH")
            return Command(revision, "set_ammo", weapon, total, clip)
        case 4:
            return Command(revision, "clear")
        case 5:
            return Command(revision, "set_armed", reader.u8())
    raise Unreadable("kind")


def read_grant(reader, _):
    return RespawnGrant(reader.u16())


def read_events(reader, table):
    number, tick = reader.varint(), reader.u32()
    return Events(number, tick, [event(reader, table) for _ in range(reader.varint())])


def read_reply(reader, table):
    number, how = reader.varint(), reader.u8()
    if how == 2:
        return GameReply(number, False, refusal=table.text(reader))
    return GameReply(number, True, value(reader, table) if how == 1 else None)


def read_closing(reader, table):
    return Closing(reader.varint(), (table or Table()).text(reader))


MESSAGES_DOWN = {
    1: read_welcome,
    2: read_command,
    3: read_grant,
    4: read_events,
    5: read_reply,
    6: read_closing,
}


# --- events: each is ("name", {fields})


def event(reader, table):
    first = reader.u8()
    kind, flags = first & 0x0F, first & 0xF0
    if kind not in EVENTS:
        raise Unreadable("kind")
    name, read = EVENTS[kind]
    return name, read(reader, table, flags)


def joined(r, table, flags):
    return {
        "entity": r.varint(), "kind": r.u8(), "index": r.u8(), "life": r.u16(), "team": r.u8(), "player": r.text(),
    }  # fmt: skip


def left(r, table, flags):
    return {"entity": r.varint()}


def shot_judged(r, table, flags):
    out = {"shooter": r.varint(), "number": r.varint(), "weapon": r.u8(), "rule": None}
    if flags & 0x10:
        out["rule"] = rule(r, table)
        return out
    out["origin"] = r.place()
    out["ends"] = [r.place() for _ in range(r.varint())]
    out["strikes"] = [strike(r, table) for _ in range(r.varint())]
    return out


def strike(r, table):
    target, pellet = r.varint(), r.u8()
    zone = table.text(r) if target & 1 else None
    return {"target": target >> 1, "pellet": pellet, "zone": zone, "at": r.place()}


def hit(r, table, flags):
    return {
        "target": r.varint(),
        "source": r.varint() if flags & 0x10 else None,
        "weapon": weapon(r, table, flags),
        "amount": amount(r),
        "zone": table.text(r) if flags & 0x20 else None,
        "data": table.record(r) if flags & 0x40 else None,
    }


def killed(r, table, flags):
    return {
        "target": r.varint(),
        "life": r.u16(),
        "source": r.varint() if flags & 0x10 else None,
        "weapon": weapon(r, table, flags) if flags & 0x20 else None,
    }


def respawned(r, table, flags):
    return {"entity": r.varint(), "life": r.u16(), "at": r.place()}


def shot_refused(r, table, flags):
    return {
        "number": r.varint(), "rule": rule(r, table), "reason": table.text(r), "unseen_death": bool(flags & 0x10),
    }  # fmt: skip


def game(r, table, flags):
    return {
        "name": table.text(r), "entity": r.varint() if flags & 0x10 else None, "value": value(r, table),
    }  # fmt: skip


def launched(r, table, flags):
    return {"projectile": r.varint(), "shooter": r.varint(), "weapon": r.u8(), "number": r.varint()}


def ended(r, table, flags):
    return {"projectile": r.varint(), "weapon": r.u8(), "at": r.place(), "blast_m": amount(r)}


def mover(r, table, flags):
    out = {"mover": r.varint(), "centre": r.fields("3f"), "motion": r.u8()}
    if out["motion"] == 2:
        out |= {"to": r.fields("3f"), "speed": r.fields("f")[0]}
    elif out["motion"] == 3:
        out |= {"from": r.fields("3f"), "to": r.fields("3f"), "speed": r.fields("f")[0]}
    elif out["motion"] > 3:
        raise Unreadable("kind")
    return out


EVENTS = {
    0: ("Joined", joined), 1: ("Left", left), 2: ("ShotJudged", shot_judged), 3: ("Hit", hit),
    4: ("Killed", killed), 5: ("Respawned", respawned), 6: ("ShotRefused", shot_refused),
    7: ("Game", game), 8: ("Launched", launched), 9: ("Ended", ended), 10: ("Mover", mover),
}  # fmt: skip


def weapon(r, table, flags):
    first = r.u8()
    if not flags & 0x80:
        return first
    match first:
        case 0:
            return ("named", table.text(r))
        case 1:
            return ("monster", r.u8())
        case 2:
            return ("shot", r.u8(), r.varint())
    raise Unreadable("kind")


def amount(r):
    n = r.varint()
    if n & 1 == 0:
        return (n >> 1) / 8
    if n == 1:
        return r.fields("f")[0]
    raise Unreadable("range")


def rule(r, table):
    number = r.u8()
    if number == 255:
        return table.text(r)
    return look_up(RULES, number)


def value(r, table, depth=0):
    if depth > 8:
        raise Unreadable("depth")
    kind = r.u8()
    if kind >= 128:
        return kind - 128
    if 16 <= kind <= 31:
        return {table.text(r): value(r, table, depth + 1) for _ in range(kind - 16)}
    match kind:
        case 0 | 1:
            return kind == 1
        case 2:
            return r.fields("d")[0]
        case 3:
            return r.fields("f")[0]
        case 4:
            return r.signed()
        case 5:
            return table.text(r)
        case 6:
            return [value(r, table, depth + 1) for _ in range(bounded(r.varint(), 256))]
        case 7:
            fields = bounded(r.varint(), 256)
            return {table.text(r): value(r, table, depth + 1) for _ in range(fields)}
        case 8:
            return r.signed() / 8
    raise Unreadable("kind")


def look_up(row, place):
    if place >= len(row):
        raise Unreadable("unknown")
    return row[place]


def bounded(n, most):
    if n > most:
        raise Unreadable("too_many")
    return n
