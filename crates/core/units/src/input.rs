//! What a player's hands do in one tick, as sent.

use serde::{Deserialize, Serialize};

/// One tick of a player's input. The view is where her camera points; the body turns with its yaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Input {
    /// Wish to go forward, -127 (back) to 127; -128 reads as -127.
    pub forward: i8,
    /// Wish to go right, -127 (left) to 127; -128 reads as -127.
    pub right: i8,
    pub buttons: Buttons,
    /// 65536ths of a turn, as in [`crate::Pose`].
    pub yaw: u16,
    /// Signed 65536ths of a turn, up positive, within ±16384.
    pub pitch: i16,
}

/// Buttons held in a tick, one bit each; bits without a name are a game's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Buttons(pub u8);

impl Buttons {
    pub const JUMP: Self = Self(1);
    pub const FIRE: Self = Self(2);

    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
