//! What the rooms of one mode count, on whichever shard they run.

use super::Metrics;
use super::catalogue as c;
use super::outcomes::{CommandOutcome, RoomEnd};
use ::metrics::{Counter, Gauge, Histogram};
use fairshot_units::Rule;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The handles of one mode. A clone counts into the same series.
#[derive(Clone)]
pub struct ModeMetrics {
    pub shots_judged: Counter,
    pub shots_accepted: Counter,
    pub hits: Counter,
    pub unseen_deaths: Counter,
    pub ledger_corrections: Counter,
    /// How far back shots were judged, seconds.
    pub rewind: Histogram,
    rooms: Gauge,
    players: Gauge,
    refused: Vec<Counter>,
    refused_by_game: Arc<RwLock<BTreeMap<&'static str, Counter>>>,
    rooms_ended: Vec<Counter>,
    commands: Vec<Counter>,
    metrics: Metrics,
    mode: Arc<str>,
}

impl ModeMetrics {
    /// Every built-in rule's series is there from the start, at 0: a rate needs the first step.
    #[must_use]
    pub fn new(metrics: &Metrics, mode: &str) -> Self {
        let labels = [("mode", mode)];
        let by_reason = |metric, reason: &'static str| {
            metrics.counter(metric, &[("mode", mode), ("reason", reason)])
        };
        Self {
            shots_judged: metrics.counter(&c::SHOTS_JUDGED, &labels),
            shots_accepted: metrics.counter(&c::SHOTS_ACCEPTED, &labels),
            hits: metrics.counter(&c::HITS, &labels),
            unseen_deaths: metrics.counter(&c::UNSEEN_DEATHS, &labels),
            ledger_corrections: metrics.counter(&c::LEDGER_CORRECTIONS, &labels),
            rewind: metrics.histogram(&c::SHOT_REWIND, &labels),
            rooms: metrics.gauge(&c::ROOMS, &labels),
            players: metrics.gauge(&c::PLAYERS, &labels),
            refused: Rule::BUILT_IN.iter().map(|rule| refused(metrics, mode, *rule)).collect(),
            refused_by_game: Arc::default(),
            rooms_ended: RoomEnd::ALL
                .iter()
                .map(|end| by_reason(&c::ROOMS_ENDED, end.label()))
                .collect(),
            commands: CommandOutcome::ALL
                .iter()
                .map(|outcome| by_reason(&c::WEAPON_COMMANDS, outcome.label()))
                .collect(),
            metrics: metrics.clone(),
            mode: Arc::from(mode),
        }
    }

    /// Counts shots refused by a rule. A game's own rule gets its series with its first refusal; its
    /// name is static, so there are as many as the game registered.
    pub fn refuse(&self, rule: Rule, shots: u64) {
        let Rule::Game(name) = rule else {
            if let Some(index) = Rule::BUILT_IN.iter().position(|other| *other == rule) {
                self.refused[index].increment(shots);
            }
            return;
        };
        let known = self.refused_by_game.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(counter) = known.get(name) {
            counter.increment(shots);
            return;
        }
        drop(known);
        let mut known = self.refused_by_game.write().unwrap_or_else(PoisonError::into_inner);
        let counter = known.entry(name).or_insert_with(|| refused(&self.metrics, &self.mode, rule));
        counter.increment(shots);
    }

    pub fn command(&self, outcome: CommandOutcome) {
        self.commands[outcome as usize].increment(1);
    }

    /// Counts a room as open until the returned value is dropped, by whatever way the room ends.
    #[must_use]
    pub fn room_opened(&self) -> RoomOpen {
        self.rooms.increment(1.0);
        RoomOpen { rooms: self.rooms.clone() }
    }

    pub fn room_ended(&self, end: RoomEnd) {
        self.rooms_ended[end as usize].increment(1);
    }

    /// Counts a player as present until the returned value is dropped.
    #[must_use]
    pub fn player_joined(&self) -> PlayerHere {
        self.players.increment(1.0);
        PlayerHere { players: self.players.clone() }
    }
}

impl std::fmt::Debug for ModeMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModeMetrics").field(&self.mode).finish()
    }
}

/// One open room in the gauge, until dropped: a room that panics is counted out too.
pub struct RoomOpen {
    rooms: Gauge,
}

impl Drop for RoomOpen {
    fn drop(&mut self) {
        self.rooms.decrement(1.0);
    }
}

impl std::fmt::Debug for RoomOpen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RoomOpen")
    }
}

/// One present player in the gauge, until dropped.
pub struct PlayerHere {
    players: Gauge,
}

impl Drop for PlayerHere {
    fn drop(&mut self) {
        self.players.decrement(1.0);
    }
}

impl std::fmt::Debug for PlayerHere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PlayerHere")
    }
}

fn refused(metrics: &Metrics, mode: &str, rule: Rule) -> Counter {
    metrics.counter(&c::SHOTS_REFUSED, &[("mode", mode), ("rule", rule.label())])
}
