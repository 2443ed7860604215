//! How much may be on its way: a window made for small, steady, perishable traffic.
//!
//! A player's line carries a few KB a second whatever happens, so the classic answer to a lost
//! packet, half the rate, only starves the game: on a cellular path most losses mean nothing. What
//! does mean something is a queue growing in front of a thin line, and that shows as delay. So the
//! window follows the round trip: it shrinks while the path's queue is over its target, grows while
//! it is under, and gives way to loss only when loss persists.

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};
use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone, Debug)]
pub(crate) struct SteadyConfig {
    window_first: u64,
    window_min: u64,
    window_max: u64,
    /// How much longer than its best a round trip may take before the window gives way.
    queue_target: Duration,
}

impl Default for SteadyConfig {
    fn default() -> Self {
        Self {
            window_first: 16 * 1024,
            window_min: 4 * 1200,
            window_max: 128 * 1024,
            queue_target: Duration::from_millis(120),
        }
    }
}

impl ControllerFactory for SteadyConfig {
    fn build(self: Arc<Self>, now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Steady { window: self.window_first, changed: now, config: self })
    }
}

#[derive(Clone, Debug)]
struct Steady {
    config: Arc<SteadyConfig>,
    window: u64,
    /// When the window last gave way; it does so once a round trip at most.
    changed: Instant,
}

impl Steady {
    fn shrink(&mut self, now: Instant, to: u64) {
        self.window = to.max(self.config.window_min);
        self.changed = now;
    }
}

impl Controller for Steady {
    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let queued = now.saturating_duration_since(sent).min(rtt.get()).saturating_sub(rtt.min());
        if queued > self.config.queue_target {
            if sent > self.changed {
                self.shrink(now, self.window / 8 * 7);
            }
        } else if !app_limited {
            self.window = (self.window + bytes).min(self.config.window_max);
        } else if self.window < self.config.window_first {
            self.window = (self.window + bytes).min(self.config.window_first);
        }
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        if sent <= self.changed {
            return;
        }
        if is_persistent_congestion {
            self.shrink(now, self.config.window_min);
        } else if lost_bytes == 0 {
            // A mark, not a loss: the path says that its queue grows.
            self.shrink(now, self.window / 8 * 7);
        } else {
            // Loss alone says little here; lean away from it no further than the first window.
            let floor = self.config.window_first.min(self.window);
            self.shrink(now, (self.window / 8 * 7).max(floor));
        }
    }

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.config.window_first
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
