//! One entity as every client sees it: the row of a snapshot, and of the pose history.

use crate::{EntityId, Life, Pose, WeaponId};
use serde::{Deserialize, Serialize};

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EntityKind {
    Player,
    /// Index into the mode's monsters.
    Monster(u8),
    /// A body in flight, launched by that weapon.
    Projectile(WeaponId),
}

/// One entity at one tick, quantised as it is sent. The room judges shots against exactly this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntityState {
    pub id: EntityId,
    pub kind: EntityKind,
    pub life: Life,
    pub pose: Pose,
    /// Eighths of a point of health, rounded up, so that nobody alive shows 0.
    pub health_eighths: u16,
    pub alive: bool,
    /// The pose did not come from the one before by moving: nothing may be drawn in between.
    pub teleported: bool,
    /// The weapon in hand, for drawing.
    pub held: WeaponId,
    /// Index into the mode's teams; 255 is none.
    pub team: u8,
    /// A game's own small trait, streamed with the entity and rewound with it (a shield, a stance).
    pub traits: u32,
}

impl EntityState {
    pub const NO_TEAM: u8 = u8::MAX;
}

/// Health as it is sent: eighths, rounded up and held to 16 bits; a NaN is 0.
#[must_use]
#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held to u16 first")]
pub fn health_eighths(health: f32) -> u16 {
    let eighths = (health * 8.0).clamp(0.0, 65535.0);
    // Up, without the call that `ceil` is where a processor's baseline has no instruction for it.
    let whole = eighths as u16;
    whole + u16::from(eighths > f32::from(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_sent_in_eighths_rounded_up() {
        for (health, eighths) in [
            (0.0, 0),
            (-3.0, 0),
            (0.001, 1),
            (0.125, 1),
            (0.126, 2),
            (100.0, 800),
            (8191.8, 65535),
            (1e9, 65535),
            (f32::INFINITY, 65535),
            (f32::NAN, 0),
        ] {
            assert_eq!(health_eighths(health), eighths, "{health}");
        }
    }
}
