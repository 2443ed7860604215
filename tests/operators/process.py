"""Checks of the process itself: how it starts, what it tells, how it holds out."""

import http.client
import json
import re
import signal
import statistics
import subprocess
import time

import grpc
from server import ROOT, TOKENS, Reflected, Server, code_of, eventually, free_port, http as get


def every_alert_has_a_case_that_fires_and_one_that_holds():
    alerts = (ROOT / "deploy/prometheus/alerts.yml").read_text()
    cases = (ROOT / "deploy/prometheus/alerts.test.yml").read_text()
    fires, holds = set(), set()
    for name, expected in re.findall(r"alertname: (\w+)(?: \})?\n(\s+exp_alerts)?", cases):
        (fires if expected else holds).add(name)
    for name in re.findall(r"- alert: (\w+)", alerts):
        assert name in fires, f"no case in which {name} fires"
        assert name in holds, f"no case in which {name} holds its tongue"


def r23_what_compose_opens():
    """Players' ports as UDP under equal numbers; nothing of operators beyond loopback."""
    text = (ROOT / "docker-compose.yml").read_text()
    ports = re.findall(r'ports: \["(.+?)"\]', text)
    assert len(ports) >= 5, ports
    games = [port for port in ports if port.endswith("/udp")]
    assert games, ports
    for port in games:
        numbers = port.removesuffix("/udp").split("}:", 1)[1]
        # `A-B:A-B`, where A and B are variables with colons of their own.
        assert numbers[: len(numbers) // 2] == numbers[len(numbers) // 2 + 1 :], numbers
    assert not re.findall(r":760[12](?:/tcp)?\"", text), "the admin API or metrics are published"
    for port in ports:
        if not port.endswith("/udp") and ":7600/tcp" not in port:
            assert port.startswith("127.0.0.1:"), port


def the_start_is_told_in_json_with_every_setting_and_no_secret(folder):
    collector = f"http://user:hunter2@127.0.0.1:{free_port()}"
    more = ["--log-format=json", f"--traces-otlp-endpoint={collector}"]
    server = Server(folder, "json", more=more)
    server.stop()
    text = (server.folder / "log").read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    start = next(line for line in lines if "starting" in line.get("message", ""))
    assert start["version"] and f"metrics.address = {server.metrics}" in start["message"], start
    assert "***@" in start["message"] and "hunter2" not in text
    assert not any(token in text for token in TOKENS.values())
    others = [line for line in text.splitlines() if not line.startswith("{")]
    banner = " ".join(others)
    assert "fairshot" in banner and "heartbeat" in banner, others
    assert not any("INFO" in line or "WARN" in line for line in others), others


def r22_hostile_names_leave_the_page_valid(server):
    """Who asks for a seat under a name of quotes, breaks and backslashes is told no, in no label."""
    client = Reflected(server)
    join = client.message("fairshot.v1.JoinRequest")
    answer = client.message("fairshot.v1.JoinResponse")
    channel = grpc.insecure_channel(server.join)
    stub = channel.unary_unary(
        "/fairshot.v1.Matchmaking/Join",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=answer.FromString,
    )
    before = series_of(server.page())
    for name in ['a"b', "a\nb", "a\\b", '"} 1\nevil{x="', "x" * 65_000]:
        for fields in ({"mode": name}, {"mode": "arena", "labels": {"team": name}},
                       {"room_id": name}, {"mode": "arena", "party": [name]}):
            code = code_of(lambda: stub(join(**fields), timeout=5))
            assert code != grpc.StatusCode.UNAVAILABLE, (name[:20], fields.keys(), code)
    page = server.page()
    checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True, capture_output=True)
    faults = [line for line in checked.stderr.splitlines() if "error" in line.lower()]
    assert not faults and "evil" not in page and "xxxx" not in page, faults
    new = series_of(page) - before
    assert not new, new


def series_of(page):
    return {line.rpartition(" ")[0] for line in page.splitlines() if line and line[0] != "#"}


def a_scrape_of_200_rooms_takes_under_5_ms(folder):
    """Rooms of every mode, ticking. What is timed is from the request to the last byte, over one
    connection, as Prometheus does it. A machine with other work makes some wait for a core; the fastest
    tenth did not."""
    server = Server(folder, "many", more=["--node-rooms-per-shard-max=256"])
    try:
        client = Reflected(server)
        modes = ["arena", "competitive", "san_andreas", "siege"]
        made = 0
        while made < 200:
            try:
                client.call("CreateRoom", mode=modes[made % len(modes)])
                made += 1
            except grpc.RpcError as refused:
                assert refused.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, refused
                time.sleep(0.5)
        eventually("200 rooms", lambda: sum(server.series("fairshot_rooms").values()) == 200)
        connection = http.client.HTTPConnection(server.metrics)
        times = []
        for _ in range(60):
            begun = time.perf_counter()
            connection.request("GET", "/metrics")
            answer = connection.getresponse()
            size = len(answer.read())
            times.append((time.perf_counter() - begun) * 1000)
            assert answer.status == 200
            time.sleep(0.05)
        fast, median, worst = sorted(times)[6], statistics.median(times), max(times)
        rooms = sum(server.series("fairshot_rooms").values())
        assert rooms == 200, f"{rooms} rooms are left"
        told = f"{fast:.2f} ms, median {median:.2f} ms, worst {worst:.2f} ms"
        print(f"   a scrape of 200 rooms: {told}, {size} bytes")
        assert fast < 5, told
    finally:
        server.stop()


def sigterm_with_players_ends_within_the_grace_time(folder):
    server = Server(folder, "grace")
    swarm = server.swarm("--rooms", "1", "--players", "2", "--seconds", "60", "--npcs", "2")
    try:
        # As the node itself counts them, four times a second.
        nodes = lambda: json.loads(server.ctl("nodes", "--json", role="viewer"))
        eventually("players", lambda: sum(node["players"] for node in nodes()) == 2)
        begun = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        not_ready = lambda: get(server.metrics, "/readyz")[0] == 503
        eventually("it takes no more players", not_ready, 1)
        assert server.process.wait(timeout=20) == 0
        took = time.monotonic() - begun
        assert 0.9 < took < 4, f"{took:.1f} s with a grace time of 1 s"
    finally:
        swarm.terminate()
        swarm.communicate(timeout=20)
