"""What time does to a running server: wall clocks that jump, processes and threads that stand still."""

import ctypes
import json
import os
import pathlib
import platform
import signal
import subprocess
import time

import grpc
from server import PROGRAMS, Reflected, Server, eventually, http

HOUR = 3600
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207


class Clock:
    """A wall clock that a server under test reads, and only that: its monotonic one stays true."""

    def __init__(self, folder, tools):
        library = f"usr/lib/{platform.machine()}-linux-gnu/faketime/libfaketime.so.1"
        self.file = pathlib.Path(folder) / "wall-clock"
        self.file.write_text("+0\n")
        self.environment = {
            "LD_PRELOAD": str(pathlib.Path(tools) / library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def jump(self, hours):
        self.file.write_text(f"{hours * HOUR:+}\n")


class Watch:
    """Heartbeats as they come, over a connection that is kept."""

    def __init__(self, server):
        self.file = server.folder / "heartbeats"
        token = server.folder / "viewer.token"
        arguments = ["--address", server.admin, "--token-file", token, "heartbeats", "--json"]
        with open(self.file, "w") as out:
            self.process = subprocess.Popen(
                [str(part) for part in [PROGRAMS / "fairshotctl", *arguments]], stdout=out
            )

    def beats(self):
        whole = self.file.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def healthy(server):
    for path in ("/livez", "/readyz"):
        status, said = http(server.metrics, path)
        assert status == 200, (path, status, said)


def ticks_go_on(server):
    """At the rate of their rooms, by a clock that nobody moved. A busy machine may drop some."""
    count = lambda: sum(server.series("fairshot_ticks_total").values())
    running = lambda: sum(server.series("fairshot_rooms").values())
    rooms, first, begun = [running()], count(), time.monotonic()
    for _ in range(15):
        healthy(server)
        time.sleep(0.2)
    rate = (count() - first) / (time.monotonic() - begun)
    rooms.append(running())
    told = f"{rate:.0f} ticks a second of {rooms} rooms"
    assert 0 < 0.9 * 64 * min(rooms) < rate < 1.05 * 64 * max(rooms), told


def wall_clocks_that_jump_move_nothing_but_bans(folder, tools):
    clock = Clock(folder, tools)
    lifetime = ["--seats-lifetime-s=8"]
    server = Server(folder, "clock", more=lifetime, environment=clock.environment)
    swarm = server.swarm("--rooms", "2", "--players", "2", "--seconds", "120", "--npcs", "3")
    watch = None
    try:
        client = Reflected(server)
        players = lambda: {p.player: p.room for p in client.call("ListPlayers").players}
        eventually("four players", lambda: len(players()) == 4)
        seated = players()
        server.ctl("nodes", role="viewer")
        watch = Watch(server)
        eventually("a heartbeat of each room", lambda: len({b["room"] for b in watch.beats()}) == 2)
        client.call("Ban", subject="address/10.1.0.0/16", for_s=HOUR)
        client.call("Ban", subject="address/10.2.0.0/16")
        bans = lambda: {ban.subject for ban in client.call("ListBans").bans}
        ends, stays = "address/10.1.0.0/16", "address/10.2.0.0/16"
        assert bans() == {ends, stays}, bans()

        for hours, banned in ((2, {stays}), (-2, {ends, stays}), (0, {ends, stays})):
            room = a_seat_is_promised(server, client)
            clock.jump(hours)
            ahead = lambda: told_s(client) - time.time()
            eventually(f"a clock of {hours:+} h", lambda: abs(ahead() - hours * HOUR) < 60)
            assert reserved(client, room) == 1, "a seat promised before the jump is still promised"
            ticks_go_on(server)
            assert bans() == banned, (hours, bans())
            eventually("the seat that nobody took runs out", lambda: reserved(client, room) == 0)
            here = players()
            assert here == seated, (hours, here, seated)
            joined = json.loads(played(server))
            assert (joined["connected"], joined["disconnects"]) == (1, 0), joined

        client.call("Unban", subject=ends)
        client.call("Unban", subject=stays)
        heartbeats_are_whole(watch.beats())
        entries = list(reversed(client.call("ListAudit", page_size=1000).entries))
        sequence = [entry.sequence for entry in entries]
        assert sequence == list(range(sequence[0], sequence[0] + len(sequence))), sequence
        jumps = [b.time_unix_ms - a.time_unix_ms for a, b in zip(entries, entries[1:])]
        assert min(jumps) < -HOUR * 1000 and max(jumps) > HOUR * 1000, "entries tell the clock's time"
    finally:
        if watch:
            watch.end()
        swarm.terminate()
        swarm.communicate(timeout=20)
    server.stop()
    told = server.ctl("audit", "verify", str(server.folder / "audit.jsonl"))
    assert ": ok, " in told, told
    log = (server.folder / "log").read_text()
    assert "panicked" not in log, log


def told_s(client):
    """The server's wall clock, as the audit log's newest entry tells it."""
    try:
        client.call("Kick", player="nobody-at-all", dry_run=True)
    except grpc.RpcError as refused:
        assert refused.code() == grpc.StatusCode.NOT_FOUND, refused
    return client.call("ListAudit", page_size=1).entries[0].time_unix_ms / 1000


def a_seat_is_promised(server, client):
    """In a room of its own, to a player who never comes."""
    request = client.message("fairshot.v1.CreateRequest")
    answer = client.message("fairshot.v1.JoinResponse")
    stub = grpc.insecure_channel(server.join).unary_unary(
        "/fairshot.v1.Matchmaking/Create",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=answer.FromString,
    )
    return stub(request(mode="arena", party_size=1), timeout=5).room_id


def reserved(client, room):
    """Seats promised in a room; none once nobody came and it is gone."""
    rooms = {r.room: r.seats_reserved for r in client.call("ListRooms").rooms}
    return rooms.get(room, 0)


def played(server):
    """Somebody joins, plays and leaves; what she tells of it."""
    swarm = server.swarm("--rooms", "1", "--players", "1", "--seconds", "2", "--npcs", "1")
    told, _ = swarm.communicate(timeout=60)
    assert swarm.returncode == 0, (swarm.returncode, told)
    return told


def heartbeats_are_whole(beats):
    rooms = {}
    for beat in beats:
        rooms.setdefault(beat["room"], []).append(beat)
    assert rooms, "no heartbeat"
    for room, told in rooms.items():
        numbers = [beat["number"] for beat in told]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), (room, numbers)
        ticks = [beat["tick"] for beat in told]
        for before, after in zip(ticks, ticks[1:]):
            assert before < after <= before + 64 * 8, (room, ticks)
        for name in ("refusedShots", "shotsJudged", "hits", "tickTimeUsP99", "lateTicks"):
            assert all(name in beat for beat in told), (room, name)


def a_process_that_stood_still_is_ready_again(server):
    """For 1.5 s it never was anything else; for 4 s it answers nobody, and then at once."""
    for seconds in (1.5, 4):
        server.process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            server.process.send_signal(signal.SIGCONT)
        if seconds < 2.5:
            healthy(server)
        else:
            eventually("it is ready again", lambda: healthy(server) is None, 5)
        ticks_go_on(server)


def a_shard_that_stands_still_is_told_by_readiness(server):
    """One thread stopped beside others that answer. 1.5 s change nothing; 4 s fail readiness, which says
    who it is, and not liveness; then it is ready again."""
    shard = shards_of(server.process.pid)[0]
    with Stopped(shard):
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            healthy(server)
            time.sleep(0.1)
    healthy(server)
    with Stopped(shard):
        told = eventually("it is not ready", lambda: unready(server), 5)
        assert "shard" in told and "has not ticked" in told, told
        assert http(server.metrics, "/livez")[0] == 200
    eventually("it is ready again", lambda: healthy(server) is None, 5)
    ticks_go_on(server)


def unready(server):
    status, said = http(server.metrics, "/readyz")
    return said if status == 503 else None


def shards_of(pid):
    """The threads of a process that tick, as they are named; its first thread only waits."""
    found = []
    for task in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        name = pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text()
        if name.startswith("actix-rt") and int(task) != pid:
            found.append(int(task))
    assert found, "no shard's thread is found by its name"
    return found


class Stopped:
    """One thread of a child of this process, stopped as a debugger stops it."""

    def __init__(self, thread):
        self.thread = thread
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        self.libc.ptrace.restype = ctypes.c_long

    def _ask(self, what):
        if self.libc.ptrace(what, self.thread, None, None) == -1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def __enter__(self):
        self._ask(PTRACE_SEIZE)
        self._ask(PTRACE_INTERRUPT)
        # WALL: also threads. Detaching asks for a thread that has come to its stop.
        os.waitpid(self.thread, 0x40000000)

    def __exit__(self, *_):
        self._ask(PTRACE_DETACH)
