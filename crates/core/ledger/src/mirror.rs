//! The client's side: applies the server's commands in order, spends, and reports what is left.

use crate::change::{Change, Clip, SlotChange, Weapons, change_of};
use crate::revisions::{Touched, hand_after};
use crate::segment::Uses;
use crate::{ApplyError, FrameReport, Inventory, ShotReport, SlotState};
use fairshot_mode::Catalogue;
use fairshot_units::{Life, MessageNumber, Revision, SlotIndex, WeaponCommand, WeaponId};
use std::sync::Arc;

/// One player's inventory as her client has it. Starts empty, at life 0 and revision 0; its first
/// message is number 1.
///
/// Commands and respawn grants are applied in the order the stream brings them.
#[derive(Clone, Debug)]
pub struct Mirror {
    catalogue: Arc<Catalogue>,
    life: Life,
    revision: Revision,
    last_number: MessageNumber,
    held: WeaponId,
    slots: [SlotState; SlotIndex::COUNT],
    /// A round of the held continuous weapon went since the last frame.
    burned: bool,
    failed: Option<Revision>,
}

impl Mirror {
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self {
            catalogue,
            life: Life::default(),
            revision: Revision::default(),
            last_number: MessageNumber::default(),
            held: WeaponId::FISTS,
            slots: [SlotState::default(); SlotIndex::COUNT],
            burned: false,
            failed: None,
        }
    }

    /// Applies the next command from the stream.
    ///
    /// # Errors
    /// The command does not follow the last one, or cannot apply: tell the server which revision
    /// ([`ApplyError::revision`]). Nothing more is applied from then on, and the session will end.
    pub fn apply(&mut self, rev: Revision, command: &WeaponCommand) -> Result<(), ApplyError> {
        if let Some(failed) = self.failed {
            return Err(ApplyError::Stopped { failed });
        }
        let change = self.check(rev, command).inspect_err(|_| self.failed = Some(rev))?;
        self.revision = rev;
        self.change(&change);
        Ok(())
    }

    /// Takes a respawn grant from the stream: the next life starts with an empty store.
    pub fn take_grant(&mut self, life: Life) {
        if self.failed.is_some() {
            return;
        }
        self.life = life;
        self.slots = [SlotState::default(); SlotIndex::COUNT];
        self.held = WeaponId::FISTS;
        self.burned = false;
    }

    /// Brings a weapon of the inventory, or fists, to hand; false where it is not owned.
    pub fn arm(&mut self, weapon: WeaponId) -> bool {
        let owned = weapon == WeaponId::FISTS || self.slot_of(weapon).is_some();
        if owned && weapon != self.held {
            self.held = weapon;
            self.burned = false;
        }
        owned
    }

    /// Pulls the trigger once: takes a round, brings the weapon to hand, and says what to send.
    /// An empty clip is loaded first. `None` where there is nothing to fire.
    pub fn fire(&mut self, weapon: WeaponId) -> Option<ShotReport> {
        let known = self.catalogue.get(weapon)?;
        let (uses, clip_size) = (Uses::from(known), known.clip_size);
        let slot = match uses {
            Uses::Nothing if weapon == WeaponId::FISTS => None,
            Uses::Nothing => Some(self.slot_of(weapon)?),
            Uses::OnePerShot => Some(self.slot_of(weapon).filter(|at| self.slots[*at].total > 0)?),
            Uses::WhileHeld => return None,
        };
        if let Some(at) = slot.filter(|_| uses == Uses::OnePerShot) {
            self.spend(at, 1, clip_size);
        }
        self.arm(weapon);
        Some(ShotReport {
            life: self.life,
            rev: self.revision,
            number: self.next_number(),
            weapon,
            total: slot.map_or(0, |at| self.slots[at].total),
        })
    }

    /// Pulls the trigger where a mode counts no rounds: asks for no weapon and takes nothing.
    pub fn fire_freely(&mut self, weapon: WeaponId) -> ShotReport {
        ShotReport {
            life: self.life,
            rev: self.revision,
            number: self.next_number(),
            weapon,
            total: 0,
        }
    }

    /// Spends up to so many rounds of the held continuous weapon; how many it had. The next frame will
    /// say that it fired.
    pub fn burn(&mut self, rounds: u16) -> u16 {
        let Some((at, clip_size)) = self.held_continuous() else { return 0 };
        let spent = rounds.min(self.slots[at].total);
        self.spend(at, spent, clip_size);
        self.burned |= spent > 0;
        spent
    }

    /// The next frame's report. With `firing`, the trigger of a held continuous weapon has been down:
    /// where nothing was [burned](Self::burn) since the last frame, a round goes now.
    pub fn frame(&mut self, firing: bool) -> FrameReport {
        if firing && !self.burned {
            self.burn(1);
        }
        let slot = self.slot_of(self.held).map(|at| self.slots[at]).unwrap_or_default();
        FrameReport {
            life: self.life,
            rev: self.revision,
            number: self.next_number(),
            held: self.held,
            total: slot.total,
            clip: slot.clip,
            firing: std::mem::take(&mut self.burned),
        }
    }

    /// Fills the held weapon's clip.
    pub fn reload(&mut self) {
        if let Some(at) = self.slot_of(self.held) {
            self.fill_clip(at);
        }
    }

    /// The inventory as the client has it.
    #[must_use]
    pub fn inventory(&self) -> Inventory {
        Inventory {
            life: self.life,
            revision: self.revision,
            echoed: self.revision,
            held: self.held,
            slots: self.slots,
            observed_ms: None,
        }
    }

    #[must_use]
    pub fn life(&self) -> Life {
        self.life
    }

    /// The last revision applied: what every message echoes.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    #[must_use]
    pub fn held(&self) -> WeaponId {
        self.held
    }

    /// Rounds left of a weapon owned; `None` where it is not.
    #[must_use]
    pub fn total(&self, weapon: WeaponId) -> Option<u16> {
        self.slot_of(weapon).map(|at| self.slots[at].total)
    }

    /// The revision that did not apply.
    #[must_use]
    pub fn failed(&self) -> Option<Revision> {
        self.failed
    }

    /// What the client does next depends on this alone, for telling states of a model check apart.
    #[cfg(test)]
    pub(crate) fn fingerprint(&self, hasher: &mut impl std::hash::Hasher) {
        use std::hash::Hash;
        (self.inventory(), self.last_number, self.burned, self.failed).hash(hasher);
    }

    fn check(&self, rev: Revision, command: &WeaponCommand) -> Result<Change, ApplyError> {
        if rev != self.revision.next() {
            return Err(ApplyError::OutOfOrder { applied: self.revision, got: rev });
        }
        let weapons: Weapons = std::array::from_fn(|at| self.slots[at].weapon);
        change_of(&self.catalogue, &weapons, command)
            .map_err(|reason| ApplyError::Refused { rev, reason })
    }

    fn change(&mut self, change: &Change) {
        let held = self.held;
        let (touched, weapon) = match change.slots {
            SlotChange::Nothing => (Touched::Nothing, WeaponId::FISTS),
            SlotChange::Load(load) => {
                let state = &mut self.slots[load.slot.index()];
                let kept = if load.adds { state.total } else { 0 };
                state.weapon = load.weapon;
                state.total = kept.saturating_add(load.rounds);
                match load.clip {
                    Clip::Keep => state.clip = state.clip.min(state.total),
                    Clip::Exactly(clip) => state.clip = clip,
                    Clip::Full => self.fill_clip(load.slot.index()),
                }
                (Touched::Slot(load.slot), load.weapon)
            }
            SlotChange::Empty { slot } => {
                self.slots[slot.index()] = SlotState::default();
                (Touched::Slot(slot), WeaponId::FISTS)
            }
            SlotChange::EmptyAll => {
                self.slots = [SlotState::default(); SlotIndex::COUNT];
                (Touched::All, WeaponId::FISTS)
            }
        };
        // A round burned before this command was spent from a total that no longer stands, and the
        // next frame reports the new one: it must not claim the round there again.
        let touches_hand = hand_touched(touched, held, &self.catalogue);
        self.held =
            change.arms.unwrap_or_else(|| hand_after(held, touched, weapon, &self.catalogue));
        if touches_hand || self.held != held {
            self.burned = false;
        }
    }

    fn held_continuous(&self) -> Option<(usize, u16)> {
        let known = self.catalogue.get(self.held)?;
        let at = self.slot_of(self.held)?;
        (Uses::from(known) == Uses::WhileHeld).then_some((at, known.clip_size))
    }

    fn slot_of(&self, weapon: WeaponId) -> Option<usize> {
        let slot = self.slots.iter().position(|slot| slot.weapon == weapon);
        slot.filter(|_| weapon != WeaponId::FISTS)
    }

    fn spend(&mut self, at: usize, rounds: u16, clip_size: u16) {
        let state = &mut self.slots[at];
        if state.clip < rounds {
            state.clip = state.total.min(clip_size);
        }
        state.total -= rounds;
        state.clip = state.clip.saturating_sub(rounds).min(state.total);
    }

    fn fill_clip(&mut self, at: usize) {
        let state = &mut self.slots[at];
        let clip_size = self.catalogue.get(state.weapon).map_or(0, |weapon| weapon.clip_size);
        state.clip = state.total.min(clip_size);
    }

    fn next_number(&mut self) -> MessageNumber {
        self.last_number = MessageNumber(self.last_number.0.wrapping_add(1));
        self.last_number
    }
}

fn hand_touched(touched: Touched, held: WeaponId, catalogue: &Catalogue) -> bool {
    match touched {
        Touched::Nothing => false,
        Touched::All => true,
        Touched::Slot(slot) => catalogue.get(held).is_some_and(|weapon| weapon.slot == slot),
    }
}
