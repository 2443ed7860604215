//! Tidiness is a test: sizes of files, heads of modules, words that do not belong.

use fairshot_architecture::{Tracked, tracked};

const LINES_MAX: usize = 700;
const LINES_MOSTLY: usize = 400;

/// Words with the reason why no tracked file holds them. They are put together here, so that this file
/// does not hold them either.
const BANNED: &[(&str, &str)] = &[
    (concat!("FIX", "ME"), "a fault that is known is mended or written down"),
    (concat!("XX", "X:"), "a fault that is known is mended or written down"),
    (concat!("to", "do!("), "there are no stubs"),
    (concat!("unimple", "mented!("), "there are no stubs"),
    (concat!("db", "g!("), "left over from a search for a fault"),
    (concat!("allow(clip", "py::disallowed"), "the core keeps its rules"),
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/tmp/", "target"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/Us", "ers/"), "a path of one machine"),
    (concat!("../sha", "red"), "a path outside the project"),
    (concat!("session'", "s issue"), "the project does not know how it was written"),
    (concat!("Co-Auth", "ored-By"), "the project does not know how it was written"),
];

fn sources() -> Vec<Tracked> {
    tracked().into_iter().filter(|file| file.path.ends_with(".rs")).collect()
}

#[test]
fn no_source_file_is_long_and_most_are_short() {
    let sources = sources();
    let lines = |file: &Tracked| file.text.lines().count();
    let long: Vec<String> = sources
        .iter()
        .filter(|file| lines(file) > LINES_MAX)
        .map(|file| format!("{}: {} lines", file.path, lines(file)))
        .collect();
    assert!(long.is_empty(), "over {LINES_MAX} lines:\n{}", long.join("\n"));
    let short = sources.iter().filter(|file| lines(file) <= LINES_MOSTLY).count();
    assert!(
        short * 10 >= sources.len() * 9,
        "{short} of {} source files have at most {LINES_MOSTLY} lines",
        sources.len()
    );
}

#[test]
fn every_source_file_says_at_its_head_why_it_exists() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.path)
        .collect();
    assert!(silent.is_empty(), "without a head:\n{}", silent.join("\n"));
}

#[test]
fn no_tracked_file_holds_a_word_that_does_not_belong() {
    let mut wrong = Vec::new();
    for file in tracked() {
        for (number, line) in file.text.lines().enumerate() {
            for (word, reason) in BANNED.iter().filter(|(word, _)| line.contains(word)) {
                wrong.push(format!("{}:{}: {word} ({reason})", file.path, number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_product_code_is_kept_that_nobody_calls() {
    // A module that several test programs share may be used in part by each.
    let product = sources().into_iter().filter(|file| !file.path.contains("/tests/"));
    let word = concat!("allow(dead", "_code");
    let wrong: Vec<String> =
        product.filter(|file| file.text.contains(word)).map(|file| file.path).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_package_takes_the_workspaces_lints() {
    let silent: Vec<String> = tracked()
        .into_iter()
        .filter(|file| file.path.ends_with("Cargo.toml") && file.text.contains("[package]"))
        // One that is a workspace of its own, as a fuzz package has to be, has no lints to take.
        .filter(|file| !file.text.contains("\n[workspace]\n"))
        .filter(|file| !file.text.contains("[lints]\nworkspace = true"))
        .map(|file| file.path)
        .collect();
    assert!(silent.is_empty(), "without the workspace's lints:\n{}", silent.join("\n"));
}
