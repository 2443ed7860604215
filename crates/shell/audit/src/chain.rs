//! One line of the log: how it is sealed, and how it is checked.

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// What is written of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    pub sequence: u64,
    pub time_unix_ms: u64,
    pub caller: String,
    pub role: String,
    /// Where the call came from, `host:port`.
    pub peer: String,
    pub method: String,
    /// The call's own words.
    pub request: serde_json::Value,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub request_id: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    pub outcome: Outcome,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The hash of the line before; 64 zeros in the first.
    pub prev: String,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The process took the file up.
    Opened,
    /// About to be done. Without an `ended` of the same `of` the process stopped in between.
    Begun,
    /// Done, or failed with that gRPC code; `of` is the sequence of its `begun`.
    Ended { of: u64, code: String },
    /// Refused before anything was done, with that gRPC code.
    Denied { code: String },
}

impl Outcome {
    /// `opened`, `begun`, or the gRPC code.
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::Opened => "opened",
            Self::Begun => "begun",
            Self::Ended { code, .. } | Self::Denied { code } => code,
        }
    }
}

impl Entry {
    /// An entry with nothing but who and how far; the writer fills in sequence, time and `prev`.
    #[must_use]
    pub fn new(caller: &str, outcome: Outcome) -> Self {
        Self {
            sequence: 0,
            time_unix_ms: 0,
            caller: caller.to_owned(),
            role: String::new(),
            peer: String::new(),
            method: String::new(),
            request: serde_json::Value::Null,
            request_id: String::new(),
            dry_run: false,
            outcome,
            detail: String::new(),
            prev: String::new(),
        }
    }
}

/// Before the first line.
pub(super) const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The longest line read back: a request's words are bounded well below it.
pub(super) const LINE_BYTES_MAX: usize = 64 * 1024;

const SEAL: &str = ",\"hash\":\"";
/// `,"hash":"` + 64 digits + `"}`.
const SEAL_BYTES: usize = SEAL.len() + 64 + 2;

/// Why a line is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("it does not end in a hash")]
    NoSeal,
    #[error("its hash is not that of its content")]
    Hash,
    #[error("it is no entry: {0}")]
    Entry(String),
    #[error("it does not follow the line before")]
    Chain,
    #[error("its sequence is {found}, {expected} was due")]
    Sequence { expected: u64, found: u64 },
}

/// The line of an entry, line break included, and its hash.
pub(super) fn seal(entry: &Entry) -> Result<(String, String), serde_json::Error> {
    let mut line = serde_json::to_string(entry)?;
    line.pop();
    let hash = sha256_hex(line.as_bytes());
    let _ = writeln!(line, "{SEAL}{hash}\"}}");
    Ok((line, hash))
}

/// Checks one line (without its line break) against the one before and reads it.
pub(super) fn open(line: &str, sequence: u64, prev: &str) -> Result<(Entry, String), LineError> {
    let cut = line.len().checked_sub(SEAL_BYTES).ok_or(LineError::NoSeal)?;
    let (body, seal) = line.split_at_checked(cut).ok_or(LineError::NoSeal)?;
    let hash = seal
        .strip_prefix(SEAL)
        .and_then(|seal| seal.strip_suffix("\"}"))
        .ok_or(LineError::NoSeal)?;
    if sha256_hex(body.as_bytes()) != hash {
        return Err(LineError::Hash);
    }
    let entry: Entry = serde_json::from_str(&format!("{body}}}"))
        .map_err(|error| LineError::Entry(error.to_string()))?;
    if entry.prev != prev {
        return Err(LineError::Chain);
    }
    if entry.sequence != sequence {
        return Err(LineError::Sequence { expected: sequence, found: entry.sequence });
    }
    Ok((entry, hash.to_owned()))
}

/// The SHA-256 of some bytes in hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
