//! What a client holds of an entity, and reading the next state of it: the other side of the layout.

use super::layout::{BROKE_BITS, HEALTH_K, PLACE_K, Widths, turns};
use super::predict::{Ahead, predict};
use crate::DecodeError;
use crate::bits::{BitReader, unzigzag};
use fairshot_units::{EntityId, EntityKind, EntityState, Life, Pose, Tick, WeaponId};

/// An entity as a client holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) state: EntityState,
    /// The snapshot it stood in.
    pub(super) tick: Tick,
    /// The newest tick at which its motion broke.
    pub(super) broke: Tick,
}

impl Value {
    /// Where it should be at `now`, from this and an older value of it.
    pub(super) fn predicted(&self, older: Option<&Self>, now: Tick) -> Pose {
        let known = older
            .filter(|older| self.tick.since(older.tick) > 0 && self.broke.since(older.tick) <= 0);
        let Some(older) = known else { return self.state.pose };
        let ahead = Ahead::new(
            now.since(self.tick).unsigned_abs(),
            self.tick.since(older.tick).unsigned_abs(),
        );
        predict(self.state.pose, older.state.pose, ahead, turns(self.state.kind))
    }
}

pub(super) fn read_delta(
    bits: &mut BitReader<'_>,
    base: &Value,
    predicted: Pose,
    now: Tick,
    widths: Widths,
) -> Result<Value, DecodeError> {
    let mut value = Value { tick: now, ..*base };
    let state = &mut value.state;
    state.pose = predicted;
    state.teleported = false;
    add(&mut state.pose.position[0], bits.take_small(widths.ground)?)?;
    add(&mut state.pose.position[2], bits.take_small(widths.ground)?)?;
    if bits.flag()? {
        state.pose.yaw = state.pose.yaw.wrapping_add(turn(bits.take_small(widths.yaw)?)?);
    }
    if !bits.flag()? {
        return Ok(value);
    }
    add(&mut state.pose.position[1], bits.take_small(widths.height)?)?;
    let raised = turn(bits.take_small(widths.pitch)?)?.cast_signed();
    state.pose.pitch = state.pose.pitch.wrapping_add(raised);
    if bits.flag()? {
        read_status(bits, state)?;
    }
    if bits.flag()? {
        state.held = WeaponId(bits.take_u8()?);
    }
    if bits.flag()? {
        state.traits = bits.take_u32()?;
    }
    if bits.flag()? {
        let ago = u32::from(bits.take_up_to_16(BROKE_BITS)?);
        value.broke = now - ago;
        state.teleported = ago == 0;
    }
    Ok(value)
}

fn add(axis: &mut i32, off: u64) -> Result<(), DecodeError> {
    let there = i64::from(*axis) + unzigzag(off);
    *axis = i32::try_from(there).map_err(|_| DecodeError::Range("position"))?;
    Ok(())
}

fn turn(off: u64) -> Result<u16, DecodeError> {
    let way = i16::try_from(unzigzag(off)).map_err(|_| DecodeError::Range("turn"))?;
    Ok(way.cast_unsigned())
}

pub(super) fn read_whole(
    bits: &mut BitReader<'_>,
    id: EntityId,
    now: Tick,
) -> Result<Value, DecodeError> {
    let kind = match bits.take(2)? {
        0 => EntityKind::Player,
        1 => EntityKind::Monster(bits.take_u8()?),
        2 => EntityKind::Projectile(WeaponId(bits.take_u8()?)),
        _ => return Err(DecodeError::Kind(3)),
    };
    let life = Life(bits.take_u16()?);
    let mut pose = Pose::default();
    for axis in &mut pose.position {
        add(axis, bits.take_small(PLACE_K)?)?;
    }
    pose.yaw = bits.take_u16()?;
    if bits.flag()? {
        pose.pitch = bits.take_u16()?.cast_signed();
    }
    let mut state = EntityState {
        id,
        kind,
        life,
        pose,
        health_eighths: 0,
        alive: false,
        teleported: false,
        held: WeaponId::FISTS,
        team: EntityState::NO_TEAM,
        traits: 0,
    };
    read_status(bits, &mut state)?;
    state.held = WeaponId(bits.take_u8()?);
    if bits.flag()? {
        state.team = bits.take_u8()?;
    }
    if bits.flag()? {
        state.traits = bits.take_u32()?;
    }
    let ago = u32::from(bits.take_u8()?);
    state.teleported = ago == 0;
    Ok(Value { state, tick: now, broke: now - ago })
}

fn read_status(bits: &mut BitReader<'_>, state: &mut EntityState) -> Result<(), DecodeError> {
    state.alive = bits.flag()?;
    state.health_eighths = read_health(bits)?;
    Ok(())
}

pub(super) fn read_health(bits: &mut BitReader<'_>) -> Result<u16, DecodeError> {
    bits.take_small_u16(HEALTH_K)
}
