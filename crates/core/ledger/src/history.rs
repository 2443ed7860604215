//! Thirteen slots, each cut into segments by the commands that touched it.
//!
//! The newest segment of a slot is what the game reads. Older ones stay only while their revisions are
//! retained, so that a message in flight is joined where it was sent.

use crate::change::{Load, SlotChange, Weapons};
use crate::gaps::Gaps;
use crate::segment::{Segment, Uses};
use fairshot_units::{SlotIndex, WeaponId};
use std::collections::VecDeque;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct History {
    /// The weapon of each slot's newest segment, close together to be scanned.
    weapons: Weapons,
    newest: [Segment; SlotIndex::COUNT],
    /// Ended segments still retained, in the order they ended. At most one for each retained commit
    /// and one for each slot, since a commit begins at most one.
    past: VecDeque<Segment>,
    gaps: Gaps,
}

/// Where a message's segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Newest(usize),
    Past(usize),
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            weapons: [WeaponId::FISTS; SlotIndex::COUNT],
            newest: all_empty(),
            past: VecDeque::new(),
            gaps: Gaps::default(),
        }
    }

    pub(crate) fn weapons(&self) -> &Weapons {
        &self.weapons
    }

    pub(crate) fn newest(&self) -> &[Segment; SlotIndex::COUNT] {
        &self.newest
    }

    /// The segment that held `weapon` right after commit `at`.
    #[inline]
    pub(crate) fn place(&self, at: u32, weapon: WeaponId) -> Option<Place> {
        if let Some(slot) = self.weapons.iter().position(|there| *there == weapon)
            && self.newest[slot].start <= at
        {
            return Some(Place::Newest(slot));
        }
        let from = self.past.partition_point(|segment| segment.end <= at);
        let index = (from..self.past.len()).find(|index| {
            let segment = &self.past[*index];
            segment.weapon == weapon && segment.start <= at
        })?;
        Some(Place::Past(index))
    }

    #[inline]
    pub(crate) fn uses(&self, place: Place) -> Uses {
        match place {
            Place::Newest(slot) => self.newest[slot].uses,
            Place::Past(index) => self.past[index].uses,
        }
    }

    pub(crate) fn segment(&self, place: Place) -> &Segment {
        match place {
            Place::Newest(slot) => &self.newest[slot],
            Place::Past(index) => &self.past[index],
        }
    }

    /// Joins a frame's report; true where it proved a continuous round.
    #[inline]
    pub(crate) fn join_frame(
        &mut self,
        place: Place,
        number: u32,
        total: u16,
        clip: u16,
        firing: bool,
    ) -> bool {
        let segment = self.segment_mut(place);
        let before = segment.lends();
        segment.hear_total(total);
        segment.hear_clip(number, clip);
        let proves = firing && segment.uses == Uses::WhileHeld && segment.hear_firing();
        if segment.lends() == before && !proves {
            return false;
        }
        let covered = segment.is_covered();
        self.pass_on(place) && covered && proves
    }

    /// Joins a shot's report; true where the shot is accepted: its round was judged never before, and
    /// every segment from its own on still starts with the rounds accepted in it.
    #[inline]
    pub(crate) fn join_shot(
        &mut self,
        place: Place,
        number: u32,
        total: u16,
        lowest_number: u32,
    ) -> bool {
        let segment = match place {
            Place::Newest(slot) => &mut self.newest[slot],
            Place::Past(index) => &mut self.past[index],
        };
        segment.hear_total(total);
        let standing = self.gaps.standing(segment, number, total);
        let granted = total < segment.base && segment.is_covered();
        let covered = self.pass_on(place);
        let Some(standing) = standing.filter(|_| granted && covered) else { return false };
        let segment = match place {
            Place::Newest(slot) => &mut self.newest[slot],
            Place::Past(index) => &mut self.past[index],
        };
        self.gaps.accept(segment, standing, number, total, lowest_number);
        segment.accept(total);
        true
    }

    /// Begins and ends segments as commit `at` says.
    pub(crate) fn commit(&mut self, slots: &SlotChange, uses: Uses, at: u32) {
        match slots {
            SlotChange::Nothing => {}
            SlotChange::Load(load) => self.load(load, uses, at),
            SlotChange::Empty { slot } => self.end(*slot, at),
            SlotChange::EmptyAll => {
                for slot in slots_all() {
                    self.end(slot, at);
                }
            }
        }
    }

    /// Drops what only revisions before `oldest` could reach.
    pub(crate) fn forget_before(&mut self, oldest: u32) {
        while let Some(segment) = self.past.pop_front_if(|segment| segment.end <= oldest) {
            self.gaps.forget_segment(segment.start);
        }
        if self.past.capacity() > 32 && self.past.len() < self.past.capacity() / 4 {
            self.past.shrink_to(self.past.len() * 2);
        }
    }

    /// The next life: empty slots, and nothing of the last one can be reached.
    pub(crate) fn clear(&mut self) {
        *self = Self::new();
    }

    pub(crate) fn retained_bytes(&self) -> usize {
        self.past.capacity() * size_of::<Segment>() + self.gaps.retained_bytes()
    }

    fn load(&mut self, load: &Load, uses: Uses, at: u32) {
        let next = self.newest[load.slot.index()].followed_by(load, uses, at);
        self.end(load.slot, at);
        self.weapons[load.slot.index()] = load.weapon;
        self.newest[load.slot.index()] = next;
    }

    fn end(&mut self, slot: SlotIndex, at: u32) {
        let mut ended = std::mem::replace(&mut self.newest[slot.index()], Segment::empty(slot));
        self.weapons[slot.index()] = WeaponId::FISTS;
        if ended.weapon == WeaponId::FISTS {
            return;
        }
        grow(&mut self.past);
        ended.end = at;
        self.past.push_back(ended);
    }

    #[inline]
    fn segment_mut(&mut self, place: Place) -> &mut Segment {
        match place {
            Place::Newest(slot) => &mut self.newest[slot],
            Place::Past(index) => &mut self.past[index],
        }
    }

    /// Carries a change of one segment into those after it; true where all of them stay covered.
    #[inline]
    fn pass_on(&mut self, place: Place) -> bool {
        match place {
            Place::Newest(_) => true,
            Place::Past(index) => self.pass_on_from(index),
        }
    }

    fn pass_on_from(&mut self, changed: usize) -> bool {
        let slot = self.past[changed].slot;
        let mut covered = true;
        let mut before = changed;
        for index in changed + 1..self.past.len() {
            if self.past[index].slot != slot {
                continue;
            }
            let (front, back) = split(&mut self.past, before, index);
            if !back.follow(front) {
                return covered;
            }
            covered &= back.is_covered();
            before = index;
        }
        let newest = &mut self.newest[slot.index()];
        newest.follow(&self.past[before]);
        covered & newest.is_covered()
    }
}

/// Room for one more, doubling, but never past the most there can be.
fn grow(past: &mut VecDeque<Segment>) {
    let capacity = past.capacity();
    if past.len() < capacity {
        return;
    }
    let most = crate::ledger::PENDING_COMMANDS_MAX + SlotIndex::COUNT;
    past.reserve_exact(capacity.clamp(4, most.saturating_sub(capacity).max(4)));
}

fn split(past: &mut VecDeque<Segment>, first: usize, second: usize) -> (&Segment, &mut Segment) {
    debug_assert!(first < second);
    let (front, back) = past.as_mut_slices();
    let middle = front.len();
    if second < middle {
        let (left, right) = front.split_at_mut(second);
        (&left[first], &mut right[0])
    } else if first >= middle {
        let (left, right) = back.split_at_mut(second - middle);
        (&left[first - middle], &mut right[0])
    } else {
        (&front[first], &mut back[second - middle])
    }
}

fn all_empty() -> [Segment; SlotIndex::COUNT] {
    let mut slots = slots_all();
    std::array::from_fn(|_| Segment::empty(slots.next().unwrap_or_default()))
}

fn slots_all() -> impl Iterator<Item = SlotIndex> {
    (0..=u8::MAX).filter_map(SlotIndex::new)
}
