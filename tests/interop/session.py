"""A session: one QUIC connection, its stream and datagrams, and all that a client keeps.

`step` makes one frame and sends it, in the room's own time; everything else that waits steps on too, so
that a frame goes out at least every tick. What the server sends is read as it comes.
"""

import asyncio
import collections
import hashlib
import ssl
import tomllib
from dataclasses import dataclass

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.quic import events as quic
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from cryptography.hazmat.primitives.serialization import Encoding

import body
import datagrams
import wire
from bits import Unreadable, since
from inventory import CannotApply, Inventory
from snapshots import Pictures

UNACKNOWLEDGED_MAX = 256
# Drawn so many ticks further behind than one snapshot interval, for late arrivals.
JITTER_TICKS = 3


class SessionLost(Exception):
    pass


class PinMismatch(Exception):
    pass


@dataclass(frozen=True)
class View:
    """What the screen shows: a moment between two neighbouring snapshots, or at one of them."""

    step: tuple  # tick, 65536ths of the way to the next
    a: object  # Picture
    b: object
    f: float  # the way from a to b

    def pose_m(self, id):
        """Where it stands, in metres; None where it is not known exactly."""
        a, b = self.a.entities.get(id), self.b.entities.get(id)
        if a is None or b is None or not (a.alive and b.alive):
            return None
        if a.tick != self.a.tick or b.tick != self.b.tick:
            return None  # left out of a snapshot that was cut to its size
        if since(b.broke, a.tick, 32) > 0:
            return None
        return tuple((p + (q - p) * self.f) / 256 for p, q in zip(a.place, b.place))


class Session(QuicConnectionProtocol):
    def __init__(self, connection, pin):
        super().__init__(connection)
        self.vanished = False
        self.pin = pin
        self.established = asyncio.get_running_loop().create_future()
        self.closed = None  # (application error code, reason)
        self.closing = None  # Closing, as the stream said it before
        self.unread = b""
        self.stream = None
        self.welcome = self.mode = self.inventory = self.pictures = None
        self.offset_s = None  # the room's clock: tick 0, by this process's clock
        self.frame_tick = None
        self.early_snapshots = self.unreadable = self.snapshots = 0
        self.keeps_datagram = lambda datagram: True  # a test's lossy path
        self.batches, self.log = 0, []
        self.commands, self.grants = [], []
        self.number, self.frames, self.shots = 0, [], []  # not acknowledged yet
        self.made = collections.deque(maxlen=UNACKNOWLEDGED_MAX)  # to predict from
        self.hands = datagrams.Hands()

    # --- what a caller does

    async def hello(self, ticket):
        """Says hello and waits for the welcome."""
        self.send_message(wire.hello(ticket))
        await self.until(lambda: self.welcome, 15, "a welcome")

    async def goodbye(self):
        """Leaves, and answers how the session ended."""
        self.send_message(wire.goodbye())
        return await self.end(15)

    async def end(self, seconds):
        """Waits for the server to close: (code, reason)."""
        await asyncio.wait_for(self.wait_closed(), seconds)
        return self.closed

    def vanish(self):
        """As a client that lost its network: not another word."""
        self.vanished = True
        self._transport.abort()

    def transmit(self):
        if not self.vanished:
            super().transmit()

    def send_message(self, message):
        self.send_stream(wire.framed(message))

    def send_stream(self, data, last=False):
        if self.stream is None:
            self.stream = self._quic.get_next_available_stream_id()
        self._quic.send_stream_data(self.stream, data, last)
        self.transmit()

    def send_raw_datagram(self, data):
        self._quic.send_datagram_frame(data)
        self.transmit()

    async def until(self, holds, seconds, what):
        """Plays on, standing still, until it holds."""
        deadline = self._loop.time() + seconds
        while not holds():
            if self.closed:
                raise SessionLost(f"{self.closed} while waiting for {what}")
            if self._loop.time() > deadline:
                raise TimeoutError(f"{what}: not within {seconds} s")
            if self.playing():
                await self.step(datagrams.Hands(yaw=self.hands.yaw, pitch=self.hands.pitch))
            else:
                await asyncio.sleep(0.002)

    async def step(self, hands=None, act=None):
        """Waits for the next tick, makes its frame and sends it; answers the shots fired after it.

        `act` is told the `View` the frame names, and says the hands and the shots: (origin_m, direction) each.
        """
        await self.next_tick()
        if self.closed:
            raise SessionLost(str(self.closed))
        view = self.view()
        hands, shots = act(view) if act else (hands or self.hands, [])
        frame = self.frame(hands, view)
        fired = [self.fire(frame, view, *shot) for shot in shots]
        self.send_datagram()
        return fired

    def view(self):
        """The moment that the room can judge: docs/wire.md, "View step and drawing"."""
        every = self.welcome.snapshot_every
        delay = every + JITTER_TICKS
        now = int((self.room_ticks() - delay) * 65536)
        tick, fraction = now >> 16, now & 0xFFFF
        row = sorted(self.pictures.held.values(), key=lambda p: since(p.tick, tick, 32))
        before = [p for p in row if since(p.tick, tick, 32) <= 0]
        after = [p for p in row if since(p.tick, tick, 32) > 0]
        a = before[-1] if before else after[0]
        b = after[0] if after else a
        if a is not b and since(b.tick, a.tick, 32) == every:
            return View((tick, fraction), a, b, (since(tick, a.tick, 32) + fraction / 65536) / every)
        near = b if since(b.tick, tick, 32) < since(tick, a.tick, 32) else a
        return View((near.tick, 0), near, near, 0.0)

    @property
    def own(self):
        return self.pictures.newest.own

    def body(self):
        """Where the own body will be once the server heard every frame made so far."""
        return body.predicted(self.own, self.made, self.mode)

    def eye_m(self):
        x, y, z = self.body().position_m
        return x, y + self.mode.get("body", {}).get("eye_height_m", 1.6), z

    def events(self, name, **fields):
        """All events of a name with such fields, in order."""
        return [e for n, e in self.log if n == name and all(e.get(k) == v for k, v in fields.items())]

    # --- frames and shots

    def playing(self):
        """Snapshots and frames start after the welcome, frames once the first snapshot came."""
        return self.pictures is not None and self.pictures.newest is not None and not self.closed

    def next_number(self):
        self.number += 1
        return self.number

    def frame(self, hands, view):
        self.hands = hands
        weapon, total, clip = self.inventory.hand
        frame = datagrams.Frame(
            self.next_number(), self.inventory.life, self.inventory.revision, hands, view.step, weapon, total, clip
        )  # fmt: skip
        self.frames.append(frame)
        self.made.append(frame)
        return frame

    def fire(self, frame, view, origin_m, direction):
        total = self.inventory.spend()
        shot = datagrams.Shot(
            self.next_number(), self.inventory.life, self.inventory.revision, frame.weapon, total, frame.number,
            view.step, origin_m, direction,
        )  # fmt: skip
        self.shots.append(shot)
        return shot

    def send_datagram(self):
        """What is not acknowledged goes again, the oldest first, until one does not fit."""
        self.frames = [f for f in self.frames if not self.pictures.is_done(f.number)][-UNACKNOWLEDGED_MAX:]
        self.shots = [s for s in self.shots if not self.pictures.is_done(s.number)][-UNACKNOWLEDGED_MAX:]
        frames, shots, datagram = [], [], b""
        for message in sorted(self.frames + self.shots, key=lambda m: m.number):
            is_frame = isinstance(message, datagrams.Frame)
            (frames if is_frame else shots).append(message)
            longer = datagrams.datagram_up(
                self.pictures.newest.tick, self.pictures.older(), self.batches, frames, shots
            )  # fmt: skip
            if (
                len(longer) > datagrams.BYTES_MAX
                or len(frames) > datagrams.FRAMES_MAX
                or len(shots) > datagrams.SHOTS_MAX
            ):
                break
            datagram = longer
        if self.keeps_datagram(datagram):
            self.send_raw_datagram(datagram)

    # --- the room's clock

    def room_ticks(self):
        """The tick that a snapshot arriving now, as early as the earliest did, would be of."""
        return (self._loop.time() - self.offset_s) * self.welcome.tick_hz

    def follow_clock(self, tick):
        """From the earliest arrivals; slowly forgotten, so that a clock that runs off is followed."""
        offset = self._loop.time() - tick / self.welcome.tick_hz
        if self.offset_s is None:
            self.offset_s = offset
        self.offset_s = min(offset, self.offset_s + 0.00002)

    async def next_tick(self):
        if self.frame_tick is None or self.room_ticks() - self.frame_tick > 10:
            self.frame_tick = int(self.room_ticks())  # a stall: those frames are not made up for
        self.frame_tick += 1
        wait_s = (self.frame_tick - self.room_ticks()) / self.welcome.tick_hz
        await asyncio.sleep(max(0.0, wait_s))

    # --- what comes

    def quic_event_received(self, event):
        match event:
            case quic.HandshakeCompleted():
                self.check_pin()
            case quic.StreamDataReceived(data=data):
                self.read_stream(data)
            case quic.DatagramFrameReceived(data=data):
                self.read_snapshot(data)
            case quic.ConnectionTerminated(error_code=code, reason_phrase=reason):
                self.closed = (code, reason)
                if not self.established.done():
                    self.established.set_exception(SessionLost(str(self.closed)))

    def check_pin(self):
        # aioquic has no public way to the certificate.
        der = self._quic.tls._peer_certificate.public_bytes(Encoding.DER)
        if hashlib.sha256(der).digest() == self.pin:
            self.established.set_result(None)
        else:
            self.established.set_exception(PinMismatch("not the server of the seat"))
            self.close()

    def read_stream(self, data):
        self.unread += data
        while message := self.cut_message():
            self.take(wire.message_down(message, self.welcome and self.welcome.table))

    def cut_message(self):
        length = 0
        for i, byte in enumerate(self.unread[:3]):
            length |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                if length > wire.MESSAGE_BYTES_MAX:
                    raise Unreadable("too_many")
                end = i + 1 + length
                if len(self.unread) < end:
                    return None
                message, self.unread = self.unread[i + 1 : end], self.unread[end:]
                return message
        return None

    def take(self, message):
        match message:
            case wire.Welcome():
                self.welcome = message
                self.mode = tomllib.loads(message.mode)
                self.inventory = Inventory(self.mode, message.life)
                self.pictures = Pictures(message.entity, message.tick)
            case wire.Command():
                self.apply(message)
            case wire.RespawnGrant():
                self.inventory.take_grant(message.life)
                self.grants.append(message)
            case wire.Events():
                if message.number != self.batches + 1:
                    raise Unreadable("a gap in the batches")
                self.batches = message.number
                self.log += message.events
            case wire.Closing():
                self.closing = message

    def apply(self, command):
        try:
            self.inventory.apply(command)
            self.commands.append(command)
        except CannotApply:
            self.send_message(wire.apply_failed(command.revision))

    def read_snapshot(self, data):
        if self.pictures is None:
            self.early_snapshots += 1
            return
        try:
            picture = self.pictures.read(data)
        except Unreadable:
            self.unreadable += 1
            return
        if picture:
            self.snapshots += 1
            self.follow_clock(picture.tick)


async def connect(seat):
    """A connection to the seat's server, its certificate checked, nothing said yet."""
    configuration = QuicConfiguration(
        alpn_protocols=["fairshot/1"],
        is_client=True,
        max_datagram_frame_size=65535,
        verify_mode=ssl.CERT_NONE,  # the pin is the check: `check_pin`
        server_name=seat.host,
        idle_timeout=10.0,
    )
    loop = asyncio.get_running_loop()
    _, session = await loop.create_datagram_endpoint(
        lambda: Session(QuicConnection(configuration=configuration), seat.certificate_sha256),
        local_addr=("127.0.0.1", 0),
    )
    session.connect((seat.host, seat.port))
    await asyncio.wait_for(session.established, 15)
    return session
