//! A player's inventory as an operator reads it.

use fairshot_units::{Life, PlayerId, Revision, RoomId, SlotIndex, WeaponId};

/// The server's ledger of one player, read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventoryView {
    pub player: PlayerId,
    pub room: RoomId,
    pub mode: String,
    pub life: Life,
    pub revision: Revision,
    /// The last revision the client echoed.
    pub echoed: Revision,
    /// Commands queued or sent that the client has not echoed yet.
    pub commands_in_flight: u32,
    pub held: WeaponId,
    pub held_name: String,
    /// Filled slots, by slot.
    pub slots: Vec<InventorySlot>,
    /// Milliseconds since a frame or shot of hers was last joined; `None` before the first.
    pub observed_ago_ms: Option<u64>,
    /// Times the ledger lowered a total to what she reported.
    pub corrections: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InventorySlot {
    pub slot: SlotIndex,
    pub weapon: WeaponId,
    pub name: String,
    pub total: u16,
    pub clip: u16,
}

/// What a weapon command did, or with `dry_run` would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeaponOutcome {
    /// The revision the command carries (the next one, with `dry_run`).
    pub revision: Revision,
    /// The inventory after it.
    pub after: InventoryView,
}

/// A weapon of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeaponEntry {
    pub id: WeaponId,
    pub name: String,
    pub slot: SlotIndex,
    /// Rounds in a full clip; 0 where the weapon has none.
    pub clip_size: u16,
}
