//! Ticks and view steps: the only clock the core knows.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Sub};

/// Ticks a second where a mode says nothing else.
pub const TICK_HZ_DEFAULT: u16 = 64;

/// One fixed simulation step of a room, a wrapping counter.
///
/// Two ticks compare by their wrapped distance, so an order holds only for ticks less than 2^31
/// apart (388 days at 64 Hz). `Ord` is left out on purpose: use [`Tick::since`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Tick(pub u32);

impl Tick {
    /// Ticks from `older` to this one; negative when this one is the older.
    #[must_use]
    pub fn since(self, older: Self) -> i32 {
        self.0.wrapping_sub(older.0).cast_signed()
    }

    #[must_use]
    pub fn next(self) -> Self {
        self + 1
    }
}

impl Add<u32> for Tick {
    type Output = Self;
    fn add(self, ticks: u32) -> Self {
        Self(self.0.wrapping_add(ticks))
    }
}

impl Sub<u32> for Tick {
    type Output = Self;
    fn sub(self, ticks: u32) -> Self {
        Self(self.0.wrapping_sub(ticks))
    }
}

/// The moment a player's screen showed: a tick and a fraction of the way to the next, in 65536ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct ViewStep {
    pub tick: Tick,
    pub fraction: u16,
}

impl ViewStep {
    #[must_use]
    pub fn at(tick: Tick) -> Self {
        Self { tick, fraction: 0 }
    }

    /// Steps from `older` to this one, fractions included; negative when this one is the older.
    #[must_use]
    pub fn since(self, older: Self) -> f64 {
        f64::from(self.tick.since(older.tick))
            + (f64::from(self.fraction) - f64::from(older.fraction)) / 65536.0
    }

    /// This step moved back by `steps` (forward where negative), to the nearest 65536th.
    ///
    /// `steps` is held to ±2^30 and a NaN moves nothing, so the result always lies near this step.
    #[must_use]
    pub fn back(self, steps: f64) -> Self {
        let steps =
            if steps.is_nan() { 0.0 } else { steps.clamp(-1_073_741_824.0, 1_073_741_824.0) };
        let moved = i64::from(self.fraction) - nearest(steps * 65536.0);
        let whole = moved.div_euclid(65536);
        Self {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wraps")]
            tick: Tick(self.tick.0.wrapping_add(whole as u32)),
            fraction: u16::try_from(moved.rem_euclid(65536)).unwrap_or(0),
        }
    }

    /// The fraction as a number in [0, 1).
    #[must_use]
    pub fn fraction_f32(self) -> f32 {
        f32::from(self.fraction) / 65536.0
    }
}

/// As `round`, which is a call where a processor's baseline has no instruction for it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "held to 2^46 by its caller"
)]
fn nearest(number: f64) -> i64 {
    let whole = number as i64;
    let left = number - whole as f64;
    whole + i64::from(left >= 0.5) - i64::from(left <= -0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_count_across_the_wrap() {
        assert_eq!(Tick(3).since(Tick(u32::MAX - 2)), 6);
        assert_eq!(Tick(u32::MAX - 2).since(Tick(3)), -6);
        assert_eq!(Tick(1) - 3, Tick(u32::MAX - 1));
    }

    #[test]
    fn a_view_step_moves_back_by_a_fraction_and_across_the_wrap() {
        let step = ViewStep::at(Tick(132)).back(14.8);
        assert_eq!(step.tick, Tick(117));
        assert!((step.fraction_f32() - 0.2).abs() < 1e-4);
        let wrapped = ViewStep { tick: Tick(1), fraction: 0x8000 }.back(2.0);
        assert_eq!(wrapped, ViewStep { tick: Tick(u32::MAX), fraction: 0x8000 });
        assert!((ViewStep::at(Tick(1)).since(wrapped) - 1.5).abs() < 1e-9);
    }

    #[test]
    fn the_nearest_whole_number_is_what_round_says() {
        for number in [0.0, 0.5, -0.5, 1.5, -1.5, 0.499_999_999_999_999_94, 2.4, -2.6, 7e13 + 0.5] {
            assert_eq!(nearest(number), number.round() as i64, "{number}");
        }
    }

    #[test]
    fn no_number_of_steps_breaks_a_view_step() {
        let step = ViewStep::at(Tick(9));
        assert_eq!(step.back(f64::NAN), step);
        let _ = step.back(f64::INFINITY);
        let _ = step.back(-1e300);
    }
}
