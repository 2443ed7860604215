//! Poses as they are sent: quantised once by the room, so that server and client read the same place.

use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Positions are whole multiples of 1/256 m (3.9 mm): well under a hit zone's radius, and fine enough
/// that a walk drawn from them shows no steps.
pub const POSITION_STEPS_PER_M: f32 = 256.0;

/// Where an entity stands and which way it faces, in the units it is sent in.
///
/// `position` is the middle of its feet in 1/256 m, y up. `yaw` is 65536ths of a turn about y, 0
/// facing -z and rising to the left (towards -x); `pitch` is signed 65536ths of a turn, up positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Pose {
    pub position: [i32; 3],
    pub yaw: u16,
    pub pitch: i16,
}

impl Pose {
    #[must_use]
    #[inline]
    pub fn new(position_m: Vec3, yaw_rad: f32, pitch_rad: f32) -> Self {
        Self {
            position: quantise_position(position_m),
            yaw: quantise_yaw(yaw_rad),
            pitch: quantise_pitch(pitch_rad),
        }
    }

    /// The position in metres; exact, since every multiple of 1/256 m within ±65 km is an `f32`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "positions lie within 2^24 steps")]
    pub fn position_m(self) -> Vec3 {
        let [x, y, z] = self.position;
        Vec3::new(x as f32, y as f32, z as f32) / POSITION_STEPS_PER_M
    }

    #[must_use]
    pub fn yaw_rad(self) -> f32 {
        yaw_of(self.yaw)
    }

    #[must_use]
    pub fn pitch_rad(self) -> f32 {
        pitch_of(self.pitch)
    }
}

/// Positions are held to this many steps: every whole number up to it is an `f32`.
const STEPS_MAX: f32 = 16_777_216.0;

/// Metres to the nearest 1/256 m; a NaN is 0 and far values are held to ±65,536 m.
#[must_use]
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "held to 2^24 first; a NaN casts to 0"
)]
pub fn quantise_m(metres: f32) -> i32 {
    // Half away from zero, exactly, without the call that `round` is where a processor's baseline has no
    // instruction for it: below 2^24 what is left of the whole steps is exact.
    let steps = (metres * POSITION_STEPS_PER_M).clamp(-STEPS_MAX, STEPS_MAX);
    let whole = steps as i32;
    let left = steps - whole as f32;
    whole + i32::from(left >= 0.5) - i32::from(left <= -0.5)
}

/// All three of them.
#[must_use]
#[inline]
#[cfg(target_arch = "x86_64")]
pub fn quantise_position(metres: Vec3) -> [i32; 3] {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_and_ps, _mm_castps_si128, _mm_cmpge_ps, _mm_cmple_ps, _mm_cmpord_ps,
        _mm_cvtepi32_ps, _mm_cvttps_epi32, _mm_max_ps, _mm_min_ps, _mm_mul_ps, _mm_set_ps,
        _mm_set1_ps, _mm_storeu_si128, _mm_sub_epi32, _mm_sub_ps,
    };
    let mut all = [0_i32; 4];
    // SAFETY: every x86-64 processor has SSE2, and what is stored are four numbers into an array of four.
    unsafe {
        let steps = _mm_set_ps(0.0, metres.z, metres.y, metres.x);
        let steps = _mm_mul_ps(steps, _mm_set1_ps(POSITION_STEPS_PER_M));
        let steps = _mm_and_ps(steps, _mm_cmpord_ps(steps, steps));
        let steps = _mm_min_ps(_mm_max_ps(steps, _mm_set1_ps(-STEPS_MAX)), _mm_set1_ps(STEPS_MAX));
        let whole = _mm_cvttps_epi32(steps);
        let left = _mm_sub_ps(steps, _mm_cvtepi32_ps(whole));
        // A lane that holds is -1.
        let up = _mm_castps_si128(_mm_cmpge_ps(left, _mm_set1_ps(0.5)));
        let down = _mm_castps_si128(_mm_cmple_ps(left, _mm_set1_ps(-0.5)));
        let nearest = _mm_add_epi32(_mm_sub_epi32(whole, up), down);
        _mm_storeu_si128(all.as_mut_ptr().cast(), nearest);
    }
    [all[0], all[1], all[2]]
}

/// All three of them.
#[must_use]
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub fn quantise_position(metres: Vec3) -> [i32; 3] {
    [quantise_m(metres.x), quantise_m(metres.y), quantise_m(metres.z)]
}

/// Radians to the nearest 65536th of a turn, wrapped into one turn.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "held to one turn first, or to what casts exactly"
)]
pub fn quantise_yaw(radians: f32) -> u16 {
    let turns = radians / std::f32::consts::TAU;
    // What is left of whole turns; the quick way gives the same number where there are few enough, and
    // makes no call.
    let part = if turns.abs() < WHOLE_TURNS_MAX {
        let left = turns - turns as i32 as f32;
        if left < 0.0 { left + 1.0 } else { left }
    } else {
        turns.rem_euclid(1.0)
    };
    // Halves go up, as they do in `round` for what is not negative.
    ((f64::from(part * 65536.0) + 0.5) as u32 & 0xFFFF) as u16
}

/// Every whole number below it is an `f32` and fits an `i32`.
const WHOLE_TURNS_MAX: f32 = 8_388_608.0;

/// Radians to the nearest 65536th of a turn, held to a quarter turn up or down.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "held to 2^14 first")]
pub fn quantise_pitch(radians: f32) -> i16 {
    let steps = f64::from((radians / std::f32::consts::TAU * 65536.0).clamp(-16384.0, 16384.0));
    (steps + 0.5f64.copysign(steps)) as i16
}

/// The yaw in radians, 0 to a turn.
#[must_use]
pub fn yaw_of(yaw: u16) -> f32 {
    f32::from(yaw) / 65536.0 * std::f32::consts::TAU
}

/// The pitch in radians, up positive.
#[must_use]
pub fn pitch_of(pitch: i16) -> f32 {
    f32::from(pitch) / 65536.0 * std::f32::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantised_position_reads_back_to_itself() {
        let pose = Pose::new(Vec3::new(1.234, -7.9, 511.99), 3.0, -0.5);
        assert_eq!(quantise_position(pose.position_m()), pose.position);
        assert!((pose.position_m() - Vec3::new(1.234, -7.9, 511.99)).length() < 0.005);
        assert!((pose.yaw_rad() - 3.0).abs() < 1e-3);
        assert!((pose.pitch_rad() + 0.5).abs() < 1e-3);
    }

    #[test]
    fn the_quick_way_round_a_turn_is_the_plain_one() {
        let plain_yaw = |radians: f32| {
            let turns = (radians / std::f32::consts::TAU).rem_euclid(1.0);
            ((turns * 65536.0).round() as u32 & 0xFFFF) as u16
        };
        let plain_pitch = |radians: f32| {
            (radians / std::f32::consts::TAU * 65536.0).round().clamp(-16384.0, 16384.0) as i16
        };
        let mut bits = 0x1234_5678_u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Any bits at all, and angles of a few turns.
            let near = (bits >> 8) as f32 / 524_288.0 - 16.0;
            for radians in [f32::from_bits(bits), near] {
                assert_eq!(quantise_yaw(radians), plain_yaw(radians), "{radians}");
                assert_eq!(quantise_pitch(radians), plain_pitch(radians), "{radians}");
            }
        }
        for half in 0..=65535_u16 {
            // Every place between two whole steps.
            let radians = (f32::from(half) + 0.5) / 65536.0 * std::f32::consts::TAU;
            assert_eq!(quantise_yaw(radians), plain_yaw(radians));
            assert_eq!(quantise_pitch(radians), plain_pitch(radians));
            assert_eq!(quantise_pitch(-radians), plain_pitch(-radians));
        }
    }

    #[test]
    fn a_position_is_quantised_as_its_numbers_are_and_halves_go_away_from_zero() {
        let plain = |metres: f32| {
            let steps = f64::from(metres * POSITION_STEPS_PER_M);
            let steps = if steps.is_nan() { 0.0 } else { steps.round() };
            steps.clamp(-16_777_216.0, 16_777_216.0) as i32
        };
        let mut bits = 0x9E37_79B9_u32;
        for number in 0..300_000_u32 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Any bits at all, places of an arena, and the halves between two steps.
            let near = (bits >> 8) as f32 / 16_384.0 - 512.0;
            let half = (f64::from(number) - 150_000.0 + 0.5) as f32 / POSITION_STEPS_PER_M;
            let odd = f32::from_bits(bits);
            let right = [odd, near, half].map(plain);
            assert_eq!(quantise_position(Vec3::new(odd, near, half)), right);
            assert_eq!([odd, near, half].map(quantise_m), right);
        }
    }

    #[test]
    fn odd_numbers_quantise_to_something_finite() {
        assert_eq!(quantise_m(f32::NAN), 0);
        assert_eq!(quantise_m(f32::INFINITY), 16_777_216);
        assert_eq!(quantise_yaw(f32::NAN), 0);
        assert_eq!(quantise_yaw(-std::f32::consts::FRAC_PI_2), 49152);
        assert_eq!(quantise_pitch(9.0), 16384);
    }
}
