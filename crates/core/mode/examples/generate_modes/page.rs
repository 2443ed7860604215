//! The page `docs/modes.md`: a few words of its own, then the tables of the reference.

/// The whole page.
pub fn generate() -> String {
    let tables = fairshot_mode::reference::reference_page();
    format!("{HEAD}\n{tables}{TAIL}")
}

const HEAD: &str = include_str!("head.md");
const TAIL: &str = include_str!("tail.md");
