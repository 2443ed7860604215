//! Who may depend on whom, and which packages are nowhere in the tree.

use cargo_metadata::DependencyKind;
use fairshot_architecture::{Floor, Graph, floor_of, locked, root};

/// Runtimes, sockets, transports and ambient randomness: the core has none of them.
const NOT_IN_CORE: &[&str] = &[
    "actix",
    "actix-rt",
    "async-trait",
    "etcd-client",
    "fastrand",
    "futures",
    "getrandom",
    "h2",
    "hyper",
    "metrics",
    "mio",
    "opentelemetry",
    "prost",
    "quinn",
    "quinn-proto",
    "quinn-udp",
    "rand",
    "rustls",
    "socket2",
    "tokio",
    "tonic",
    "tower",
    "tracing",
    "tracing-subscriber",
];

/// Keys are checked with ring, which links the system's randomness; the core never asks it for any.
const LINKS_RANDOMNESS: &[&str] = &["ring"];

/// What needs a C++ compiler, cmake, nasm, a system library or a second provider of TLS.
const BANNED: &[&str] = &[
    "aws-lc-fips-sys",
    "aws-lc-rs",
    "aws-lc-sys",
    "cmake",
    "native-tls",
    "openssl",
    "openssl-sys",
];

/// Packages that would not talk to a second version of themselves.
const ONCE: &[&str] =
    &["glam", "prost", "quinn-proto", "ring", "rustls", "serde", "tokio", "tonic"];

#[test]
fn the_core_reaches_no_runtime_no_socket_and_no_randomness() {
    let graph = Graph::get();
    let mut wrong = Vec::new();
    for package in graph.ours().into_iter().filter(|p| floor_of(p) == Floor::Core) {
        let reached = graph.reached(package, LINKS_RANDOMNESS);
        let found = NOT_IN_CORE.iter().filter(|name| reached.contains(**name));
        wrong.extend(found.map(|name| format!("{} reaches {name}", package.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_floor_leans_on_those_under_it_only() {
    let graph = Graph::get();
    let ours: Vec<String> = graph.ours().iter().map(|package| package.name.to_string()).collect();
    let mut wrong = Vec::new();
    for package in graph.ours() {
        let floor = floor_of(package);
        for (dependency, kind) in graph.direct(package) {
            if !ours.contains(&dependency.name.to_string()) {
                continue;
            }
            let other = floor_of(dependency);
            if !floor.may_use(other) {
                wrong.push(format!(
                    "{} ({floor:?}) uses {} ({other:?}, {kind:?})",
                    package.name, dependency.name
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_part_must_not_know_it_cannot_reach() {
    let graph = Graph::get();
    // The judge never sees bytes, the wire no settings, the ledger no world, the client no verdicts.
    for (package, unknown) in [
        ("fairshot-judge", &["fairshot-wire", "fairshot-ledger", "fairshot-room"][..]),
        ("fairshot-wire", &["fairshot-mode", "fairshot-world", "fairshot-ledger"]),
        ("fairshot-ledger", &["fairshot-world", "fairshot-wire", "fairshot-judge"]),
        ("fairshot-world", &["fairshot-ledger", "fairshot-wire", "fairshot-judge"]),
        ("fairshot-room", &["fairshot-wire", "fairshot-ledger"]),
        ("fairshot-client-core", &["fairshot-judge", "fairshot-room"]),
        ("fairshot-gateway", &["fairshot-room", "fairshot-judge", "fairshot-world", "actix"]),
        ("fairshot-bots", &["fairshot-room", "fairshot-judge", "fairshot-gateway"]),
    ] {
        let ours = graph.ours();
        let found = ours.iter().find(|p| p.name == package).expect(package);
        let reached = graph.reached(found, &[]);
        for name in unknown {
            assert!(!reached.contains(*name), "{package} reaches {name}");
        }
    }
}

#[test]
fn nothing_in_the_tree_wants_more_than_rust_and_a_c_compiler() {
    let locked = locked();
    let found: Vec<_> = locked.iter().filter(|(name, _)| BANNED.contains(&name.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn deny_toml_bans_the_same_packages() {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is committed");
    let deny: toml::Table = text.parse().expect("deny.toml is TOML");
    let banned: Vec<&str> = deny["bans"]["deny"]
        .as_array()
        .expect("deny.toml bans packages")
        .iter()
        .filter_map(|entry| entry["crate"].as_str())
        .collect();
    assert_eq!(banned, BANNED);
}

#[test]
fn every_package_comes_from_the_public_registry_or_from_here() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock is committed");
    let odd: Vec<&str> = lock
        .lines()
        .filter(|line| line.starts_with("source = ") && !line.contains("crates.io-index"))
        .collect();
    assert!(odd.is_empty(), "{odd:?}");
}

#[test]
fn there_is_one_version_of_what_must_agree_with_itself() {
    let locked = locked();
    for name in ONCE {
        let versions: Vec<&str> = locked
            .iter()
            .filter(|(package, _)| package == name)
            .map(|(_, version)| version.as_str())
            .collect();
        assert!(versions.len() <= 1, "{name}: {versions:?}");
    }
}

#[test]
fn a_dependency_that_only_builds_is_no_normal_one() {
    let graph = Graph::get();
    for package in graph.ours() {
        for (dependency, kind) in graph.direct(package) {
            let builds = ["protox", "tonic-prost-build", "prost-build"];
            let name = dependency.name.to_string();
            let normal = kind == DependencyKind::Normal;
            assert!(!(normal && builds.contains(&name.as_str())), "{} runs {name}", package.name);
        }
    }
}
