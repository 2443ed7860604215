//! What a shard tells other threads without being asked: its rooms and its load, four times a second.

use fairshot_cluster::agent::RunningRoom;
use std::sync::{Mutex, PoisonError};

/// Ticks over which the headroom is measured: 5 s at 64 Hz.
const LOAD_TICKS: usize = 320;
const TICK_NS: u64 = crate::PHASE.as_nanos() as u64 * crate::PHASES as u64;
/// Fewer say nothing.
const MEASURED_MIN: usize = 64;

/// The newest report of one shard.
#[derive(Debug, Default)]
pub(crate) struct ShardStatus(Mutex<Report>);

#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) rooms: Vec<RunningRoom>,
    pub(crate) players: u32,
    /// The part of a tick's time that its busiest ticks leave unused, 0 to 1.
    pub(crate) headroom: f32,
    pub(crate) late_ticks: u64,
    pub(crate) dropped_ticks: u64,
    pub(crate) slow_disconnects: u64,
}

/// A shard that has not reported yet has all of its time.
impl Default for Report {
    fn default() -> Self {
        Self {
            rooms: Vec::new(),
            players: 0,
            headroom: 1.0,
            late_ticks: 0,
            dropped_ticks: 0,
            slow_disconnects: 0,
        }
    }
}

impl ShardStatus {
    pub(crate) fn put(&self, report: Report) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = report;
    }

    pub(crate) fn get(&self) -> Report {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How busy the shard's ticks are: nanoseconds of work in each of the last ones.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    ticks_ns: Vec<u64>,
    next: usize,
    current_ns: u64,
    /// When the tick's time began that `current_ns` is of.
    since_ns: u64,
}

impl Default for Load {
    fn default() -> Self {
        Self { ticks_ns: Vec::with_capacity(LOAD_TICKS), next: 0, current_ns: 0, since_ns: 0 }
    }
}

impl Load {
    /// Adds the work of one wake, which ended at `now_ns`.
    pub(crate) fn add(&mut self, worked_ns: u64, now_ns: u64) {
        self.current_ns += worked_ns;
        let passed_ns = now_ns.saturating_sub(self.since_ns);
        if passed_ns < TICK_NS {
            return;
        }
        let per_tick_ns = self.current_ns / (passed_ns / TICK_NS);
        if self.ticks_ns.len() < LOAD_TICKS {
            self.ticks_ns.push(per_tick_ns);
        } else {
            self.ticks_ns[self.next] = per_tick_ns;
            self.next = (self.next + 1) % LOAD_TICKS;
        }
        self.current_ns = 0;
        self.since_ns = now_ns - passed_ns % TICK_NS;
    }

    /// What the busiest twentieth of ticks leaves of a tick's time; 1 until a second of them is measured,
    /// since what a start costs says nothing of rooms.
    #[expect(clippy::cast_precision_loss, reason = "a share of 15.6 ms")]
    pub(crate) fn headroom(&self) -> f32 {
        if self.ticks_ns.len() < MEASURED_MIN {
            return 1.0;
        }
        let mut sorted = self.ticks_ns.clone();
        sorted.sort_unstable();
        let busiest = sorted[(sorted.len() * 95 / 100).min(sorted.len() - 1)];
        (1.0 - busiest as f32 / TICK_NS as f32).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headroom_is_what_the_busiest_ticks_leave() {
        let mut load = Load::default();
        assert!(load.headroom() >= 1.0);
        for tick in 0..200 {
            let worked_ns = if tick % 10 == 0 { 7_812_500 } else { 1_000_000 };
            load.add(worked_ns, (tick + 1) * TICK_NS);
        }
        assert!((load.headroom() - 0.5).abs() < 0.01, "{}", load.headroom());
    }
}
