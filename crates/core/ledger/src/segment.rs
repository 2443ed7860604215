//! A stretch of one slot's history between two commands that touched it.

use crate::change::{Clip, Load};
use fairshot_mode::{AmmoUse, Weapon};
use fairshot_units::{SlotIndex, WeaponId};

/// Within a segment nothing adds rounds, so the client's total only falls. 32 bytes: thirteen of them
/// are most of what a ledger at rest holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    /// The commit that began it, and the one that ended it (`OPEN` while none did).
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) slot: SlotIndex,
    pub(crate) weapon: WeaponId,
    pub(crate) uses: Uses,
    inherits: Inherits,
    /// The command's own rounds.
    rounds: u16,
    /// Rounds at its start, the most there can have been.
    pub(crate) base: u16,
    /// The lowest total heard.
    low: u16,
    /// Of a continuous weapon: the frames that proved a round. Of any other: the highest total before
    /// an accepted shot, 0 where none was accepted.
    proved: u16,
    clip: u16,
    /// Total and number of the accepted shot with the highest number.
    pub(crate) lowest_shot: u16,
    pub(crate) newest_shot: u32,
    /// The highest number that said something of the clip.
    clip_number: u32,
}

/// What a segment takes over from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Inherits {
    Nothing,
    /// A give adds to what was left.
    Rounds,
    /// A set said nothing of the clip, nor has a frame since.
    Clip,
}

/// [`AmmoUse`], as the only thing of a weapon that joining a message needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Uses {
    Nothing,
    OnePerShot,
    WhileHeld,
}

impl From<&Weapon> for Uses {
    fn from(weapon: &Weapon) -> Self {
        match weapon.ammo {
            AmmoUse::None => Self::Nothing,
            AmmoUse::PerShot => Self::OnePerShot,
            AmmoUse::WhileHeld => Self::WhileHeld,
        }
    }
}

const OPEN: u32 = u32::MAX;
/// A clip as full as the weapon's clip size and the total allow.
pub(crate) const CLIP_FULL: u16 = u16::MAX;

impl Segment {
    /// What a slot without a weapon holds.
    pub(crate) fn empty(slot: SlotIndex) -> Self {
        Self {
            start: 0,
            end: OPEN,
            slot,
            weapon: WeaponId::FISTS,
            uses: Uses::Nothing,
            inherits: Inherits::Nothing,
            rounds: 0,
            base: 0,
            low: u16::MAX,
            proved: 0,
            clip: 0,
            lowest_shot: 0,
            newest_shot: 0,
            clip_number: 0,
        }
    }

    /// The segment that a command begins after this one.
    pub(crate) fn followed_by(&self, load: &Load, uses: Uses, start: u32) -> Self {
        let mut next = Self {
            start,
            weapon: load.weapon,
            uses,
            rounds: load.rounds,
            base: load.rounds,
            inherits: match load.clip {
                Clip::Keep => Inherits::Clip,
                _ if load.adds => Inherits::Rounds,
                _ => Inherits::Nothing,
            },
            clip: match load.clip {
                Clip::Full | Clip::Keep => CLIP_FULL,
                Clip::Exactly(clip) => clip,
            },
            ..Self::empty(load.slot)
        };
        next.follow(self);
        next
    }

    /// Takes over what it has from the segment before; false where that is nothing, so that a change
    /// there ends here.
    pub(crate) fn follow(&mut self, before: &Self) -> bool {
        match self.inherits {
            Inherits::Nothing => return false,
            Inherits::Rounds => self.base = before.total().saturating_add(self.rounds),
            Inherits::Clip => self.clip = before.clip,
        }
        true
    }

    /// All that a segment after this one can take over.
    #[inline]
    pub(crate) fn lends(&self) -> (u16, u16) {
        (self.total(), self.clip)
    }

    /// Rounds left, as far as was heard: never fewer than the client has in this segment.
    #[inline]
    pub(crate) fn total(&self) -> u16 {
        let burned = if self.uses == Uses::WhileHeld { self.proved } else { 0 };
        self.base.saturating_sub(burned).min(self.low)
    }

    /// The clip, before it is held to the weapon's clip size.
    pub(crate) fn clip(&self) -> u16 {
        self.clip.min(self.total())
    }

    /// Of a weapon that takes a round a shot: one over the highest total after an accepted shot, 0
    /// where none was accepted. Of a continuous one: the frames that proved a round.
    pub(crate) fn top(&self) -> u16 {
        self.proved
    }

    /// The lowest total heard, never over what there was at the start.
    pub(crate) fn low(&self) -> u16 {
        self.low.min(self.base)
    }

    /// Whether every round accepted in this segment was there at its start.
    #[inline]
    pub(crate) fn is_covered(&self) -> bool {
        self.proved <= self.base
    }

    /// Whether a shot was accepted in it, so that `newest_shot` and `lowest_shot` stand.
    #[inline]
    pub(crate) fn has_shots(&self) -> bool {
        self.proved > 0
    }

    #[inline]
    pub(crate) fn hear_total(&mut self, total: u16) {
        self.low = self.low.min(total);
    }

    #[inline]
    pub(crate) fn hear_clip(&mut self, number: u32, clip: u16) {
        if number >= self.clip_number {
            self.clip_number = number;
            self.clip = clip;
            if self.inherits == Inherits::Clip {
                self.inherits = Inherits::Nothing;
            }
        }
    }

    /// Takes in an accepted shot that left `total` rounds, fewer than there were at the start.
    #[inline]
    pub(crate) fn accept(&mut self, total: u16) {
        self.proved = self.proved.max(total + 1);
    }

    /// Counts a frame that fired; false where the segment has no round left to prove.
    #[inline]
    pub(crate) fn hear_firing(&mut self) -> bool {
        let proves = self.proved < self.base;
        if proves {
            self.proved += 1;
        }
        proves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_32_bytes() {
        assert_eq!(size_of::<Segment>(), 32);
    }
}
