//! One tick of a client: its input, what its screen showed, and its report of its weapon. The first
//! frame of a datagram is whole, each later one says what changed since the one before.

use super::{take_way, take_way_16, way, way_16};
use crate::DecodeError;
use crate::bits::{BitReader, BitWriter, unzigzag, zigzag};
use fairshot_units::{Buttons, Input, Life, MessageNumber, Revision, Tick, ViewStep, WeaponId};

/// What a client says once a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Frame {
    pub number: MessageNumber,
    pub life: Life,
    /// The last revision the client applied.
    pub revision: Revision,
    pub input: Input,
    /// The moment the client's screen showed.
    pub view: ViewStep,
    pub held: WeaponId,
    /// Rounds of the held weapon, its clip included.
    pub total: u16,
    pub clip: u16,
    /// At least one round of the held continuous weapon was spent since the frame before.
    pub firing: bool,
}

const NUMBER_K: u32 = 12;
const VIEW_TICK_K: u32 = 4;
const SMALL_K: u32 = 4;
const ROUNDS_K: u32 = 6;
const TURN_K: u32 = 6;
const DRIFT_K: u32 = 8;
/// A pitch lies within a quarter turn up or down.
const PITCH_MAX: i16 = 16384;
/// One tick in the steps of a view's fraction.
const TICK_STEPS: u64 = 1 << 16;

impl Frame {
    pub(super) fn write_first(&self, bits: &mut BitWriter<'_>, base: Tick) {
        bits.put_small(u64::from(self.number.0), NUMBER_K);
        bits.put_small(u64::from(self.life.0), SMALL_K);
        bits.put_small(u64::from(self.revision.0), SMALL_K);
        self.write_hands(bits);
        bits.put(u64::from(self.input.yaw), 16);
        bits.put(u64::from(self.input.pitch.cast_unsigned()), 16);
        bits.put_small(way(base.0, self.view.tick.0), VIEW_TICK_K);
        bits.put(u64::from(self.view.fraction), 16);
        bits.put(u64::from(self.held.0), 8);
        bits.put_small(u64::from(self.total), ROUNDS_K);
        bits.put_small(u64::from(self.clip), ROUNDS_K);
        bits.flag(self.firing);
    }

    pub(super) fn read_first(bits: &mut BitReader<'_>, base: Tick) -> Result<Self, DecodeError> {
        let mut frame = Self {
            number: MessageNumber(bits.take_small_u32(NUMBER_K)?),
            life: Life(bits.take_small_u16(SMALL_K)?),
            revision: Revision(bits.take_small_u16(SMALL_K)?),
            ..Self::default()
        };
        frame.read_hands(bits)?;
        frame.input.yaw = bits.take_u16()?;
        frame.input.pitch = check_pitch(bits.take_u16()?.cast_signed())?;
        frame.view.tick = Tick(take_way(bits, base.0, VIEW_TICK_K)?);
        frame.view.fraction = bits.take_u16()?;
        frame.held = WeaponId(bits.take_u8()?);
        frame.total = bits.take_small_u16(ROUNDS_K)?;
        frame.clip = bits.take_small_u16(ROUNDS_K)?;
        frame.firing = bits.flag()?;
        if frame.number.0 == 0 {
            return Err(DecodeError::Range("message number"));
        }
        Ok(frame)
    }

    /// `before` has a lower number.
    pub(super) fn write_after(&self, bits: &mut BitWriter<'_>, before: &Self) {
        bits.put_small(u64::from(self.number.0.wrapping_sub(before.number.0).wrapping_sub(1)), 0);
        let moves = self.hands() != before.hands();
        bits.flag(moves);
        if moves {
            self.write_hands(bits);
        }
        self.write_look(bits, before);
        self.write_view(bits, before);
        bits.flag(self.firing);
        let inventory = self.inventory() != before.inventory();
        bits.flag(inventory);
        if inventory {
            bits.put_small(way_16(before.life.0, self.life.0), 0);
            bits.put_small(way_16(before.revision.0, self.revision.0), 0);
            bits.flag(self.held != before.held);
            if self.held != before.held {
                bits.put(u64::from(self.held.0), 8);
            }
            bits.put_small(way_16(before.total, self.total), 1);
            bits.put_small(way_16(before.clip, self.clip), 1);
        }
    }

    pub(super) fn read_after(bits: &mut BitReader<'_>, before: &Self) -> Result<Self, DecodeError> {
        let mut frame = *before;
        let ahead = u64::from(before.number.0) + 1 + bits.take_small(0)?;
        frame.number =
            MessageNumber(u32::try_from(ahead).map_err(|_| DecodeError::Range("message number"))?);
        if bits.flag()? {
            frame.read_hands(bits)?;
        }
        frame.read_look(bits)?;
        frame.read_view(bits)?;
        frame.firing = bits.flag()?;
        if bits.flag()? {
            frame.life = Life(take_way_16(bits, before.life.0, 0)?);
            frame.revision = Revision(take_way_16(bits, before.revision.0, 0)?);
            if bits.flag()? {
                frame.held = WeaponId(bits.take_u8()?);
            }
            frame.total = take_way_16(bits, before.total, 1)?;
            frame.clip = take_way_16(bits, before.clip, 1)?;
        }
        Ok(frame)
    }

    fn hands(&self) -> (i8, i8, Buttons) {
        (self.input.forward, self.input.right, self.input.buttons)
    }

    fn inventory(&self) -> (Life, Revision, WeaponId, u16, u16) {
        (self.life, self.revision, self.held, self.total, self.clip)
    }

    fn write_hands(&self, bits: &mut BitWriter<'_>) {
        bits.put(u64::from(self.input.forward.cast_unsigned()), 8);
        bits.put(u64::from(self.input.right.cast_unsigned()), 8);
        bits.put(u64::from(self.input.buttons.0), 8);
    }

    fn read_hands(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        self.input.forward = bits.take_u8()?.cast_signed();
        self.input.right = bits.take_u8()?.cast_signed();
        self.input.buttons = Buttons(bits.take_u8()?);
        Ok(())
    }

    fn write_look(&self, bits: &mut BitWriter<'_>, before: &Self) {
        let turned = self.input.yaw != before.input.yaw || self.input.pitch != before.input.pitch;
        bits.flag(turned);
        if turned {
            bits.put_small(way_16(before.input.yaw, self.input.yaw), TURN_K);
            let [from, to] = [before.input.pitch, self.input.pitch].map(i16::cast_unsigned);
            bits.put_small(way_16(from, to), TURN_K);
        }
    }

    fn read_look(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        if bits.flag()? {
            self.input.yaw = take_way_16(bits, self.input.yaw, TURN_K)?;
            let pitch = take_way_16(bits, self.input.pitch.cast_unsigned(), TURN_K)?;
            self.input.pitch = check_pitch(pitch.cast_signed())?;
        }
        Ok(())
    }

    /// A view that went on by exactly one tick is one bit.
    fn write_view(&self, bits: &mut BitWriter<'_>, before: &Self) {
        let due = steps(before.view).wrapping_add(TICK_STEPS);
        // The way wraps with the tick: 48 bits, signed.
        let drift = ((steps(self.view).wrapping_sub(due) << 16).cast_signed()) >> 16;
        bits.flag(drift != 0);
        if drift == 0 {
            return;
        }
        let small = zigzag(drift);
        let is_small = small < 1 << 34;
        bits.flag(is_small);
        if is_small {
            bits.put_small(small, DRIFT_K);
        } else {
            bits.put(steps(self.view), 48);
        }
    }

    fn read_view(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        let due = steps(self.view).wrapping_add(TICK_STEPS);
        self.view = if !bits.flag()? {
            view_of(due)
        } else if bits.flag()? {
            let drift = unzigzag(bits.take_small(DRIFT_K)?);
            view_of(due.wrapping_add(drift.cast_unsigned()))
        } else {
            view_of(bits.take(48)?)
        };
        Ok(())
    }
}

fn check_pitch(pitch: i16) -> Result<i16, DecodeError> {
    if (-PITCH_MAX..=PITCH_MAX).contains(&pitch) {
        Ok(pitch)
    } else {
        Err(DecodeError::Range("pitch"))
    }
}

/// A view as 48 bits: the tick, then its fraction.
fn steps(view: ViewStep) -> u64 {
    u64::from(view.tick.0) << 16 | u64::from(view.fraction)
}

fn view_of(steps: u64) -> ViewStep {
    let [a, b, c, d, e, f, ..] = steps.to_le_bytes();
    ViewStep { tick: Tick(u32::from_le_bytes([c, d, e, f])), fraction: u16::from_le_bytes([a, b]) }
}
