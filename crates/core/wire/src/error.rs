//! Why bytes are not a message.

/// Why bytes could not be read. Every byte string reads as a value or as one of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the bytes end before the message does")]
    Short,
    #[error("the message ends before the bytes do")]
    Trailing,
    #[error("the first byte is {0:#04x}, which is no message of this protocol")]
    Version(u8),
    #[error("there is no message of kind {0}")]
    Kind(u8),
    #[error("{what}: {count} of them, more than the cap of {cap}")]
    TooMany { what: &'static str, count: u64, cap: usize },
    #[error("{0} is not UTF-8 or holds characters it must not")]
    Text(&'static str),
    #[error("{0} is out of its range")]
    Range(&'static str),
    #[error("a value nests deeper than the cap")]
    Depth,
    #[error("a reference to a table entry that was never sent")]
    Unknown,
    #[error("a delta against a snapshot that is not held any more")]
    Baseline,
    #[error("a snapshot that was decoded already, or is too old to matter")]
    Repeat,
}

impl DecodeError {
    /// A short stable name, fit for a metric's label.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Trailing => "trailing",
            Self::Version(_) => "version",
            Self::Kind(_) => "kind",
            Self::TooMany { .. } => "too_many",
            Self::Text(_) => "text",
            Self::Range(_) => "range",
            Self::Depth => "depth",
            Self::Unknown => "unknown",
            Self::Baseline => "baseline",
            Self::Repeat => "repeat",
        }
    }
}
