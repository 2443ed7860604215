//! Checks a log from its first line to its last.

use super::chain::{Entry, LINE_BYTES_MAX, ZERO, open};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A file whose chain holds. Keep `last_hash` elsewhere: it is what shows that lines were cut off the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    pub path: PathBuf,
    pub entries: u64,
    pub first_unix_ms: u64,
    pub last_unix_ms: u64,
    pub last_hash: String,
    /// Bytes of an unfinished last line: a write that was never acknowledged, or is going on.
    pub torn_bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("{path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path}:{line}: {reason}")]
    Line { path: PathBuf, line: u64, reason: String },
    #[error("{path}: holds no entry")]
    Empty { path: PathBuf },
}

/// Checks one file.
///
/// # Errors
/// [`VerifyError::Line`] names the first line that breaks the chain.
pub fn verify(path: &Path) -> Result<Verified, VerifyError> {
    let mut verified = None;
    let scanned = scan(path, |entry, _| {
        let verified = verified.get_or_insert((entry.time_unix_ms, 0));
        verified.1 = entry.time_unix_ms;
    })?;
    let (first_unix_ms, last_unix_ms) =
        verified.ok_or_else(|| VerifyError::Empty { path: path.to_owned() })?;
    Ok(Verified {
        path: path.to_owned(),
        entries: scanned.entries,
        first_unix_ms,
        last_unix_ms,
        last_hash: scanned.last_hash,
        torn_bytes: scanned.torn_bytes,
    })
}

/// Where a file's chain ends.
pub(super) struct Scanned {
    pub entries: u64,
    pub last_hash: String,
    /// Bytes of whole lines.
    pub good_bytes: u64,
    pub torn_bytes: u64,
}

/// Reads every line in order; a last line without a line break is torn, not wrong.
pub(super) fn scan(path: &Path, mut each: impl FnMut(Entry, &str)) -> Result<Scanned, VerifyError> {
    let failed = |source| VerifyError::Read { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut scanned =
        Scanned { entries: 0, last_hash: ZERO.to_owned(), good_bytes: 0, torn_bytes: 0 };
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = LINE_BYTES_MAX as u64 + 1;
        let bytes = (&mut reader).take(limit).read_until(b'\n', &mut line).map_err(failed)?;
        if bytes == 0 {
            return Ok(scanned);
        }
        let wrong = |reason: String| VerifyError::Line {
            path: path.to_owned(),
            line: scanned.entries + 1,
            reason,
        };
        if line.last() != Some(&b'\n') {
            if bytes > LINE_BYTES_MAX {
                return Err(wrong(format!("it is over {LINE_BYTES_MAX} bytes long")));
            }
            scanned.torn_bytes = bytes as u64;
            return Ok(scanned);
        }
        line.pop();
        let text = std::str::from_utf8(&line).map_err(|error| wrong(error.to_string()))?;
        let (entry, hash) = open(text, scanned.entries, &scanned.last_hash)
            .map_err(|error| wrong(error.to_string()))?;
        each(entry, &hash);
        scanned.last_hash = hash;
        scanned.entries += 1;
        scanned.good_bytes += bytes as u64;
    }
}
