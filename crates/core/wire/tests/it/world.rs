//! A room's worth of entities that move as players and monsters do.

use crate::rng::Rng;
use fairshot_units::{
    EntityId, EntityKind, EntityState, Life, Pose, WeaponId, quantise_position, quantise_yaw,
};
use fairshot_wire::snapshot::OwnState;
use glam::{Vec2, Vec3};

pub struct Bodies {
    pub rng: Rng,
    bodies: Vec<Body>,
}

struct Body {
    state: EntityState,
    at_m: Vec3,
    heading: Vec2,
    speed_m_s: f32,
    /// Ticks to the next change of heading.
    wait: u64,
    /// Players turn all the time; monsters face the way they go.
    turn: i32,
    present: bool,
}

impl Bodies {
    pub fn new(seed: u64, players: u16, monsters: u16) -> Self {
        let mut rng = Rng::new(seed);
        let bodies = (0..players + monsters)
            .map(|id| {
                let kind = if id < players { EntityKind::Player } else { EntityKind::Monster(0) };
                let at_m = Vec3::new(rng.unit() * 60.0 - 30.0, 0.0, rng.unit() * 60.0 - 30.0);
                Body {
                    state: EntityState {
                        id: EntityId(id),
                        kind,
                        life: Life(1),
                        pose: Pose::default(),
                        health_eighths: 800,
                        alive: true,
                        teleported: false,
                        held: WeaponId(2),
                        team: EntityState::NO_TEAM,
                        traits: 0,
                    },
                    at_m,
                    heading: Vec2::X,
                    speed_m_s: if id < players { 5.0 } else { 3.2 },
                    wait: rng.below(8),
                    turn: 0,
                    present: true,
                }
            })
            .collect();
        Self { rng, bodies }
    }

    /// One tick of 64 a second. Monsters change their heading every eighth tick a little and run on.
    pub fn step(&mut self) {
        for body in &mut self.bodies {
            body.state.teleported = false;
            let is_player = body.state.kind == EntityKind::Player;
            if body.wait == 0 {
                body.wait = if is_player { 16 + self.rng.below(32) } else { 8 };
                let towards = Vec2::new(-body.at_m.x, -body.at_m.z) * 0.02;
                let angle = (self.rng.unit() - 0.5) * if is_player { 6.0 } else { 0.5 };
                body.heading =
                    Vec2::from_angle(angle).rotate(body.heading + towards).normalize_or(Vec2::X);
                body.turn = i32::from(self.rng.u8()) - 128;
            }
            body.wait -= 1;
            let way = body.heading * (body.speed_m_s / 64.0);
            body.at_m += Vec3::new(way.x, 0.0, way.y);
            let pose = &mut body.state.pose;
            pose.position = quantise_position(body.at_m);
            if is_player {
                let turn = i16::try_from(body.turn * 2 + self.rng.below(64) as i32).unwrap();
                pose.yaw = pose.yaw.wrapping_add_signed(turn);
                let pitch = i32::from(pose.pitch) + self.rng.below(65) as i32 - 32;
                pose.pitch = i16::try_from(pitch.clamp(-9000, 9000)).unwrap();
            } else {
                pose.yaw = quantise_yaw((-body.heading.x).atan2(-body.heading.y));
            }
        }
    }

    /// Deaths, respawns, teleports, comings and goings, at `percent` a tick each.
    pub fn upset(&mut self, percent: u64) {
        for index in 0..self.bodies.len() {
            if !self.rng.chance(percent) {
                continue;
            }
            let what = self.rng.below(7);
            let far = Vec3::new(self.rng.unit() * 900.0, self.rng.unit() * 40.0, -3.0);
            let body = &mut self.bodies[index];
            match what {
                0 => body.state.alive = !body.state.alive,
                1 => {
                    body.state.life = body.state.life.next();
                    body.at_m = far;
                }
                2 => {
                    body.state.teleported = true;
                    body.at_m = far;
                }
                3 => body.present = !body.present,
                4 => body.state.health_eighths = self.rng.u16(),
                5 => body.state.held = WeaponId(self.rng.u8()),
                _ => body.state.traits = self.rng.u32(),
            }
            body.state.pose.position = quantise_position(body.at_m);
        }
    }

    pub fn states(&self) -> Vec<EntityState> {
        self.bodies.iter().filter(|body| body.present).map(|body| body.state).collect()
    }

    pub fn own(&self, id: u16) -> OwnState {
        let body = &self.bodies[usize::from(id)];
        let way = body.heading * body.speed_m_s;
        OwnState {
            position_m: body.at_m,
            velocity_m_s: Vec3::new(way.x, 0.0, way.y),
            grounded: true,
            life: body.state.life,
            health_eighths: body.state.health_eighths,
            alive: body.state.alive,
            ..OwnState::default()
        }
    }

    pub fn pose(&self, id: u16) -> Pose {
        self.bodies[usize::from(id)].state.pose
    }
}
