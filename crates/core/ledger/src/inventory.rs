//! The readback: what games, operators and the judge see of an inventory.

use fairshot_units::{Life, Revision, SlotIndex, WeaponId};

/// One slot as it stands. A slot without a weapon shows fists, 0 and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SlotState {
    pub weapon: WeaponId,
    /// Rounds left, those in the clip included.
    pub total: u16,
    /// At most the total and the weapon's clip size.
    pub clip: u16,
}

/// An inventory at one moment. Exact up to what the client has not yet reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Inventory {
    pub life: Life,
    /// The newest committed revision (server) or the last applied one (client).
    pub revision: Revision,
    /// The newest revision the client echoed.
    pub echoed: Revision,
    pub held: WeaponId,
    pub slots: [SlotState; SlotIndex::COUNT],
    /// When a message of the client last counted, in the caller's milliseconds.
    pub observed_ms: Option<u64>,
}

impl Inventory {
    /// The slot that holds this weapon.
    #[must_use]
    pub fn slot_of(&self, weapon: WeaponId) -> Option<&SlotState> {
        self.slots.iter().find(|slot| slot.weapon == weapon && weapon != WeaponId::FISTS)
    }

    /// Rounds left of a weapon owned.
    #[must_use]
    pub fn total_of(&self, weapon: WeaponId) -> Option<u16> {
        self.slot_of(weapon).map(|slot| slot.total)
    }
}
