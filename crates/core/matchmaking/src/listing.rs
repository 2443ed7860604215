//! Rooms as a matchmaker sees them, and which of them a player may be sent to, in which order.

use crate::{Labels, RoomCode, SeatCounts};
use fairshot_units::{NodeId, RoomId};
use serde::{Deserialize, Serialize};

/// One room, as its node last told. A hint only: the room's own book decides who gets a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomSummary {
    pub room: RoomId,
    pub mode: String,
    pub region: String,
    pub node: NodeId,
    pub shard: u16,
    pub seats: SeatCounts,
    pub locked: bool,
    /// A private room: in no list, and entered by its code alone.
    pub code: Option<RoomCode>,
    pub labels: Labels,
}

/// What a listing asks for; what is not said matches everything.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RoomFilter {
    pub mode: Option<String>,
    pub region: Option<String>,
    pub free_seats_min: u16,
    pub labels: Labels,
}

impl RoomFilter {
    /// Whether a public room passes. A private one never does.
    #[must_use]
    pub fn matches(&self, room: &RoomSummary) -> bool {
        room.code.is_none()
            && self.mode.as_ref().is_none_or(|mode| *mode == room.mode)
            && self.region.as_ref().is_none_or(|region| *region == room.region)
            && room.seats.free() >= self.free_seats_min
            && room.labels.hold(&self.labels)
    }
}

/// The rooms worth asking for seats, best first: the fullest that still has room for all, so that
/// matches fill up and half-empty ones drain.
#[must_use]
pub fn join_order<'a>(
    rooms: impl Iterator<Item = &'a RoomSummary>,
    filter: &RoomFilter,
) -> Vec<&'a RoomSummary> {
    let mut fitting: Vec<_> = rooms.filter(|room| !room.locked && filter.matches(room)).collect();
    fitting.sort_by(|a, b| (a.seats.free(), &a.room).cmp(&(b.seats.free(), &b.room)));
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn room(name: &str, taken: u16) -> RoomSummary {
        RoomSummary {
            room: RoomId::new(name).expect("an id"),
            mode: "arena".into(),
            region: "eu".into(),
            node: NodeId::new("node-1").expect("an id"),
            shard: 0,
            seats: SeatCounts { taken, seats_max: 4, ..Default::default() },
            locked: false,
            code: None,
            labels: Labels::new(BTreeMap::from([("map".into(), "dust".into())])).expect("labels"),
        }
    }

    #[test]
    fn the_fullest_room_with_enough_seats_comes_first() {
        let rooms = [room("a", 1), room("b", 3), room("c", 4), room("d", 2)];
        let filter = RoomFilter { free_seats_min: 2, ..Default::default() };
        let order: Vec<_> =
            join_order(rooms.iter(), &filter).iter().map(|r| r.room.as_str()).collect();
        assert_eq!(order, ["d", "a"]);
    }

    #[test]
    fn locked_and_private_rooms_are_sent_nobody() {
        let locked = RoomSummary { locked: true, ..room("a", 1) };
        let private = RoomSummary { code: Some(RoomCode::from_random(1)), ..room("b", 1) };
        assert_eq!(join_order([locked, private].iter(), &RoomFilter::default()).len(), 0);
    }

    #[test]
    fn every_filter_must_hold() {
        let labels = |value: &str| {
            Labels::new(BTreeMap::from([("map".into(), value.into())])).expect("labels")
        };
        let check = |filter: RoomFilter| filter.matches(&room("a", 1));
        assert!(check(RoomFilter { labels: labels("dust"), ..Default::default() }));
        assert!(!check(RoomFilter { labels: labels("mill"), ..Default::default() }));
        assert!(!check(RoomFilter { mode: Some("duel".into()), ..Default::default() }));
        assert!(!check(RoomFilter { region: Some("us".into()), ..Default::default() }));
    }
}
