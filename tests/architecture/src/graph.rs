//! The resolved dependencies of this platform, by kind.

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::OnceLock;

/// Packages and who depends on whom.
#[derive(Debug)]
pub struct Graph {
    metadata: Metadata,
    edges: BTreeMap<PackageId, Vec<(PackageId, DependencyKind)>>,
}

impl Graph {
    /// The graph, asked of cargo once a process.
    ///
    /// # Panics
    /// Where cargo does not answer.
    #[must_use]
    pub fn get() -> &'static Self {
        static GRAPH: OnceLock<Graph> = OnceLock::new();
        GRAPH.get_or_init(Self::read)
    }

    fn read() -> Self {
        let metadata = MetadataCommand::new()
            .manifest_path(crate::root().join("Cargo.toml"))
            .features(CargoOpt::SomeFeatures(Vec::new()))
            .other_options(["--filter-platform".to_owned(), platform()])
            .exec()
            .unwrap_or_else(|error| panic!("cargo metadata: {error}"));
        let resolve = metadata.resolve.as_ref().expect("cargo resolved the workspace");
        let edges = resolve
            .nodes
            .iter()
            .map(|node| {
                let kinds = node.deps.iter().flat_map(|dependency| {
                    let kinds = dependency.dep_kinds.iter().map(|info| info.kind);
                    kinds.map(|kind| (dependency.pkg.clone(), kind))
                });
                (node.id.clone(), kinds.collect())
            })
            .collect();
        Self { metadata, edges }
    }

    /// The packages of the workspace.
    #[must_use]
    pub fn ours(&self) -> Vec<&Package> {
        self.metadata.workspace_packages()
    }

    /// Every package in the graph.
    #[must_use]
    pub fn all(&self) -> &[Package] {
        &self.metadata.packages
    }

    /// What a package depends on itself, by kind.
    #[must_use]
    pub fn direct(&self, package: &Package) -> Vec<(&Package, DependencyKind)> {
        let edges = self.edges.get(&package.id).map_or(&[][..], Vec::as_slice);
        edges.iter().map(|(id, kind)| (&self.metadata[id], *kind)).collect()
    }

    /// Every package reached from one over normal dependencies, without going past those `stop` names.
    #[must_use]
    pub fn reached(&self, from: &Package, stop: &[&str]) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut next = vec![from];
        while let Some(package) = next.pop() {
            for (dependency, kind) in self.direct(package) {
                let name = dependency.name.to_string();
                let normal = kind == DependencyKind::Normal;
                if normal && reached.insert(name.clone()) && !stop.contains(&name.as_str()) {
                    next.push(dependency);
                }
            }
        }
        reached
    }
}

/// The platform this test was built for.
fn platform() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc tells its version");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc tells its host").to_owned()
}
