//! What a monster wants: the nearest prey, a way round what stops it, or nothing in particular.
//! Seeded, so that the same room runs the same way again.

use crate::body::BodyState;
use fairshot_units::quantise_yaw;
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A monster's mind, part of its checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brain {
    random: u64,
    /// The way it goes, in 1/1024ths of its speed.
    heading: [i16; 2],
    /// Ticks until it thinks again.
    wait: u8,
    /// Thoughts for which it keeps a detour or a stroll.
    keep: u8,
    /// The side, 1 or -1, it last went round something.
    side: i8,
}

/// It looks about every so many ticks.
const THINK_TICKS: u8 = 8;

impl Brain {
    /// Monsters of one room take different seeds; which tick each thinks at follows from it.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut brain = Self { random: seed, heading: [0; 2], wait: 0, keep: 0, side: 1 };
        brain.side = if brain.below(2) == 0 { 1 } else { -1 };
        brain.wait = brain.below(u32::from(THINK_TICKS)) as u8;
        brain
    }

    /// The velocity over the ground (x, z) it wants this tick, for [`crate::step_walker`]; turns the
    /// body to face the way it goes. It stops within `stop_m` of its prey.
    pub fn think(
        &mut self,
        body: &mut BodyState,
        prey_m: &[Vec3],
        speed_m_s: f32,
        stop_m: f32,
    ) -> Vec2 {
        if self.wait == 0 {
            self.wait = THINK_TICKS;
            self.decide(body, prey_m, speed_m_s, stop_m);
        }
        self.wait -= 1;
        Vec2::new(f32::from(self.heading[0]), f32::from(self.heading[1])) * (speed_m_s / 1024.0)
    }

    fn decide(&mut self, body: &mut BodyState, prey_m: &[Vec3], speed_m_s: f32, stop_m: f32) {
        let at = Vec2::new(body.position_m.x, body.position_m.z);
        // What is left of the speed it wanted says whether something stands in its way.
        let speed = Vec2::new(body.velocity_m_s.x, body.velocity_m_s.z).length();
        let stuck = self.heading != [0; 2] && speed < speed_m_s * 0.5;
        let detours = self.keep > 1;
        self.keep = self.keep.saturating_sub(1);
        let nearest = prey_m
            .iter()
            .map(|prey| Vec2::new(prey.x, prey.z) - at)
            .min_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let heading = match nearest {
            Some(way) if way.length() <= stop_m => {
                self.face(body, way);
                Vec2::ZERO
            }
            _ if stuck => {
                // On round the same side, unless that is where it is stuck.
                if detours {
                    self.side = -self.side;
                }
                self.keep = 3 + self.below(5) as u8;
                let turn = Vec2::from_angle(f32::from(self.side) * 1.5);
                turn.rotate(nearest.unwrap_or(Vec2::NEG_Y).normalize_or(Vec2::NEG_Y))
            }
            _ if self.keep > 0 => return,
            Some(way) => way.normalize_or_zero(),
            None => {
                self.keep = 4 + self.below(8) as u8;
                Vec2::from_angle(self.below(64) as f32 * (std::f32::consts::TAU / 64.0))
            }
        };
        self.face(body, heading);
        self.heading = [(heading.x * 1024.0) as i16, (heading.y * 1024.0) as i16];
    }

    fn face(&self, body: &mut BodyState, way: Vec2) {
        if way != Vec2::ZERO {
            body.yaw = quantise_yaw((-way.x).atan2(-way.y));
        }
    }

    /// A number below `below`, by splitmix64.
    fn below(&mut self, below: u32) -> u32 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 32) as u32 % below
    }
}
