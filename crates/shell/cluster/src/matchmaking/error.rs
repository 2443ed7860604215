//! Why nobody was seated, and whether asking again helps.

use crate::directory::DirectoryError;
use crate::host::HostError;
use fairshot_matchmaking::PlaceError;
use fairshot_units::PlayerId;
use std::time::Duration;
use tonic::Code;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchmakingError {
    #[error("{field}: {reason}")]
    Invalid { field: &'static str, reason: String },
    #[error("no {what} `{name}`")]
    NotFound { what: &'static str, name: String },
    #[error("{player} is banned: {reason}")]
    Banned { player: PlayerId, reason: String },
    #[error("the room is full")]
    Full,
    #[error("the room is locked")]
    Locked,
    #[error("the party fits no team of the room")]
    PartyTooLarge,
    #[error("no place for a new room: {source}")]
    NoPlace { source: PlaceError },
    /// The directory or a node does not answer.
    #[error("unavailable for now: {0}")]
    Unavailable(String),
}

impl MatchmakingError {
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "invalid",
            Self::NotFound { .. } => "not_found",
            Self::Banned { .. } => "banned",
            Self::Full => "full",
            Self::Locked => "locked",
            Self::PartyTooLarge => "party_too_large",
            Self::NoPlace { source } => source.label(),
            Self::Unavailable(_) => "unavailable",
        }
    }

    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::InvalidArgument,
            Self::NotFound { .. } | Self::NoPlace { source: PlaceError::Mode(_) } => Code::NotFound,
            Self::Banned { .. } => Code::PermissionDenied,
            Self::Full | Self::Locked | Self::PartyTooLarge => Code::FailedPrecondition,
            Self::NoPlace { source: PlaceError::Capacity } => Code::ResourceExhausted,
            Self::NoPlace { .. } | Self::Unavailable(_) => Code::Unavailable,
        }
    }

    /// When to ask again; none where that is in vain.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::NoPlace { source: PlaceError::Mode(_) } => None,
            Self::NoPlace { source: PlaceError::Capacity } => Some(Duration::from_secs(5)),
            Self::NoPlace { .. } | Self::Unavailable(_) => Some(Duration::from_secs(2)),
            _ => None,
        }
    }

    pub(crate) fn not_found(what: &'static str, name: impl ToString) -> Self {
        Self::NotFound { what, name: name.to_string() }
    }

    pub(crate) fn invalid(field: &'static str, reason: impl ToString) -> Self {
        Self::Invalid { field, reason: reason.to_string() }
    }

    pub(crate) fn from_host(error: HostError) -> Self {
        match error {
            HostError::Full => Self::Full,
            HostError::Locked => Self::Locked,
            HostError::PartyTooLarge => Self::PartyTooLarge,
            HostError::Party => Self::invalid("party", error),
            HostError::NoRoom => Self::not_found("room", "that was asked for"),
            HostError::NoMode(mode) => Self::not_found("mode", mode),
            HostError::Capacity => Self::NoPlace { source: PlaceError::Capacity },
            HostError::Draining => Self::NoPlace { source: PlaceError::Draining },
            HostError::RoomExists | HostError::Unavailable(_) => {
                Self::Unavailable(error.to_string())
            }
        }
    }

    pub(crate) fn from_directory(error: DirectoryError) -> Self {
        Self::Unavailable(error.to_string())
    }
}
