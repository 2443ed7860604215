//! The server's time as this client hears it, and the moments it follows: when the next frame is due,
//! and which step the screen shows.
//!
//! A snapshot of tick `t` that met no delay beyond the path's least arrives on a straight line in
//! local time. The earliest arrivals of the last two seconds are that line; how far the others come
//! behind it is the spread that the screen's delay must cover.

use fairshot_units::{Tick, ViewStep};
use std::collections::VecDeque;

/// Arrivals the line is drawn through: two seconds at 32 a second.
const SAMPLES: usize = 64;
/// Snapshots whose spacing is looked at, for a path on which the server sends fewer.
const SPACINGS: usize = 15;
/// Of a hundred snapshots so many should have come when the screen wants them.
const IN_TIME_PERCENT: usize = 97;
const MARGIN_US: f64 = 1_000.0;
/// The delay grows at once and shrinks by this share of the way per snapshot.
const DELAY_FALL: f64 = 0.02;
/// A view further off than this jumps; nearer, it is led back by the slew, in ticks a frame.
const JUMP_TICKS: f64 = 16.0;
const SLEW_FROM_TICKS: f64 = 0.5;
const SLEW_TICKS: f64 = 1.0 / 32.0;
/// A frame moves towards the server's phase by this share of the difference.
const PHASE_SHARE: f64 = 1.0 / 64.0;
/// Frames made up after the game loop stood still; the rest are let go.
const FRAMES_MADE_UP_MAX: f64 = 8.0;
/// One tick in the steps of a view's fraction.
const STEPS: f64 = 65536.0;

/// Local microseconds against the server's ticks.
#[derive(Debug)]
pub(crate) struct Clock {
    tick_us: f64,
    snapshot_us: f64,
    delay_max_us: f64,
    /// Ticks count from here.
    origin: Tick,
    /// Local time of an undelayed arrival, less its ticks.
    samples: VecDeque<f64>,
    newest: Option<Tick>,
    /// Ticks from one newest snapshot to the next.
    spacings: VecDeque<i32>,
    line_us: Option<f64>,
    delay_us: f64,
    frame: Option<FrameClock>,
}

#[derive(Debug)]
struct FrameClock {
    due_us: f64,
    /// Where between two ticks of the line the frames lie.
    phase: f64,
    /// What the screen shows as of the last frame, in ticks since the origin; whole 65536ths.
    view: f64,
    at_us: f64,
    slewing: bool,
}

impl Clock {
    pub(crate) fn new(origin: Tick, tick_hz: u16, snapshot_every: u16, delay_max_s: f32) -> Self {
        let tick_us = 1_000_000.0 / f64::from(tick_hz.max(1));
        let snapshot_us = tick_us * f64::from(snapshot_every.max(1));
        let delay_max_us = f64::from(delay_max_s) * 1_000_000.0;
        Self {
            tick_us,
            snapshot_us,
            delay_max_us: delay_max_us.max(snapshot_us),
            origin,
            samples: VecDeque::with_capacity(SAMPLES),
            newest: None,
            spacings: VecDeque::with_capacity(SPACINGS),
            line_us: None,
            delay_us: snapshot_us * 1.5,
            frame: None,
        }
    }

    /// A snapshot arrived.
    pub(crate) fn arrived(&mut self, tick: Tick, now_us: u64) {
        let sample = as_f64(now_us) - self.ticks_of(tick) * self.tick_us;
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        let line = self.samples.iter().copied().fold(f64::INFINITY, f64::min);
        self.line_us = Some(line);
        let mut late: Vec<f64> = self.samples.iter().map(|sample| sample - line).collect();
        let at = (late.len() * IN_TIME_PERCENT).div_ceil(100).saturating_sub(1);
        let (_, spread, _) = late.select_nth_unstable_by(at, f64::total_cmp);
        let wanted = (self.spacing_us(tick) + *spread + MARGIN_US).min(self.delay_max_us);
        if wanted > self.delay_us {
            self.delay_us = wanted;
        } else {
            self.delay_us += (wanted - self.delay_us) * DELAY_FALL;
        }
    }

    /// How far apart snapshots lie: as the welcome said, or further where the middle of the last few
    /// did. A lost one now and then changes nothing.
    fn spacing_us(&mut self, tick: Tick) -> f64 {
        let since = self.newest.map_or(0, |newest| tick.since(newest));
        if since > 0 || self.newest.is_none() {
            self.newest = Some(tick);
        }
        if since > 0 {
            if self.spacings.len() == SPACINGS {
                self.spacings.pop_front();
            }
            self.spacings.push_back(since);
        }
        let mut sorted: Vec<i32> = self.spacings.iter().copied().collect();
        sorted.sort_unstable();
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
        self.snapshot_us.max(f64::from(middle) * self.tick_us)
    }

    /// Local time at which the next frame is due; `None` before the first snapshot.
    pub(crate) fn due_us(&self) -> Option<u64> {
        match (&self.frame, self.line_us) {
            (Some(frame), _) => Some(as_u64(frame.due_us)),
            (None, Some(_)) => Some(0),
            (None, None) => None,
        }
    }

    /// A frame is made now: leads the frames after the server's phase and the view after its target.
    pub(crate) fn frame(&mut self, now_us: u64) {
        let Some(line_us) = self.line_us else { return };
        let now = as_f64(now_us);
        let target = self.target(line_us, now);
        let (tick_us, phase_of) = (self.tick_us, |at: f64| ((at - line_us) / self.tick_us).fract());
        let Some(frame) = &mut self.frame else {
            self.frame = Some(FrameClock {
                due_us: now + tick_us,
                phase: phase_of(now),
                view: round_to_steps(target),
                at_us: now,
                slewing: false,
            });
            return;
        };
        if now - frame.due_us > FRAMES_MADE_UP_MAX * tick_us {
            frame.due_us = now;
        }
        let mut off = frame.phase - phase_of(frame.due_us);
        off -= off.round();
        frame.due_us += tick_us * (1.0 + off * PHASE_SHARE);
        frame.at_us = now;
        frame.view += 1.0;
        let behind = target - frame.view;
        if behind.abs() > JUMP_TICKS {
            frame.view = round_to_steps(target);
            frame.slewing = false;
            return;
        }
        frame.slewing = behind.abs() > if frame.slewing { SLEW_TICKS } else { SLEW_FROM_TICKS };
        if frame.slewing {
            frame.view += SLEW_TICKS.copysign(behind);
        }
    }

    /// The step the screen wants to show now. Between two frames it goes on with local time.
    pub(crate) fn view(&self, now_us: u64) -> Option<ViewStep> {
        let frame = self.frame.as_ref()?;
        let since = ((as_f64(now_us) - frame.at_us) / self.tick_us).clamp(0.0, 1.0);
        Some(ViewStep::at(self.origin).back(-(frame.view + since)))
    }

    /// How far behind the line of undelayed arrivals the screen is, in microseconds.
    pub(crate) fn delay_us(&self) -> u64 {
        as_u64(self.delay_us)
    }

    fn target(&self, line_us: f64, now: f64) -> f64 {
        (now - line_us - self.delay_us) / self.tick_us
    }

    fn ticks_of(&self, tick: Tick) -> f64 {
        f64::from(tick.since(self.origin))
    }
}

fn round_to_steps(ticks: f64) -> f64 {
    (ticks * STEPS).round() / STEPS
}

#[expect(clippy::cast_precision_loss, reason = "exact for 285 years")]
fn as_f64(us: u64) -> f64 {
    us as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "held to 0 by the cast"
)]
fn as_u64(us: f64) -> u64 {
    us as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Clock {
        Clock::new(Tick(u32::MAX - 20), 64, 2, 0.2)
    }

    /// Feeds snapshots every other tick with that delay, and frames when due; the last time.
    fn run(clock: &mut Clock, from_us: u64, ticks: u32, delay_us: impl Fn(u32) -> u64) -> u64 {
        let mut now = from_us;
        let start = from_us / 15_625;
        for n in 0..ticks {
            now = (start + u64::from(n)) * 15_625;
            if n % 2 == 0 {
                let tick = Tick(u32::MAX - 20) + u32::try_from(start).unwrap() + n;
                clock.arrived(tick, now + delay_us(n));
            }
            while clock.due_us().is_some_and(|due| due <= now) {
                clock.frame(now);
            }
        }
        now
    }

    #[test]
    fn on_a_steady_line_the_view_trails_by_one_snapshot_and_a_margin() {
        let mut clock = clock();
        let now = run(&mut clock, 0, 640, |_| 30_000);
        let view = clock.view(now).unwrap();
        let newest = Tick(u32::MAX - 20) + 638;
        let behind = ViewStep::at(newest).since(view);
        // 30 ms of path are 1.92 ticks, two ticks of snapshot spacing, a millisecond of margin.
        assert!((2.4..4.2).contains(&behind), "{behind}");
    }

    #[test]
    fn a_jittery_line_widens_the_delay_to_its_cap_at_the_most() {
        let mut clock = clock();
        run(&mut clock, 0, 640, |n| 30_000 + u64::from(n * 7919 % 61) * 1000);
        assert!((80_000..100_000).contains(&clock.delay_us()), "{}", clock.delay_us());
        run(&mut clock, 10_000_000, 640, |n| u64::from(n % 3) * 400_000);
        assert!(clock.delay_us() <= 200_000);
    }

    #[test]
    fn a_thin_path_with_every_third_snapshot_is_drawn_that_much_later() {
        let mut clock = clock();
        for n in 0..100u32 {
            let tick = n * 6;
            clock.arrived(Tick(u32::MAX - 20) + tick, u64::from(tick) * 15_625 + 30_000);
        }
        assert!((94_000..97_000).contains(&clock.delay_us()), "{}", clock.delay_us());
    }

    #[test]
    fn frames_keep_the_servers_rate_and_most_views_go_on_by_exactly_one_tick() {
        let mut clock = clock();
        run(&mut clock, 0, 200, |_| 30_000);
        let mut before = clock.view(0).unwrap();
        let mut exact = 0;
        for n in 0..640u64 {
            let now = (200 + n) * 15_625;
            if n % 2 == 0 {
                clock.arrived(Tick(u32::MAX - 20) + 200 + u32::try_from(n).unwrap(), now + 30_000);
            }
            assert!(clock.due_us().unwrap().abs_diff(now) < 16_000);
            clock.frame(now);
            let view = clock.view(now).unwrap();
            exact += u32::from(view == before.back(-1.0));
            before = view;
        }
        assert!(exact > 600, "{exact}");
    }

    #[test]
    fn after_the_game_loop_stood_still_few_frames_are_made_up() {
        let mut clock = clock();
        run(&mut clock, 0, 200, |_| 30_000);
        let now = 199 * 15_625 + 2_000_000;
        let mut made = 0;
        while clock.due_us().unwrap() <= now {
            clock.frame(now);
            made += 1;
        }
        assert!(made <= 10, "{made}");
    }
}
