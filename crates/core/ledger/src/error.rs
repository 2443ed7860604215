//! Why a command is refused by the ledger, or cannot be applied by the client.

use fairshot_units::{Revision, WeaponId};

/// Why a weapon command was refused. Nothing has moved: no revision, no store, no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("weapon {} is not in the catalogue", .weapon.0)]
    UnknownWeapon { weapon: WeaponId },
    #[error("fists are always there: they cannot be given, taken or loaded")]
    Fists,
    #[error("a clip of {clip} is more than the {clip_size} a clip of weapon {} holds", .weapon.0)]
    ClipOverSize { weapon: WeaponId, clip: u16, clip_size: u16 },
    #[error("a clip of {clip} is more than the total of {total}")]
    ClipOverTotal { clip: u16, total: u16 },
    #[error("the player does not own weapon {}", .weapon.0)]
    NotOwned { weapon: WeaponId },
    #[error("{pending} commands still wait for the client's echo")]
    Full { pending: usize },
}

/// The three answers an operator's call can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandErrorKind {
    /// The command makes no sense for any inventory.
    InvalidArgument,
    /// The command does not fit this inventory now.
    FailedPrecondition,
    /// Too much is in flight; later it may go through.
    ResourceExhausted,
}

impl CommandError {
    #[must_use]
    pub fn kind(self) -> CommandErrorKind {
        match self {
            Self::UnknownWeapon { .. }
            | Self::Fists
            | Self::ClipOverSize { .. }
            | Self::ClipOverTotal { .. } => CommandErrorKind::InvalidArgument,
            Self::NotOwned { .. } => CommandErrorKind::FailedPrecondition,
            Self::Full { .. } => CommandErrorKind::ResourceExhausted,
        }
    }

    /// A short name that never changes: a metric's or an audit line's label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::UnknownWeapon { .. } => "unknown_weapon",
            Self::Fists => "fists",
            Self::ClipOverSize { .. } => "clip_over_size",
            Self::ClipOverTotal { .. } => "clip_over_total",
            Self::NotOwned { .. } => "not_owned",
            Self::Full { .. } => "full",
        }
    }
}

/// Why the client could not apply a command. After the first of these it applies nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    #[error("revision {} does not follow {}", .got.0, .applied.0)]
    OutOfOrder { applied: Revision, got: Revision },
    #[error("revision {} cannot apply: {reason}", .rev.0)]
    Refused { rev: Revision, reason: CommandError },
    #[error("nothing more is applied since revision {} failed", .failed.0)]
    Stopped { failed: Revision },
}

impl ApplyError {
    /// The revision to name when telling the server that an apply failed.
    #[must_use]
    pub fn revision(self) -> Revision {
        match self {
            Self::OutOfOrder { got, .. } => got,
            Self::Refused { rev, .. } => rev,
            Self::Stopped { failed } => failed,
        }
    }

    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::OutOfOrder { .. } => "out_of_order",
            Self::Refused { reason, .. } => reason.label(),
            Self::Stopped { .. } => "stopped",
        }
    }
}
