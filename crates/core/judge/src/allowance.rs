//! The rate rule's allowance: whole-number arithmetic, so that no rounding is ever on the shooter's bill.

use serde::{Deserialize, Serialize};

/// How many shots of one weapon a shooter may land now, and when that was last worked out.
///
/// One shot is `1e12 x tick_hz` units, a rate is whole millionths of a shot a second and a stall whole
/// microseconds, so a refill is exact at every tick rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Allowance {
    units: u64,
    clock_ticks: u64,
}

/// A weapon's rate as one shooter has it, with the stall the mode rides out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    rate_millionths: u64,
    stall_us: u64,
    tick_hz: u64,
}

const MILLION: u64 = 1_000_000;

impl Pace {
    /// `shots_per_second` is held to [0, 1000], `stall_s` to [0, 10], `tick_hz` to [1, 1000].
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "held to 10^9 just before")]
    pub fn new(shots_per_second: f32, stall_s: f32, tick_hz: u16) -> Self {
        // The nearest millionth: 0.65 as f32 is 0.64999998, and means 0.65.
        let millionths = |number: f32, most: f64| {
            let millionths = f64::from(number).clamp(0.0, most) * 1e6;
            // `round` by hand: it is a call where a processor's baseline has no instruction for it.
            let whole = millionths as i32;
            u64::from(whole.unsigned_abs()) + u64::from(millionths - f64::from(whole) >= 0.5)
        };
        Self {
            rate_millionths: millionths(shots_per_second, 1000.0),
            stall_us: millionths(stall_s, 10.0),
            tick_hz: u64::from(tick_hz.clamp(1, 1000)),
        }
    }

    /// Units of one shot: at most 1e15, so a full allowance of 10,001 shots fits 64 bits.
    fn shot_units(self) -> u64 {
        MILLION * MILLION * self.tick_hz
    }

    /// `rate x stall + 1` shots, never fewer than two.
    fn full_units(self) -> u64 {
        let earned =
            self.rate_millionths.saturating_mul(self.stall_us).saturating_mul(self.tick_hz);
        earned.saturating_add(self.shot_units()).max(2 * self.shot_units())
    }

    fn refill_units(self, ticks: u64) -> u64 {
        (self.rate_millionths * MILLION).saturating_mul(ticks)
    }
}

impl Allowance {
    /// A full allowance.
    #[must_use]
    pub fn full(pace: Pace, clock_ticks: u64) -> Self {
        Self { units: pace.full_units(), clock_ticks }
    }

    /// The same allowance as it stands at `clock_ticks`, refilled at the pace since it was last seen.
    #[must_use]
    pub fn at(self, pace: Pace, clock_ticks: u64) -> Self {
        let ticks = clock_ticks.saturating_sub(self.clock_ticks);
        let units = self.units.saturating_add(pace.refill_units(ticks)).min(pace.full_units());
        Self { units, clock_ticks: clock_ticks.max(self.clock_ticks) }
    }

    #[must_use]
    pub fn covers_a_shot(self, pace: Pace) -> bool {
        self.units >= pace.shot_units()
    }

    /// One shot less, at least nothing.
    #[must_use]
    pub fn less_a_shot(self, pace: Pace) -> Self {
        Self { units: self.units.saturating_sub(pace.shot_units()), ..self }
    }

    /// Shots left, for people to read.
    #[must_use]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "for display")]
    pub fn shots(self, pace: Pace) -> f32 {
        (self.units as f64 / pace.shot_units() as f64) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Runs shots at the given clock ticks through one allowance: which were let through.
    fn run(pace: Pace, shots: impl IntoIterator<Item = u64>) -> Vec<bool> {
        let mut allowance = Allowance::full(pace, 0);
        let mut judge = |clock| {
            allowance = allowance.at(pace, clock);
            let covered = allowance.covers_a_shot(pace);
            if covered {
                allowance = allowance.less_a_shot(pace);
            }
            covered
        };
        shots.into_iter().map(&mut judge).collect()
    }

    #[test]
    fn r12_twice_the_rate_for_ten_seconds_is_cut_to_43_of_80() {
        let pace = Pace::new(4.0, 0.65, 64);
        let judged = run(pace, (0..80).map(|shot| shot * 8).chain([678]));
        assert_eq!(judged[..80].iter().filter(|covered| **covered).count(), 43);
        assert!(judged[..6].iter().all(|covered| *covered), "the first six are judged");
        assert!(judged[80], "the shot after the silence, at 10.6 s, is judged");
    }

    #[test]
    fn r11_of_200_shots_in_one_tick_the_first_14_are_judged_and_then_no_honest_one_is_refused() {
        let pace = Pace::new(20.0, 0.65, 64);
        let burst = (0..200).map(|_| 128);
        // 60 ms later, then 20 a second for 5 s: each at the tick it falls in.
        let after = (0..=100).map(|shot| 128 + 4 + (shot * 64) / 20);
        let judged = run(pace, burst.chain(after));
        assert_eq!(judged[..14], [true; 14]);
        assert!(judged[14..200].iter().all(|covered| !covered));
        assert!(judged[200..].iter().all(|covered| *covered));
    }

    #[test]
    fn c5_eight_shots_after_a_stall_of_two_seconds_count_three() {
        let judged = run(Pace::new(4.0, 0.65, 64), [128; 8]);
        assert_eq!(judged.iter().filter(|covered| **covered).count(), 3);
    }

    #[test]
    fn c6_two_shots_fired_120_ms_apart_that_land_together_both_count() {
        // An M4: a shot every 90 ms, 8.2 shots of allowance.
        let judged = run(Pace::new(1000.0 / 90.0, 0.65, 64), [500, 500]);
        assert_eq!(judged, [true, true]);
    }

    #[test]
    fn an_allowance_is_never_under_two_shots() {
        assert_eq!(run(Pace::new(0.1, 0.65, 64), [0, 0, 0]), [true, true, false]);
        assert_eq!(run(Pace::new(f32::NAN, f32::NAN, 0), [0, 0, 0]), [true, true, false]);
    }

    proptest! {
        /// Whatever the tick rate, an honest shooter (never faster than the weapon, held back for at
        /// most the stall, less the tick a landing is rounded up to) is never refused.
        #[test]
        fn an_honest_shooter_is_never_refused(
            interval_ms in 30_u64..2000,
            tick_hz in prop::sample::select(vec![20_u16, 30, 50, 60, 64, 100, 128]),
            delays in prop::collection::vec(0_u64..1000, 1..200),
        ) {
            let pace = Pace::new(1000.0 / interval_ms as f32, 0.65, tick_hz);
            let held_ms_max = 650 - 1000 / u64::from(tick_hz) - 1;
            let mut landings: Vec<u64> = Vec::new();
            for (shot, delay) in delays.iter().enumerate() {
                let landing_ms = 10_000 + shot as u64 * interval_ms + delay * held_ms_max / 1000;
                landings.push((landing_ms * u64::from(tick_hz)).div_ceil(1000));
            }
            landings.sort_unstable();
            prop_assert!(run(pace, landings).iter().all(|covered| *covered));
        }

        /// Over any stretch no more shots pass than the rate earns plus one full allowance.
        #[test]
        fn no_more_passes_than_was_earned(
            rate in 1_u32..30, gaps in prop::collection::vec(0_u64..5, 1..400),
        ) {
            let pace = Pace::new(rate as f32, 0.65, 64);
            let mut clock = 0;
            let shots: Vec<u64> = gaps.iter().map(|gap| { clock += gap; clock }).collect();
            let passed = run(pace, shots).iter().filter(|covered| **covered).count();
            let earned = f64::from(rate) * clock as f64 / 64.0;
            let full = (f64::from(rate) * 0.65 + 1.0).max(2.0);
            prop_assert!(passed as f64 <= earned + full + 1e-9);
        }
    }
}
