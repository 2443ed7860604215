//! What is wrong with the settings, and the exit code that says so.

use std::fmt;

/// The exit code of bad usage, `EX_USAGE`.
pub const EXIT_USAGE: u8 = 64;

/// One fault, told as `fairshot.toml:12: players.port: expected 0 to 65535, found 70000`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// Where it was said: `FILE:LINE`, the flag or the variable.
    pub place: String,
    /// The setting; empty where no setting is to blame.
    pub key: String,
    pub expected: String,
    pub found: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not an error: help or a version was asked for, and this is it.
    #[error("{0}")]
    Shown(String),
    /// The command line is none, in the words of its parser.
    #[error("{0}")]
    CommandLine(String),
    /// Every fault of the settings and of the modes they name, a line each.
    #[error("{}", lines(.0))]
    Wrong(Vec<Fault>),
}

impl SettingsError {
    /// 0 for what was asked for, else [`EXIT_USAGE`].
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Shown(_) => 0,
            Self::CommandLine(_) | Self::Wrong(_) => EXIT_USAGE,
        }
    }

    /// The short name of this failure.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Shown(_) => "shown",
            Self::CommandLine(_) => "command_line",
            Self::Wrong(_) => "settings",
        }
    }
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
