//! The bits of one entity in a snapshot, as they are written.

use super::ring::{Current, Seq};
use crate::DecodeError;
use crate::bits::{BitReader, BitWriter, small_code, zigzag};
use fairshot_units::{EntityKind, EntityState, Pose, Tick};

pub(super) const HEALTH_K: u32 = 10;
pub(super) const PLACE_K: u32 = 12;
/// Ticks since a break, in a whole entity: this many or more.
const BROKE_AGO_MAX: i32 = 255;
pub(super) const BROKE_BITS: u32 = 7;

/// How many bits typical differences have, chosen per snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Widths {
    pub(super) ground: u32,
    pub(super) height: u32,
    pub(super) yaw: u32,
    pub(super) pitch: u32,
}

const WIDTH_BITS: u32 = 4;

impl Widths {
    pub(super) fn write(self, bits: &mut BitWriter<'_>) {
        for width in [self.ground, self.height, self.yaw, self.pitch] {
            bits.put(u64::from(width), WIDTH_BITS);
        }
    }

    pub(super) fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut next = || Ok(u32::from(bits.take_up_to_16(WIDTH_BITS)?));
        Ok(Self { ground: next()?, height: next()?, yaw: next()?, pitch: next()? })
    }
}

/// What a snapshot's differences come to, from which the next one's widths follow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    ground: u64,
    deltas: u64,
    yaw: u64,
    turned: u64,
    height: u64,
    pitch: u64,
    more: u64,
}

/// A difference larger than this says nothing about typical ones.
const TYPICAL_MAX: u64 = 1 << 16;

impl Sums {
    #[inline]
    pub(super) fn add(&mut self, off: Off, more: bool) {
        self.ground += off.x.min(TYPICAL_MAX) + off.z.min(TYPICAL_MAX);
        self.deltas += 1;
        self.yaw += off.yaw;
        self.turned += u64::from(off.yaw != 0);
        if more {
            self.height += off.y.min(TYPICAL_MAX);
            self.pitch += off.pitch;
            self.more += 1;
        }
    }

    pub(super) fn any(&self) -> bool {
        self.deltas > 0
    }

    /// The widths that suit: near the mean of each.
    pub(super) fn widths(&self) -> Widths {
        let width = |sum: u64, count: u64| {
            let mean = sum.checked_div(count).unwrap_or(0);
            (63 - (mean + 1).leading_zeros()).min(15)
        };
        Widths {
            ground: width(self.ground, 2 * self.deltas),
            height: width(self.height, self.more),
            yaw: width(self.yaw, self.turned),
            pitch: width(self.pitch, self.more),
        }
    }
}

/// What a pose differs from its prediction by, ready to be sent small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Off {
    pub(super) x: u64,
    pub(super) y: u64,
    pub(super) z: u64,
    pub(super) yaw: u64,
    pub(super) pitch: u64,
}

impl Off {
    #[inline]
    pub(super) fn between(predicted: Pose, real: Pose) -> Self {
        let axis =
            |i: usize| zigzag(i64::from(real.position[i]) - i64::from(predicted.position[i]));
        Self {
            x: axis(0),
            y: axis(1),
            z: axis(2),
            yaw: zigzag(i64::from(real.yaw.wrapping_sub(predicted.yaw).cast_signed())),
            pitch: zigzag(i64::from(real.pitch.wrapping_sub(predicted.pitch))),
        }
    }

    #[inline]
    pub(super) fn is_zero(self) -> bool {
        self.x | self.y | self.z | self.yaw | self.pitch == 0
    }
}

/// What else changed of a known entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Changes {
    pub(super) status: bool,
    pub(super) held: bool,
    pub(super) traits: bool,
    /// Ticks since its motion broke, where that was after the place the client knows.
    pub(super) broke_ago: Option<u32>,
}

impl Changes {
    /// What changed of it after that slot.
    pub(super) fn since(seq: Seq, current: &Current, now: Tick) -> Self {
        Self {
            status: current.status > seq,
            held: current.held > seq,
            traits: current.traits > seq,
            broke_ago: (current.broke > seq).then(|| now.since(current.broke_tick).unsigned_abs()),
        }
    }

    #[inline]
    pub(super) fn any(self) -> bool {
        self.status || self.held || self.traits || self.broke_ago.is_some()
    }
}

/// A known entity of which only the pose differs: the two flags that say so, and the difference.
#[inline]
pub(super) fn write_moved(bits: &mut BitWriter<'_>, off: Off, widths: Widths) {
    let (x, x_bits) = small_code(off.x, widths.ground);
    let (z, z_bits) = small_code(off.z, widths.ground);
    // Mostly it all fits one word.
    let level_bits = 2 + x_bits + z_bits;
    if level_bits <= 38 {
        bits.put(0b11 | x << 2 | z << (2 + x_bits), level_bits);
    } else {
        bits.put(0b11, 2);
        bits.put(x, x_bits);
        bits.put(z, z_bits);
    }
    let more = off.y | off.pitch != 0;
    write_yaw(bits, off, more, widths);
    if more {
        bits.put_small(off.y, widths.height);
        bits.put_small(off.pitch, widths.pitch);
        // Nothing else changed: four flags.
        bits.put(0, 4);
    }
}

/// A known entity's difference after its two flags, with what else changed of it.
pub(super) fn write_delta(
    bits: &mut BitWriter<'_>,
    off: Off,
    changes: Changes,
    now: &EntityState,
    widths: Widths,
) {
    bits.put_small(off.x, widths.ground);
    bits.put_small(off.z, widths.ground);
    let more = off.y | off.pitch != 0 || changes.any();
    write_yaw(bits, off, more, widths);
    if !more {
        return;
    }
    bits.put_small(off.y, widths.height);
    bits.put_small(off.pitch, widths.pitch);
    bits.flag(changes.status);
    if changes.status {
        write_status(bits, now);
    }
    bits.flag(changes.held);
    if changes.held {
        bits.put(u64::from(now.held.0), 8);
    }
    bits.flag(changes.traits);
    if changes.traits {
        bits.put(u64::from(now.traits), 32);
    }
    bits.flag(changes.broke_ago.is_some());
    if let Some(ago) = changes.broke_ago {
        bits.put(u64::from(ago.min(127)), BROKE_BITS);
    }
}

/// A turn if there was one, and whether more follows.
#[inline]
fn write_yaw(bits: &mut BitWriter<'_>, off: Off, more: bool, widths: Widths) {
    if off.yaw == 0 {
        bits.put(u64::from(more) << 1, 2);
        return;
    }
    // A turn has 16 bits, so its code has at most 33.
    let (yaw, yaw_bits) = small_code(off.yaw, widths.yaw);
    bits.put(1 | yaw << 1 | u64::from(more) << (1 + yaw_bits), yaw_bits + 2);
}

/// Bits [`write_delta`] writes.
pub(super) fn delta_bits(off: Off, changes: Changes, now: &EntityState, widths: Widths) -> u32 {
    let small = |value: u64, k: u32| small_code(value, k).1;
    let mut bits = small(off.x, widths.ground) + small(off.z, widths.ground) + 2;
    if off.yaw != 0 {
        bits += small(off.yaw, widths.yaw);
    }
    if off.y | off.pitch != 0 || changes.any() {
        bits += small(off.y, widths.height) + small(off.pitch, widths.pitch) + 4;
        bits += if changes.status { 1 + small(now.health_eighths.into(), HEALTH_K) } else { 0 };
        bits += if changes.held { 8 } else { 0 };
        bits += if changes.traits { 32 } else { 0 };
        bits += if changes.broke_ago.is_some() { BROKE_BITS } else { 0 };
    }
    bits
}

/// Whether a body of that kind turns of its own will, and not only to face the way it goes.
pub(super) fn turns(kind: EntityKind) -> bool {
    kind == EntityKind::Player
}

/// `broke_ago` is ticks since its motion broke.
pub(super) fn write_whole(bits: &mut BitWriter<'_>, now: &EntityState, broke_ago: i32) {
    let (kind, index) = match now.kind {
        EntityKind::Player => (0, None),
        EntityKind::Monster(index) => (1, Some(index)),
        EntityKind::Projectile(weapon) => (2, Some(weapon.0)),
    };
    bits.put(kind, 2);
    if let Some(index) = index {
        bits.put(u64::from(index), 8);
    }
    bits.put(u64::from(now.life.0), 16);
    for axis in now.pose.position {
        bits.put_small(zigzag(i64::from(axis)), PLACE_K);
    }
    bits.put(u64::from(now.pose.yaw), 16);
    bits.flag(now.pose.pitch != 0);
    if now.pose.pitch != 0 {
        bits.put(u64::from(now.pose.pitch.cast_unsigned()), 16);
    }
    write_status(bits, now);
    bits.put(u64::from(now.held.0), 8);
    bits.flag(now.team != EntityState::NO_TEAM);
    if now.team != EntityState::NO_TEAM {
        bits.put(u64::from(now.team), 8);
    }
    bits.flag(now.traits != 0);
    if now.traits != 0 {
        bits.put(u64::from(now.traits), 32);
    }
    let ago = if (0..BROKE_AGO_MAX).contains(&broke_ago) { broke_ago } else { BROKE_AGO_MAX };
    bits.put(u64::from(ago.unsigned_abs()), 8);
}

fn write_status(bits: &mut BitWriter<'_>, now: &EntityState) {
    bits.flag(now.alive);
    bits.put_small(u64::from(now.health_eighths), HEALTH_K);
}
