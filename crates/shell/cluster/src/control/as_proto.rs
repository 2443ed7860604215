//! The messages as protobuf and back, field by field: the admin API and a node in another process
//! speak the same ones.
//!
//! Reading back is total: what another process sends may be anything, and a field that is no id, no
//! slot or no number of its width is an error that names it.

mod node;
mod people;
mod rules;
mod shot;

use super::ControlError;
use fairshot_units::{Life, PlayerId, Revision, RoomId, WeaponId};

fn player(text: &str) -> Result<PlayerId, ControlError> {
    PlayerId::new(text).map_err(|error| ControlError::invalid("player", error))
}

fn room(text: &str) -> Result<RoomId, ControlError> {
    RoomId::new(text).map_err(|error| ControlError::invalid("room", error))
}

fn narrow<T: TryFrom<u32>>(field: &'static str, wide: u32) -> Result<T, ControlError> {
    T::try_from(wide).map_err(|_| ControlError::invalid(field, format!("{wide} is out of range")))
}

fn life(wide: u32) -> Result<Life, ControlError> {
    narrow("life", wide).map(Life)
}

fn revision(wide: u32) -> Result<Revision, ControlError> {
    narrow("revision", wide).map(Revision)
}

fn weapon(wide: u32) -> Result<WeaponId, ControlError> {
    narrow("weapon", wide).map(WeaponId)
}

fn missing(field: &'static str) -> ControlError {
    ControlError::invalid(field, "missing")
}
