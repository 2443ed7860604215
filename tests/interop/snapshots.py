"""Snapshots: the "Snapshots" part of docs/wire.md. `Pictures` keeps what later ones build on."""

import struct
from dataclasses import dataclass, replace

from bits import BitReader, Unreadable, nearest, since, unzigzag

KNOWN_FOR_TICKS = 80
PLAYER, MONSTER, PROJECTILE = range(3)


@dataclass(frozen=True)
class Entity:
    kind: int
    index: int  # of the monster or weapon
    life: int
    place: tuple  # x, y, z in 256ths of a metre
    yaw: int
    pitch: int
    alive: bool
    health: int  # eighths of a point
    held: int
    team: int | None
    traits: int
    tick: int  # that this is of
    broke: int  # the tick its motion last broke


@dataclass(frozen=True)
class Own:
    applied: int = 0  # number of the last frame the body moved by; 0 for none yet
    floats: tuple = (0, 0, 0, 0, 0, 0)  # position and velocity as bits
    grounded: bool = False
    life: int = 0
    revision: int = 0
    alive: bool = False
    health: int = 0
    traits: int = 0

    @property
    def position_m(self):
        return struct.unpack("<3f", struct.pack("<3I", *self.floats[:3]))

    @property
    def velocity_m_s(self):
        return struct.unpack("<3f", struct.pack("<3I", *self.floats[3:]))


@dataclass(frozen=True)
class Picture:
    tick: int
    own: Own
    entities: dict  # id to Entity


class Pictures:
    """The decoded snapshots of a session, and the messages the server said it heard."""

    def __init__(self, own_id, tick):
        self.own_id = own_id
        self.tick = tick  # the newest known
        self.held = {}
        self.newest = None  # Picture
        self.highest = 0  # message number heard
        self.heard = set()
        self.lost = 0  # snapshots whose base was not held
        self.differences = 0  # snapshots read that built on another

    def read(self, data):
        """The picture of one snapshot; None for one whose base is not held any more."""
        r = BitReader(data)
        if r.take(8) != 0xB1:
            raise Unreadable("version")
        tick = nearest(r.take(16), self.tick)
        highest = nearest(r.take(16), self.highest)
        missing = 0 if r.flag() else ~r.take(64)
        newer = older = None
        if r.flag():
            newer_tick = (tick - r.take(7)) % (1 << 32)
            older_ticks = r.take(6)
            newer = self.held.get(newer_tick)
            older = self.held.get((newer_tick - older_ticks) % (1 << 32)) if older_ticks else None
            if newer is None or (older_ticks and older is None):
                self.lost += 1
                return None
        own = read_own(r, newer.own if newer else Own(), highest)
        entities = self.read_entities(r, tick, newer, older)
        r.end()

        picture = Picture(tick, own, entities)
        self.hear(highest, missing)
        self.keep(picture)
        self.differences += newer is not None
        return picture

    def is_done(self, number):
        """Whether a message need not be sent again."""
        return number in self.heard or self.highest - number > 64

    def older(self):
        """What to name beside the newest: two ticks before it is best."""
        ticks = [t for t in self.held if 0 < since(self.newest.tick, t, 32) <= 63]
        return min(ticks, key=lambda t: abs(since(self.newest.tick, t, 32) - 2), default=None)

    def hear(self, highest, missing):
        self.highest = max(self.highest, highest)
        said = [highest - 1 - i for i in range(64) if not missing >> i & 1]
        self.heard.update([highest, *said])
        self.heard = {n for n in self.heard if self.highest - n <= 64}

    def keep(self, picture):
        self.held[picture.tick] = picture
        if self.newest is None or since(picture.tick, self.newest.tick, 32) > 0:
            self.newest, self.tick = picture, picture.tick
        # Every base to come is at most 80 ticks old.
        self.held = {t: p for t, p in self.held.items() if since(self.tick, t, 32) <= KNOWN_FOR_TICKS}

    def read_entities(self, r, tick, newer, older):
        complete, span = r.flag(), r.take(11)
        if span > 1024:
            raise Unreadable("too_many")
        widths = [r.take(4) for _ in range(4)]
        entities = {}
        for id in range(span):
            if id == self.own_id:
                continue
            k, o = known(newer, id, tick), known(older, id, tick)
            if not complete and not r.flag():
                entity = newer.entities.get(id) if newer else None
            elif not r.flag():
                entity = predicted(k, o, tick)
            elif k and r.flag():
                entity = difference(r, predicted(k, o, tick), tick, widths)
            elif k is None or r.flag():
                entity = whole(r, tick)
            else:
                entity = None
            if entity:
                entities[id] = entity
        return entities


def known(picture, id, tick):
    entity = picture.entities.get(id) if picture else None
    return entity if entity and since(tick, entity.tick, 32) <= KNOWN_FOR_TICKS else None


def predicted(k, o, tick):
    if k is None:
        return None
    k_now = replace(k, tick=tick)
    if o is None or since(k.tick, o.tick, 32) <= 0 or since(k.broke, o.tick, 32) > 0:
        return k_now
    f = 65536 * since(tick, k.tick, 32) // since(k.tick, o.tick, 32)

    def on(a, b):
        return b + (((b - a) * f + 32768) >> 16)

    place = tuple(on(a, b) for a, b in zip(o.place, k.place))
    if k.kind != PLAYER:
        return replace(k_now, place=place)
    yaw = (k.yaw + ((since(k.yaw, o.yaw, 16) * f + 32768) >> 16)) % 65536
    pitch = since((k.pitch + ((since(k.pitch, o.pitch, 16) * f + 32768) >> 16)), 0, 16)
    return replace(k_now, place=place, yaw=yaw, pitch=pitch)


def difference(r, e, tick, widths):
    ground, height, yaw, pitch = widths
    x, y, z = e.place
    x, z = x + r.way(ground), z + r.way(ground)
    if r.flag():
        e = replace(e, yaw=(e.yaw + r.way(yaw)) % 65536)
    if r.flag():
        y += r.way(height)
        e = replace(e, pitch=since(e.pitch + r.way(pitch), 0, 16))
        if r.flag():
            e = replace(e, alive=r.flag(), health=r.small(10))
        if r.flag():
            e = replace(e, held=r.take(8))
        if r.flag():
            e = replace(e, traits=r.take(32))
        if r.flag():
            e = replace(e, broke=tick - r.take(7))
    return replace(e, place=(x, y, z))


def whole(r, tick):
    kind = r.take(2)
    if kind > PROJECTILE:
        raise Unreadable("kind")
    return Entity(
        kind=kind,
        index=0 if kind == PLAYER else r.take(8),
        life=r.take(16),
        place=(r.way(12), r.way(12), r.way(12)),
        yaw=r.take(16),
        pitch=since(r.take(16), 0, 16) if r.flag() else 0,
        alive=r.flag(),
        health=r.small(10),
        held=r.take(8),
        team=r.take(8) if r.flag() else None,
        traits=r.take(32) if r.flag() else 0,
        tick=tick,
        broke=tick - r.take(8),
    )


def read_own(r, base, highest):
    behind = r.small(1)
    floats = tuple(float_bits(r, before) for before in base.floats)
    own = replace(base, applied=highest - behind, floats=floats, grounded=r.flag())
    if r.flag():
        own = replace(own, life=r.take(16), revision=r.take(16))
        own = replace(own, alive=r.flag(), health=r.small(10), traits=r.take(32))
    return own


def float_bits(r, before):
    """A float is sent by its place among all floats."""
    if not r.flag():
        return before
    n = r.take(5)
    way = unzigzag(1 << n | r.take(n))
    return among(since(among(before) + way, 0, 32) % (1 << 32))


def among(bits):
    """A float's place by its bits, and its bits by its place."""
    return bits ^ 0x7FFFFFFF if bits >> 31 else bits
