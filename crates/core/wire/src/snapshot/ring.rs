//! What a room sent from, for as long as a player may build on it: one ring for all of its players.
//!
//! Only poses are kept per tick. Of the rest the ring keeps the present and when it last changed,
//! which is all a delta needs: a field that changed since the client's snapshot is sent whole.

use super::layout::turns;
use super::{BASE_TICKS_MAX, ENTITIES_MAX};
use fairshot_units::{EntityState, Pose, Tick};
use std::collections::VecDeque;

/// The states of the ticks a room took snapshots at.
#[derive(Debug, Default)]
pub struct SentStates {
    slots: VecDeque<Slot>,
    current: Vec<Current>,
    /// When anything but the pose of an entity last changed; beside the poses, all that most entities
    /// are looked at for.
    changed: Vec<Seq>,
    /// Entities that turn of their own will, one bit an id.
    turning: Vec<u64>,
    /// The newest slot's place in the count of all slots; 0 is none.
    newest: Seq,
    /// Slots whose memory waits to be used again.
    spare: Vec<Slot>,
}

/// Counts the snapshot ticks of a room from 1: four years at 32 a second.
pub(super) type Seq = u32;

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) seq: Seq,
    pub(super) tick: Tick,
    pub(super) poses: Vec<Pose>,
    /// One bit an id.
    pub(super) present: Vec<u64>,
    /// The motion broke since the slot before: a new entity, another life, a teleport.
    pub(super) broke: Vec<u64>,
}

/// An entity's newest state and when its parts last changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Current {
    pub(super) state: EntityState,
    /// When this holder of the id, in this life, came.
    pub(super) born: Seq,
    pub(super) status: Seq,
    pub(super) held: Seq,
    pub(super) traits: Seq,
    pub(super) broke: Seq,
    pub(super) broke_tick: Tick,
}

impl SentStates {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes the room's states at a tick it sends snapshots from; ticks must rise.
    ///
    /// `teleported` must be set where an entity teleported in any tick since the last record. Rows
    /// with ids from [`ENTITIES_MAX`] on are left out; how many were is returned.
    pub fn record(&mut self, tick: Tick, states: &[EntityState]) -> usize {
        if self.slots.back().is_some_and(|newest| tick.since(newest.tick) <= 0) {
            self.slots.clear();
        }
        let mut slot = self.make_room(tick);
        self.newest += 1;
        slot.seq = self.newest;
        slot.tick = tick;
        let mut left_out = 0;
        for state in states {
            if usize::from(state.id.0) < ENTITIES_MAX {
                self.note(&mut slot, state);
            } else {
                left_out += 1;
            }
        }
        push_steadily(&mut self.slots, slot);
        left_out
    }

    /// Bytes held, for a room's memory account.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let slot = |slot: &Slot| {
            slot.poses.capacity() * size_of::<Pose>()
                + (slot.present.capacity() + slot.broke.capacity()) * 8
        };
        self.slots.iter().chain(&self.spare).map(slot).sum::<usize>()
            + (self.slots.capacity() + self.spare.capacity()) * size_of::<Slot>()
            + self.current.capacity() * size_of::<Current>()
            + self.changed.capacity() * size_of::<Seq>()
            + self.turning.capacity() * 8
    }

    fn make_room(&mut self, tick: Tick) -> Slot {
        while let Some(oldest) = self.slots.front() {
            if tick.since(oldest.tick).unsigned_abs() <= BASE_TICKS_MAX {
                break;
            }
            self.spare.extend(self.slots.pop_front());
        }
        let mut slot = self.spare.pop().unwrap_or_default();
        self.spare.truncate(1);
        slot.poses.clear();
        slot.present.clear();
        slot.broke.clear();
        // As many as there were before: a doubling would leave room for entities that never come.
        slot.poses.reserve_exact(self.slots.back().map_or(0, Slot::span));
        slot
    }

    fn note(&mut self, slot: &mut Slot, state: &EntityState) {
        let id = usize::from(state.id.0);
        let was_present = self.slots.back().is_some_and(|before| before.has(id));
        let seq = slot.seq;
        if id >= self.current.len() {
            self.grow(id + 1, state, slot.tick);
        }
        let current = &mut self.current[id];
        let old = current.state;
        let is_same = was_present
            && (old.id, old.kind, old.life, old.team)
                == (state.id, state.kind, state.life, state.team);
        if !is_same {
            current.born = seq;
        }
        let broke = !is_same || state.teleported;
        if broke {
            current.broke = seq;
            current.broke_tick = slot.tick;
        }
        let status = old.health_eighths != state.health_eighths || old.alive != state.alive;
        if broke || status || old.held != state.held || old.traits != state.traits {
            if status {
                current.status = seq;
            }
            if old.held != state.held {
                current.held = seq;
            }
            if old.traits != state.traits {
                current.traits = seq;
            }
            self.changed[id] = seq;
            let turning = &mut self.turning[id / 64];
            *turning &= !(1 << (id % 64));
            *turning |= u64::from(turns(state.kind)) << (id % 64);
        }
        current.state = *state;
        slot.put(id, state.pose, broke);
    }

    fn grow(&mut self, ids: usize, state: &EntityState, tick: Tick) {
        let absent = Current {
            state: *state,
            born: 0,
            status: 0,
            held: 0,
            traits: 0,
            broke: 0,
            broke_tick: tick,
        };
        self.current.resize(ids, absent);
        self.changed.resize(ids, 0);
        self.turning.resize(ids.div_ceil(64), 0);
    }

    pub(super) fn newest(&self) -> Option<&Slot> {
        self.slots.back()
    }

    /// The slot of that count, while it is held.
    pub(super) fn slot(&self, seq: Seq) -> Option<&Slot> {
        let back = self.newest.checked_sub(seq)? as usize;
        self.slots.len().checked_sub(back + 1).and_then(|index| self.slots.get(index))
    }

    /// When anything but poses last changed, by id.
    pub(super) fn changed(&self) -> &[Seq] {
        &self.changed
    }

    pub(super) fn turning(&self) -> &[u64] {
        &self.turning
    }

    pub(super) fn current(&self, id: usize) -> Option<&Current> {
        self.current.get(id)
    }

    /// Whether an entity's motion broke after `older` and up to `newer`.
    pub(super) fn broke_between(&self, id: usize, older: Seq, newer: Seq) -> bool {
        (older + 1..=newer).any(|seq| self.slot(seq).is_none_or(|slot| slot.is_broke(id)))
    }
}

impl Slot {
    fn put(&mut self, id: usize, pose: Pose, broke: bool) {
        if id >= self.poses.len() {
            self.poses.resize(id + 1, Pose::default());
            let words = self.poses.len().div_ceil(64);
            self.present.resize(words, 0);
            self.broke.resize(words, 0);
        }
        self.poses[id] = pose;
        self.present[id / 64] |= 1 << (id % 64);
        self.broke[id / 64] |= u64::from(broke) << (id % 64);
    }

    pub(super) fn has(&self, id: usize) -> bool {
        bit(&self.present, id)
    }

    fn is_broke(&self, id: usize) -> bool {
        bit(&self.broke, id)
    }

    pub(super) fn pose(&self, id: usize) -> Option<Pose> {
        if self.has(id) { self.poses.get(id).copied() } else { None }
    }

    /// One more than the highest id in it.
    pub(super) fn span(&self) -> usize {
        self.poses.len()
    }
}

/// Appends to a queue that grows to its full length once and keeps it: in small steps, where a doubling
/// would leave nearly half of it unused for good.
pub(super) fn push_steadily<T>(queue: &mut VecDeque<T>, value: T) {
    const STEP: usize = 8;
    if queue.len() == queue.capacity() {
        queue.reserve_exact(STEP);
    }
    queue.push_back(value);
}

fn bit(words: &[u64], id: usize) -> bool {
    words.get(id / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
}
