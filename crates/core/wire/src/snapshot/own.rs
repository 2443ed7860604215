//! A player's own body, exact to the last bit: what her client's prediction starts again from.

use super::held::read_health;
use super::layout::HEALTH_K;
use crate::DecodeError;
use crate::bits::{BitReader, BitWriter, unzigzag, zigzag};
use fairshot_units::{Life, MessageNumber, Revision};
use glam::Vec3;

/// A player's own state after a tick.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct OwnState {
    /// The last frame whose input moved this body; 0 for none yet.
    pub applied: MessageNumber,
    pub position_m: Vec3,
    pub velocity_m_s: Vec3,
    pub grounded: bool,
    pub life: Life,
    /// The newest revision the server committed.
    pub revision: Revision,
    pub health_eighths: u16,
    pub alive: bool,
    pub traits: u32,
}

const APPLIED_K: u32 = 1;

impl OwnState {
    pub(super) fn write(&self, bits: &mut BitWriter<'_>, highest: MessageNumber, base: &Self) {
        bits.put_small(u64::from(highest.0.saturating_sub(self.applied.0)), APPLIED_K);
        write_vec3(bits, base.position_m, self.position_m);
        write_vec3(bits, base.velocity_m_s, self.velocity_m_s);
        bits.flag(self.grounded);
        let changed = self.rest() != base.rest();
        bits.flag(changed);
        if changed {
            bits.put(u64::from(self.life.0), 16);
            bits.put(u64::from(self.revision.0), 16);
            bits.flag(self.alive);
            bits.put_small(u64::from(self.health_eighths), HEALTH_K);
            bits.put(u64::from(self.traits), 32);
        }
    }

    pub(super) fn read(
        bits: &mut BitReader<'_>,
        highest: MessageNumber,
        base: &Self,
    ) -> Result<Self, DecodeError> {
        let behind = bits.take_small_u32(APPLIED_K)?;
        let applied = highest.0.checked_sub(behind).ok_or(DecodeError::Range("applied"))?;
        let mut own = Self {
            applied: MessageNumber(applied),
            position_m: read_vec3(bits, base.position_m)?,
            velocity_m_s: read_vec3(bits, base.velocity_m_s)?,
            grounded: bits.flag()?,
            ..*base
        };
        if bits.flag()? {
            own.life = Life(bits.take_u16()?);
            own.revision = Revision(bits.take_u16()?);
            own.alive = bits.flag()?;
            own.health_eighths = read_health(bits)?;
            own.traits = bits.take_u32()?;
        }
        Ok(own)
    }

    fn rest(&self) -> (Life, Revision, bool, u16, u32) {
        (self.life, self.revision, self.alive, self.health_eighths, self.traits)
    }
}

/// Each axis: a bit for "changed", then how many bits the way has, less one, in five, and the way
/// without its top bit. The way is between the numbers' places in the order of all floats.
fn write_vec3(bits: &mut BitWriter<'_>, from: Vec3, to: Vec3) {
    for (from, to) in from.to_array().into_iter().zip(to.to_array()) {
        let way = i64::from(place_in_order(to)) - i64::from(place_in_order(from));
        let way = zigzag(i64::from(wrap_i32(way)));
        bits.flag(way != 0);
        if way != 0 {
            let low_bits = 63 - way.leading_zeros();
            bits.put(u64::from(low_bits), 5);
            bits.put(way ^ (1 << low_bits), low_bits);
        }
    }
}

fn read_vec3(bits: &mut BitReader<'_>, from: Vec3) -> Result<Vec3, DecodeError> {
    let mut axes = from.to_array();
    for axis in &mut axes {
        if bits.flag()? {
            let low_bits = u32::from(bits.take_up_to_16(5)?);
            let way = bits.take(low_bits)? | 1 << low_bits;
            let place = i64::from(place_in_order(*axis)) + unzigzag(way);
            *axis = at_place(wrap_i32(place));
        }
    }
    let read = Vec3::from_array(axes);
    if read.is_finite() { Ok(read) } else { Err(DecodeError::Range("own state")) }
}

#[expect(clippy::cast_possible_truncation, reason = "wraps on purpose, both ways alike")]
fn wrap_i32(value: i64) -> i32 {
    value as i32
}

/// Numbers the floats in their own order: near numbers have near places.
fn place_in_order(value: f32) -> i32 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 31).cast_unsigned() >> 1).cast_signed()
}

fn at_place(place: i32) -> f32 {
    let bits = place ^ ((place >> 31).cast_unsigned() >> 1).cast_signed();
    f32::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn floats_keep_their_order_and_come_back(a in any::<f32>(), b in any::<f32>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(at_place(place_in_order(a)).to_bits(), a.to_bits());
            if a < b {
                prop_assert!(place_in_order(a) < place_in_order(b));
            }
        }

        #[test]
        fn own_state_comes_back_to_the_bit(
            from in any::<[f32; 6]>(), to in any::<[f32; 6]>(), behind in 0u32..70, near in any::<bool>(),
        ) {
            let state = |v: [f32; 6]| OwnState {
                position_m: Vec3::new(v[0], v[1], v[2]),
                velocity_m_s: Vec3::new(v[3], v[4], v[5]),
                ..OwnState::default()
            };
            let base = state(from);
            let mut own = state(if near { from.map(|v| v + v * 1e-6) } else { to });
            prop_assume!(own.position_m.is_finite() && own.velocity_m_s.is_finite());
            prop_assume!(base.position_m.is_finite() && base.velocity_m_s.is_finite());
            let highest = MessageNumber(100);
            own.applied = MessageNumber(100 - behind);
            own.health_eighths = 77;
            let mut out = Vec::new();
            let mut bits = BitWriter::new(&mut out);
            own.write(&mut bits, highest, &base);
            bits.finish();
            let mut reader = BitReader::new(&out);
            prop_assert_eq!(OwnState::read(&mut reader, highest, &base), Ok(own));
            prop_assert_eq!(reader.finish(), Ok(()));
        }
    }
}
