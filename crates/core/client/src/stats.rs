//! What a client counts of its own session.

use std::collections::BTreeMap;

/// Counts since the session began.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Stats {
    pub shots_sent: u64,
    pub shots_accepted: u64,
    /// By the rule's name; without the unseen deaths. At most 64 names are told apart.
    pub shots_refused: BTreeMap<String, u64>,
    /// Refused as `armed` after a death this screen had not shown.
    pub shots_unseen_death: u64,
    /// Pellets' hits this client's own screen showed, of accepted shots, on targets who had not fallen
    /// before the shot landed: nothing hits the dead.
    pub hits_seen: u64,
    /// Pellets' hits the room dealt for the same shots.
    pub hits_dealt: u64,
    /// Hits seen and dealt alike: same pellet, same target.
    pub hits_matched: u64,
    /// Of those, the ones whose zone was the same too.
    pub zones_matched: u64,
    pub deaths: u64,
    pub respawns: u64,
    pub kills: u64,
    pub frames: u64,
    pub frames_given_up: u64,
    pub snapshots: u64,
    /// Snapshots that could not be used, by the error's label.
    pub snapshots_refused: BTreeMap<&'static str, u64>,
    /// Snapshots that left entities out for want of room.
    pub snapshots_partial: u64,
    /// Times the room's word moved the predicted body, and by how much at the most.
    pub corrections: u64,
    pub correction_m_max: f32,
    pub batches: u64,
    pub events: u64,
    pub datagram_bytes_up: u64,
    pub datagram_bytes_down: u64,
    pub datagrams_up: u64,
    pub datagrams_down: u64,
    pub stream_bytes_up: u64,
    pub stream_bytes_down: u64,
}

/// Rules told apart in [`Stats::shots_refused`]; the rest count as `other`.
const RULES_MAX: usize = 64;

impl Stats {
    pub(crate) fn refuse(&mut self, rule: &str) {
        let known = self.shots_refused.contains_key(rule);
        let name = if known || self.shots_refused.len() < RULES_MAX { rule } else { "other" };
        *self.shots_refused.entry(name.to_owned()).or_default() += 1;
    }

    /// Refused shots of every rule, without the unseen deaths.
    #[must_use]
    pub fn refused_sum(&self) -> u64 {
        self.shots_refused.values().sum()
    }

    /// Shots without a verdict yet.
    #[must_use]
    pub fn shots_unanswered(&self) -> u64 {
        let answered = self.shots_accepted + self.refused_sum() + self.shots_unseen_death;
        self.shots_sent.saturating_sub(answered)
    }
}
