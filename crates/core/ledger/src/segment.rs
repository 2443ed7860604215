//! A stretch of one slot's history between two commands that touched it.

use crate::change::{Clip, Load};
use fairshot_mode::{AmmoUse, Weapon};
use fairshot_units::{SlotIndex, WeaponId};

/// Within a segment nothing adds rounds, so the client's total only falls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Segment {
    /// The commit that began it, and the one that ended it (`OPEN` while none did).
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) slot: SlotIndex,
    pub(crate) weapon: WeaponId,
    pub(crate) uses: Uses,
    /// The command added to what the segment before had left.
    pub(crate) adds: bool,
    /// The command said nothing of the clip, so the segment before lends its own.
    keeps_clip: bool,
    clip_heard: bool,
    /// A shot was accepted, so `newest_shot` and `lowest_shot` stand.
    pub(crate) judged: bool,
    /// The command's own rounds.
    rounds: u16,
    /// Rounds at its start, the most there can have been.
    pub(crate) base: u16,
    /// The lowest total heard.
    low: u16,
    /// The highest total before an accepted shot.
    pub(crate) top: u16,
    /// Frames that proved a continuous round.
    fired: u16,
    clip: u16,
    clip_number: u32,
    /// Number and total of the accepted shot with the highest number.
    pub(crate) newest_shot: u32,
    pub(crate) lowest_shot: u16,
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
            adds: false,
            keeps_clip: false,
            clip_heard: false,
            judged: false,
            rounds: 0,
            base: 0,
            low: u16::MAX,
            top: 0,
            fired: 0,
            clip: 0,
            clip_number: 0,
            newest_shot: 0,
            lowest_shot: 0,
        }
    }

    /// The segment that a command begins after this one.
    pub(crate) fn followed_by(&self, load: &Load, uses: Uses, start: u32) -> Self {
        let mut next = Self::empty(load.slot);
        next.start = start;
        next.weapon = load.weapon;
        next.uses = uses;
        next.adds = load.adds;
        next.rounds = load.rounds;
        next.keeps_clip = load.clip == Clip::Keep;
        next.clip = match load.clip {
            Clip::Full | Clip::Keep => CLIP_FULL,
            Clip::Exactly(clip) => clip,
        };
        next.base = load.rounds;
        next.follow(self);
        next
    }

    /// Takes over what it has from the segment before; false where that is nothing, so that a change
    /// there ends here.
    pub(crate) fn follow(&mut self, before: &Self) -> bool {
        if self.adds {
            self.base = before.total().saturating_add(self.rounds);
        }
        if self.keeps_clip && !self.clip_heard {
            self.clip = before.clip;
        }
        self.adds || self.keeps_clip
    }

    /// Rounds left, as far as was heard: never fewer than the client has in this segment.
    #[inline]
    pub(crate) fn total(&self) -> u16 {
        self.base.saturating_sub(self.fired).min(self.low)
    }

    /// The clip, before it is held to the weapon's clip size.
    pub(crate) fn clip(&self) -> u16 {
        self.clip.min(self.total())
    }

    /// Whether every round accepted in this segment was there at its start.
    #[inline]
    pub(crate) fn is_covered(&self) -> bool {
        self.top <= self.base && self.fired <= self.base
    }

    #[inline]
    pub(crate) fn hear_total(&mut self, total: u16) {
        self.low = self.low.min(total);
    }

    #[inline]
    pub(crate) fn hear_clip(&mut self, number: u32, clip: u16) {
        if !self.clip_heard || number > self.clip_number {
            self.clip_heard = true;
            self.clip_number = number;
            self.clip = clip;
        }
    }

    /// Counts a frame that fired; false where the segment has no round left to prove.
    #[inline]
    pub(crate) fn hear_firing(&mut self) -> bool {
        let proves = self.fired < self.base;
        if proves {
            self.fired += 1;
        }
        proves
    }
}
