//! The player's weapons: the ledger's mirror where rounds are counted, and every weapon where not.

use fairshot_ledger::{ApplyError, FrameReport, Inventory, Mirror, ShotReport};
use fairshot_mode::{Ammunition, Catalogue};
use fairshot_units::{Life, Revision, WeaponCommand, WeaponId};
use std::sync::Arc;

/// What the player holds, and the numbers of her messages.
#[derive(Debug)]
pub(crate) struct Arms {
    mirror: Mirror,
    /// The weapon in hand where the mode counts no rounds.
    open: Option<WeaponId>,
}

impl Arms {
    pub(crate) fn new(catalogue: Arc<Catalogue>, ammunition: Ammunition) -> Self {
        let open = (ammunition == Ammunition::Open).then_some(WeaponId::FISTS);
        Self { mirror: Mirror::new(catalogue), open }
    }

    pub(crate) fn apply(
        &mut self,
        revision: Revision,
        command: &WeaponCommand,
    ) -> Result<(), ApplyError> {
        self.mirror.apply(revision, command)
    }

    pub(crate) fn take_grant(&mut self, life: Life) {
        self.mirror.take_grant(life);
    }

    pub(crate) fn arm(&mut self, weapon: WeaponId) -> bool {
        match &mut self.open {
            Some(held) => {
                *held = weapon;
                true
            }
            None => self.mirror.arm(weapon),
        }
    }

    pub(crate) fn fire(&mut self, weapon: WeaponId) -> Option<ShotReport> {
        match &mut self.open {
            Some(held) => {
                *held = weapon;
                Some(self.mirror.fire_freely(weapon))
            }
            None => self.mirror.fire(weapon),
        }
    }

    /// A shot of a weapon whatever the inventory says: a cheat's.
    pub(crate) fn fire_anyway(&mut self, weapon: WeaponId) -> ShotReport {
        self.fire(weapon).unwrap_or_else(|| self.mirror.fire_freely(weapon))
    }

    pub(crate) fn frame(&mut self, firing: bool) -> FrameReport {
        let mut report = self.mirror.frame(firing);
        if let Some(held) = self.open {
            report.held = held;
            report.firing = firing;
        }
        report
    }

    pub(crate) fn burn(&mut self, rounds: u16) -> u16 {
        if self.open.is_some() { rounds } else { self.mirror.burn(rounds) }
    }

    pub(crate) fn reload(&mut self) {
        self.mirror.reload();
    }

    pub(crate) fn held(&self) -> WeaponId {
        self.open.unwrap_or_else(|| self.mirror.held())
    }

    /// Rounds left; `None` where it is not held. A mode that counts none always has one more.
    pub(crate) fn total(&self, weapon: WeaponId) -> Option<u16> {
        if self.open.is_some() { Some(u16::MAX) } else { self.mirror.total(weapon) }
    }

    pub(crate) fn inventory(&self) -> Inventory {
        self.mirror.inventory()
    }

    pub(crate) fn life(&self) -> Life {
        self.mirror.life()
    }
}
