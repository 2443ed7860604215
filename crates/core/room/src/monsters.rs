//! Monsters: they close in on players, strike, fall and come back.

use crate::core::Core;
use crate::damage::Damage;
use crate::rng::Rng;
use crate::{HitData, HitSource};
use fairshot_mode::{Mode, Monster as Spec};
use fairshot_units::{EntityId, Life, quantise_yaw};
use fairshot_world::{BodyState, Brain, Footing, Present, StaticWorld, WalkerSize, step_walker};
use glam::Vec3;

/// One monster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Monster {
    pub entity: EntityId,
    /// Index into the mode's monsters.
    pub kind: u8,
    pub life: Life,
    pub body: BodyState,
    pub footing: Footing,
    pub brain: Brain,
    pub health: f32,
    pub alive: bool,
    pub teleported: bool,
    pub traits: u32,
    /// Ticks until it may strike again.
    pub strike_ticks: u32,
    /// Ticks until the next one stands in its place, while it is down.
    pub respawn_ticks: u32,
}

/// Somebody a monster goes for.
#[derive(Clone, Copy, Debug)]
struct Prey {
    entity: EntityId,
    life: Life,
    feet_m: Vec3,
}

/// Kept clear of the arena's edge where monsters start.
const EDGE_M: f32 = 2.0;
/// A monster takes one step for this many ticks at the most, and one for each snapshot: clients draw
/// between snapshots, so the ticks between show nothing, and half the monsters step in each of two.
const STEP_TICKS_MAX: u16 = 2;
/// How much of its reach it goes up to before it stands still to strike.
const STOP_SHARE: f32 = 0.75;

/// The mode's monsters, each where the room's seed puts it.
pub(crate) fn populate(mode: &Mode, world: &StaticWorld, rng: &mut Rng) -> Vec<Monster> {
    let mut monsters = Vec::new();
    for (kind, spec) in mode.monsters.iter().enumerate() {
        for _ in 0..spec.count {
            let index = usize::from(mode.players_max) + monsters.len();
            let Ok(index) = u16::try_from(index) else { return monsters };
            let Ok(kind) = u8::try_from(kind) else { return monsters };
            let mut monster = Monster {
                entity: EntityId(index),
                kind,
                life: Life(0),
                body: BodyState::default(),
                footing: Footing::default(),
                brain: Brain::new(rng.next_u64()),
                health: 0.0,
                alive: false,
                teleported: true,
                traits: 0,
                strike_ticks: 0,
                respawn_ticks: 0,
            };
            monster.rise(mode, world, rng);
            monsters.push(monster);
        }
    }
    monsters
}

impl Monster {
    pub(crate) fn fall(&mut self, respawn_ticks: u32) {
        self.alive = false;
        self.respawn_ticks = respawn_ticks;
    }

    /// The next one in its place: a new life anywhere on the ground.
    fn rise(&mut self, mode: &Mode, world: &StaticWorld, rng: &mut Rng) {
        let bounds = &mode.arena.bounds;
        let low = bounds.min_m + Vec3::splat(EDGE_M);
        let size = (bounds.max_m - bounds.min_m - Vec3::splat(2.0 * EDGE_M)).max(Vec3::ZERO);
        let (x_m, z_m) = (low.x + size.x * rng.unit(), low.z + size.z * rng.unit());
        // Among boxes on the floor; where there is terrain, on that.
        let terrain = world.has_scenery();
        let ground_m = if terrain { world.ground_m(x_m, z_m) } else { mode.arena.floor_m };
        let at_m = Vec3::new(x_m, ground_m, z_m);
        self.life = self.life.next();
        self.body = BodyState::at(at_m, quantise_yaw(rng.unit() * std::f32::consts::TAU));
        self.body.grounded = true;
        self.health = mode.monsters[usize::from(self.kind)].health;
        self.alive = true;
        self.teleported = true;
        self.strike_ticks = 0;
    }
}

/// One tick of every monster.
pub(crate) fn step(core: &mut Core) {
    if core.monsters.is_empty() {
        return;
    }
    let mode = std::sync::Arc::clone(&core.mode);
    let hz = f32::from(mode.tick_hz.max(1));
    let every = u32::from(mode.snapshot_every_ticks.clamp(1, STEP_TICKS_MAX));
    let dt_s = f32::from(mode.snapshot_every_ticks.clamp(1, STEP_TICKS_MAX)) / hz;
    let world = Present::new(&core.world, &core.movers);
    let mut prey_m = std::mem::take(&mut core.prey_m);
    prey_m.clear();
    prey_m.extend(alive(&core.seats).map(|prey| prey.feet_m));
    for monster in &mut core.monsters {
        let Some(spec) = mode.monsters.get(usize::from(monster.kind)) else { continue };
        if !monster.alive {
            if monster.respawn_ticks > 0 {
                monster.respawn_ticks -= 1;
            } else {
                monster.rise(&mode, &core.world, &mut core.rng);
                if let Some(life) = core.lives.get_mut(usize::from(monster.entity.0)) {
                    *life = monster.life;
                }
            }
            continue;
        }
        // `every` is 1 or 2.
        if core.tick.0.wrapping_add(u32::from(monster.entity.0)) & (every - 1) != 0 {
            continue;
        }
        let size = size_of(spec, &mode);
        let stop_m = spec.reach_m * STOP_SHARE;
        let wish = monster.brain.think(&mut monster.body, &prey_m, spec.speed_m_s, stop_m);
        let gravity = mode.movement.gravity_m_s2;
        let Monster { body, footing, .. } = &mut *monster;
        step_walker(body, footing, wish, size, gravity, world, dt_s);
        monster.strike_ticks = monster.strike_ticks.saturating_sub(every);
        if monster.strike_ticks > 0 || spec.reach_m <= 0.0 || spec.strikes_per_second <= 0.0 {
            continue;
        }
        let from_m = monster.body.position_m;
        let reach2 = spec.reach_m * spec.reach_m;
        let in_reach = |feet_m: &Vec3| feet_m.distance_squared(from_m) <= reach2;
        let prey = prey_m.iter().position(in_reach);
        if let Some(prey) = prey.and_then(|place| alive(&core.seats).nth(place)) {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a float cast holds itself to u32"
            )]
            let wait_ticks = (hz / spec.strikes_per_second).ceil() as u32;
            monster.strike_ticks = wait_ticks;
            core.damage.push(Damage {
                target: prey.entity,
                target_life: prey.life,
                source: Some(monster.entity),
                weapon: HitSource::Monster(monster.kind),
                number: None,
                zone: None,
                amount: spec.damage,
                data: HitData::None,
            });
        }
    }
    core.prey_m = prey_m;
}

/// How big a monster walks.
pub(crate) fn size_of(spec: &Spec, mode: &Mode) -> WalkerSize {
    WalkerSize {
        radius_m: spec.radius_m,
        height_m: spec.height_m,
        step_height_m: mode.movement.step_height_m,
    }
}

fn alive(seats: &[Option<crate::player::Player>]) -> impl Iterator<Item = Prey> + '_ {
    seats.iter().flatten().filter(|player| player.alive).map(|player| Prey {
        entity: player.entity,
        life: player.life,
        feet_m: player.body.position_m,
    })
}
