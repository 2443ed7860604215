//! A room of the bench: an arena with 50 boxes, players who run, monsters that follow them.

use fairshot_mode::{
    Ammunition, Arena, Block, Body, Bounds, Catalogue, HitZone, Mode, Monster, Movement, Rules,
    ZoneShape,
};
use fairshot_units::{
    EntityId, EntityKind, EntityState, Input, Life, SlotIndex, Tick, ViewStep, WeaponId,
};
use fairshot_world::{
    BodyState, Brain, Footing, History, LoadError, Present, Ray, StaticWorld, TargetHits,
    TargetShapes, WalkerSize, direction_of, step_body, step_walker, turned_level,
};
use glam::Vec3;
use std::sync::{Arc, OnceLock};

pub const PELLETS: usize = 3;
pub const SPREAD_RAD: f32 = 0.06;
pub const RANGE_M: f32 = 60.0;
const DT_S: f32 = 1.0 / 64.0;
const SIZE: WalkerSize = WalkerSize { radius_m: 0.4, height_m: 1.7, step_height_m: 0.4 };

#[derive(Clone, Copy)]
pub struct Crowd {
    pub players: u16,
    pub monsters: u16,
}

/// What rooms of one mode share.
pub struct Shared {
    pub mode: Mode,
    pub world: StaticWorld,
    shapes: Arc<TargetShapes>,
}

pub struct Room {
    pub shared: &'static Shared,
    pub history: History,
    pub rows: Vec<(Tick, Vec<EntityState>)>,
    crowd: Crowd,
    bodies: Vec<BodyState>,
    footings: Vec<Footing>,
    brains: Vec<Brain>,
    tick: Tick,
    states: Vec<EntityState>,
}

#[derive(Clone, Copy)]
pub struct Shot {
    pub room: usize,
    pub shooter: EntityId,
    pub view: ViewStep,
    pub body_middle_m: Vec3,
    pub origin_m: Vec3,
    pub direction: Vec3,
}

impl Shot {
    /// For the baseline.
    pub fn plain(&self) -> crate::plain::Pull {
        crate::plain::Pull {
            shooter: self.shooter,
            view: self.view,
            body_middle_m: self.body_middle_m,
            origin_m: self.origin_m,
            direction: self.direction,
            range_m: RANGE_M,
            spread_rad: SPREAD_RAD,
        }
    }
}

impl Room {
    pub fn new(seed: u64, crowd: Crowd) -> Self {
        let shared = shared();
        let mut random = seed.wrapping_mul(977).wrapping_add(5);
        let mut unit = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            #[expect(clippy::cast_precision_loss, reason = "24 bits")]
            let unit = (random >> 40) as f32 / 16_777_216.0;
            unit * 2.0 - 1.0
        };
        let bodies = (0..crowd.players + crowd.monsters)
            .map(|_| BodyState::at(Vec3::new(unit() * 45.0, 0.0, unit() * 45.0), 0))
            .collect();
        let brains = (0..crowd.monsters).map(|id| Brain::new(seed ^ u64::from(id))).collect();
        let mut room = Self {
            shared,
            history: History::new(&shared.mode, shared.shapes.clone()),
            rows: Vec::new(),
            crowd,
            bodies,
            footings: vec![Footing::default(); usize::from(crowd.monsters)],
            brains,
            tick: Tick(1000),
            states: Vec::new(),
        };
        for _ in 0..80 {
            room.run();
            room.walk();
            room.record();
            room.rows.push((room.tick, room.states.clone()));
        }
        room
    }

    /// The players' bodies, one tick.
    pub fn run(&mut self) {
        let Mode { movement, body, .. } = &self.shared.mode;
        for (id, state) in (0u16..).zip(&mut self.bodies[..usize::from(self.crowd.players)]) {
            let yaw = (self.tick.0 as u16).wrapping_mul(37).wrapping_add(id * 9000);
            let input = Input { forward: 127, yaw, ..Input::default() };
            step_body(state, &input, movement, body, &self.shared.world, DT_S);
        }
    }

    /// The monsters, one tick.
    pub fn walk(&mut self) {
        let (players, monsters) = self.bodies.split_at_mut(usize::from(self.crowd.players));
        let mut prey = [Vec3::ZERO; 4];
        for (prey, player) in prey.iter_mut().zip(players) {
            *prey = player.position_m;
        }
        let minds = self.brains.iter_mut().zip(&mut self.footings);
        for (state, (brain, footing)) in monsters.iter_mut().zip(minds) {
            let wish = brain.think(state, &prey, 3.0, 1.0);
            step_walker(state, footing, wish, SIZE, 15.0, &self.shared.world, DT_S);
        }
    }

    pub fn record(&mut self) {
        self.tick = self.tick.next();
        let players = self.crowd.players;
        self.states.clear();
        self.states.extend((0u16..).zip(&self.bodies).map(|(id, body)| EntityState {
            id: EntityId(id),
            kind: if id < players { EntityKind::Player } else { EntityKind::Monster(0) },
            life: Life(1),
            pose: body.pose(),
            health_eighths: 800,
            alive: true,
            teleported: false,
            held: WeaponId(1),
            team: EntityState::NO_TEAM,
            traits: 0,
        }));
        self.history.record(self.tick, &self.states);
    }

    /// A shot of one of the players at one of the monsters, 5 to 9 ticks back.
    pub fn shot(&self, room: usize, number: usize) -> Shot {
        let shooter = number % usize::from(self.crowd.players);
        let target =
            usize::from(self.crowd.players) + number * 7 % usize::from(self.crowd.monsters);
        let feet = self.bodies[shooter].position_m;
        let origin_m = feet + Vec3::new(0.0, 1.6, 0.0);
        let at = self.bodies[target].position_m + Vec3::new(0.0, 1.2, 0.0);
        let fallback = direction_of(0, 0);
        Shot {
            room,
            shooter: EntityId(u16::try_from(shooter).unwrap_or(0)),
            view: ViewStep::at(self.tick).back(5.3 + (number % 4) as f64),
            body_middle_m: feet + Vec3::new(0.0, 0.9, 0.0),
            origin_m,
            direction: (at - origin_m).normalize_or(fallback),
        }
    }

    /// The same second for the baseline: only what was sent is kept, as in the history.
    pub fn plain(&self) -> crate::plain::Room {
        let mut plain = crate::plain::Room::new(&self.shared.mode);
        for (tick, states) in self.rows.iter().filter(|(tick, _)| tick.0.is_multiple_of(2)) {
            plain.record(*tick, states.iter().copied());
        }
        plain
    }

    /// Cover, then each pellet against the present world and the past targets. Returns a sum that
    /// depends on every answer.
    pub fn judge(&self, shot: &Shot, hits: &mut [TargetHits; PELLETS]) -> f32 {
        let world = Present::from(&self.shared.world);
        let Ok(moment) = self.history.moment(shot.view) else { return -1.0 };
        if !world.is_clear(shot.body_middle_m, shot.origin_m) {
            return 0.0;
        }
        let mut rays = [-1.0, 0.0, 1.0].map(|pellet| Ray {
            origin_m: shot.origin_m,
            direction: turned_level(shot.direction, pellet * SPREAD_RAD),
            range_m: RANGE_M,
        });
        let near = moment.near(&rays);
        world.cut(&mut rays);
        moment.trace_near(&near, &rays, 1, |entity| entity == shot.shooter, hits);
        let mut sum = 0.0;
        for (ray, hits) in rays.iter().zip(hits) {
            sum += ray.range_m;
            for hit in hits.as_slice() {
                sum += hit.distance_m + f32::from(hit.zone.map_or(0, |zone| zone + 1));
            }
        }
        sum
    }

    pub fn load(&self, saved: &[u8]) -> Result<History, LoadError> {
        History::load(&self.shared.mode, self.shared.shapes.clone(), saved)
    }
}

fn shared() -> &'static Shared {
    static SHARED: OnceLock<Shared> = OnceLock::new();
    SHARED.get_or_init(|| {
        let mode = mode();
        let world = StaticWorld::build(&mode.arena);
        let shapes = Arc::new(TargetShapes::new(&mode));
        Shared { mode, world, shapes }
    })
}

fn mode() -> Mode {
    let bounds = Bounds { min_m: Vec3::new(-60.0, 0.0, -60.0), max_m: Vec3::new(60.0, 30.0, 60.0) };
    let blocks = (0..50u8).map(|number| {
        let n = f32::from(number);
        Block {
            centre_m: Vec3::new((n * 37.0) % 100.0 - 50.0, 1.25, (n * 61.0) % 97.0 - 48.0),
            half_m: Vec3::new(0.5 + n % 3.0, 1.25, 0.5 + n % 4.0 * 0.6),
            yaw_rad: if number % 3 == 0 { n * 0.37 } else { 0.0 },
        }
    });
    let head = |y| HitZone {
        name: "head".into(),
        multiplier: 2.0,
        shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, y, -0.1), radius_m: 0.25 },
    };
    Mode {
        name: "bench".into(),
        tick_hz: 64,
        snapshot_every_ticks: 2,
        players_max: 4,
        ammunition: Ammunition::Open,
        arena: Arena { bounds, blocks: blocks.collect(), ..Arena::default() },
        teams: Vec::new(),
        friendly_fire: true,
        spawns: Vec::new(),
        respawn_delay_s: 3.0,
        body: Body {
            radius_m: 0.4,
            height_m: 1.8,
            eye_height_m: 1.6,
            health: 100.0,
            zones: vec![head(1.6)],
        },
        movement: Movement {
            run_speed_m_s: 5.0,
            acceleration_m_s2: 60.0,
            air_acceleration_m_s2: 10.0,
            jump_speed_m_s: 5.0,
            gravity_m_s2: 15.0,
            step_height_m: 0.4,
        },
        monsters: vec![Monster {
            name: "ghoul".into(),
            count: 40,
            health: 30.0,
            radius_m: SIZE.radius_m,
            height_m: SIZE.height_m,
            speed_m_s: 3.0,
            reach_m: 1.0,
            damage: 5.0,
            strikes_per_second: 1.0,
            respawn_delay_s: 5.0,
            zones: vec![head(1.45)],
        }],
        weapons: Catalogue::new(Vec::new(), [false; SlotIndex::COUNT])
            .expect("an empty catalogue names nothing twice"),
        loadout: Vec::new(),
        rules: Rules::default(),
        bots: fairshot_mode::Bots::default(),
        interpolation_delay_max_s: 0.2,
    }
}
