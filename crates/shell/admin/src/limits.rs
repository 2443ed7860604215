//! How often a caller may call, and how many streams it may hold.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Calls a caller may make at once, and how many a second are given back.
#[derive(Clone, Copy, Debug)]
pub struct CallRate {
    pub burst: u32,
    pub per_second: f64,
}

impl Default for CallRate {
    /// Enough for a script that walks every player of a node, too few to load a shard: each call
    /// costs it 0.2 ms at the most.
    fn default() -> Self {
        Self { burst: 200, per_second: 100.0 }
    }
}

/// One bucket a caller. Names come from the file of tokens, so there are as many as it lists.
#[derive(Debug)]
pub(crate) struct Limits {
    rate: CallRate,
    buckets: Mutex<BTreeMap<Arc<str>, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    calls: f64,
    filled: Instant,
}

impl Limits {
    pub(crate) fn new(rate: CallRate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    /// Takes one call, or says in how many seconds there is one again.
    pub(crate) fn take(&self, caller: &Arc<str>, now: Instant) -> Result<(), f64> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = f64::from(self.rate.burst);
        let bucket =
            buckets.entry(Arc::clone(caller)).or_insert(Bucket { calls: full, filled: now });
        let passed_s = now.saturating_duration_since(bucket.filled).as_secs_f64();
        bucket.calls = (bucket.calls + passed_s * self.rate.per_second).min(full);
        bucket.filled = now;
        if bucket.calls < 1.0 {
            return Err((1.0 - bucket.calls) / self.rate.per_second);
        }
        bucket.calls -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_caller_has_its_burst_and_its_rate_and_leaves_others_theirs() {
        let limits = Limits::new(CallRate { burst: 3, per_second: 2.0 });
        let (alice, bob): (Arc<str>, Arc<str>) = ("alice".into(), "bob".into());
        let now = Instant::now();
        for _ in 0..3 {
            assert_eq!(limits.take(&alice, now), Ok(()));
        }
        let wait_s = limits.take(&alice, now).expect_err("is used up");
        assert!((wait_s - 0.5).abs() < 1e-6, "{wait_s}");
        assert_eq!(limits.take(&bob, now), Ok(()));
        let later = now + Duration::from_millis(500);
        assert_eq!(limits.take(&alice, later), Ok(()));
        assert!(limits.take(&alice, later).is_err());
    }
}
