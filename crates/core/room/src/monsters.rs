//! Monsters: they roam, close in on players they can reach, strike, fall and come back.

use crate::core::Core;
use crate::damage::Damage;
use crate::rng::Rng;
use crate::{HitData, HitSource};
use fairshot_mode::Mode;
use fairshot_units::{EntityId, Life, Pose, quantise_yaw};
use fairshot_world::{BodyState, Present, WalkerSize, step_walker};
use glam::{Vec2, Vec3};

/// One monster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Monster {
    pub entity: EntityId,
    /// Index into the mode's monsters.
    pub kind: u8,
    pub life: Life,
    pub body: BodyState,
    pub wish_m_s: Vec2,
    pub health: f32,
    pub alive: bool,
    pub teleported: bool,
    pub traits: u32,
    /// Ticks until it may strike again.
    pub strike_ticks: u32,
    /// Ticks until the next one stands in its place, while it is down.
    pub respawn_ticks: u32,
}

/// A monster thinks anew every so many ticks, each at its own turn, so that no tick has them all.
const THINK_TICKS: u32 = 16;
/// Players within this draw a monster.
const SIGHT_M: f32 = 20.0;
/// Kept clear of the arena's edge where monsters start.
const EDGE_M: f32 = 2.0;
/// The highest ledge they walk onto, where the mode's own movement says nothing of monsters.
const STEP_HEIGHT_M: f32 = 0.5;

/// The mode's monsters, each where the room's seed puts it.
pub(crate) fn populate(mode: &Mode, rng: &mut Rng) -> Vec<Monster> {
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
                wish_m_s: Vec2::ZERO,
                health: 0.0,
                alive: false,
                teleported: true,
                traits: 0,
                strike_ticks: 0,
                respawn_ticks: 0,
            };
            monster.rise(mode, rng);
            monsters.push(monster);
        }
    }
    monsters
}

impl Monster {
    pub(crate) fn fall(&mut self, respawn_ticks: u32) {
        self.alive = false;
        self.wish_m_s = Vec2::ZERO;
        self.respawn_ticks = respawn_ticks;
    }

    pub(crate) fn pose(&self) -> Pose {
        self.body.pose()
    }

    /// The next one in its place: a new life anywhere on the ground.
    fn rise(&mut self, mode: &Mode, rng: &mut Rng) {
        let bounds = &mode.arena.bounds;
        let low = bounds.min_m + Vec3::splat(EDGE_M);
        let size = (bounds.max_m - bounds.min_m - Vec3::splat(2.0 * EDGE_M)).max(Vec3::ZERO);
        let at_m = Vec3::new(low.x + size.x * rng.unit(), 0.0, low.z + size.z * rng.unit());
        self.life = self.life.next();
        self.body = BodyState::at(at_m, quantise_yaw(rng.unit() * std::f32::consts::TAU));
        self.health = mode.monsters[usize::from(self.kind)].health;
        self.alive = true;
        self.teleported = true;
    }
}

/// One tick of every monster.
pub(crate) fn step(core: &mut Core) {
    let hz = f32::from(core.mode.tick_hz.max(1));
    let dt_s = 1.0 / hz;
    let mode = std::sync::Arc::clone(&core.mode);
    let world = Present::new(&core.world, &core.movers);
    let mut struck: Vec<(usize, EntityId, Life)> = Vec::new();
    for (index, monster) in core.monsters.iter_mut().enumerate() {
        let Some(spec) = mode.monsters.get(usize::from(monster.kind)) else { continue };
        if !monster.alive {
            if monster.respawn_ticks > 0 {
                monster.respawn_ticks -= 1;
            } else {
                monster.rise(&mode, &mut core.rng);
                if let Some(life) = core.lives.get_mut(usize::from(monster.entity.0)) {
                    *life = monster.life;
                }
            }
            continue;
        }
        let size = WalkerSize {
            radius_m: spec.radius_m,
            height_m: spec.height_m,
            step_height_m: STEP_HEIGHT_M,
        };
        monster.strike_ticks = monster.strike_ticks.saturating_sub(1);
        let turn = core.tick.0.wrapping_add(u32::from(monster.entity.0));
        if turn.is_multiple_of(THINK_TICKS) {
            let place_m = monster.body.position_m;
            let near = nearest_player(&core.seats, place_m);
            monster.wish_m_s = match near {
                Some((_, _, to_m)) if to_m.length_squared() < SIGHT_M * SIGHT_M => {
                    let flat = Vec2::new(to_m.x, to_m.z);
                    let reach_m = spec.reach_m.max(spec.radius_m) * 0.8;
                    if flat.length() <= reach_m {
                        Vec2::ZERO
                    } else {
                        flat.normalize_or_zero() * spec.speed_m_s
                    }
                }
                _ => roam(monster, spec.speed_m_s, &mut core.rng),
            };
            if monster.wish_m_s != Vec2::ZERO {
                let facing = (-monster.wish_m_s.x).atan2(-monster.wish_m_s.y);
                monster.body.yaw = quantise_yaw(facing);
            }
        }
        step_walker(
            &mut monster.body,
            monster.wish_m_s,
            size,
            mode.movement.gravity_m_s2,
            world,
            dt_s,
        );
        if spec.reach_m > 0.0 && spec.strikes_per_second > 0.0 && monster.strike_ticks == 0 {
            let near = nearest_player(&core.seats, monster.body.position_m);
            if let Some((entity, life, to_m)) = near
                && to_m.length_squared() <= spec.reach_m * spec.reach_m
            {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float cast holds itself to u32"
                )]
                let wait = (hz / spec.strikes_per_second).ceil() as u32;
                monster.strike_ticks = wait;
                struck.push((index, entity, life));
            }
        }
    }
    for (index, target, target_life) in struck {
        let monster = &core.monsters[index];
        let damage = Damage {
            target,
            target_life,
            source: Some(monster.entity),
            weapon: HitSource::Monster(monster.kind),
            number: None,
            zone: None,
            amount: mode.monsters[usize::from(monster.kind)].damage,
            data: HitData::None,
        };
        core.queue_damage(damage);
    }
}

/// A new way at random now and then, the old one else; the other way where it was stopped.
fn roam(monster: &Monster, speed_m_s: f32, rng: &mut Rng) -> Vec2 {
    let going = Vec2::new(monster.body.velocity_m_s.x, monster.body.velocity_m_s.z);
    let stopped = going.length_squared() < 0.25 * speed_m_s * speed_m_s;
    if stopped || rng.below(8) == 0 {
        let (sin, cos) = (rng.unit() * std::f32::consts::TAU).sin_cos();
        Vec2::new(sin, cos) * speed_m_s
    } else {
        monster.wish_m_s
    }
}

fn nearest_player(
    seats: &[Option<crate::player::Player>],
    from_m: Vec3,
) -> Option<(EntityId, Life, Vec3)> {
    let mut nearest: Option<(EntityId, Life, Vec3)> = None;
    for player in seats.iter().flatten().filter(|player| player.alive) {
        let to_m = player.body.position_m - from_m;
        let nearer =
            nearest.is_none_or(|(_, _, held)| to_m.length_squared() < held.length_squared());
        if nearer {
            nearest = Some((player.entity, player.life, to_m));
        }
    }
    nearest
}
