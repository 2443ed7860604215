//! Every dependency may be used, and `deny.toml` says the same.

use fairshot_architecture::{Graph, root};
use spdx::{Expression, LicenseItem, ParseMode};

/// Licences that ask for no more than a notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn every_dependency_has_a_licence_that_may_be_used() {
    let graph = Graph::get();
    let mut wrong = Vec::new();
    for package in graph.all() {
        let licence = package.license.as_deref().unwrap_or("none");
        if !is_allowed(licence) {
            wrong.push(format!("{} {}: {licence}", package.name, package.version));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_odd_licence_is_told_from_a_plain_one() {
    for plain in ["MIT", "MIT/Apache-2.0", "GPL-3.0-only OR MIT", "(MIT OR ISC) AND Unicode-3.0"] {
        assert!(is_allowed(plain), "{plain}");
    }
    for odd in ["none", "GPL-3.0-only", "MIT AND GPL-2.0-only", "MPL-2.0", "AGPL-3.0-or-later"] {
        assert!(!is_allowed(odd), "{odd}");
    }
}

#[test]
fn the_list_of_licences_is_the_one_in_deny_toml() {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml is committed");
    let deny: toml::Table = text.parse().expect("deny.toml is TOML");
    let listed: Vec<&str> = deny["licenses"]["allow"]
        .as_array()
        .expect("deny.toml allows licences")
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    assert_eq!(listed, ALLOWED);
}

fn is_allowed(licence: &str) -> bool {
    Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|requirement| match &requirement.license {
            LicenseItem::Spdx { id, .. } => ALLOWED.contains(&id.name),
            LicenseItem::Other { .. } => false,
        })
    })
}
