//! The time a shard tells its cores: nanoseconds and milliseconds since the process began. Wall-clock
//! jumps change nothing.

use std::time::{Duration, Instant};

/// Measures from one moment, the same for every shard of a process.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    #[must_use]
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }

    /// Nanoseconds since the start: 584 years of them.
    #[must_use]
    pub fn now_ns(self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The moment that was, or will be, so many nanoseconds after the start.
    #[must_use]
    pub fn at(self, ns: u64) -> Instant {
        self.began + Duration::from_nanos(ns)
    }

    #[must_use]
    pub fn now_ms(self) -> u64 {
        self.now_ns() / 1_000_000
    }

    /// Seconds since the start.
    #[must_use]
    pub fn now_s(self) -> u64 {
        self.now_ns() / 1_000_000_000
    }
}
