//! What can go wrong in a client.

use fairshot_units::WeaponId;
use fairshot_wire::DecodeError;

/// The session cannot go on: close the connection.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClientError {
    #[error("a message of the server could not be read")]
    Message(#[source] DecodeError),
    #[error("the first message was no welcome, or a second one came")]
    Welcome,
    #[error("the mode of the welcome could not be read: {0}")]
    Mode(String),
    #[error("batch {got} came where {due} was due")]
    Batch { due: u32, got: u32 },
}

impl ClientError {
    /// A short stable name.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Message(_) => "message",
            Self::Welcome => "welcome",
            Self::Mode(_) => "mode",
            Self::Batch { .. } => "batch",
        }
    }
}

/// Why the trigger did nothing. None of these costs a round or is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotFire {
    #[error("not in a room, or no frame and no snapshot yet")]
    NotPlaying,
    #[error("dead, or not yet respawned")]
    Dead,
    #[error("the mode has no weapon {}", .0.0)]
    Unknown(WeaponId),
    #[error("weapon {} fires no shots", .0.0)]
    Kind(WeaponId),
    #[error("faster than the weapon fires")]
    Rate,
    #[error("not held, or no round left")]
    Ammo,
    #[error("too many shots wait for an answer")]
    Unanswered,
    #[error("the line holds back so much that the room would refuse it")]
    HeldBack,
}

impl CannotFire {
    /// A short stable name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NotPlaying => "not_playing",
            Self::Dead => "dead",
            Self::Unknown(_) => "unknown",
            Self::Kind(_) => "kind",
            Self::Rate => "rate",
            Self::Ammo => "ammo",
            Self::Unanswered => "unanswered",
            Self::HeldBack => "held_back",
        }
    }
}
