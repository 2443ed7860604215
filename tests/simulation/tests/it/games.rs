//! Matches as the tests want them.

use crate::hands::Unsteady;
use fairshot_simulation::{Course, Match, Plan};
use fairshot_transport::link::Line;
use std::time::Duration;

pub fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A line of so many milliseconds each way.
pub fn near(latency_ms: u64, jitter_ms: u64) -> Line {
    Line { latency: ms(latency_ms), jitter: ms(jitter_ms), ..Line::default() }
}

/// Pistol, scattergun, rifle, rail.
pub const ARSENAL: &[u8] = &[2, 3, 4, 5];

/// So many players who fire everything they have, each on such a line.
pub fn unsteady(plan: &Plan, players: usize, line: Line, weapons: &[u8]) -> Match {
    let courses = vec![Course::steady(line); players];
    let seed = plan.seed;
    Match::played_by(plan, courses, |n| Box::new(Unsteady::new(seed * 31 + n as u64, weapons)))
}

/// The arena with such players and so many monsters.
pub fn arena(players: usize, monsters: u16, line: Line, seed: u64) -> Match {
    unsteady(&Plan::preset("arena", monsters, seed), players, line, ARSENAL)
}
