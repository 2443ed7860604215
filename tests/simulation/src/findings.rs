//! What came out of a match, and how long the line had stalled where it was not what was promised.

use fairshot_client_core::Stats;
use fairshot_units::{EntityId, MessageNumber, Rule};
use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

/// How far back a refusal is looked into.
const LOOKED_BACK: Duration = Duration::from_millis(3_000);

/// How one player's messages came up, of late.
#[derive(Clone, Debug, Default)]
pub struct Upward {
    /// When frames were made whose hearing is still to come, oldest first.
    pub(crate) made: VecDeque<Instant>,
    heard: VecDeque<Heard>,
    worst: Stall,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    at: Instant,
    /// Since the datagram before it.
    gap: Duration,
    /// From the making of its oldest new frame.
    delay: Duration,
}

/// How badly a line had held a player back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stall {
    /// The longest time without a datagram of hers.
    pub silence: Duration,
    /// How much later than the quickest the latest input came: silence and queueing together.
    pub held_back: Duration,
}

impl Upward {
    /// Notes a datagram that brought so many new frames.
    pub(crate) fn hear(&mut self, at: Instant, frames: usize) {
        let oldest = self.made.front().copied().unwrap_or(at);
        self.made.drain(..frames.min(self.made.len()));
        let before = self.heard.back().map_or(at, |heard| heard.at);
        let heard = Heard {
            at,
            gap: at.saturating_duration_since(before),
            delay: at.saturating_duration_since(oldest),
        };
        if frames == 0 {
            return;
        }
        self.heard.push_back(heard);
        while self.heard.front().is_some_and(|heard| at - heard.at > LOOKED_BACK) {
            self.heard.pop_front();
        }
        let stall = self.stall();
        self.worst.silence = self.worst.silence.max(stall.silence);
        self.worst.held_back = self.worst.held_back.max(stall.held_back);
    }

    /// The worst there was.
    #[must_use]
    pub fn worst(&self) -> Stall {
        self.worst
    }

    /// The worst of the last three seconds.
    #[must_use]
    pub fn stall(&self) -> Stall {
        let silence = self.heard.iter().map(|heard| heard.gap).max().unwrap_or_default();
        let delays = self.heard.iter().map(|heard| heard.delay);
        let (most, least) = (delays.clone().max(), delays.min());
        let held_back = most.unwrap_or_default().saturating_sub(least.unwrap_or_default());
        Stall { silence, held_back }
    }
}

/// A shot that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub entity: EntityId,
    pub number: MessageNumber,
    pub rule: Rule,
    pub reason: String,
    pub stall: Stall,
    /// Since the match began.
    pub at: Duration,
}

/// What came out of a match. Every field but the counts should be empty or zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    pub seed: u64,
    /// Counts of all players.
    pub shots: u64,
    pub accepted: u64,
    pub unseen_deaths: u64,
    pub hits_seen: u64,
    pub hits_dealt: u64,
    pub hits_matched: u64,
    /// Accepted shots that the rewind rule judged at another step than they named.
    pub shots_moved: u64,
    /// Shots whose markers a verdict corrected: of those moved, and of those judged where they were aimed.
    pub corrected_by_rewind: u64,
    pub corrected_in_place: u64,
    pub payload_down_bytes: u64,
    pub refused: Vec<Refused>,
    /// Shots without a verdict after the lines were good again.
    pub unanswered: u64,
    /// Refusals, unseen deaths among them, whose reason the shooter was not told.
    pub unexplained: u64,
    /// Players whose inventory is not the server's.
    pub diverged: Vec<EntityId>,
    /// Players whose session ended.
    pub ended: Vec<EntityId>,
    /// Frames the room dropped, for want of input credit.
    pub frames_dropped: u64,
    pub stall_worst: Stall,
}

impl Findings {
    /// Hits seen that were dealt and the other way round, as a part of the larger count.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of one match")]
    pub fn agreement(&self) -> f64 {
        let most = self.hits_seen.max(self.hits_dealt).max(1);
        if self.hits_seen.max(self.hits_dealt) == 0 {
            1.0
        } else {
            self.hits_matched as f64 / most as f64
        }
    }

    /// Refusals that no stall beyond the promise explains.
    pub fn refused_within(&self, promise: Duration) -> impl Iterator<Item = &Refused> {
        self.refused.iter().filter(move |refused| refused.stall.silence <= promise)
    }

    pub(crate) fn count(&mut self, stats: &Stats) {
        self.shots += stats.shots_sent;
        self.accepted += stats.shots_accepted;
        self.unseen_deaths += stats.shots_unseen_death;
        self.hits_seen += stats.hits_seen;
        self.hits_dealt += stats.hits_dealt;
        self.hits_matched += stats.hits_matched;
        self.unanswered += stats.shots_unanswered();
        self.payload_down_bytes += stats.datagram_bytes_down + stats.stream_bytes_down;
    }

    /// Adds another match's to these.
    pub fn add(&mut self, other: Self) {
        self.shots += other.shots;
        self.accepted += other.accepted;
        self.unseen_deaths += other.unseen_deaths;
        self.hits_seen += other.hits_seen;
        self.hits_dealt += other.hits_dealt;
        self.hits_matched += other.hits_matched;
        self.shots_moved += other.shots_moved;
        self.corrected_by_rewind += other.corrected_by_rewind;
        self.corrected_in_place += other.corrected_in_place;
        self.payload_down_bytes += other.payload_down_bytes;
        self.refused.extend(other.refused);
        self.unanswered += other.unanswered;
        self.unexplained += other.unexplained;
        self.diverged.extend(other.diverged);
        self.ended.extend(other.ended);
        self.frames_dropped += other.frames_dropped;
        self.stall_worst.silence = self.stall_worst.silence.max(other.stall_worst.silence);
        self.stall_worst.held_back = self.stall_worst.held_back.max(other.stall_worst.held_back);
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "seed {}: {} shots, {} refused, {} unanswered, {} unexplained, {} unseen deaths; hits {} seen, \
             {} dealt, {} alike; {} shots moved, {} of them corrected and {} others; {} frames dropped; longest silence {:.2} s, held back {:.2} s",
            self.seed,
            self.shots,
            self.refused.len(),
            self.unanswered,
            self.unexplained,
            self.unseen_deaths,
            self.hits_seen,
            self.hits_dealt,
            self.hits_matched,
            self.shots_moved,
            self.corrected_by_rewind,
            self.corrected_in_place,
            self.frames_dropped,
            self.stall_worst.silence.as_secs_f32(),
            self.stall_worst.held_back.as_secs_f32(),
        )?;
        for refused in &self.refused {
            write!(
                f,
                "\n  at {:.2} s entity {} shot {}: {} ({}), silence {:.2} s, held back {:.2} s",
                refused.at.as_secs_f32(),
                refused.entity.0,
                refused.number.0,
                refused.rule.label(),
                refused.reason,
                refused.stall.silence.as_secs_f32(),
                refused.stall.held_back.as_secs_f32(),
            )?;
        }
        if !self.diverged.is_empty() || !self.ended.is_empty() {
            write!(f, "\n  diverged {:?}, ended {:?}", self.diverged, self.ended)?;
        }
        Ok(())
    }
}
