//! The program itself, against a served admin API with a node kept in memory.

#[path = "../../../crates/shell/admin/tests/it/double.rs"]
#[expect(dead_code, reason = "the other tests of it use the rest")]
mod double;

use double::{Double, Doubles};
use fairshot_admin::access::sha256_hex;
use fairshot_admin::audit::AuditLog;
use fairshot_admin::{Access, AdminOptions, CallRate, serve};
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

struct Server {
    address: SocketAddr,
    node: Arc<Double>,
    audit: PathBuf,
    folder: tempfile::TempDir,
    stop: oneshot::Sender<()>,
}

async fn server(tokens: bool) -> Server {
    let folder = tempfile::tempdir().expect("a folder");
    let audit = folder.path().join("audit.jsonl");
    let access = if tokens {
        let path = folder.path().join("tokens.toml");
        let sha256 = sha256_hex(b"look");
        let text =
            format!("[[tokens]]\nname = \"wall\"\nrole = \"viewer\"\nsha256 = \"{sha256}\"\n");
        std::fs::write(&path, text).expect("writes");
        std::fs::write(folder.path().join("token"), "look\n").expect("writes");
        Access::from_file(&path).expect("reads")
    } else {
        Access::open_on_loopback()
    };
    let options = AdminOptions {
        access,
        tls: None,
        audit: Some(AuditLog::open(&audit, "test").expect("opens")),
        rate: CallRate::default(),
        deadline: Duration::from_secs(10),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("has an address");
    let node = Double::new("local", "alice");
    node.state().newest = vec![node.heartbeat(7)];
    let (stop, stopped) = oneshot::channel::<()>();
    let metrics = ProcessMetrics::new(&Metrics::new(), "0");
    let nodes = Arc::new(Doubles(vec![Arc::clone(&node)]));
    let stopped = async {
        let _ = stopped.await;
    };
    tokio::spawn(serve(listener, nodes, options, Health::new(Instant::now()), metrics, stopped));
    Server { address, node, audit, folder, stop }
}

fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fairshotctl"));
    command.args(words).env_remove("FAIRSHOTCTL_ADDRESS").env("FAIRSHOTCTL_CONFIG", "/dev/null");
    command
}

async fn run(server: &Server, words: &[&str]) -> Output {
    let mut command = program(words);
    command.env("FAIRSHOTCTL_ADDRESS", server.address.to_string());
    let ran = tokio::task::spawn_blocking(move || command.output());
    ran.await.expect("does not panic").expect("runs")
}

fn out(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("is text")
}

fn err(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr.clone()).expect("is text")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weapon_is_given_by_name_and_a_near_miss_is_told_what_it_missed() {
    let server = server(false).await;
    let missed = err(&run(&server, &["give", "alice", "ak", "90"]).await, 1);
    assert_eq!(missed, "error: weapon: no weapon `ak`; did you mean `AK-47`\n");
    assert!(
        out(&run(&server, &["give", "alice", "ak-47", "90", "--dry-run"]).await).contains("would")
    );
    assert_eq!(server.node.state().revision, 0);
    out(&run(&server, &["give", "alice", "30", "90", "--arm"]).await);
    let inventory = out(&run(&server, &["inventory", "alice", "--json"]).await);
    assert!(inventory.contains("\"total\":90"), "{inventory}");
    let clip = err(&run(&server, &["ammo", "alice", "30", "90", "--clip", "-1"]).await, 1);
    assert!(clip.contains("clip"), "{clip}");
    assert_eq!(server.node.state().revision, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_stream_as_json_lines_and_end_well_when_the_server_stops() {
    let server = server(false).await;
    let mut command = program(&["heartbeats", "--json"]);
    command.env("FAIRSHOTCTL_ADDRESS", server.address.to_string()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
    let stop = server.stop;
    let node = Arc::clone(&server.node);
    let read = tokio::task::spawn_blocking(move || {
        let mut lines = lines;
        let first = lines.next().expect("a line").expect("reads");
        let _ = node.beats.send(node.heartbeat(8));
        let second = lines.next().expect("a line").expect("reads");
        stop.send(()).expect("is running");
        let rest = lines.count();
        (first, second, rest, child.wait().expect("ends"))
    });
    let (first, second, rest, status) = read.await.expect("does not panic");
    assert!(first.contains("\"refusedShotsTotal\":{\"rate\":7}"), "{first}");
    assert!(second.contains("\"number\":8"), "{second}");
    assert_eq!(rest, 0);
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_once_and_a_count_end_by_themselves() {
    let server = server(false).await;
    let once = out(&run(&server, &["heartbeats", "--json", "--once"]).await);
    assert_eq!(once.lines().count(), 1);
    let counted = out(&run(&server, &["heartbeats", "--json", "--count", "1"]).await);
    assert_eq!(counted, once);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_tables_without_colours_when_piped_and_json_for_scripts() {
    let server = server(false).await;
    for words in [["nodes"], ["rooms"], ["players"], ["bans"], ["rules"], ["audit"]] {
        let table = out(&run(&server, &words).await);
        assert!(!table.contains('\u{1b}'), "{words:?}: {table:?}");
        let json = out(&run(&server, &[words[0], "--json"]).await);
        assert!(json.starts_with('[') && json.trim_end().ends_with(']'), "{words:?}: {json}");
        assert_eq!(json.lines().count(), 1);
    }
    let rooms = out(&run(&server, &["rooms"]).await);
    assert!(rooms.starts_with("ROOM") && rooms.contains("room-local"), "{rooms}");
    assert!(out(&run(&server, &["rooms", "--json"]).await).contains("\"state\":\"open\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_tell_what_went_wrong() {
    let server = server(true).await;
    assert!(err(&run(&server, &["nodes"]).await, 4).contains("--token-file"));
    let token = server.folder.path().join("token");
    let token = token.to_str().expect("is text");
    out(&run(&server, &["nodes", "--token-file", token]).await);
    let denied = err(&run(&server, &["kick", "alice", "--token-file", token]).await, 4);
    assert!(denied.contains("operator"), "{denied}");
    assert!(err(&run(&server, &["kick"]).await, 2).contains("PLAYER"));
    let mut nowhere = program(&["nodes", "--address", "127.0.0.1:1"]);
    let unreached = err(&nowhere.output().expect("runs"), 3);
    assert!(unreached.contains("127.0.0.1:1 is not reached"), "{unreached}");
    assert!(err(&run(&server, &["top", "--token-file", token]).await, 2).contains("terminal"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_audit_log_is_verified_and_a_changed_one_is_found() {
    let server = server(false).await;
    out(&run(&server, &["give", "alice", "M4", "5"]).await);
    let path = server.audit.to_str().expect("is text").to_owned();
    let verified = out(&run(&server, &["audit", "verify", &path]).await);
    assert!(verified.contains("ok, 3 entries"), "{verified}");
    let text = std::fs::read_to_string(&path).expect("reads");
    let forged = server.folder.path().join("forged.jsonl");
    std::fs::write(&forged, text.replace("\"rounds\":5", "\"rounds\":6")).expect("writes");
    let forged = forged.to_str().expect("is text");
    let found = run(&server, &["audit", "verify", &path, forged]).await;
    assert!(err(&found, 1).contains("1 of 2 files are broken"));
    let told = String::from_utf8(found.stdout).expect("is text");
    assert!(told.contains("BROKEN") && told.contains("forged.jsonl:2: "), "{told}");
}

#[test]
fn a_new_token_comes_with_the_lines_that_let_it_in() {
    let told = out(&program(&["token", "new", "ci", "operator"]).output().expect("runs"));
    let token = told.lines().next().expect("a token");
    assert!(token.starts_with("fs_") && token.len() == 67, "{token}");
    assert!(told.contains(&sha256_hex(token.as_bytes())), "{told}");
    for name in ["two words", "quo\"te", ""] {
        let refused = program(&["token", "new", name, "viewer"]).output().expect("runs");
        assert!(err(&refused, 2).contains("is no caller's name"), "{name}");
    }
}

#[test]
fn completion_scripts_are_printed() {
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&program(&["completions", shell]).output().expect("runs"));
        assert!(script.contains("heartbeats"), "{shell}");
    }
}

#[test]
fn a_context_is_made_current_and_a_wrong_name_is_told_what_it_missed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ctl.toml");
    std::fs::write(&path, "[contexts.staging]\naddress = \"127.0.0.1:1\"\n").expect("writes");
    let ctl =
        |words: &[&str]| program(words).env("FAIRSHOTCTL_CONFIG", &path).output().expect("runs");
    assert!(err(&ctl(&["context", "use", "stagin"]), 2).contains("there are: staging"));
    out(&ctl(&["context", "use", "staging"]));
    assert!(out(&ctl(&["context", "list"])).contains('*'));
    assert_eq!(out(&ctl(&["context", "use", "staging", "--json"])), "{\"current\":\"staging\"}\n");
    assert!(out(&ctl(&["context", "path", "--json"])).starts_with("{\"path\":"));
    assert!(err(&ctl(&["nodes"]), 3).contains("127.0.0.1:1"));
}
