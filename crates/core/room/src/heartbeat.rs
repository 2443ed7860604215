//! What a room counts between two heartbeats.

use fairshot_units::{Rule, Tick};
use std::collections::BTreeMap;

/// A room's periodic report, apart from what only its driver knows (tick times, bytes).
#[derive(Clone, Debug, PartialEq)]
pub struct Heartbeat {
    pub tick: Tick,
    /// Humans; bots are counted apart.
    pub players: u16,
    pub bots: u16,
    pub monsters: u16,
    /// Since the last heartbeat.
    pub since: Counts,
    /// Since the room began.
    pub total: Counts,
}

/// Counts over a stretch of time. Conservation holds: `judged = accepted + refused + unseen_deaths`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Counts {
    pub shots_judged: u64,
    pub shots_accepted: u64,
    /// Refusals by rule, `malformed` among them; without those counted as unseen deaths.
    pub refused: BTreeMap<Rule, u64>,
    /// Shots fired before their shooter's screen had shown her death.
    pub unseen_deaths: u64,
    /// Hits dealt.
    pub hits: u64,
    pub deaths: u64,
    /// Frames dropped because a player had no input credit left.
    pub frames_dropped: u64,
    pub ticks_dropped: u64,
    /// Refusals that were not logged, being over four of one player between two heartbeats.
    pub refusals_left_out: u64,
}

impl Counts {
    pub(crate) fn refuse(&mut self, rule: Rule) {
        *self.refused.entry(rule).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.shots_judged += other.shots_judged;
        self.shots_accepted += other.shots_accepted;
        for (rule, count) in &other.refused {
            *self.refused.entry(*rule).or_default() += count;
        }
        self.unseen_deaths += other.unseen_deaths;
        self.hits += other.hits;
        self.deaths += other.deaths;
        self.frames_dropped += other.frames_dropped;
        self.ticks_dropped += other.ticks_dropped;
        self.refusals_left_out += other.refusals_left_out;
    }

    /// Refusals of every rule together.
    #[must_use]
    pub fn refused_sum(&self) -> u64 {
        self.refused.values().sum()
    }
}
