//! Whether the process is alive and ready, told from the ticks of its shards.
//!
//! Only a monotonic clock is read: a jump of the wall clock changes nothing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ticks older than this are frozen: a node that hitches for 1.5 s stays ready.
pub const FROZEN_AFTER: Duration = Duration::from_millis(2_500);

/// Frozen for this long, the process says it is dead, so that whoever watches it starts another.
pub const DEAD_AFTER: Duration = Duration::from_secs(30);

/// The health of one process. A clone is the same health.
#[derive(Clone, Debug)]
pub struct Health {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    began: Instant,
    started: AtomicBool,
    draining: AtomicBool,
    beats: Mutex<Vec<(String, Arc<AtomicU64>)>>,
}

/// Why a process is not ready.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReady {
    #[error("starting")]
    Starting,
    #[error("draining")]
    Draining,
    #[error("{who} has not ticked for {ms} ms")]
    Frozen { who: String, ms: u128 },
}

/// The pulse of one loop: a shard's tick, a supervised watch.
#[derive(Clone, Debug)]
pub struct Beat {
    began: Instant,
    last_ns: Arc<AtomicU64>,
}

impl Health {
    /// Not ready until [`Health::set_started`].
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            shared: Arc::new(Shared {
                began: now,
                started: AtomicBool::new(false),
                draining: AtomicBool::new(false),
                beats: Mutex::default(),
            }),
        }
    }

    /// Watches one more loop, which counts as having beaten just now. `who` names it to operators.
    #[must_use]
    pub fn watch(&self, who: &str, now: Instant) -> Beat {
        let beat = Beat { began: self.shared.began, last_ns: Arc::default() };
        beat.beat(now);
        let mut beats = self.shared.beats.lock().unwrap_or_else(PoisonError::into_inner);
        beats.push((who.to_owned(), Arc::clone(&beat.last_ns)));
        beat
    }

    /// All that must be up before players come is up.
    pub fn set_started(&self) {
        self.shared.started.store(true, Ordering::Release);
    }

    pub fn set_draining(&self, draining: bool) {
        self.shared.draining.store(draining, Ordering::Release);
    }

    /// # Errors
    /// [`NotReady`] says why players should not be sent here.
    pub fn ready(&self, now: Instant) -> Result<(), NotReady> {
        if !self.shared.started.load(Ordering::Acquire) {
            return Err(NotReady::Starting);
        }
        self.frozen(now, FROZEN_AFTER)?;
        if self.shared.draining.load(Ordering::Acquire) {
            return Err(NotReady::Draining);
        }
        Ok(())
    }

    /// # Errors
    /// [`NotReady::Frozen`] where a loop stands still for so long that it will not come back.
    pub fn alive(&self, now: Instant) -> Result<(), NotReady> {
        self.frozen(now, DEAD_AFTER)
    }

    fn frozen(&self, now: Instant, limit: Duration) -> Result<(), NotReady> {
        let now = now.saturating_duration_since(self.shared.began);
        let beats = self.shared.beats.lock().unwrap_or_else(PoisonError::into_inner);
        for (who, last_ns) in beats.iter() {
            let last = Duration::from_nanos(last_ns.load(Ordering::Relaxed));
            let age = now.saturating_sub(last);
            if age > limit {
                return Err(NotReady::Frozen { who: who.clone(), ms: age.as_millis() });
            }
        }
        Ok(())
    }
}

impl Beat {
    /// One relaxed store: cheap enough for every tick.
    pub fn beat(&self, now: Instant) {
        let since = now.saturating_duration_since(self.began).as_nanos();
        self.last_ns.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticking() -> (Health, Beat, Instant) {
        let now = Instant::now();
        let health = Health::new(now);
        let beat = health.watch("shard 0", now);
        health.set_started();
        (health, beat, now)
    }

    #[test]
    fn a_process_is_not_ready_before_it_has_started() {
        let now = Instant::now();
        assert_eq!(Health::new(now).ready(now), Err(NotReady::Starting));
    }

    #[test]
    fn readiness_holds_through_a_hitch_of_a_second_and_a_half_and_fails_when_ticks_freeze() {
        let (health, beat, now) = ticking();
        assert_eq!(health.ready(now + Duration::from_millis(1_500)), Ok(()));
        let later = now + Duration::from_secs(3);
        assert_eq!(health.ready(later), Err(NotReady::Frozen { who: "shard 0".into(), ms: 3_000 }));
        assert_eq!(health.alive(later), Ok(()));
        assert!(health.alive(now + Duration::from_secs(31)).is_err());
        beat.beat(later);
        assert_eq!(health.ready(later), Ok(()));
    }

    #[test]
    fn one_frozen_shard_of_two_is_enough() {
        let (health, beat, now) = ticking();
        let _still = health.watch("shard 1", now);
        let later = now + Duration::from_secs(4);
        beat.beat(later);
        let why = health.ready(later).expect_err("frozen");
        assert_eq!(why.to_string(), "shard 1 has not ticked for 4000 ms");
    }

    #[test]
    fn a_draining_node_is_alive_and_not_ready() {
        let (health, _, now) = ticking();
        health.set_draining(true);
        assert_eq!(health.ready(now), Err(NotReady::Draining));
        assert_eq!(health.alive(now), Ok(()));
    }
}
