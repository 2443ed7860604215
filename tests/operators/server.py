"""A server under test, and clients of it that know nothing but what it says of itself."""

import hashlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import grpc
from google.protobuf import descriptor_pool, message_factory
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKENS = {"viewer": "look-and-see", "operator": "give-and-take", "admin": "ban-and-drain"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def http(address, path):
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def eventually(what, check, seconds=20):
    """Polls until `check` answers something true, and answers it."""
    until = time.monotonic() + seconds
    last = None
    while time.monotonic() < until:
        try:
            last = check()
            if last:
                return last
        except (OSError, ValueError, grpc.RpcError, AssertionError) as failed:
            last = failed
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}; last: {last!r}")


class Server:
    """One `fairshot` on free ports, with tokens unless it is to run open."""

    def __init__(self, folder, name, tokens=True, more=(), environment=None):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.join, self.admin, self.metrics = (f"127.0.0.1:{free_port()}" for _ in range(3))
        arguments = [
            PROGRAMS / "fairshot",
            f"--join-address={self.join}",
            f"--admin-address={self.admin}",
            f"--metrics-address={self.metrics}",
            "--players-port=0",
            "--node-grace-s=1",
            f"--data-dir={self.folder}",
            *more,
        ]
        if tokens:
            arguments.append(f"--admin-tokens-file={write_tokens(self.folder)}")
        self.log = open(self.folder / "log", "w")
        own = {k: v for k, v in os.environ.items() if not k.startswith("FAIRSHOT_")}
        self.process = subprocess.Popen(
            [str(a) for a in arguments], stdout=self.log, stderr=self.log,
            env={**own, **(environment or {})},
        )
        eventually(f"{name} is ready", lambda: http(self.metrics, "/readyz")[0] == 200)

    def page(self):
        status, text = http(self.metrics, "/metrics")
        assert status == 200, status
        return text

    def series(self, name):
        """{labels: value} of one metric."""
        found = {}
        for line in self.page().splitlines():
            head, _, value = line.rpartition(" ")
            if head == name or head.startswith(name + "{"):
                found[head[len(name) :].strip("{}")] = float(value)
        return found

    def ctl(self, *words, role=None, code=0, ca=None):
        arguments = [str(PROGRAMS / "fairshotctl"), "--address", self.admin]
        if ca:
            arguments += ["--ca-file", str(ca)]
        if role:
            path = self.folder / f"{role}.token"
            path.write_text(TOKENS[role])
            arguments += ["--token-file", str(path)]
        ran = subprocess.run(arguments + list(words), capture_output=True, text=True, timeout=30)
        assert ran.returncode == code, (words, ran)
        return ran.stdout if code == 0 else ran.stderr

    def swarm(self, *more):
        arguments = [PROGRAMS / "fairshot-swarm", "--connect", self.join, "--metrics", self.metrics]
        arguments += ["--json", *more]
        return subprocess.Popen(
            [str(a) for a in arguments], stdout=subprocess.PIPE, stderr=self.log, text=True
        )

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        assert code == 0, f"exit code {code}, see {self.folder}/log"


def write_tokens(folder):
    path = folder / "tokens.toml"
    lines = []
    for role, token in TOKENS.items():
        digest = hashlib.sha256(token.encode()).hexdigest()
        lines.append(f'[[tokens]]\nname = "{role}"\nrole = "{role}"\nsha256 = "{digest}"\n')
    path.write_text("\n".join(lines))
    return path


class Reflected:
    """A client built from what the server says of itself, and nothing else."""

    def __init__(self, server, role="admin"):
        self.channel = grpc.insecure_channel(server.admin)
        self.metadata = [("authorization", f"Bearer {TOKENS[role]}")] if role else []
        database = ProtoReflectionDescriptorDatabase(
            grpc.intercept_channel(self.channel, WithMetadata(self.metadata))
        )
        self.services = database.get_services()
        pool = descriptor_pool.DescriptorPool(database)
        self.pool = pool
        self.admin = pool.FindServiceByName("fairshot.v1.Admin")

    def message(self, name):
        return message_factory.GetMessageClass(self.pool.FindMessageTypeByName(name))

    def call(self, method, metadata=None, **fields):
        descriptor = self.admin.methods_by_name[method]
        request = message_factory.GetMessageClass(descriptor.input_type)(**fields)
        answer = message_factory.GetMessageClass(descriptor.output_type)
        kind = self.channel.unary_stream if descriptor.server_streaming else self.channel.unary_unary
        stub = kind(
            f"/fairshot.v1.Admin/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )
        metadata = self.metadata if metadata is None else metadata
        got = stub(request, metadata=metadata, timeout=10)
        return next(iter(got)) if descriptor.server_streaming else got


class WithMetadata(grpc.StreamStreamClientInterceptor):
    def __init__(self, metadata):
        self.metadata = metadata

    def intercept_stream_stream(self, continuation, details, requests):
        details = details._replace(metadata=list(details.metadata or []) + self.metadata)
        return continuation(details, requests)


def code_of(call):
    try:
        call()
    except grpc.RpcError as refused:
        return refused.code()
    return grpc.StatusCode.OK
