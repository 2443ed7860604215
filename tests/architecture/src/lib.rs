//! What depends on what, and what must not be there: read from `cargo metadata`, `Cargo.lock` and the
//! tracked files, for the tests beside this library. A boundary that no test keeps drifts.

mod graph;
mod house;
mod tracked;

pub use graph::Graph;
pub use house::{Floor, floor_of};
pub use tracked::{Tracked, tracked};

use std::path::{Path, PathBuf};

/// The workspace's root.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Name and version of every package in `Cargo.lock`, whatever platform it is for.
///
/// # Panics
/// Where the lock file is missing or is none.
#[must_use]
pub fn locked() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock is committed");
    let lock: toml::Table = text.parse().expect("Cargo.lock is TOML");
    let packages = lock["package"].as_array().expect("Cargo.lock lists packages");
    let word = |package: &toml::Value, key: &str| package[key].as_str().unwrap_or("").to_owned();
    packages.iter().map(|package| (word(package, "name"), word(package, "version"))).collect()
}
