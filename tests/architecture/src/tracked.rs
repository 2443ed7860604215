//! The files git tracks, with their text.

use std::process::Command;

/// A tracked text file.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// From the workspace's root.
    pub path: String,
    pub text: String,
}

/// Every tracked file that is text and stands in the working tree.
///
/// # Panics
/// Where git does not answer: these tests want a checkout.
#[must_use]
pub fn tracked() -> Vec<Tracked> {
    let root = crate::root();
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output();
    let output = output.expect("git lists the tracked files");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("file names are UTF-8");
    let read = |path: &str| {
        let text = std::fs::read_to_string(root.join(path)).ok()?;
        Some(Tracked { path: path.to_owned(), text })
    };
    names.split('\0').filter(|path| !path.is_empty()).filter_map(read).collect()
}
