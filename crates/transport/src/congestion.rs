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
/// The best round trip is that of one or two such spans: a path may get longer for good, and a queue
/// may take seconds to drain.
const BEST_SPAN: Duration = Duration::from_secs(10);
/// The most that one step takes away: what is left of the window.
const PART_MIN: f64 = 0.4;
const WINDOW_MAX: u64 = 128 * 1024;
/// The first window in packets, and the least.
const PACKETS_FIRST: u64 = 8;
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
    /// Of the acknowledgement being read: its bytes, and the round trip of its newest packet.
    batch: u64,
    sample: Option<Duration>,
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
            batch: 0,
            sample: None,
        }
    }

    fn shrink(&mut self, now: Instant, to: u64) {
        self.window = to.max(PACKETS_MIN * self.packet);
        self.changed = now;
        self.arrived = 0;
        self.lost = 0;
    }

    /// Moves the window by one acknowledgement. A long round trip alone says nothing: it may be the
    /// path's own. Where the window is full as well, more is sent than the path carries.
    fn settle(&mut self, now: Instant, sample: Duration, in_flight_before: u64, acked: u64) {
        let best = self.best.note(now, sample);
        let queue = sample.saturating_sub(best);
        let is_full = in_flight_before + 2 * self.packet >= self.window;
        let may_shrink = now.saturating_duration_since(self.changed) >= sample;
        if queue > QUEUE_TARGET && is_full && may_shrink {
            // What the line carries in its best round trip and the target together.
            let part = (best + QUEUE_TARGET).as_secs_f64() / sample.as_secs_f64();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a part of a window of at most 128 KiB"
            )]
            let to = (self.window as f64 * part.max(PART_MIN)) as u64;
            self.shrink(now, to);
        } else if queue < QUEUE_TARGET / 2 || !is_full {
            let max = if is_full { WINDOW_MAX } else { PACKETS_FIRST * self.packet };
            if self.window < max {
                self.window = (self.window + acked / 4).min(max);
            }
        }
    }
}

impl Controller for Steady {
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        _app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        let sample = now.saturating_duration_since(sent);
        self.sample = Some(self.sample.map_or(sample, |least| least.min(sample)));
        self.arrived += bytes;
        self.batch += bytes;
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        _app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        let acked = std::mem::take(&mut self.batch);
        if let Some(sample) = self.sample.take() {
            self.settle(now, sample, in_flight + acked, acked);
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
            self.shrink(now, (self.window / 2).max(4 * self.packet));
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
    fn a_growing_queue_shrinks_a_full_window_and_an_empty_one_lets_it_grow() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        let ms = Duration::from_millis;
        steady.settle(at(start, 50), ms(50), 9600, 0);
        assert_eq!(steady.window, 9600);
        steady.settle(at(start, 900), ms(500), 9600, 0);
        assert_eq!(steady.window, 3840);
        steady.settle(at(start, 950), ms(500), 3840, 0);
        assert_eq!(steady.window, 3840, "once a round trip");
        for second in 2..6 {
            steady.settle(at(start, second * 1000), ms(500), 12_000, 0);
            steady.settle(at(start, second * 1000 + 10), ms(50), 0, 0);
        }
        assert_eq!(steady.window, 2400, "the least window still carries a game");
        steady.settle(at(start, 7000), ms(50), 2400, 1200);
        assert_eq!(steady.window, 2700);
    }

    #[test]
    fn a_long_round_trip_without_a_full_window_changes_nothing() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        for step in 0..80u64 {
            let sample = Duration::from_millis(if step % 10 < 5 { 40 } else { 700 });
            steady.settle(at(start, step * 100), sample, 4000, 300);
        }
        assert_eq!(steady.window, 9600);
    }

    #[test]
    fn a_fifth_lost_changes_nothing_and_a_half_lost_does() {
        let start = Instant::now();
        for (lost, window) in [(2, 9600), (10, 7200)] {
            let mut steady = Steady::new(start, 1200);
            steady.arrived = 8 * 1200;
            steady.on_congestion_event(at(start, 200), at(start, 100), false, lost * 1200);
            assert_eq!(steady.window, window);
        }
    }
}
