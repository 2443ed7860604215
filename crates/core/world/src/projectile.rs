//! Bodies in flight. A projectile is never rewound: each tick it is swept against the world and the
//! targets as they are now, and its first target ends it.

use crate::history::{Moment, Ray, TargetHit, TargetHits};
use crate::scene::{Hit, Present};
use fairshot_units::EntityId;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// A launched body, straight or falling.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Projectile {
    pub position_m: Vec3,
    pub velocity_m_s: Vec3,
    /// 0 flies straight.
    pub gravity_m_s2: f32,
    pub radius_m: f32,
    /// Seconds it still flies.
    pub life_s: f32,
}

/// What a tick of flight came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flight {
    Flying,
    /// Met a target. The projectile's position is where.
    Struck(TargetHit),
    /// Met the world.
    Landed(Hit),
    /// Flew its time.
    Spent,
}

/// Projectiles stop this short of a wall, so that a blast there is not inside it.
const SHORT_M: f32 = 0.01;

impl Projectile {
    /// Flies for `dt_s`. `now` is the history's [`crate::History::present`]; `spares` names whom it
    /// passes through: its shooter, her allies.
    pub fn step(
        &mut self,
        world: Present<'_>,
        now: &Moment<'_>,
        spares: impl Fn(EntityId) -> bool,
        dt_s: f32,
    ) -> Flight {
        let time_s = dt_s.min(self.life_s).max(0.0);
        self.life_s -= time_s;
        let fall = Vec3::new(0.0, -self.gravity_m_s2 * time_s, 0.0);
        let way = (self.velocity_m_s + fall * 0.5) * time_s;
        self.velocity_m_s += fall;
        let length_m = way.length();
        if length_m > 0.0 && length_m.is_finite() {
            let direction = way / length_m;
            let origin_m = self.position_m;
            let wall = world.sweep(origin_m, direction, length_m, self.radius_m);
            let range_m = wall.map_or(length_m, |hit| hit.distance_m);
            let mut hits = TargetHits::new();
            now.sweep(&Ray { origin_m, direction, range_m }, self.radius_m, 0, spares, &mut hits);
            if let Some(hit) = hits.as_slice().first() {
                self.position_m = origin_m + direction * hit.distance_m;
                return Flight::Struck(*hit);
            }
            if let Some(hit) = wall {
                self.position_m = origin_m + direction * (range_m - SHORT_M).max(0.0);
                return Flight::Landed(hit);
            }
            self.position_m += way;
        }
        if self.life_s > 0.0 && length_m.is_finite() { Flight::Flying } else { Flight::Spent }
    }
}
