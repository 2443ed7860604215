//! One trigger pull as sent. Each shot has its own length, so that one that is none costs no other.

use super::{NAMES_MAX, UpLimits};
use crate::DecodeError;
use crate::bytes::{ByteReader, Put};
use fairshot_units::{EntityId, Life, MessageNumber, Revision, Tick, ViewStep, WeaponId};
use glam::Vec3;

/// A claim: what one pull of the trigger says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    pub number: MessageNumber,
    pub life: Life,
    pub revision: Revision,
    pub weapon: WeaponId,
    /// Rounds of the weapon's slot after it.
    pub total: u16,
    /// The frame whose input must have been applied before this is judged.
    pub frame: MessageNumber,
    /// The moment the shooter's screen showed.
    pub view: ViewStep,
    pub origin_m: Vec3,
    /// Of unit length within 1 %.
    pub direction: Vec3,
    /// What a client-judged shot says it hit, in pellet order; empty for a shot the room judges.
    pub names: Vec<Named>,
}

/// One target a pellet is said to have hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub pellet: u8,
    pub target: EntityId,
}

/// Bytes that stood where a shot should: counted under `malformed`, judged by no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MalformedShot {
    /// Where it could be read; such a shot is acknowledged like any other.
    pub number: Option<MessageNumber>,
    pub fault: ShotFault,
}

/// Why bytes are no shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum ShotFault {
    #[error("its length fits no shot")]
    Size,
    #[error("it holds a number that is not finite")]
    NotFinite,
    #[error("its direction is not of unit length within 1 %")]
    Direction,
    #[error("its origin lies beyond the arena")]
    Bounds,
    #[error("it names more targets than a shot may")]
    Names,
    #[error("its number is 0 or not above its frame's")]
    Number,
}

impl ShotFault {
    /// A short stable name, fit for a metric's label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::NotFinite => "not_finite",
            Self::Direction => "direction",
            Self::Bounds => "bounds",
            Self::Names => "names",
            Self::Number => "number",
        }
    }
}

/// Bytes of a shot that names nothing, its length byte left out.
const BODY_BYTES: usize = 45;
const NAME_BYTES: usize = 3;
const UNIT_TOLERANCE: f32 = 0.01;

impl Shot {
    /// Bytes this takes in a datagram, its length byte included.
    pub(super) fn wire_bytes(&self) -> usize {
        1 + BODY_BYTES + self.names.len().min(NAMES_MAX) * NAME_BYTES
    }

    /// Names over [`NAMES_MAX`] are left out.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let names = &self.names[..self.names.len().min(NAMES_MAX)];
        let length = BODY_BYTES + names.len() * NAME_BYTES;
        out.put_u8(length.to_le_bytes()[0]);
        out.put_u32(self.number.0);
        out.put_u16(self.life.0);
        out.put_u16(self.revision.0);
        out.put_u8(self.weapon.0);
        out.put_u16(self.total);
        out.put_u32(self.frame.0);
        out.put_u32(self.view.tick.0);
        out.put_u16(self.view.fraction);
        for value in self.origin_m.to_array().into_iter().chain(self.direction.to_array()) {
            out.put_f32(value);
        }
        for name in names {
            out.put_u8(name.pellet);
            out.put_u16(name.target.0);
        }
    }

    fn read(body: &[u8], limits: &UpLimits) -> Result<Self, ShotFault> {
        let names_bytes = body.len().checked_sub(BODY_BYTES).ok_or(ShotFault::Size)?;
        if names_bytes % NAME_BYTES != 0 {
            return Err(ShotFault::Size);
        }
        let shot =
            Self::read_fields(body, names_bytes / NAME_BYTES).map_err(|_| ShotFault::Size)?;
        shot.check(limits)?;
        Ok(shot)
    }

    fn read_fields(body: &[u8], names: usize) -> Result<Self, DecodeError> {
        let mut bytes = ByteReader::new(body);
        let mut shot = Self {
            number: MessageNumber(bytes.take_u32()?),
            life: Life(bytes.take_u16()?),
            revision: Revision(bytes.take_u16()?),
            weapon: WeaponId(bytes.take_u8()?),
            total: bytes.take_u16()?,
            frame: MessageNumber(bytes.take_u32()?),
            view: ViewStep { tick: Tick(bytes.take_u32()?), fraction: bytes.take_u16()? },
            origin_m: bytes.take_vec3()?,
            direction: bytes.take_vec3()?,
            names: Vec::with_capacity(names),
        };
        for _ in 0..names {
            let pellet = bytes.take_u8()?;
            shot.names.push(Named { pellet, target: EntityId(bytes.take_u16()?) });
        }
        bytes.finish()?;
        Ok(shot)
    }

    fn check(&self, limits: &UpLimits) -> Result<(), ShotFault> {
        if self.number.0 == 0 || self.frame.0 >= self.number.0 {
            return Err(ShotFault::Number);
        }
        if !self.origin_m.is_finite() || !self.direction.is_finite() {
            return Err(ShotFault::NotFinite);
        }
        if (self.direction.length() - 1.0).abs() > UNIT_TOLERANCE {
            return Err(ShotFault::Direction);
        }
        let inside =
            self.origin_m.cmpge(limits.min_m).all() && self.origin_m.cmple(limits.max_m).all();
        if !inside {
            return Err(ShotFault::Bounds);
        }
        if self.names.len() > NAMES_MAX {
            return Err(ShotFault::Names);
        }
        Ok(())
    }
}

/// Reads `count` shots, which must fill `bytes` exactly.
pub(super) fn read_all(
    bytes: &[u8],
    count: u16,
    limits: &UpLimits,
    shots: &mut Vec<Shot>,
    malformed: &mut Vec<MalformedShot>,
) -> Result<(), DecodeError> {
    let mut bytes = ByteReader::new(bytes);
    for _ in 0..count {
        let length = bytes.take_u8()?;
        let body = bytes.take(usize::from(length))?;
        match Shot::read(body, limits) {
            Ok(shot) => shots.push(shot),
            Err(fault) => malformed.push(MalformedShot { number: number_of(body), fault }),
        }
    }
    bytes.finish()
}

fn number_of(body: &[u8]) -> Option<MessageNumber> {
    let number = ByteReader::new(body).take_u32().ok()?;
    (number != 0).then_some(MessageNumber(number))
}
