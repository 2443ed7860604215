//! What a process is told, by whom, and what it says to nonsense.

use fairshot_settings::{
    EXIT_USAGE, JoinAuth, LogFormat, Program, SETTINGS, Settings, SettingsError, load_from,
};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::time::Duration;

const PROGRAM: Program = Program { name: "fairshot", about: "Rooms", version: "0.0.0" };

fn load(flags: &[&str], variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let arguments = ["fairshot"].iter().chain(flags).map(OsString::from);
    let environment: BTreeMap<String, OsString> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), value.into())).collect();
    load_from(&PROGRAM, arguments, &environment)
}

fn right(flags: &[&str], variables: &[(&str, &str)]) -> Settings {
    load(flags, variables).unwrap_or_else(|error| panic!("{error}"))
}

/// Expects exactly these faults, and the exit code of bad usage.
#[track_caller]
fn check(flags: &[&str], variables: &[(&str, &str)], expected: &str) {
    let error = load(flags, variables).expect_err("the settings are wrong");
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.exit_code(), EXIT_USAGE);
}

/// A folder with a file of settings (and others) in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

#[test]
fn nobody_says_anything_and_all_of_it_binds_loopback() {
    let settings = right(&[], &[]);
    assert!(settings.players.address.is_loopback());
    assert_eq!(settings.players.bind(1).to_string(), "127.0.0.1:7701");
    assert_eq!(settings.join.address.to_string(), "127.0.0.1:7600");
    assert_eq!(settings.admin.address.to_string(), "127.0.0.1:7601");
    assert_eq!(settings.metrics.address.to_string(), "127.0.0.1:7602");
    assert_eq!(settings.seats.lifetime, Duration::from_secs(15));
    assert_eq!(settings.seats.hold, Duration::from_secs(30));
    assert_eq!(settings.join.auth, JoinAuth::Open);
    assert_eq!(settings.modes.default.name, "arena");
    assert!(settings.modes.named("san_andreas").is_some());
    assert!(settings.node.shards >= 1 && settings.cluster.is_none());
    assert_eq!(settings.region(), "local");
    assert_eq!(settings.modes.texts.len(), settings.modes.all.len());
}

#[test]
fn a_flag_goes_over_a_variable_a_variable_over_the_file_the_file_over_the_default() {
    let folder = Folder::new(&[("fairshot.toml", "[players]\nport = 1000\n")]);
    let config = folder.path("fairshot.toml");
    let port = |flags: &[&str], variables: &[(&str, &str)]| right(flags, variables).players.port;
    let from_file = ("FAIRSHOT_CONFIG", config.as_str());
    let variable = ("FAIRSHOT_PLAYERS_PORT", "2000");
    assert_eq!(port(&[], &[]), 7700);
    assert_eq!(port(&[], &[from_file]), 1000);
    assert_eq!(port(&[], &[from_file, variable]), 2000);
    assert_eq!(port(&["--players-port", "3000"], &[from_file, variable]), 3000);
    assert_eq!(port(&["--config", &config, "--players-port=0"], &[]), 0);
}

#[test]
fn a_fault_of_the_file_is_told_with_its_line_and_key() {
    let folder = Folder::new(&[("fairshot.toml", "\n[players]\n\nport = 70000\nprot = 3\n")]);
    let config = folder.path("fairshot.toml");
    check(
        &["--config", &config],
        &[],
        &format!(
            "{config}:5: players.prot: expected a known key (did you mean \"players.port\"?), \
             found the unknown key \"players.prot\"\n\
             {config}:4: players.port: expected 0 to 65535, found 70000"
        ),
    );
}

#[test]
fn a_file_that_is_no_toml_or_not_there_is_told() {
    let folder = Folder::new(&[("fairshot.toml", "[players]\nport = = 1\n")]);
    let config = folder.path("fairshot.toml");
    let error = load(&["--config", &config], &[]).expect_err("no TOML").to_string();
    assert!(error.starts_with(&format!("{config}:2: expected TOML, found ")), "{error}");
    let missing = folder.path("missing.toml");
    let error = load(&[], &[("FAIRSHOT_CONFIG", &missing)]).expect_err("no file").to_string();
    let told =
        format!("FAIRSHOT_CONFIG: expected a file of settings that can be read, found {missing}");
    assert!(error.starts_with(&told), "{error}");
}

#[test]
fn a_fault_of_a_variable_or_a_flag_is_told_under_its_name() {
    check(
        &["--players-port", "-1"],
        &[("FAIRSHOT_LOG_FORMAT", "xml")],
        "--players-port: players.port: expected 0 to 65535, found -1\n\
         FAIRSHOT_LOG_FORMAT: log.format: expected text or json, found xml",
    );
    check(
        &["--seats-lifetime-s", "nan"],
        &[("FAIRSHOT_ADMIN_ADDRESS", "localhost")],
        "--seats-lifetime-s: seats.lifetime_s: expected 1 to 600 seconds, found nan\n\
         FAIRSHOT_ADMIN_ADDRESS: admin.address: \
         expected IP:PORT such as 127.0.0.1:7601, found localhost",
    );
}

#[test]
fn an_unknown_flag_is_bad_usage_and_help_is_not() {
    let error = load(&["--players-prt", "1"], &[]).expect_err("no such flag");
    assert_eq!(error.exit_code(), EXIT_USAGE);
    assert!(error.to_string().contains("--players-port"), "{error}");
    let help = load(&["--help"], &[]).expect_err("help instead of settings");
    assert_eq!(help.exit_code(), 0);
    for setting in SETTINGS {
        assert!(help.to_string().contains(&format!("--{} ", setting.flag())), "{}", setting.key);
        assert!(help.to_string().contains(&setting.variable()), "{}", setting.key);
    }
}

#[test]
fn an_unknown_variable_of_ours_is_told_and_stops_nothing() {
    let settings = right(&[], &[("FAIRSHOT_PLAYERS_PROT", "1")]);
    assert_eq!(
        settings.warnings,
        ["FAIRSHOT_PLAYERS_PROT names no setting: \
             expected a known key (did you mean \"players.port\"?)"]
    );
}

#[test]
fn r23_operators_calls_leave_loopback_with_tokens_and_tls_only() {
    check(
        &["--admin-address", "0.0.0.0:7601"],
        &[],
        "--admin-address: admin.address: expected a loopback address, or admin.tokens_file and \
         admin.tls_cert_file and admin.tls_key_file, found 0.0.0.0:7601",
    );
    let folder = Folder::new(&[("tokens", "x"), ("cert.pem", "x"), ("key.pem", "x")]);
    let (tokens, cert, key) =
        (folder.path("tokens"), folder.path("cert.pem"), folder.path("key.pem"));
    let open = ("FAIRSHOT_ADMIN_ADDRESS", "[::]:7601");
    let token = ("FAIRSHOT_ADMIN_TOKENS_FILE", tokens.as_str());
    check(
        &[],
        &[open, token],
        "FAIRSHOT_ADMIN_ADDRESS: admin.address: expected a loopback address, or \
         admin.tls_cert_file and admin.tls_key_file, found [::]:7601",
    );
    let all = ["--admin-tls-cert-file", &cert, "--admin-tls-key-file", &key];
    let settings = right(&all, &[open, token]);
    assert_eq!(settings.admin.tokens_file.as_deref(), Some(Path::new(&tokens)));
    assert!(settings.admin.tls.is_some());
    check(
        &all[..2],
        &[],
        "--admin-tls-cert-file: admin.tls_cert_file: expected admin.tls_key_file beside it, \
         found none",
    );
}

#[test]
fn metrics_leave_loopback_once_an_operator_says_the_network_is_private() {
    let flags = ["--metrics-address", "0.0.0.0:7602"];
    check(
        &flags,
        &[],
        "--metrics-address: metrics.address: expected a loopback address, or \
         metrics.private_network = true, found 0.0.0.0:7602",
    );
    let settings = right(&flags, &[("FAIRSHOT_METRICS_PRIVATE_NETWORK", "true")]);
    assert_eq!(settings.metrics.address.port(), 7602);
}

#[test]
fn tokens_of_players_need_their_key() {
    check(
        &["--join-auth", "jwt"],
        &[],
        "--join-auth: join.auth: expected join.jwt_key_file beside it, found none",
    );
    let folder = Folder::new(&[("key", "secret")]);
    let key = folder.path("key");
    let settings = right(&["--join-auth", "jwt", "--join-jwt-key-file", &key], &[]);
    assert_eq!(settings.join.auth, JoinAuth::Jwt { key_file: key.into() });
}

#[test]
fn two_listeners_of_one_address_and_ports_past_the_last_are_told() {
    check(
        &["--admin-address", "127.0.0.1:7600"],
        &[],
        "--admin-address: admin.address: expected another address than join.address, \
         found 127.0.0.1:7600",
    );
    check(
        &["--players-port", "65535", "--node-shards", "2"],
        &[],
        "--players-port: players.port: expected room for a port per shard up to 65535, \
         found 65535 with 2 shards",
    );
}

#[test]
fn a_fault_of_a_mode_stops_the_process_with_its_line() {
    let text = include_str!("../../../../deploy/modes/arena.toml");
    let wrong = text.replacen("shots_per_second = 2.0", "shots_per_second = -2.0", 1);
    let line = 1 + wrong[..wrong.find("-2.0").expect("the rate")].matches('\n').count();
    let folder = Folder::new(&[("duel.toml", &wrong)]);
    let place = folder.path("duel.toml");
    check(
        &["--modes-dir", &folder.0.path().display().to_string()],
        &[],
        &format!(
            "{place}:{line}:20: weapons[0].shots_per_second: \
             expected a number from 0 to 1000 1/s, found -2.0"
        ),
    );
}

#[test]
fn a_mode_file_adds_a_mode_or_replaces_the_compiled_in_one_of_its_name() {
    let arena = include_str!("../../../../deploy/modes/arena.toml");
    let duel = arena.replacen("name = \"arena\"", "name = \"duel\"", 1);
    let arena = arena.replacen("players_max = 16", "players_max = 2", 1);
    let folder = Folder::new(&[("a.toml", &arena), ("b.toml", &duel)]);
    let files = format!("{},{}", folder.path("a.toml"), folder.path("b.toml"));
    let settings = right(&["--modes-files", &files, "--modes-default", "duel"], &[]);
    assert_eq!(settings.modes.default.name, "duel");
    assert_eq!(settings.modes.named("arena").map(|mode| mode.players_max), Some(2));
    check(
        &["--modes-default", "duel"],
        &[],
        "--modes-default: modes.default: \
         expected one of arena, competitive, san_andreas, siege, found duel",
    );
}

#[test]
fn settings_print_where_each_was_said_and_no_secret() {
    let folder = Folder::new(&[("key", "hunter2")]);
    let key = folder.path("key");
    let settings = right(
        &["--join-auth", "jwt", "--join-jwt-key-file", &key],
        &[
            ("FAIRSHOT_TRACES_OTLP_ENDPOINT", "http://user:hunter2@collector:4317"),
            ("FAIRSHOT_CLUSTER_ETCD_ENDPOINTS", "http://a:hunter2@etcd:2379, http://etcd:2380"),
        ],
    );
    let shown = settings.to_string();
    assert!(!shown.contains("hunter2"), "{shown}");
    for line in [
        "players.port = 7700 (default)".to_owned(),
        "join.auth = jwt (--join-auth)".to_owned(),
        format!("join.jwt_key_file = {key} (--join-jwt-key-file)"),
        "traces.otlp_endpoint = http://***@collector:4317 (FAIRSHOT_TRACES_OTLP_ENDPOINT)"
            .to_owned(),
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line} in\n{shown}");
    }
    let cluster = settings.cluster.expect("etcd is named");
    assert_eq!(cluster.etcd_endpoints[1], "http://etcd:2380");
}

#[test]
fn lists_are_lists_in_the_file_repeated_flags_or_parted_by_commas() {
    let file = "[cluster]\netcd_endpoints = [\"http://a:1\", \"http://b:2\"]\n\
                labels = [\"zone=1\", \"gpu=no\"]\n[log]\nformat = \"json\"\n";
    let folder = Folder::new(&[("fairshot.toml", file)]);
    let config = folder.path("fairshot.toml");
    let settings = right(&["--config", &config], &[]);
    assert_eq!(settings.log.format, LogFormat::Json);
    let cluster = settings.cluster.expect("a cluster");
    assert_eq!(cluster.etcd_endpoints, ["http://a:1", "http://b:2"]);
    assert_eq!(cluster.labels[1], ("gpu".to_owned(), "no".to_owned()));
    let flags =
        ["--cluster-etcd-endpoints", "http://a:1", "--cluster-etcd-endpoints", "http://b:2"];
    let settings = right(&flags, &[("FAIRSHOT_PLAYERS_ADVERTISE", "203.0.113.7")]);
    assert_eq!(settings.cluster.expect("a cluster").etcd_endpoints.len(), 2);
    assert_eq!(settings.players.advertise, IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7)));
}

#[test]
fn the_page_of_the_configuration_is_what_the_table_makes() {
    let committed = include_str!("../../../../docs/configuration.md");
    assert!(
        fairshot_settings::configuration_page() == committed,
        "docs/configuration.md is old: run `cargo run -p fairshot-settings --example \
         write_configuration`"
    );
}

/// A mode with terrain of two rows of two numbers, all of one height, and a mesh.
const HILLS: &str = r#"name = "hills"
[arena]
min_m = [-16, -1, -16]
max_m = [16, 16, 16]
[[arena.height_fields]]
file = "flat.r16"
columns = 2
corner_m = [-16, 0, -16]
cell_m = 32
height_m = 2
[[spawns]]
position_m = [0, 2, 0]
"#;

#[test]
fn terrain_is_read_beside_the_file_that_names_it() {
    let folder =
        Folder::new(&[("hills.toml", HILLS), ("flat.r16", "\u{7f}\u{7f}".repeat(4).as_str())]);
    let settings = right(&["--modes-files", &folder.path("hills.toml")], &[]);
    let world = &settings.modes.worlds["hills"];
    // 0x7f7f of 0xffff is a little under half of two metres.
    assert!((world.ground_m(1.0, 1.0) - 0.996).abs() < 0.01, "{}", world.ground_m(1.0, 1.0));
}

#[test]
fn terrain_that_is_missing_torn_or_over_a_spawn_is_told_by_its_key() {
    let folder = Folder::new(&[("hills.toml", HILLS), ("flat.r16", "abc")]);
    let path = folder.path("hills.toml");
    let flags = ["--modes-files", path.as_str()];
    let expected = "full rows of 16-bit numbers, and at most 262144 triangles in all";
    check(
        &flags,
        &[],
        &format!(
            "{path}:6:8: arena.height_fields[0].file: expected {expected}, found \"flat.r16\": \
             3 bytes are not two or more full rows of 2 16-bit numbers"
        ),
    );
    let bytes = "\u{7f}\u{7f}".repeat(4);
    std::fs::write(folder.path("flat.r16"), bytes).expect("a file");
    let buried = HILLS.replace("[0, 2, 0]", "[0, 0, 0]");
    std::fs::write(folder.path("hills.toml"), buried).expect("a file");
    check(
        &flags,
        &[],
        &format!(
            "{path}:12:14: spawns[0].position_m: expected room for a body, \
             found [0, 0, 0] in terrain or a mesh"
        ),
    );
    std::fs::remove_file(folder.path("flat.r16")).expect("the file");
    let error = load(&flags, &[]).expect_err("the file is gone").to_string();
    assert!(error.contains("arena.height_fields[0].file: expected"), "{error}");
    assert!(error.contains("the file cannot be read"), "{error}");
}

const PEM: &str = "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n";

#[test]
fn a_cluster_with_certificates_and_a_user_is_read_whole() {
    let folder = Folder::new(&[("pem", PEM), ("password", "secret\n")]);
    let (pem, password) = (folder.path("pem"), folder.path("password"));
    let cluster = right(
        &[
            "--cluster-etcd-endpoints=https://etcd:2379",
            "--cluster-etcd-user=fairshot",
            "--cluster-control-address=0.0.0.0:7603",
        ],
        &[
            ("FAIRSHOT_CLUSTER_ETCD_CA_FILE", &pem),
            ("FAIRSHOT_CLUSTER_ETCD_PASSWORD_FILE", &password),
            ("FAIRSHOT_CLUSTER_TLS_CERT_FILE", &pem),
            ("FAIRSHOT_CLUSTER_TLS_KEY_FILE", &pem),
            ("FAIRSHOT_CLUSTER_TLS_CA_FILE", &pem),
        ],
    )
    .cluster
    .expect("a cluster");
    assert_eq!(cluster.control_url, "https://0.0.0.0:7603");
    assert_eq!(cluster.etcd_user.expect("a user").name, "fairshot");
    assert!(cluster.etcd_tls.expect("an authority").identity.is_none());
    assert_eq!(cluster.tls.expect("certificates").name, None);
}

#[test]
fn half_a_certificate_a_user_without_a_password_and_keys_that_are_none_are_refused() {
    let folder = Folder::new(&[("pem", PEM), ("empty", " \n")]);
    let (pem, empty) = (folder.path("pem"), folder.path("empty"));
    check(
        &["--cluster-etcd-endpoints=https://etcd:2379"],
        &[],
        "--cluster-etcd-endpoints: cluster.etcd_endpoints: expected cluster.etcd_ca_file beside \
         https://, found none",
    );
    check(
        &["--cluster-etcd-endpoints=http://etcd:2379", "--cluster-etcd-ca-file", &pem],
        &[],
        "--cluster-etcd-ca-file: cluster.etcd_ca_file: expected an https:// endpoint beside it, \
         found none",
    );
    check(
        &["--cluster-etcd-user=fairshot"],
        &[],
        "--cluster-etcd-user: cluster.etcd_user: expected cluster.etcd_password_file beside it, \
         found none",
    );
    check(
        &["--cluster-etcd-user=fairshot", "--cluster-etcd-password-file", &empty],
        &[],
        "--cluster-etcd-password-file: cluster.etcd_password_file: expected a password, \
         found an empty file",
    );
    check(
        &["--cluster-tls-cert-file", &pem, "--cluster-tls-key-file", &empty],
        &[],
        &format!(
            "--cluster-tls-key-file: cluster.tls_key_file: expected a PEM private key, \
             found {empty} without one\n\
             --cluster-tls-cert-file: cluster.tls_cert_file: expected cluster.tls_ca_file beside \
             it, found none"
        ),
    );
    check(
        &["--cluster-control-url=https://node-1:7603"],
        &[],
        "--cluster-control-url: cluster.control_url: expected http://, or cluster.tls_cert_file \
         beside https://, found https://node-1:7603",
    );
}
