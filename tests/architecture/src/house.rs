//! The floors of the house, told from a package's folder.

use cargo_metadata::Package;

/// Where a package lives; each floor may lean on those under it only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Floor {
    /// `crates/core`: pure.
    Core,
    /// `crates/transport` and `proto`: under shell and sdk, over core.
    Leaf,
    /// `crates/shell`.
    Shell,
    /// `crates/sdk`.
    Sdk,
    /// `services`.
    Service,
    /// `tests`.
    Tests,
}

impl Floor {
    /// Whether a package of this floor may depend on one of the other.
    #[must_use]
    pub fn may_use(self, other: Self) -> bool {
        use Floor::{Core, Leaf, Sdk, Service, Shell, Tests};
        match self {
            Core | Leaf => other == Core,
            Shell => matches!(other, Core | Leaf | Shell),
            Sdk => matches!(other, Core | Leaf | Sdk),
            Service => matches!(other, Core | Leaf | Shell | Sdk | Service),
            Tests => matches!(other, Core | Leaf | Shell | Sdk | Service | Tests),
        }
    }
}

/// The floor of a package of the workspace.
///
/// # Panics
/// For a package in a folder that is no part of the house.
#[must_use]
pub fn floor_of(package: &Package) -> Floor {
    let root = crate::root();
    let folder = package.manifest_path.parent().map_or("", |folder| folder.as_str());
    let folder = folder.strip_prefix(root.to_string_lossy().as_ref()).unwrap_or(folder);
    match folder.trim_start_matches('/') {
        f if f.starts_with("crates/core/") => Floor::Core,
        "crates/transport" | "proto" => Floor::Leaf,
        f if f.starts_with("crates/shell/") => Floor::Shell,
        f if f.starts_with("crates/sdk/") => Floor::Sdk,
        f if f.starts_with("services/") => Floor::Service,
        f if f.starts_with("tests/") => Floor::Tests,
        odd => panic!("{odd} is no part of the house: {}", package.name),
    }
}
