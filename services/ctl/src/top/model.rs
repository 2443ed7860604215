//! What is known of the rooms, apart from how it is drawn.

use fairshot_proto::v1::Heartbeat;
use std::collections::{BTreeMap, VecDeque};

/// Heartbeats kept a room: five minutes of them.
const HISTORY_MAX: usize = 60;

/// What a person pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Quit,
    Up,
    Down,
    Sort,
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    Room,
    Refused,
    TickTime,
    Players,
}

impl Order {
    fn next(self) -> Self {
        match self {
            Self::Room => Self::Refused,
            Self::Refused => Self::TickTime,
            Self::TickTime => Self::Players,
            Self::Players => Self::Room,
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Room => "room",
            Self::Refused => "refused",
            Self::TickTime => "tick time",
            Self::Players => "players",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    rooms: BTreeMap<String, Room>,
    pub order: Order,
    /// `None` shows all rooms' refusals together.
    selected: Option<String>,
    pub note: String,
    missed: u64,
}

#[derive(Debug)]
pub(crate) struct Room {
    pub newest: Heartbeat,
    /// Refusals by rule of each heartbeat, oldest first.
    history: VecDeque<BTreeMap<String, u64>>,
}

impl Model {
    pub(crate) fn take(&mut self, beat: Heartbeat) {
        if beat.last {
            self.rooms.remove(&beat.room);
            if self.selected.as_deref() == Some(beat.room.as_str()) {
                self.selected = None;
            }
            return;
        }
        let refused = beat.refused_shots.clone();
        let room = self
            .rooms
            .entry(beat.room.clone())
            .or_insert_with(|| Room { newest: Heartbeat::default(), history: VecDeque::new() });
        if room.newest.number == beat.number && beat.number != 0 {
            return;
        }
        room.newest = beat;
        if room.history.len() == HISTORY_MAX {
            room.history.pop_front();
        }
        room.history.push_back(refused);
    }

    pub(crate) fn missed(&mut self, count: u64) {
        self.missed += count;
        self.note = format!("{} heartbeats missed: this view was slow", self.missed);
    }

    pub(crate) fn gone(&mut self, why: &str) {
        why.clone_into(&mut self.note);
    }

    pub(crate) fn key(&mut self, key: Key) {
        match key {
            Key::Sort => self.order = self.order.next(),
            Key::All => self.selected = None,
            Key::Up => self.step(-1),
            Key::Down => self.step(1),
            Key::Quit => {}
        }
    }

    /// The rooms in the order asked for.
    pub(crate) fn rooms(&self) -> Vec<&Room> {
        let mut rooms: Vec<&Room> = self.rooms.values().collect();
        match self.order {
            Order::Room => {}
            Order::Refused => rooms.sort_by_key(|room| std::cmp::Reverse(room.refused())),
            Order::TickTime => {
                rooms.sort_by_key(|room| std::cmp::Reverse(room.newest.tick_time_us_p99));
            }
            Order::Players => rooms.sort_by_key(|room| std::cmp::Reverse(room.newest.players)),
        }
        rooms
    }

    pub(crate) fn selected(&self) -> Option<&str> {
        self.selected.as_deref()
    }

    pub(crate) fn selected_row(&self) -> Option<usize> {
        let selected = self.selected.as_deref()?;
        self.rooms().iter().position(|room| room.newest.room == selected)
    }

    /// Refusals of the selected room, or of all, by rule: the counts of each heartbeat, newest last.
    pub(crate) fn refused_by_rule(&self) -> BTreeMap<String, Vec<u64>> {
        let mut rules: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for room in self.rooms.values() {
            let shown = self.selected.as_ref().is_none_or(|name| *name == room.newest.room);
            for (age, counts) in room.history.iter().rev().enumerate().filter(|_| shown) {
                for (rule, count) in counts {
                    let series = rules.entry(rule.clone()).or_insert_with(|| vec![0; HISTORY_MAX]);
                    series[HISTORY_MAX - 1 - age] += count;
                }
            }
        }
        rules
    }

    fn step(&mut self, by: isize) {
        let names: Vec<String> = self.rooms().iter().map(|room| room.newest.room.clone()).collect();
        let next = match self.selected_row() {
            Some(row) => row.saturating_add_signed(by).min(names.len().saturating_sub(1)),
            None if by < 0 => names.len().saturating_sub(1),
            None => 0,
        };
        self.selected = names.into_iter().nth(next);
    }
}

impl Room {
    /// In the newest heartbeat.
    pub(crate) fn refused(&self) -> u64 {
        self.newest.refused_shots.values().sum()
    }

    pub(crate) fn refused_in_all(&self) -> u64 {
        self.newest.refused_shots_total.values().sum()
    }

    /// Refusals of each heartbeat, newest last.
    pub(crate) fn history(&self) -> Vec<u64> {
        self.history.iter().map(|counts| counts.values().sum()).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn beat(room: &str, number: u64, refused: &[(&str, u64)]) -> Heartbeat {
        let counts: BTreeMap<String, u64> =
            refused.iter().map(|(rule, count)| ((*rule).to_owned(), *count)).collect();
        Heartbeat {
            room: room.into(),
            mode: "arena".into(),
            node: "local".into(),
            number,
            players: 4,
            monsters: 40,
            tick_time_us_p50: 80,
            tick_time_us_p99: 210,
            refused_shots: counts.clone(),
            refused_shots_total: counts,
            ..Heartbeat::default()
        }
    }

    #[test]
    fn refusals_are_summed_by_rule_over_all_rooms_or_of_the_one_selected() {
        let mut model = Model::default();
        model.take(beat("a", 1, &[("rate", 3)]));
        model.take(beat("a", 2, &[("rate", 1), ("origin", 2)]));
        model.take(beat("b", 1, &[("rate", 5)]));
        let last = |model: &Model, rule: &str| {
            model.refused_by_rule().get(rule).map(|series| series[HISTORY_MAX - 2..].to_vec())
        };
        assert_eq!(last(&model, "rate"), Some(vec![3, 6]));
        assert_eq!(last(&model, "origin"), Some(vec![0, 2]));
        model.key(Key::Down);
        assert_eq!(model.selected(), Some("a"));
        assert_eq!(last(&model, "rate"), Some(vec![3, 1]));
        model.key(Key::All);
        assert_eq!(model.selected(), None);
    }

    #[test]
    fn a_heartbeat_that_comes_twice_counts_once_and_a_closed_room_goes() {
        let mut model = Model::default();
        model.take(beat("a", 1, &[("rate", 3)]));
        model.take(beat("a", 1, &[("rate", 3)]));
        assert_eq!(model.rooms()[0].history(), [3]);
        model.key(Key::Down);
        model.take(Heartbeat { last: true, ..beat("a", 2, &[]) });
        assert!(model.rooms().is_empty());
        assert_eq!(model.selected(), None);
    }

    #[test]
    fn the_history_is_bounded() {
        let mut model = Model::default();
        for number in 1..1_000 {
            model.take(beat("a", number, &[("rate", 1)]));
        }
        assert_eq!(model.rooms()[0].history().len(), HISTORY_MAX);
    }

    #[test]
    fn the_selection_stays_on_its_room_when_the_order_changes() {
        let mut model = Model::default();
        model.take(beat("a", 1, &[]));
        model.take(beat("b", 1, &[("rate", 9)]));
        model.key(Key::Down);
        assert_eq!((model.selected(), model.selected_row()), (Some("a"), Some(0)));
        model.key(Key::Sort);
        assert_eq!((model.selected(), model.selected_row()), (Some("a"), Some(1)));
        model.key(Key::Down);
        assert_eq!(model.selected(), Some("a"));
        model.key(Key::Up);
        assert_eq!(model.selected(), Some("b"));
    }
}
