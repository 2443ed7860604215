//! What a matchmaker learnt since the view last changed, for a moment: it saves asking full rooms and
//! dead nodes. Being wrong costs a question, never a seat.

use fairshot_matchmaking::{RoomSummary, SeatCounts};
use fairshot_units::{NodeId, RoomId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Nodes tell of their rooms about once a second; after two they are believed again.
const TTL: Duration = Duration::from_secs(2);
/// Beyond this many the old ones are forgotten, and if there are none, all.
const ENTRIES_MAX: usize = 8_192;

#[derive(Debug, Default)]
pub(super) struct Hints {
    rooms: Mutex<BTreeMap<RoomId, (SeatCounts, Instant)>>,
    nodes: Mutex<BTreeMap<NodeId, Instant>>,
    /// Seats that calls under way ask for.
    asked: Mutex<BTreeMap<RoomId, u16>>,
}

/// Seats asked for, until this is dropped.
pub(super) struct Asking<'h> {
    hints: &'h Hints,
    room: RoomId,
    seats: u16,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut asked = self.hints.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seats) = asked.get_mut(&self.room) {
            *seats = seats.saturating_sub(self.seats);
            if *seats == 0 {
                asked.remove(&self.room);
            }
        }
    }
}

impl Hints {
    pub(super) fn note(&self, room: &RoomId, counts: SeatCounts) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        insert(&mut rooms, room.clone(), (counts, Instant::now()), |(_, at)| *at);
    }

    pub(super) fn forget(&self, room: &RoomId) {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).remove(room);
    }

    pub(super) fn apply(&self, summary: &RoomSummary) -> RoomSummary {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = rooms.get(&summary.room).filter(|(_, at)| at.elapsed() < TTL);
        let mut seats = fresh.map_or(summary.seats, |(counts, _)| *counts);
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        seats.reserved =
            seats.reserved.saturating_add(asked.get(&summary.room).copied().unwrap_or(0));
        RoomSummary { seats, ..summary.clone() }
    }

    /// Counts seats as given while they are asked for, so that a crowd that comes at once asks each
    /// room for no more than it has.
    pub(super) fn ask(&self, room: &RoomId, seats: u16) -> Asking<'_> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let so_far = asked.entry(room.clone()).or_default();
        *so_far = so_far.saturating_add(seats);
        Asking { hints: self, room: room.clone(), seats }
    }

    /// A node did not answer: others first, for a while.
    pub(super) fn avoid(&self, node: &NodeId) {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        insert(&mut nodes, node.clone(), Instant::now(), |at| *at);
    }

    pub(super) fn is_avoided(&self, node: &NodeId) -> bool {
        let nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.get(node).is_some_and(|at| at.elapsed() < TTL)
    }
}

fn insert<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: V, at: impl Fn(&V) -> Instant) {
    if map.len() >= ENTRIES_MAX {
        map.retain(|_, value| at(value).elapsed() < TTL);
    }
    if map.len() >= ENTRIES_MAX {
        map.clear();
    }
    map.insert(key, value);
}
