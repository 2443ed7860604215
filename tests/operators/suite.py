"""The part of the suite that needs running servers. Each check is a function named by what holds."""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import clock
import grpc
import process
import rotation
from server import PROGRAMS, ROOT, Reflected, Server, code_of, eventually, free_port, http

def r23_without_a_token_every_method_is_unauthenticated(server):
    client = Reflected(server)
    assert "fairshot.v1.Admin" in client.services and "grpc.health.v1.Health" in client.services
    wrong = [("authorization", "Bearer ban-and-draiN")]
    for method in client.admin.methods_by_name:
        for metadata in ([], wrong):
            code = code_of(lambda: client.call(method, metadata=metadata))
            assert code == grpc.StatusCode.UNAUTHENTICATED, (method, metadata, code)
    assert code_of(lambda: Reflected(server, role=None)) == grpc.StatusCode.UNAUTHENTICATED
    assert "token" in server.ctl("nodes", code=4)


def r23_an_open_admin_port_off_loopback_is_refused_with_64(folder):
    ran = subprocess.run(
        [str(PROGRAMS / "fairshot"), f"--admin-address=0.0.0.0:{free_port()}"],
        capture_output=True, text=True, timeout=20, cwd=folder,
    )
    assert ran.returncode == 64, ran
    assert "admin.address" in ran.stderr, ran.stderr


def a_file_that_is_wrong_stops_the_start_with_64_and_its_settings_name(folder):
    wrong = folder / "wrong"
    wrong.write_text("none of them\n")
    pair = [f"--admin-tls-cert-file={wrong}", f"--admin-tls-key-file={wrong}"]
    for setting, flags in (
        ("admin.tokens_file", [f"--admin-tokens-file={wrong}"]),
        ("admin.tls_cert_file", pair),
        ("join.jwt_key_file", ["--join-auth=jwt", f"--join-jwt-key-file={wrong}"]),
    ):
        ran = subprocess.run(
            [str(PROGRAMS / "fairshot"), "--players-port=0", *flags,
             *(f"--{door}-address=127.0.0.1:0" for door in ("join", "admin", "metrics"))],
            capture_output=True, text=True, timeout=20, cwd=folder,
        )
        assert ran.returncode == 64, (setting, ran)
        told = [line for line in ran.stderr.splitlines() if setting in line and str(wrong) in line]
        assert told, (setting, ran.stderr)


def weapons_are_given_and_read_back_and_audited(server):
    client = Reflected(server, role="operator")
    players = eventually("a player", lambda: list(client.call("ListPlayers").players))
    player = players[0].player
    before = client.call("GetInventory", player=player).inventory.revision
    weapons = client.call("ListWeapons", mode=players[0].mode).weapons
    weapon = max(weapons, key=lambda weapon: weapon.clip_size)

    would = client.call("GiveWeapon", player=player, weapon={"id": weapon.id}, rounds=7, dry_run=True)
    assert would.dry_run
    given = client.call("GiveWeapon", player=player, weapon={"name": weapon.name}, rounds=7)
    assert given.revision >= before + 1 and given.audit_sequence > 0
    bad = code_of(lambda: client.call(
        "SetAmmo", player=player, weapon={"id": weapon.id}, total=90, clip=-1))
    assert bad == grpc.StatusCode.INVALID_ARGUMENT, bad
    typed = weapon.name[:-1]
    missed = server.ctl("give", player, typed, "1", role="operator", code=1)
    assert "did you mean" in missed, missed
    denied = code_of(lambda: client.call("Ban", subject=f"player/{player}"))
    assert denied == grpc.StatusCode.PERMISSION_DENIED, denied

    entries = json.loads(server.ctl("audit", "--json", role="admin"))
    said = {(entry["method"], entry["outcome"]) for entry in entries}
    assert {("GiveWeapon", "ok"), ("SetAmmo", "invalid_argument"), ("Ban", "permission_denied")} <= said, said


def a_ban_sends_a_player_away_until_it_is_lifted(server):
    client = Reflected(server)
    swarm = server.swarm("--rooms", "1", "--players", "2", "--seconds", "30", "--npcs", "2")
    try:
        here = lambda: {player.player for player in client.call("ListPlayers").players}
        eventually("two players", lambda: len(here()) == 2)
        player = sorted(here())[0]
        would = client.call("Ban", subject=f"player/{player}", dry_run=True)
        assert list(would.players_kicked) == [player] and player in here(), would
        done = client.call("Ban", subject=f"player/{player}", reason="test", for_s=3600)
        assert list(done.players_kicked) == [player], done
        eventually("she is gone", lambda: player not in here())
        assert [ban.subject for ban in client.call("ListBans").bans] == [f"player/{player}"]
        client.call("Unban", subject=f"player/{player}")
        assert not client.call("ListBans").bans
    finally:
        swarm.terminate()
        swarm.communicate(timeout=20)


def a_rule_changes_while_rooms_run_and_shows_in_heartbeats(server):
    server.ctl("rules", "set", "arena", "rate.stall_s", "2", role="admin")
    shown = lambda: [
        beat for beat in heartbeats(server) if "rate.stall_s=2" in beat.get("liveRules", [])
    ]
    eventually("a heartbeat with the live rule", shown)
    server.ctl("rules", "revert", "arena", "rate.stall_s", role="admin")
    rules = json.loads(server.ctl("rules", "arena", "--json", role="viewer"))
    assert not any(setting["live"] for setting in rules[0]["settings"]), rules


def heartbeats(server):
    text = server.ctl("heartbeats", "--json", "--once", role="viewer")
    return [json.loads(line) for line in text.splitlines()]


def heartbeats_sum_to_the_prometheus_counter(server, swarm):
    """A cheat's shots are refused; once the bots are silent both tell the same."""
    report = lambda: sum(server.series("fairshot_shots_refused_total").values()) > 0
    eventually("a refusal in the counter", report, 60)

    def same():
        counter = {}
        for labels, value in server.series("fairshot_shots_refused_total").items():
            rule = dict(part.split("=") for part in labels.split(","))["rule"].strip('"')
            counter[rule] = counter.get(rule, 0) + value
        summed = {}
        for beat in heartbeats(server):
            for rule, count in beat["refusedShotsTotal"].items():
                summed[rule] = summed.get(rule, 0) + count
        counter = {rule: count for rule, count in counter.items() if count}
        return counter == summed and counter

    counted = eventually("heartbeats and the counter agree", same, 60)
    assert "rate" in counted, counted
    assert swarm.poll() is None, "the bots left too early to compare"
    return counted


def a_refusal_is_explained(server):
    players = json.loads(server.ctl("players", "--json", role="viewer"))
    cheats = [player for player in players if sum(player["shotsRefused"].values())]
    assert cheats, players
    shots = json.loads(server.ctl("shots", "list", cheats[0]["player"], "--refused", "--json", role="viewer"))
    shot = shots[0]
    told = server.ctl("shots", "explain", cheats[0]["player"], str(shot["number"]), role="viewer")
    assert f"refused by {shot['rule']}" in told and "MEASURED" in told, told


def prometheus_scrapes_it_and_takes_the_alert_rules(server, folder):
    port = free_port()
    place = folder / "prometheus"
    (place / "targets").mkdir(parents=True)
    for name in ("prometheus.yml", "alerts.yml"):
        (place / name).write_text((ROOT / "deploy/prometheus" / name).read_text())
    (place / "targets/here.yml").write_text(json.dumps([{"targets": [server.metrics]}]))
    process = subprocess.Popen(
        ["prometheus", f"--config.file={place}/prometheus.yml", f"--storage.tsdb.path={place}/data",
         f"--web.listen-address=127.0.0.1:{port}"],
        stdout=server.log, stderr=server.log,
    )
    try:
        def ask(query):
            path = "/api/v1/query?" + urllib.parse.urlencode({"query": query})
            return json.loads(http(f"127.0.0.1:{port}", path)[1])["data"]["result"]

        up = lambda: [sample["value"][1] for sample in ask('up{job="fairshot"}')] == ["1"]
        eventually("the target is up", up, 40)
        eventually("a counter is stored", lambda: ask("sum(fairshot_ticks_total) > 0"))
        status, rules = http(f"127.0.0.1:{port}", "/api/v1/rules")
        groups = json.loads(rules)["data"]["groups"]
        broken = [rule["name"] for group in groups for rule in group["rules"] if rule.get("lastError")]
        assert status == 200 and len(groups) >= 5 and not broken, (groups, broken)
    finally:
        process.terminate()
        process.wait(timeout=20)


def r22_the_page_stays_flat_and_valid(server, before):
    page = server.page()
    checked = subprocess.run(["promtool", "check", "metrics"], input=page, text=True, capture_output=True)
    faults = [line for line in checked.stderr.splitlines() if "error" in line.lower()]
    assert not faults, faults
    after = sum(1 for line in page.splitlines() if line and not line.startswith("#"))
    assert after == before, (before, after)
    begun = time.monotonic()
    server.page()
    assert time.monotonic() - begun < 1


def a_hanging_collector_slows_no_tick(folder):
    hang = socket.socket()
    hang.bind(("127.0.0.1", 0))
    hang.listen(16)
    endpoint = f"http://127.0.0.1:{hang.getsockname()[1]}"
    server = Server(folder, "traced", tokens=False, more=[f"--traces-otlp-endpoint={endpoint}"])
    try:
        swarm = server.swarm("--rooms", "2", "--players", "2", "--seconds", "12", "--npcs", "5")
        eventually("rooms", lambda: sum(server.series("fairshot_rooms").values()) == 2)
        ticks = lambda: sum(server.series("fairshot_ticks_total").values())
        first, begun = ticks(), time.monotonic()
        time.sleep(5)
        rate = (ticks() - first) / (time.monotonic() - begun)
        assert abs(rate - 128) < 128 * 0.05, f"{rate} ticks a second of two rooms"
        swarm.communicate(timeout=60)
    finally:
        begun = time.monotonic()
        server.stop()
        assert time.monotonic() - begun < 12
        hang.close()


def sigterm_ends_streams_well_and_the_audit_chain_holds(server):
    token = server.folder / "viewer.token"
    stream = subprocess.Popen(
        [str(PROGRAMS / "fairshotctl"), "--address", server.admin, "--token-file", str(token),
         "heartbeats", "--json"],
        stdout=subprocess.PIPE, text=True,
    )
    assert json.loads(stream.stdout.readline())["room"]
    server.stop()
    stream.communicate(timeout=20)
    assert stream.returncode == 0, stream.returncode
    told = server.ctl("audit", "verify", str(server.folder / "audit.jsonl"))
    assert ": ok, " in told, told


def main():
    with tempfile.TemporaryDirectory(prefix="fairshot-operators-") as name:
        folder = pathlib.Path(name)

        def holds(check, *arguments):
            begun = time.monotonic()
            answer = check(*arguments)
            print(f"ok {check.__name__} ({time.monotonic() - begun:.1f} s)", flush=True)
            return answer

        holds(process.every_alert_has_a_case_that_fires_and_one_that_holds)
        holds(process.r23_what_compose_opens)
        holds(r23_an_open_admin_port_off_loopback_is_refused_with_64, folder)
        holds(a_file_that_is_wrong_stops_the_start_with_64_and_its_settings_name, folder)
        holds(process.the_start_is_told_in_json_with_every_setting_and_no_secret, folder)
        server = Server(folder, "guarded")
        started = [server.process]
        try:
            holds(r23_without_a_token_every_method_is_unauthenticated, server)
            swarm = server.swarm(
                "--rooms", "2", "--players", "3", "--seconds", "8", "--npcs", "5",
                "--cheat", "rapid-fire", "--linger", "120",
            )
            started.append(swarm)
            holds(weapons_are_given_and_read_back_and_audited, server)
            holds(a_rule_changes_while_rooms_run_and_shows_in_heartbeats, server)
            print("refused:", holds(heartbeats_sum_to_the_prometheus_counter, server, swarm))
            holds(a_refusal_is_explained, server)
            lines = [l for l in server.page().splitlines() if l and not l.startswith("#")]
            holds(prometheus_scrapes_it_and_takes_the_alert_rules, server, folder)
            holds(r22_the_page_stays_flat_and_valid, server, len(lines))
            holds(clock.a_process_that_stood_still_is_ready_again, server)
            holds(clock.a_shard_that_stands_still_is_told_by_readiness, server)
            holds(rotation.a_token_is_rotated_without_a_restart, server)
            holds(process.r22_hostile_names_leave_the_page_valid, server)
            holds(sigterm_ends_streams_well_and_the_audit_chain_holds, server)
        finally:
            for program in started:
                if program.poll() is None:
                    program.kill()
        other = Server(folder, "bans")
        holds(a_ban_sends_a_player_away_until_it_is_lifted, other)
        other.stop()
        holds(rotation.a_token_runs_out_at_its_time, folder)
        holds(rotation.certificates_are_rotated_without_a_restart, folder)
        holds(clock.wall_clocks_that_jump_move_nothing_but_bans, folder, sys.argv[2])
        holds(process.sigterm_with_players_ends_within_the_grace_time, folder)
        holds(process.a_scrape_of_200_rooms_takes_under_5_ms, folder)
        holds(a_hanging_collector_slows_no_tick, folder)
    print("operators: all well")


main()
