//! Names of things: players, rooms, entities, weapons, slots, and the counters of the ledger.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A player's name across rooms and reconnects: 1 to 64 bytes of `A-Z a-z 0-9 _ - . : @`.
///
/// The alphabet is closed so that an id can stand in a log line, a file name and a gRPC field as it
/// is. Ids come from the studio's backend, or are minted by the matchmaker in open mode.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlayerId(Arc<str>);

/// A room's name in its cluster: the same alphabet and length as [`PlayerId`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoomId(Arc<str>);

/// A room server process's name in its cluster: the same alphabet and length as [`PlayerId`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodeId(Arc<str>);

/// Why a text is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("an id has 1 to 64 bytes, this one has {0}")]
    Length(usize),
    #[error("an id holds A-Z a-z 0-9 _ - . : @ only, this one has {0:?}")]
    Character(char),
}

const ID_BYTES_MAX: usize = 64;

fn check_id(text: &str) -> Result<(), IdError> {
    if text.is_empty() || text.len() > ID_BYTES_MAX {
        return Err(IdError::Length(text.len()));
    }
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || "_-.:@".contains(*c))) {
        Some(odd) => Err(IdError::Character(odd)),
        None => Ok(()),
    }
}

macro_rules! text_id {
    ($name:ident) => {
        impl $name {
            /// Checks the alphabet and the length.
            ///
            /// # Errors
            /// [`IdError`] says which of the two is off.
            pub fn new(text: &str) -> Result<Self, IdError> {
                check_id(text)?;
                Ok(Self(Arc::from(text)))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(&text)
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(PlayerId);
text_id!(RoomId);
text_id!(NodeId);

/// An entity of one room, player or monster: an index into the room's flat arrays.
///
/// An id is used again after its holder left; [`Life`] tells one holder from the next.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct EntityId(pub u16);

/// Counts the lives an entity id has had: every spawn, respawn grant and new holder raises it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct Life(pub u16);

impl Life {
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

/// A weapon's number in its catalogue; 0 is fists.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct WeaponId(pub u8);

impl WeaponId {
    pub const FISTS: Self = Self(0);
}

/// One of the 13 inventory slots, 0 to 12. A slot's number is not a weapon's number.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct SlotIndex(u8);

impl SlotIndex {
    pub const COUNT: usize = 13;

    #[must_use]
    pub const fn new(slot: u8) -> Option<Self> {
        if (slot as usize) < Self::COUNT { Some(Self(slot)) } else { None }
    }

    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TryFrom<u8> for SlotIndex {
    type Error = String;
    fn try_from(slot: u8) -> Result<Self, String> {
        Self::new(slot).ok_or_else(|| format!("a slot is 0 to 12, not {slot}"))
    }
}

impl From<SlotIndex> for u8 {
    fn from(slot: SlotIndex) -> u8 {
        slot.0
    }
}

/// The counter every queued weapon command raises by one and the client echoes; wraps at 65536.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Revision(pub u16);

impl Revision {
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }

    /// How many commands lie between `older` and this revision, modulo 65536.
    #[must_use]
    pub fn since(self, older: Self) -> u16 {
        self.0.wrapping_sub(older.0)
    }
}

/// Numbers a session's frames and shots in one rising sequence; a resend keeps its number.
///
/// The sequence goes on across lives, so within one session a number also names one shot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct MessageNumber(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_with_a_quote_a_newline_or_64_kib_is_refused() {
        assert_eq!(PlayerId::new("a\"b"), Err(IdError::Character('"')));
        assert_eq!(PlayerId::new("a\nb"), Err(IdError::Character('\n')));
        assert_eq!(PlayerId::new(&"x".repeat(65536)), Err(IdError::Length(65536)));
        assert_eq!(PlayerId::new(""), Err(IdError::Length(0)));
        assert!(PlayerId::new("steam:7656@eu-1.x_y").is_ok());
    }

    #[test]
    fn no_number_over_12_is_a_slot() {
        assert_eq!((0..=255).filter(|n| SlotIndex::new(*n).is_some()).count(), SlotIndex::COUNT);
    }

    #[test]
    fn a_revision_counts_across_its_wrap() {
        assert_eq!(Revision(2).since(Revision(65534)), 4);
        assert_eq!(Revision(65535).next(), Revision(0));
    }
}
