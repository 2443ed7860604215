//! What a client says of one trigger pull, before anybody believes it.

use fairshot_mode::Bounds;
use fairshot_units::{EntityId, MessageNumber, Rule, ViewStep, WeaponId};
use glam::Vec3;

/// One trigger pull as its client sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    pub number: MessageNumber,
    pub weapon: WeaponId,
    /// The moment her screen showed as she fired.
    pub view: ViewStep,
    /// Where the shot left from, metres.
    pub origin_m: Vec3,
    /// Of unit length within 1 %.
    pub direction: Vec3,
    /// For a client-judged weapon: the targets each pellet struck on her own screen, in that order.
    pub names: Vec<NamedTarget>,
}

/// One target a client-judged claim names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedTarget {
    /// Which of the pull's pellets, from 0.
    pub pellet: u8,
    pub target: EntityId,
}

/// Why bytes or numbers are no shot. Refused before any rule; costs no round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedClaim {
    #[error("the origin is not a finite place within the arena")]
    Origin,
    #[error("the direction is not of unit length within 1 %")]
    Direction,
    #[error("the step is not a finite number of at least 0")]
    View,
    #[error("more names than a claim may carry")]
    Names,
}

impl MalformedClaim {
    /// The stable name for metrics.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Direction => "direction",
            Self::View => "view",
            Self::Names => "names",
        }
    }
}

/// Names one claim may carry at the most: 32 pellets, each through 31 targets and into one more.
pub const NAMES_MAX: usize = 1024;

/// How far a direction's squared length may lie from 1: its length within 1 %.
const LENGTH_SQUARED_MIN: f32 = 0.99 * 0.99;
const LENGTH_SQUARED_MAX: f32 = 1.01 * 1.01;

impl Claim {
    /// Whether these numbers are a shot at all.
    ///
    /// # Errors
    /// [`MalformedClaim`] for NaN or infinite numbers, a direction not of unit length, an origin
    /// beyond the arena, or too many names.
    pub fn check(&self, bounds: &Bounds) -> Result<(), MalformedClaim> {
        if !bounds.contains(self.origin_m) {
            return Err(MalformedClaim::Origin);
        }
        let length = self.direction.length_squared();
        if !(LENGTH_SQUARED_MIN..=LENGTH_SQUARED_MAX).contains(&length) {
            return Err(MalformedClaim::Direction);
        }
        if self.names.len() > NAMES_MAX {
            return Err(MalformedClaim::Names);
        }
        Ok(())
    }
}

/// A view step given as a number of steps, as a command's field or a bot carries it.
///
/// # Errors
/// [`MalformedClaim::View`] for NaN, infinite, negative or beyond the u32 range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to lie in u32"
)]
pub fn view_step_of(steps: f64) -> Result<ViewStep, MalformedClaim> {
    if !(0.0..f64::from(u32::MAX)).contains(&steps) {
        return Err(MalformedClaim::View);
    }
    let whole = steps.floor();
    Ok(ViewStep {
        tick: fairshot_units::Tick(whole as u32),
        fraction: ((steps - whole) * 65536.0) as u16,
    })
}

/// What the shooter's inventory said of a shot before it reached the room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerRuling {
    /// The round was there and is spent.
    Accepted,
    /// One of `armed` (another life), `late`, `held`, `ammo`.
    Refused(Rule),
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_units::Tick;

    fn claim(origin_m: Vec3, direction: Vec3) -> Claim {
        Claim {
            number: MessageNumber(1),
            weapon: WeaponId(31),
            view: ViewStep::at(Tick(1)),
            origin_m,
            direction,
            names: Vec::new(),
        }
    }

    const BOUNDS: Bounds =
        Bounds { min_m: Vec3::new(-100.0, -10.0, -100.0), max_m: Vec3::new(100.0, 50.0, 100.0) };

    #[test]
    fn c1_a_direction_of_nan_of_no_length_or_too_long_is_malformed() {
        for direction in [
            Vec3::new(f32::NAN, 0.0, 0.0),
            Vec3::ZERO,
            Vec3::new(0.001, 0.0, 0.0),
            Vec3::new(1e30, 0.0, 0.0),
            Vec3::new(f32::INFINITY, 0.0, 0.0),
            Vec3::new(1.02, 0.0, 0.0),
        ] {
            assert_eq!(claim(Vec3::ZERO, direction).check(&BOUNDS), Err(MalformedClaim::Direction));
        }
        assert_eq!(claim(Vec3::ZERO, Vec3::new(0.0, 0.995, 0.0)).check(&BOUNDS), Ok(()));
    }

    #[test]
    fn c1_an_origin_beyond_the_arena_or_of_nan_is_malformed() {
        for x in [4.29e9, f32::NAN, f32::NEG_INFINITY, 100.1] {
            let odd = claim(Vec3::new(x, 0.0, 0.0), Vec3::X);
            assert_eq!(odd.check(&BOUNDS), Err(MalformedClaim::Origin));
        }
    }

    #[test]
    fn r04_a_step_of_nan_infinity_or_below_zero_is_malformed() {
        for steps in [f64::NAN, f64::INFINITY, -1.0, -0.001, 1e30] {
            assert_eq!(view_step_of(steps), Err(MalformedClaim::View));
        }
        let step = view_step_of(99.7).expect("a step");
        assert_eq!(step.tick, Tick(99));
        assert!((step.fraction_f32() - 0.7).abs() < 1e-4);
    }
}
