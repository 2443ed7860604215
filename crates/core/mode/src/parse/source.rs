//! The text of a mode with its faults: every fault is tied to a place in the text.

use crate::{ModeError, ModeErrors};
use std::cell::RefCell;
use std::ops::Range;

/// A text under a name, collecting what is wrong with it.
pub(crate) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    faults: RefCell<Vec<(usize, ModeError)>>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, faults: RefCell::new(Vec::new()) }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn fault(&self, at: &Range<usize>, key: &str, expected: String, found: String) {
        let (line, column) = self.place(at.start);
        let file = self.file.to_owned();
        let key = key.to_owned();
        let error = ModeError { file, line, column, key, expected, found };
        let mut faults = self.faults.borrow_mut();
        // A fault that is told twice (by the key and by a check across keys) is told once.
        if !faults.iter().any(|(_, known)| *known == error) {
            faults.push((at.start, error));
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.faults.borrow().is_empty()
    }

    /// Line and column, both 1-based.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    pub(crate) fn into_errors(self) -> ModeErrors {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|(at, _)| *at);
        faults.truncate(ModeErrors::MAX);
        ModeErrors(faults.into_iter().map(|(_, error)| error).collect())
    }
}
