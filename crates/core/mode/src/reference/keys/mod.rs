//! The tables themselves, one file a part of a mode.

mod arena;
mod bodies;
mod file;
mod rules;
mod weapons;

pub use file::MODE;
pub(crate) use rules::{ORIGIN, RATE, RELOAD, REWIND, RULES};
pub(crate) use weapons::STAT;

use super::{Key, Kind, Preset};

const fn key(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    default: Preset,
    what: &'static str,
) -> Key {
    Key { name, kind, unit, default, what }
}

/// No coordinate lies further out than this, in metres.
const COORDINATE_M_MAX: f32 = 4096.0;
/// Health is sent in eighths in 16 bits.
const HEALTH_MAX: f32 = 8191.0;
