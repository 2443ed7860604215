//! What is wrong with a mode: every fault with its file, line, column, key and what was expected.

use std::fmt;

/// One fault of a mode's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ModeError {
    /// The name the text was parsed under.
    pub file: String,
    /// 1-based; 0 where the fault has no place in a text (a mode built or changed in code).
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
    /// The path of the key, such as `weapons[2].rules.rate.stall_s`; empty where the text is no TOML.
    pub key: String,
    pub expected: String,
    pub found: String,
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if self.line > 0 {
            write!(f, "{}:{}:", self.line, self.column)?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        write!(f, " expected {}, found {}", self.expected, self.found)
    }
}

/// Every fault found in one text, in the order of its lines; at most [`ModeErrors::MAX`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ModeErrors(pub Vec<ModeError>);

impl ModeErrors {
    /// Faults kept of one text; the rest are left out, since a reader mends a few at a time.
    pub const MAX: usize = 32;
    /// The short name of this failure in logs and metrics.
    pub const LABEL: &'static str = "mode";
}

impl fmt::Display for ModeErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}
