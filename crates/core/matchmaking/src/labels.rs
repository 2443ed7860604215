//! The words rooms are found by: labels set at their creation, and the code of a private room.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

const LABELS_MAX: usize = 16;
const TEXT_BYTES_MAX: usize = 64;

/// Up to 16 labels of a room; names and values of 1 to 64 bytes without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Labels(BTreeMap<String, String>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    #[error("a room has 16 labels at most, not {0}")]
    TooMany(usize),
    #[error(
        "a label's name and value have 1 to 64 bytes without control characters; {0:?} has not"
    )]
    Text(String),
}

impl Labels {
    /// # Errors
    /// [`LabelError`] if there are too many, or one is too long, empty, or not printable.
    pub fn new(labels: BTreeMap<String, String>) -> Result<Self, LabelError> {
        if labels.len() > LABELS_MAX {
            return Err(LabelError::TooMany(labels.len()));
        }
        let odd = |text: &&String| {
            text.is_empty() || text.len() > TEXT_BYTES_MAX || text.contains(char::is_control)
        };
        if let Some(text) = labels.iter().flat_map(|(name, value)| [name, value]).find(odd) {
            // Shortened, so that an error cannot be as long as what it complains about.
            return Err(LabelError::Text(text.chars().take(TEXT_BYTES_MAX).collect()));
        }
        Ok(Self(labels))
    }

    #[must_use]
    pub fn as_map(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// Every label of `wanted` is here, with that value.
    #[must_use]
    pub fn hold(&self, wanted: &Self) -> bool {
        wanted.0.iter().all(|(name, value)| self.0.get(name) == Some(value))
    }
}

impl TryFrom<BTreeMap<String, String>> for Labels {
    type Error = LabelError;
    fn try_from(labels: BTreeMap<String, String>) -> Result<Self, LabelError> {
        Self::new(labels)
    }
}

impl From<Labels> for BTreeMap<String, String> {
    fn from(labels: Labels) -> Self {
        labels.0
    }
}

/// The code of a private room: 6 characters that are hard to misread, drawn from a billion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoomCode([u8; 6]);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a room code has 6 letters or digits, without 0, 1, I and O")]
pub struct RoomCodeError;

/// 32 characters, without those that look alike.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

impl RoomCode {
    /// The code that 30 random bits name.
    #[must_use]
    pub fn from_random(bits: u32) -> Self {
        Self(std::array::from_fn(|i| ALPHABET[(bits >> (5 * i)) as usize & 31]))
    }

    /// Reads what a person typed: small letters and blanks around it are fine.
    ///
    /// # Errors
    /// If it is no code.
    pub fn new(text: &str) -> Result<Self, RoomCodeError> {
        let code: [u8; 6] = text.trim().as_bytes().try_into().map_err(|_| RoomCodeError)?;
        let code = code.map(|c| c.to_ascii_uppercase());
        code.iter().all(|c| ALPHABET.contains(c)).then_some(Self(code)).ok_or(RoomCodeError)
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|c| write!(f, "{}", char::from(*c)))
    }
}

impl fmt::Debug for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A code lets its holder in: logs do not.
        f.write_str("RoomCode(..)")
    }
}

impl TryFrom<String> for RoomCode {
    type Error = RoomCodeError;
    fn try_from(text: String) -> Result<Self, RoomCodeError> {
        Self::new(&text)
    }
}

impl From<RoomCode> for String {
    fn from(code: RoomCode) -> Self {
        code.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_reads_back_however_it_is_typed() {
        let code = RoomCode::from_random(0x2BCD_1234);
        assert_eq!(RoomCode::new(&format!(" {} ", code.to_string().to_lowercase())), Ok(code));
        assert_eq!(RoomCode::new("ABCDE0"), Err(RoomCodeError));
        assert_eq!(RoomCode::new("ABCDEFG"), Err(RoomCodeError));
    }

    #[test]
    fn labels_are_few_and_short() {
        let many = (0..17).map(|i| (i.to_string(), "x".into())).collect();
        assert_eq!(Labels::new(many), Err(LabelError::TooMany(17)));
        let odd = |value: &str| Labels::new(BTreeMap::from([("map".into(), value.into())]));
        assert!(odd("dust 2").is_ok());
        assert!(odd("").is_err() && odd("a\nb").is_err() && odd(&"x".repeat(65)).is_err());
    }
}
