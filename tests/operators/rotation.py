"""Tokens and certificates that change while the server runs."""

import hashlib
import subprocess
import time

import grpc
from server import TOKENS, Reflected, Server, code_of, eventually

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


def replace(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    new.rename(path)


def told(server, words, times=1):
    return (server.folder / "log").read_text().count(words) >= times


def a_token_is_rotated_without_a_restart(server):
    path = server.folder / "tokens.toml"
    before = path.read_text()
    fresh = "freshly-rotated"
    digest = hashlib.sha256(fresh.encode()).hexdigest()
    entry = f'\n[[tokens]]\nname = "next"\nrole = "viewer"\nsha256 = "{digest}"\n'
    client = Reflected(server)

    def code(token):
        metadata = [("authorization", f"Bearer {token}")]
        return code_of(lambda: client.call("ListNodes", metadata=metadata))

    assert code(fresh) == UNAUTHENTICATED
    replace(path, before + entry)
    eventually("the new token is good", lambda: code(fresh) == grpc.StatusCode.OK)
    assert code(TOKENS["viewer"]) == grpc.StatusCode.OK, "the old one still is"
    replace(path, "[[tokens]\nthis is no TOML")
    # Told although nobody calls.
    eventually("the broken file is told", lambda: told(server, "tokens not read again"))
    assert code(fresh) == grpc.StatusCode.OK, "a broken file changes nothing"
    replace(path, before)
    eventually("the old file is read again", lambda: code(fresh) == UNAUTHENTICATED)


def a_token_runs_out_at_its_time(folder):
    server = Server(folder, "expiry")
    try:
        path = server.folder / "tokens.toml"
        digest = hashlib.sha256(b"short-lived").hexdigest()
        ends = int(time.time()) + 4
        replace(path, path.read_text() + f"""
[[tokens]]
name = "short"
role = "viewer"
sha256 = "{digest}"
expires_unix_s = {ends}
""")
        client = Reflected(server)
        metadata = [("authorization", "Bearer short-lived")]
        code = lambda: code_of(lambda: client.call("ListNodes", metadata=metadata))
        eventually("it is good", lambda: code() == grpc.StatusCode.OK, 3)
        eventually("it runs out", lambda: code() == UNAUTHENTICATED, 10)
        assert time.time() >= ends
    finally:
        server.stop()


def pair(folder, name):
    """A certificate of its own authority for 127.0.0.1, and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1",
         "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )
    return certificate, key


def certificates_are_rotated_without_a_restart(folder):
    place = folder / "pairs"
    place.mkdir()
    first, second, third = (pair(place, name) for name in ("first", "second", "third"))
    certificate, key = place / "cert.pem", place / "key.pem"

    def show(pair):
        replace(certificate, pair[0].read_text())
        replace(key, pair[1].read_text())

    show(first)
    files = [f"--admin-tls-cert-file={certificate}", f"--admin-tls-key-file={key}"]
    server = Server(folder, "certificates", more=files)
    good = lambda pair: server.ctl("nodes", role="viewer", ca=pair[0])
    gone = lambda pair: server.ctl("nodes", role="viewer", ca=pair[0], code=3)
    try:
        good(first)
        show(second)
        eventually("the second certificate", lambda: good(second))
        gone(first)
        replace(certificate, "no certificate at all")
        refused = "certificate was not read again"
        eventually("the bad one is told", lambda: told(server, refused))
        good(second)
        replace(certificate, first[0].read_text())
        eventually("that it is another key's is told", lambda: told(server, refused, 2))
        good(second)
        gone(first)
        replace(key, second[1].read_text())
        show(third)
        eventually("the third certificate", lambda: good(third))
        gone(second)
    finally:
        server.stop()
