//! The baseline of a room's second: how one writes it first. Structs of doubles, every body against
//! every box at every step, a second of rows of structs. It allocates nothing once it runs.

use crate::plain_shot::{Pull, Room as Past};
use fairshot_mode::Mode;
use fairshot_units::{EntityId, EntityKind, EntityState, Life, Pose, Tick, ViewStep, WeaponId};
use glam::Vec3;

struct Body {
    position: [f64; 3],
    velocity: [f64; 3],
    yaw: f64,
    radius: f64,
    height: f64,
    health: f64,
    grounded: bool,
    /// Of a monster: ticks until it thinks again, and until it may strike.
    think: u32,
    strike: u32,
}

struct Cuboid {
    centre: [f64; 3],
    half: [f64; 3],
    sin: f64,
    cos: f64,
}

pub struct Plain {
    tick: Tick,
    bodies: Vec<Body>,
    boxes: Vec<Cuboid>,
    past: Past,
    sent: Vec<EntityState>,
    edge: f64,
    speed: [f64; 2],
    acceleration: f64,
    gravity: f64,
    step_height: f64,
    reach: f64,
    damage: f64,
}

const PLAYERS: usize = 4;
const DT_S: f64 = 1.0 / 64.0;

impl Plain {
    pub fn new(mode: &Mode, seed: u64) -> Self {
        let mut random = seed.wrapping_mul(977).wrapping_add(5);
        let mut unit = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            #[expect(clippy::cast_precision_loss, reason = "24 bits")]
            let unit = (random >> 40) as f64 / 16_777_216.0;
            unit * 2.0 - 1.0
        };
        let monster = &mode.monsters[0];
        let monsters = usize::from(monster.count);
        let bodies = (0..PLAYERS + monsters).map(|id| {
            let player = id < PLAYERS;
            let (radius, height) = if player {
                (mode.body.radius_m, mode.body.height_m)
            } else {
                (monster.radius_m, monster.height_m)
            };
            Body {
                position: [unit() * 55.0, 0.0, if player { 55.0 } else { unit() * 55.0 }],
                velocity: [0.0; 3],
                yaw: 0.0,
                radius: radius.into(),
                height: height.into(),
                health: if player { mode.body.health } else { monster.health }.into(),
                grounded: true,
                think: u32::try_from(id % 8).unwrap_or(0),
                strike: 0,
            }
        });
        let boxes = mode.arena.blocks.iter().map(|block| {
            let (sin, cos) = f64::from(block.yaw_rad).sin_cos();
            Cuboid { centre: point(block.centre_m), half: point(block.half_m), sin, cos }
        });
        Self {
            tick: Tick(0),
            bodies: bodies.collect(),
            boxes: boxes.collect(),
            past: Past::new(mode),
            sent: Vec::new(),
            edge: mode.arena.bounds.max_m.x.into(),
            speed: [mode.movement.run_speed_m_s.into(), monster.speed_m_s.into()],
            acceleration: mode.movement.acceleration_m_s2.into(),
            gravity: mode.movement.gravity_m_s2.into(),
            step_height: mode.movement.step_height_m.into(),
            reach: monster.reach_m.into(),
            damage: monster.damage.into(),
        }
    }

    /// One tick: four players who run as the standard room's do, the monsters, the record, the shots
    /// that are due. Returns a sum that depends on all of it.
    pub fn tick(&mut self) -> f64 {
        self.tick = self.tick.next();
        for id in 0..self.bodies.len() {
            if id < PLAYERS {
                self.run(id)
            } else {
                self.hunt(id)
            }
            self.walk(id);
        }
        self.send();
        let mut sum = 0.0;
        for who in 0..PLAYERS {
            #[expect(clippy::cast_possible_truncation, reason = "four players")]
            if (self.tick.0 + who as u32 * 11).is_multiple_of(crate::standard::SHOT_TICKS) {
                sum += self.shoot(who);
            }
        }
        sum + self.sent.len() as f64
    }

    fn run(&mut self, id: usize) {
        let body = &mut self.bodies[id];
        let turns = (u64::from(self.tick.0) * 97 + id as u64 * 9000) % 65536;
        #[expect(clippy::cast_precision_loss, reason = "16 bits")]
        {
            body.yaw = turns as f64 / 65536.0 * std::f64::consts::TAU;
        }
        let wish = [-body.yaw.sin() * self.speed[0], -body.yaw.cos() * self.speed[0]];
        let way = [wish[0] - body.velocity[0], wish[1] - body.velocity[2]];
        let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
        let share = (self.acceleration * DT_S / length.max(1e-9)).min(1.0);
        body.velocity[0] += way[0] * share;
        body.velocity[2] += way[1] * share;
    }

    /// To the nearest player, every eighth tick anew; a strike where one is in reach.
    fn hunt(&mut self, id: usize) {
        let (players, monsters) = self.bodies.split_at_mut(PLAYERS);
        let body = &mut monsters[id - PLAYERS];
        let from = body.position;
        let away = |player: &Body| {
            let (x, z) = (player.position[0] - from[0], player.position[2] - from[2]);
            (x * x + z * z).sqrt()
        };
        body.strike = body.strike.saturating_sub(1);
        if body.strike == 0
            && let Some(prey) = players.iter_mut().find(|player| away(player) <= self.reach)
        {
            prey.health = (prey.health - self.damage).max(0.0);
            body.strike = 64;
        }
        if body.think > 0 {
            body.think -= 1;
            return;
        }
        body.think = 7;
        let nearest = players.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let Some(prey) = nearest else { return };
        let distance = away(prey).max(1e-9);
        let speed = if distance <= self.reach * 0.75 { 0.0 } else { self.speed[1] };
        body.velocity[0] = (prey.position[0] - from[0]) / distance * speed;
        body.velocity[2] = (prey.position[2] - from[2]) / distance * speed;
        body.yaw = (-body.velocity[0]).atan2(-body.velocity[2]);
    }

    /// Falls or stands, is pushed out of every box it is in, and stays in the arena.
    fn walk(&mut self, id: usize) {
        let body = &mut self.bodies[id];
        body.velocity[1] = if body.grounded { 0.0 } else { body.velocity[1] - self.gravity * DT_S };
        for axis in 0..3 {
            body.position[axis] += body.velocity[axis] * DT_S;
        }
        let mut floor = 0.0f64;
        for cuboid in &self.boxes {
            let top = cuboid.centre[1] + cuboid.half[1];
            let bottom = cuboid.centre[1] - cuboid.half[1];
            let (x, z) = (body.position[0] - cuboid.centre[0], body.position[2] - cuboid.centre[2]);
            let local = [x * cuboid.cos - z * cuboid.sin, x * cuboid.sin + z * cuboid.cos];
            let out = [
                local[0] - local[0].clamp(-cuboid.half[0], cuboid.half[0]),
                local[1] - local[1].clamp(-cuboid.half[2], cuboid.half[2]),
            ];
            let distance = (out[0] * out[0] + out[1] * out[1]).sqrt();
            if distance >= body.radius || bottom > body.position[1] + body.height {
                continue;
            }
            if top <= body.position[1] + self.step_height {
                floor = floor.max(top);
                continue;
            }
            let push = body.radius - distance;
            let normal = if distance > 1e-9 {
                [out[0] / distance, out[1] / distance]
            } else {
                [1f64.copysign(local[0]), 0.0]
            };
            let normal = [
                normal[0] * cuboid.cos + normal[1] * cuboid.sin,
                normal[1] * cuboid.cos - normal[0] * cuboid.sin,
            ];
            body.position[0] += normal[0] * push;
            body.position[2] += normal[1] * push;
            let into = (body.velocity[0] * normal[0] + body.velocity[2] * normal[1]).min(0.0);
            body.velocity[0] -= normal[0] * into;
            body.velocity[2] -= normal[1] * into;
        }
        body.grounded = body.position[1] <= floor + 1e-6 || (body.grounded && floor > 0.0);
        body.position[1] = body.position[1].max(floor);
        let held = self.edge - body.radius;
        body.position[0] = body.position[0].clamp(-held, held);
        body.position[2] = body.position[2].clamp(-held, held);
    }

    /// Every entity as it is sent, and a row of it where a snapshot is due.
    fn send(&mut self) {
        self.sent.clear();
        self.sent.extend((0_u16..).zip(&self.bodies).map(|(id, body)| {
            #[expect(clippy::cast_possible_truncation, reason = "as precise as it is sent")]
            let [x, y, z, yaw, health] =
                [body.position[0], body.position[1], body.position[2], body.yaw, body.health]
                    .map(|number| number as f32);
            let player = usize::from(id) < PLAYERS;
            EntityState {
                id: EntityId(id),
                kind: if player { EntityKind::Player } else { EntityKind::Monster(0) },
                life: Life(1),
                pose: Pose::new(Vec3::new(x, y, z), yaw, 0.0),
                health_eighths: fairshot_units::health_eighths(health),
                alive: true,
                teleported: false,
                held: WeaponId(1),
                team: EntityState::NO_TEAM,
                traits: 0,
            }
        }));
        if self.tick.0.is_multiple_of(2) {
            self.past.record(self.tick, self.sent.iter().copied());
        }
    }

    fn shoot(&self, who: usize) -> f64 {
        let feet = self.sent[who].pose.position_m();
        let mark = &self.sent[PLAYERS + self.tick.0 as usize * 7 % (self.sent.len() - PLAYERS)];
        let origin_m = feet + Vec3::Y * 1.6;
        let aim_m = mark.pose.position_m() + Vec3::Y * 1.2;
        self.past.judge(&Pull {
            shooter: self.sent[who].id,
            view: ViewStep::at(self.tick).back(6.5),
            body_middle_m: feet + Vec3::Y * 0.9,
            origin_m,
            direction: (aim_m - origin_m).normalize_or(Vec3::NEG_Z),
            range_m: 60.0,
            spread_rad: 0.06,
        })
    }
}

fn point(v: Vec3) -> [f64; 3] {
    [v.x.into(), v.y.into(), v.z.into()]
}
