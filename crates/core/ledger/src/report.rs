//! What a client says of its own weapons: totals after the fact, never differences.

use fairshot_units::{Life, MessageNumber, Revision, WeaponId};

/// The ledger's part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameReport {
    pub life: Life,
    /// The last revision the client applied.
    pub rev: Revision,
    pub number: MessageNumber,
    /// The weapon in hand; fists say nothing of any slot.
    pub held: WeaponId,
    /// Rounds left in the held weapon's slot, its clip included.
    pub total: u16,
    pub clip: u16,
    /// At least one round of the held continuous weapon was spent since the last frame, and after the
    /// last command that touched its slot.
    pub firing: bool,
}

/// The ledger's part of a shot: one trigger pull, throw or launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShotReport {
    pub life: Life,
    /// The last revision the client had applied when it fired.
    pub rev: Revision,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    /// Rounds left in the weapon's slot after this shot.
    pub total: u16,
}
