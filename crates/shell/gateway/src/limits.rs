//! What one session may cost, so that no session costs another.

use fairshot_transport::AddressLimit;
use std::time::{Duration, Instant};

/// Bounds of one session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// A connection whose hello has not come by then is closed.
    pub hello_timeout: Duration,
    /// A hello that the shard has not answered by then is turned away.
    pub answer_timeout: Duration,
    /// A session that said nothing at all for this long is closed, however alive its connection is.
    pub idle_timeout: Duration,
    /// Datagrams a second, after a burst: a stalled line gives back up to 0.65 s of them at once.
    pub datagrams_per_second: f32,
    pub datagrams_burst: f32,
    /// Datagrams over the rate in one second that end the session.
    pub datagrams_over_rate_max: u32,
    /// Datagrams of every session of one address together; more are dropped.
    pub address_datagrams: AddressLimit,
    /// Stream messages a second, after a burst; more ends the session.
    pub messages_per_second: f32,
    pub messages_burst: f32,
    /// Malformed shots, datagrams and messages in one second that end the session.
    pub malformed_per_second_max: u32,
    /// Stream bytes read from one session in one step; the rest waits and holds the peer back.
    pub stream_bytes_per_step_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            hello_timeout: Duration::from_secs(5),
            answer_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(10),
            datagrams_per_second: 160.0,
            datagrams_burst: 256.0,
            datagrams_over_rate_max: 2048,
            // A house or an office of thirty-two at the rate of one session each.
            address_datagrams: AddressLimit {
                burst: 8192.0,
                per_second: 5120.0,
                addresses_max: 4096,
            },
            messages_per_second: 32.0,
            messages_burst: 64.0,
            malformed_per_second_max: 48,
            stream_bytes_per_step_max: 16 * 1024,
        }
    }
}

/// A token bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f32,
    filled: Instant,
}

impl Bucket {
    pub(crate) fn new(now: Instant, burst: f32) -> Self {
        Self { tokens: burst, filled: now }
    }

    pub(crate) fn take(&mut self, now: Instant, per_second: f32, burst: f32) -> bool {
        let since = now.saturating_duration_since(self.filled).as_secs_f32();
        self.tokens = (self.tokens + since * per_second).min(burst);
        self.filled = now;
        let allowed = self.tokens >= 1.0;
        if allowed {
            self.tokens -= 1.0;
        }
        allowed
    }
}

/// How many in the present second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecondCount {
    began: Instant,
    count: u32,
}

impl SecondCount {
    pub(crate) fn new(now: Instant) -> Self {
        Self { began: now, count: 0 }
    }

    /// Counts `more` and says how many there were in this second.
    pub(crate) fn add(&mut self, now: Instant, more: u32) -> u32 {
        if now.saturating_duration_since(self.began) >= Duration::from_secs(1) {
            *self = Self::new(now);
        }
        self.count = self.count.saturating_add(more);
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate_holds() {
        let now = Instant::now();
        let mut bucket = Bucket::new(now, 4.0);
        let passed = (0..10).filter(|_| bucket.take(now, 2.0, 4.0)).count();
        assert_eq!(passed, 4);
        let later = now + Duration::from_secs(1);
        assert_eq!((0..10).filter(|_| bucket.take(later, 2.0, 4.0)).count(), 2);
    }

    #[test]
    fn a_second_is_counted_afresh() {
        let now = Instant::now();
        let mut count = SecondCount::new(now);
        assert_eq!(count.add(now, 3), 3);
        assert_eq!(count.add(now + Duration::from_millis(999), 1), 4);
        assert_eq!(count.add(now + Duration::from_millis(1000), 1), 1);
    }
}
