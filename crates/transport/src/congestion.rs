//! How much may be on its way: a window made for small, steady, perishable traffic.
//!
//! A player's line carries a few KB a second whatever happens, so the classic answer to a lost
//! packet, half the rate, only starves the game: on a cellular path most losses mean nothing. What
//! does mean something is a queue growing in front of a thin line, and that shows as delay. So the
//! window follows the round trip: it shrinks while the path's queue is over its target, grows while
//! it is well under, and gives way to loss only where loss is heavy or nothing passes at all.
//!
//! A small window must not silence a game: what it held back for long goes all the same, one packet at a
//! time, by a [`Leave`].

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much longer than its best a round trip may take before the window gives way.
const QUEUE_TARGET: Duration = Duration::from_millis(120);
/// The best round trip is that of one or two such spans: a path may get longer for good, and a queue
/// may take seconds to drain.
const BEST_SPAN: Duration = Duration::from_secs(10);
/// The most that one step takes away: what is left of the window.
const PART_MIN: f64 = 0.4;
const WINDOW_MAX: u64 = 128 * 1024;
/// The first window in packets, and what an idle one grows back to: at a game's few KB a second four are
/// enough for half a second of round trip, and more would only fill a thin line before it can complain.
const PACKETS_FIRST: u64 = 4;
/// The least window lets so much be on its way. quinn wants room for a whole packet beside that, however
/// small the next one is.
const ON_ITS_WAY_MIN: u64 = 512;
/// How long the window may hold a datagram back: a game on a thin line still hears of its players ten times a
/// second, on the thinnest a few times, and no lost acknowledgement silences it.
const LEAVE_AFTER_MIN: Duration = Duration::from_millis(100);
const LEAVE_AFTER_MAX: Duration = Duration::from_millis(500);
const LEAVE_AFTER_PART_OF_QUEUE: f64 = 0.3;
/// A path this long at the least window and still over its target has become longer for good.
const LONGER_FOR_GOOD: Duration = Duration::from_secs(2);

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
    /// Since when the window is the least.
    least_since: Option<Instant>,
    leave: Leave,
}

/// A path's leave to send a packet over its window, and how long one must wait for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leave(Arc<LeaveState>);

#[derive(Debug, Default)]
struct LeaveState {
    given: AtomicBool,
    /// Of the last acknowledgement.
    queue_us: AtomicU64,
}

impl Leave {
    /// The leave of the path a connection has now.
    pub(crate) fn of(quinn: &quinn_proto::Connection) -> Option<Self> {
        let steady = quinn.congestion_state().clone_box().into_any().downcast::<Steady>().ok()?;
        Some(steady.leave)
    }

    pub(crate) fn give(&self, given: bool) {
        self.0.given.store(given, Ordering::Relaxed);
    }

    /// The longer packets wait on the way, the rarer they go, or the way would fill for ever.
    pub(crate) fn wait(&self) -> Duration {
        let queue = Duration::from_micros(self.0.queue_us.load(Ordering::Relaxed));
        queue.mul_f64(LEAVE_AFTER_PART_OF_QUEUE).clamp(LEAVE_AFTER_MIN, LEAVE_AFTER_MAX)
    }

    fn note_queue(&self, queue: Duration) {
        let us = u64::try_from(queue.as_micros()).unwrap_or(u64::MAX);
        self.0.queue_us.store(us, Ordering::Relaxed);
    }
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
            least_since: None,
            leave: Leave::default(),
        }
    }

    fn least(&self) -> u64 {
        self.packet + ON_ITS_WAY_MIN
    }

    fn shrink(&mut self, now: Instant, to: u64) {
        self.window = to.max(self.least());
        self.changed = now;
        self.arrived = 0;
        self.lost = 0;
        self.least_since = (self.window == self.least()).then(|| self.least_since.unwrap_or(now));
    }

    /// Moves the window by one acknowledgement. Whether a longer round trip is a queue or the path's own
    /// nobody can tell from here; it is taken for a queue, since the other error costs little: for as long
    /// as it lasts, fewer packets go, and none of them later than its leave.
    fn settle(&mut self, now: Instant, sample: Duration, in_flight_before: u64, acked: u64) {
        let mut best = self.best.note(now, sample);
        let long = |since: Instant| now.saturating_duration_since(since) >= LONGER_FOR_GOOD;
        if self.least_since.is_some_and(long) {
            self.best = Best { span_began: now, span: sample, span_before: sample };
            self.least_since = None;
            best = sample;
        }
        let queue = sample.saturating_sub(best);
        self.leave.note_queue(queue);
        let may_shrink = now.saturating_duration_since(self.changed) >= sample;
        if queue > QUEUE_TARGET {
            // What the line carries in its best round trip and the target together.
            let part = (best + QUEUE_TARGET).as_secs_f64() / sample.as_secs_f64();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a part of a window of at most 128 KiB"
            )]
            let to = self.packet + (in_flight_before as f64 * part.max(PART_MIN)) as u64;
            if may_shrink && to < self.window {
                self.shrink(now, to);
            }
        } else if queue < QUEUE_TARGET / 2 {
            self.least_since = None;
            let is_full = in_flight_before + 2 * self.packet >= self.window;
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
            self.shrink(now, (self.window / 2).max(2 * self.packet));
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
        self.window = self.window.max(self.least());
    }

    fn window(&self) -> u64 {
        if self.leave.0.given.load(Ordering::Relaxed) { u64::MAX / 4 } else { self.window }
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
    fn a_growing_queue_shrinks_the_window_to_what_the_line_carries_and_an_empty_one_lets_it_grow() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        let ms = Duration::from_millis;
        steady.settle(at(start, 50), ms(50), 4800, 0);
        assert_eq!(steady.window, 4800);
        // 5,000 bytes took half a second: in 170 ms it is 1,700, and no step takes more than 3 of 5.
        steady.settle(at(start, 900), ms(500), 5000, 0);
        assert_eq!(steady.window, 1200 + 2000);
        steady.settle(at(start, 950), ms(500), 2000, 0);
        assert_eq!(steady.window, 1200 + 2000, "once a round trip");
        for second in 2..6 {
            steady.settle(at(start, second * 1000), ms(500), 600, 0);
            steady.settle(at(start, second * 1000 + 10), ms(50), 0, 0);
        }
        assert_eq!(steady.window, 1200 + ON_ITS_WAY_MIN, "the least window still carries a game");
        steady.settle(at(start, 7000), ms(50), 500, 1200);
        assert_eq!(steady.window, 1200 + ON_ITS_WAY_MIN + 300);
    }

    #[test]
    fn a_path_that_stays_long_at_the_least_window_has_become_longer_for_good() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        steady.settle(start, Duration::from_millis(40), 500, 0);
        for step in 1..40u64 {
            steady.settle(at(start, step * 300), Duration::from_millis(300), 600, 600);
        }
        assert!(steady.window > 3600, "{}", steady.window);
    }

    #[test]
    fn a_leave_lets_a_packet_go_over_the_window_of_the_very_path() {
        let start = Instant::now();
        let steady = Steady::new(start, 1200);
        let copy = steady.clone_box().into_any().downcast::<Steady>().expect("what it is");
        copy.leave.give(true);
        assert!(steady.window() > 1 << 40);
        copy.leave.give(false);
        assert_eq!(steady.window(), 4800);
    }

    #[test]
    fn a_leave_comes_the_later_the_longer_packets_wait_on_the_way() {
        let start = Instant::now();
        let mut steady = Steady::new(start, 1200);
        let mut wait = |ms: u64| {
            steady.settle(at(start, ms), Duration::from_millis(ms), 500, 0);
            steady.leave.wait().as_millis()
        };
        assert_eq!([wait(40), wait(240), wait(1040), wait(1840)], [100, 100, 300, 500]);
    }

    #[test]
    fn a_fifth_lost_changes_nothing_and_a_half_lost_does() {
        let start = Instant::now();
        for (lost, window) in [(2, 4800), (10, 3600)] {
            let mut steady = Steady::new(start, 1200);
            steady.arrived = 8 * 1200;
            steady.on_congestion_event(at(start, 200), at(start, 100), false, lost * 1200);
            assert_eq!(steady.window, window);
        }
    }
}
