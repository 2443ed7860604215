"""Processes of a cluster on this machine, started, stopped and told apart by their own ids."""

import base64
import datetime
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections import namedtuple
from pathlib import Path

# Whose a room is by etcd's word, and since which revision.
Owner = namedtuple("Owner", "node epoch")


class Failure(Exception):
    """What should have held and did not."""


def expect(held, what):
    if not held:
        raise Failure(what)


def until(check, what, seconds=20.0, every=0.1):
    """Waits until `check` gives something, and gives that."""
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        expect(time.monotonic() < end, f"not within {seconds} s: {what}")
        time.sleep(every)


# Below those the system gives to outgoing connections, and each given once: processes of two failures
# start side by side, and a port is free again until its process has come as far as to listen.
PORTS = iter(range(20000, 32000))
PORTS_LOCK = threading.Lock()
# A node listens on one port a shard, from its players' port on.
SHARDS_MAX = 64


def free_port(kind=socket.SOCK_STREAM):
    with PORTS_LOCK:
        for port in PORTS:
            with socket.socket(socket.AF_INET, kind) as probe:
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError:
                    continue
            if kind == socket.SOCK_DGRAM:
                for _ in range(SHARDS_MAX):
                    next(PORTS)
            return port
    raise Failure("no port is free")


class Process:
    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.log = open(log, "ab")
        self.child = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            env={**os.environ, **(environment or {})},
        )

    def signal(self, number):
        if self.child.poll() is None:
            self.child.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.child.wait()

    def terminate(self, seconds=20):
        self.signal(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds):
        try:
            return self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end") from None

    def runs(self):
        return self.child.poll() is None


class Wire:
    """Carries TCP connections to a port until it is cut."""

    def __init__(self, port):
        self.to = port
        self.open = True
        self.pairs = set()
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        with self.lock:
            self.open = False
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self):
        self.open = True

    def _accept(self):
        while True:
            near, _ = self.listener.accept()
            if not self.open:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.to), timeout=2)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs.add((near, far))
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(a, b), daemon=True).start()

    @staticmethod
    def _carry(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Load:
    """Players of `fairshot-cluster-load`, and what they say."""

    def __init__(self, world, *arguments, matchmakers=None):
        replicas = matchmakers or world.matchmakers
        connect = ",".join(f"127.0.0.1:{m.join}" for m in replicas)
        self.child = subprocess.Popen(
            [str(world.bin / "fairshot-cluster-load"), "--connect", connect, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=world.note("load.log"),
            text=True,
        )
        world.loads.append(self.child)
        self.events = []
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.events.append({**json.loads(line), "at": time.monotonic()})
        self.lines.put(None)

    def count(self, event):
        return sum(1 for one in list(self.events) if one["event"] == event)

    def of(self, event):
        return [one for one in list(self.events) if one["event"] == event]

    def figures(self, seconds=120):
        try:
            self.child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.child.kill()
            raise Failure("the players do not end") from None
        self.lines.get(timeout=5)
        figures = self.of("figures")
        expect(figures, "the players gave no figures")
        return figures[-1]


class World:
    """An etcd, nodes and matchmakers, on free ports, in a folder of their own."""

    def __init__(self, options, name, lease_s=3, idle_s=3, etcd_data=None, guards=None,
                 seats_s=15):
        self.bin = Path(options.bin).resolve()
        self.tools = Path(options.tools).resolve()
        self.folder = Path(tempfile.mkdtemp(prefix=f"fairshot-{name}-"))
        self.lease_s, self.idle_s, self.seats_s = lease_s, idle_s, seats_s
        self.guards = guards(self.folder) if guards else None
        self.scheme = "https" if guards else "http"
        self.token = self.folder / "token"
        self.token.write_text("a-token-for-the-tests-of-a-cluster\n")
        self.nodes, self.matchmakers, self.loads, self.notes = [], [], [], []
        self.etcd_data = Path(etcd_data) if etcd_data else self.folder / "etcd"
        self.etcd_port, self.peer_port = free_port(), free_port()
        self.etcd = None
        try:
            self.start_etcd()
        except BaseException:
            self.end(keep=True)
            raise

    def note(self, name):
        file = open(self.folder / name, "ab")
        self.notes.append(file)
        return file

    def start_etcd(self):
        client = f"{self.scheme}://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{self.peer_port}"
        self.etcd = Process(
            "etcd",
            [self.tools / "usr/bin/etcd", "--data-dir", self.etcd_data,
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"default={peer}", "--log-level", "error",
             *(self.guards.etcd_flags if self.guards else [])],
            self.folder / "etcd.log",
        )
        until(self.etcd_answers, "etcd answers", 30)

    def etcdctl(self, *arguments):
        """What etcdctl says; none where it failed."""
        done = subprocess.run(
            [self.tools / "usr/bin/etcdctl", f"--endpoints={self.scheme}://127.0.0.1:{self.etcd_port}",
             "--command-timeout=3s", *(self.guards.etcdctl_flags if self.guards else []), *arguments],
            env={**os.environ, "ETCDCTL_API": "3"}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=30, check=False,
        )
        return done.stdout or "done" if done.returncode == 0 else None

    def etcd_answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.etcd_port), timeout=1).close()
            return True
        except OSError:
            expect(self.etcd.runs(), "etcd ended")
            return False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.end(keep=kind is not None)

    def start_matchmaker(self, etcd_port=None, environment=None):
        name = f"matchmaker-{len(self.matchmakers) + 1}"
        join, admin, metrics = free_port(), free_port(), free_port()
        process = Process(
            name,
            [self.bin / "fairshot-matchmaker", "--cluster-node-id", name,
             "--join-address", f"127.0.0.1:{join}", "--admin-address", f"127.0.0.1:{admin}",
             "--metrics-address", f"127.0.0.1:{metrics}", *self._cluster(etcd_port)],
            self.folder / f"{name}.log",
            environment,
        )
        process.join, process.admin, process.metrics = join, admin, metrics
        self.matchmakers.append(process)
        return process

    def start_node(self, name=None, etcd_port=None, environment=None, grace_s=20):
        name = name or f"node-{len(self.nodes) + 1}"
        admin, metrics, control = free_port(), free_port(), free_port()
        players = free_port(socket.SOCK_DGRAM)
        process = Process(
            name,
            [self.bin / "fairshot-node", "--cluster-node-id", name, "--node-shards", "1",
             "--players-port", players, "--players-idle-timeout-s", self.idle_s,
             "--node-grace-s", grace_s, "--seats-lifetime-s", self.seats_s,
             "--cluster-control-address", f"127.0.0.1:{control}",
             "--admin-address", f"127.0.0.1:{admin}", "--metrics-address", f"127.0.0.1:{metrics}",
             *self._cluster(etcd_port)],
            self.folder / f"{name}.log",
            environment,
        )
        process.admin, process.metrics, process.control = admin, metrics, control
        process.address = f"127.0.0.1:{players}"
        self.nodes.append(process)
        return process

    def _cluster(self, etcd_port):
        guards = self.guards.flags if self.guards else []
        return ["--cluster-etcd-endpoints", f"{self.scheme}://127.0.0.1:{etcd_port or self.etcd_port}",
                "--cluster-token-file", self.token, "--cluster-lease-s", self.lease_s, *guards]

    def stand(self, nodes=2, matchmakers=2):
        for _ in range(nodes):
            self.start_node()
        for _ in range(matchmakers):
            self.start_matchmaker()
        self.ready(nodes)
        return self

    def ready(self, nodes):
        """Every matchmaker knows that many nodes, each of which answers."""
        for matchmaker in self.matchmakers:
            if matchmaker.runs():
                until(lambda m=matchmaker: len(self.answering(m)) >= nodes,
                      f"{matchmaker.name} knows {nodes} nodes", 30)
        for process in self.matchmakers + self.nodes:
            expect(process.runs(), f"{process.name} ended")

    def answering(self, matchmaker):
        listed = self.ctl(matchmaker, "nodes") or []
        return [node for node in listed if not node["unreachable"]]

    def ctl(self, process, *arguments):
        """What fairshotctl says as JSON; none where the call failed."""
        done = subprocess.run(
            [str(self.bin / "fairshotctl"), "--json", "--timeout", "5s",
             "--address", f"127.0.0.1:{process.admin}", *map(str, arguments)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False,
        )
        if done.returncode != 0:
            return None
        return json.loads(done.stdout or "{}")

    def listing(self, matchmaker):
        """The rooms that players are shown, and how long that took."""
        done = subprocess.run(
            [str(self.bin / "fairshot-cluster-load"), "--list",
             "--connect", f"127.0.0.1:{matchmaker.join}"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=True,
        )
        return json.loads(done.stdout)

    def listed(self, matchmaker):
        return set(self.listing(matchmaker)["rooms"])

    def running(self):
        """The node of every room that runs, a room that runs twice being a failure of its own."""
        matchmaker = next(m for m in self.matchmakers if m.runs())
        rooms = until(lambda: (r := self.ctl(matchmaker, "rooms")) is not None and [r], "rooms", 10)
        nodes = {}
        for room in rooms[0]:
            expect(room["room"] not in nodes, f"two nodes run {room['room']}")
            nodes[room["room"]] = room["node"]
        return nodes

    def owners(self):
        """Whose each room is, by etcd."""
        said = self.etcdctl("get", "--prefix", "/fairshot/rooms/", "-w", "json")
        expect(said is not None, "etcd answers")
        owners = {}
        for kv in json.loads(said).get("kvs", []):
            room = json.loads(base64.b64decode(kv["value"]))
            owners[room["room"]] = Owner(room["node"], kv["create_revision"])
        return owners

    def one_owner_each(self):
        """Every room that runs runs once, and where etcd says."""
        until(lambda: {room: owner.node for room, owner in self.owners().items()} == self.running(),
              "every room runs on its owner alone", 10)

    def ticks(self, process):
        """The tick of each room that the node runs."""
        rooms = self.ctl(process, "rooms", "--node", process.name) or []
        return {room["room"]: room["tick"] for room in rooms}

    def tick_on(self, before):
        """Holds that rooms with those ticks go on."""
        def on():
            now = {}
            for node in self.nodes:
                if node.runs():
                    now.update(self.ticks(node))
            return all(now.get(room, 0) > tick for room, tick in before.items())
        expect(before, "rooms run")
        until(on, "rooms tick on", 5)

    def clock_ahead_s(self, process):
        """How far the process's wall clock is ahead of this one's, by its log."""
        said = re.findall(r"^\S*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", Path(process.log.name).read_text(), re.M)
        last = datetime.datetime.fromisoformat(said[-1]).replace(tzinfo=datetime.timezone.utc)
        return last.timestamp() - time.time()

    def end(self, keep=False):
        for load in self.loads:
            if load.poll() is None:
                load.kill()
        for process in self.matchmakers + self.nodes + [self.etcd]:
            if process is not None:
                process.signal(signal.SIGCONT)
                process.kill()
                process.log.close()
        for file in self.notes:
            file.close()
        if keep:
            print(f"    logs: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
