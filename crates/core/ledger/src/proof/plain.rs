//! The rules this ledger grew out of: merge downward at the newest revision only, and take one round
//! off for each shot. The search must find their holes.

use super::armoury::armoury;
use super::books::Books;
use crate::change::{Change, SlotChange, Weapons, change_of};
use crate::revisions::Limits;
use crate::ruling::{FrameOutcome, FrameRuling, ShotRuling};
use crate::{FrameReport, Inventory, ShotReport, SlotState};
use fairshot_mode::Catalogue;
use fairshot_units::{Life, Revision, Rule, WeaponCommand, WeaponId};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Plain {
    catalogue: Arc<Catalogue>,
    mask: u16,
    inventory: Inventory,
}

impl Books for Plain {
    type Rules = ();

    fn open((): &(), limits: Limits) -> Self {
        let mask = limits.revision_mask;
        Self { catalogue: armoury(), mask, inventory: Inventory::default() }
    }

    fn order(&mut self, command: &WeaponCommand, _now_ms: u64) -> Option<Revision> {
        let slots = &mut self.inventory.slots;
        let weapons: Weapons = std::array::from_fn(|at| slots[at].weapon);
        let Change { slots: change, arms } = change_of(&self.catalogue, &weapons, command).ok()?;
        match change {
            SlotChange::Nothing => {}
            SlotChange::Load(load) => {
                let slot = &mut slots[load.slot.index()];
                let kept = if load.adds { slot.total } else { 0 };
                let total = kept.saturating_add(load.rounds);
                *slot = SlotState { weapon: load.weapon, total, clip: 0 };
            }
            SlotChange::Empty { slot } => slots[slot.index()] = SlotState::default(),
            SlotChange::EmptyAll => *slots = Default::default(),
        }
        if let Some(armed) = arms {
            self.inventory.held = armed;
        } else if self.inventory.slot_of(self.inventory.held).is_none() {
            self.inventory.held = WeaponId::FISTS;
        }
        let next = self.inventory.revision.0.wrapping_add(1) & self.mask;
        self.inventory.revision = Revision(next);
        Some(self.inventory.revision)
    }

    fn frame(&mut self, report: &FrameReport, _now_ms: u64) -> FrameRuling {
        let current = report.life == self.inventory.life && report.rev == self.inventory.revision;
        if current && let Some(slot) = self.slot(report.held) {
            slot.total = slot.total.min(report.total);
            self.inventory.held = report.held;
        }
        FrameRuling { outcome: FrameOutcome::Joined, acts: None }
    }

    fn shot(&mut self, report: &ShotReport, _now_ms: u64) -> ShotRuling {
        match self.slot(report.weapon) {
            None => ShotRuling::Refused(Rule::Held),
            Some(slot) if slot.total == 0 => ShotRuling::Refused(Rule::Ammo),
            Some(slot) => {
                slot.total -= 1;
                self.inventory.held = report.weapon;
                ShotRuling::Accepted
            }
        }
    }

    fn respawn(&mut self, life: Life) {
        let revision = self.inventory.revision;
        self.inventory = Inventory { life, revision, ..Inventory::default() };
    }

    fn inventory(&self) -> Inventory {
        self.inventory
    }

    fn tallies(&self) -> (u32, u32) {
        (0, 0)
    }

    fn fingerprint(&self, _now_ms: u64, hasher: &mut impl Hasher) {
        self.inventory.hash(hasher);
    }
}

impl Plain {
    fn slot(&mut self, weapon: WeaponId) -> Option<&mut SlotState> {
        let slots = self.inventory.slots.iter_mut();
        slots.filter(|slot| slot.weapon != WeaponId::FISTS).find(|slot| slot.weapon == weapon)
    }
}
