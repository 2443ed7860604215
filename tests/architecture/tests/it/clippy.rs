//! `crates/core/clippy.toml` bans clocks, sockets and unordered maps, and clippy does find it from a
//! package of the core: a probe beside a copy of it is refused for each.

use fairshot_architecture::root;
use std::path::Path;
use std::process::Command;

const PROBE: &str = r#"//! Breaks each of the core's rules once.
pub fn now() -> std::time::Instant {
    std::time::Instant::now()
}
pub fn map() -> std::collections::HashMap<u8, u8> {
    std::collections::HashMap::new()
}
pub fn socket() -> Option<std::net::UdpSocket> {
    None
}
pub fn variable() -> bool {
    std::env::var("HOME").is_ok()
}
pub fn file() -> bool {
    std::fs::read("odd").is_ok()
}
pub fn thread() {
    std::thread::spawn(|| ());
}
"#;

#[test]
fn a_package_of_the_core_that_breaks_its_rules_is_refused() {
    let has_clippy = Command::new("cargo").args(["clippy", "--version"]).output();
    if !has_clippy.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: this machine has no clippy");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("core/probe");
    std::fs::create_dir_all(package.join("src")).expect("a folder");
    std::fs::copy(root().join("crates/core/clippy.toml"), folder.path().join("core/clippy.toml"))
        .expect("crates/core/clippy.toml is committed");
    let manifest =
        "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::write(package.join("src/lib.rs"), PROBE).expect("a source");
    let told = clippy(&package);
    for banned in [
        "std::time::Instant",
        "std::collections::HashMap",
        "std::net::UdpSocket",
        "std::env::var",
        "std::fs::read",
        "std::thread::spawn",
    ] {
        assert!(told.contains(&format!("`{banned}`")), "{banned} was let pass:\n{told}");
    }
}

#[test]
fn no_package_of_the_core_has_rules_of_its_own() {
    let core = root().join("crates/core");
    for entry in std::fs::read_dir(&core).expect("the core's folder") {
        let folder = entry.expect("an entry").path();
        for name in ["clippy.toml", ".clippy.toml"] {
            assert!(!folder.join(name).exists(), "{} hides the core's rules", folder.display());
        }
    }
}

/// What clippy says of a package, which it has to refuse.
fn clippy(package: &Path) -> String {
    let output = Command::new("cargo")
        .args(["clippy", "--offline", "--quiet", "--", "-D", "warnings"])
        .current_dir(package)
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env_remove("CLIPPY_CONF_DIR")
        .output()
        .expect("cargo clippy runs");
    assert!(!output.status.success(), "clippy let the probe pass");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
