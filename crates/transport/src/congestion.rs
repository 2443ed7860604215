//! How much may be on its way: a window made for small, steady, perishable traffic.
//!
//! A player's line carries a few KB a second whatever happens, so the classic answer to a lost
//! packet, half the rate, only starves the game: on a cellular path most losses mean nothing. What
//! does mean something is a queue growing in front of a thin line, and that shows as delay. So the
//! window follows the round trip: it shrinks while the path's queue is over its target, grows while
//! it is well under, and gives way to loss only where loss is heavy or nothing passes at all.

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much longer than its best a round trip may take before the window gives way.
const QUEUE_TARGET: Duration = Duration::from_millis(120);
/// The best round trip is that of one or two such spans: a path may get longer for good.
const BEST_SPAN: Duration = Duration::from_secs(2);
const WINDOW_MAX: u64 = 128 * 1024;
/// The first window in packets, and the least.
const PACKETS_FIRST: u64 = 7;
const PACKETS_MIN: u64 = 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct SteadyConfig;

impl ControllerFactory for SteadyConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Steady::new(now, current_mtu))
    }
}

#[derive(Clone, Debug)]
struct Steady {
    window: u64,
    packet: u64,
    /// When the window last gave way; it does so once a round trip at most.
    changed: Instant,
    best: Best,
    /// Bytes that arrived and that were lost since the window last gave way.
    arrived: u64,
    lost: u64,
}

/// The shortest round trip of late.
#[derive(Clone, Copy, Debug)]
struct Best {
    span_began: Instant,
    span: Duration,
    span_before: Duration,
}

impl Best {
    fn note(&mut self, now: Instant, sample: Duration) -> Duration {
        if now.saturating_duration_since(self.span_began) >= BEST_SPAN {
            *self = Self { span_began: now, span: sample, span_before: self.span };
        }
        self.span = self.span.min(sample);
        self.span.min(self.span_before)
    }
}

impl Steady {
    fn new(now: Instant, mtu: u16) -> Self {
        let packet = u64::from(mtu);
        Self {
            window: PACKETS_FIRST * packet,
            packet,
            changed: now,
            best: Best { span_began: now, span: Duration::MAX, span_before: Duration::MAX },
            arrived: 0,
            lost: 0,
        }
    }

    fn shrink(&mut self, now: Instant, to: u64) {
        self.window = to.max(PACKETS_MIN * self.packet);
        self.changed = now;
        self.arrived = 0;
        self.lost = 0;
    }

    fn queued(&mut self, now: Instant, sample: Duration) {
        let best = self.best.note(now, sample);
        let queue = sample.saturating_sub(best);
        let may_change = now.saturating_duration_since(self.changed) >= sample;
        if queue > QUEUE_TARGET && may_change {
            // What the line carries in its best round trip and the target together.
            let part = (best + QUEUE_TARGET).as_secs_f64() / sample.as_secs_f64();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a part of a window of at most 128 KiB"
            )]
            let to = (self.window as f64 * part.max(0.5)) as u64;
            self.shrink(now, to);
        }
    }
}

impl Controller for Steady {
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        let sample = now.saturating_duration_since(sent);
        self.arrived += bytes;
        self.queued(now, sample);
        let best = self.best.span.min(self.best.span_before);
        if sample.saturating_sub(best) < QUEUE_TARGET / 2 {
            let max = if app_limited { PACKETS_FIRST * self.packet } else { WINDOW_MAX };
            if self.window < max {
                self.window = (self.window + bytes / 4).min(max);
            }
        }
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.lost += lost_bytes;
        if sent <= self.changed {
            return;
        }
        if is_persistent_congestion {
            self.shrink(now, 0);
        } else if lost_bytes == 0 {
            // A mark, not a loss: the path says that its queue grows.
            self.shrink(now, self.window / 8 * 7);
        } else if self.lost > (self.arrived + self.lost) * 2 / 5
            && self.arrived + self.lost >= 4 * self.packet
        {
            self.shrink(now, self.window / 4 * 3);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.packet = u64::from(new_mtu);
        self.window = self.window.max(PACKETS_MIN * self.packet);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        PACKETS_FIRST * self.packet
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn a_growing_queue_shrinks_the_window_and_an_empty_one_lets_it_grow() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        steady.queued(at(start, 50), Duration::from_millis(50));
        assert_eq!(steady.window, 8400);
        steady.queued(at(start, 900), Duration::from_millis(500));
        assert_eq!(steady.window, 4200);
        steady.queued(at(start, 950), Duration::from_millis(500));
        assert_eq!(steady.window, 4200, "once a round trip");
        steady.queued(at(start, 1500), Duration::from_millis(500));
        assert_eq!(steady.window, 2400, "the least window still carries a game");
    }

    #[test]
    fn a_path_that_got_longer_for_good_is_no_queue_after_a_while() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        for ms in (0..8000).step_by(100) {
            let sample = if ms < 2000 { 40 } else { 300 };
            steady.queued(at(start, ms), Duration::from_millis(sample));
        }
        let before = steady.window;
        steady.queued(at(start, 9000), Duration::from_millis(300));
        assert_eq!(steady.window, before);
    }

    #[test]
    fn a_fifth_lost_changes_nothing_and_a_half_lost_does() {
        let start = Instant::now();
        for (lost, window) in [(2, 8400), (10, 6300)] {
            let mut steady = Steady::new(start, 1200);
            steady.arrived = 8 * 1200;
            steady.on_congestion_event(at(start, 200), at(start, 100), false, lost * 1200);
            assert_eq!(steady.window, window);
        }
    }
}
