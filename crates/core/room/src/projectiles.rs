//! Bodies in flight: the room flies them from now, swept each tick against the present world and the
//! present targets; the first target ends one. Nothing of a projectile is rewound.

use crate::core::Core;
use crate::damage::Damage;
use crate::{Event, HitData, HitSource, TickOutput};
use fairshot_judge::WeaponNumbers;
use fairshot_mode::Weapon;
use fairshot_units::{EntityId, EntityKind, EntityState, Life, MessageNumber, Pose, WeaponId};
use fairshot_world::{Present, Ray, TargetHits};
use glam::Vec3;

/// Bodies in flight in one room at the most; a launch beyond flies nothing.
pub const PROJECTILES_MAX: usize = 64;

/// One body in flight.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Projectile {
    pub entity: EntityId,
    pub life: Life,
    pub shooter: EntityId,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    /// Its numbers as its shooter's stats raised them at the launch.
    pub numbers: WeaponNumbers,
    pub position_m: Vec3,
    pub velocity_m_s: Vec3,
    pub ticks_left: u32,
    /// Set in the tick it left: it is drawn from there on.
    pub fresh: bool,
}

/// Those of one room. Their ids follow the monsters'.
#[derive(Debug)]
pub(crate) struct Projectiles {
    first_id: usize,
    pub(crate) flying: Vec<Projectile>,
    scratch: Box<TargetHits>,
}

impl Projectiles {
    pub(crate) fn new(first_id: usize) -> Self {
        Self { first_id, flying: Vec::new(), scratch: Box::new(TargetHits::new()) }
    }

    /// One past the last id of a room.
    pub(crate) fn ids_end(&self) -> usize {
        self.first_id + PROJECTILES_MAX
    }

    /// The lowest id nothing flies under.
    fn free_id(&self) -> Option<EntityId> {
        (self.first_id..self.ids_end())
            .filter_map(|id| u16::try_from(id).ok().map(EntityId))
            .find(|id| self.flying.iter().all(|flying| flying.entity != *id))
    }
}

/// What flies for a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub shooter: EntityId,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    pub numbers: WeaponNumbers,
    pub origin_m: Vec3,
    pub direction: Vec3,
}

/// Launches a projectile from now; `None` where the air is full.
pub(crate) fn launch(core: &mut Core, launch: &Launch, out: &mut TickOutput) -> Option<EntityId> {
    let entity = core.projectiles.free_id()?;
    let weapon = core.mode.weapons.get(launch.weapon)?;
    let life_s = if weapon.life_s > 0.0 { weapon.life_s } else { f32::MAX };
    let ticks_left = core.ticks_of(life_s.min(launch.numbers.range_m / speed_of(launch)));
    let life = core.next_life(entity);
    core.projectiles.flying.push(Projectile {
        entity,
        life,
        shooter: launch.shooter,
        number: launch.number,
        weapon: launch.weapon,
        numbers: launch.numbers,
        position_m: launch.origin_m,
        velocity_m_s: launch.direction.normalize_or(Vec3::NEG_Z) * speed_of(launch),
        ticks_left,
        fresh: true,
    });
    out.events.push(Event::Launched {
        projectile: entity,
        shooter: launch.shooter,
        weapon: launch.weapon,
        number: launch.number,
    });
    Some(entity)
}

/// Flies every projectile one tick, against the poses recorded this tick.
pub(crate) fn step(core: &mut Core, out: &mut TickOutput) {
    if core.projectiles.flying.is_empty() {
        return;
    }
    let mode = std::sync::Arc::clone(&core.mode);
    let dt_s = 1.0 / f32::from(mode.tick_hz.max(1));
    let mut flying = std::mem::take(&mut core.projectiles.flying);
    flying.retain_mut(|body| {
        let Some(weapon) = mode.weapons.get(body.weapon) else { return false };
        let at_m = match fly(core, body, weapon, dt_s) {
            Some(at_m) => at_m,
            None if body.ticks_left > 1 => {
                body.ticks_left -= 1;
                body.fresh = false;
                return true;
            }
            None => body.position_m,
        };
        if weapon.blast_radius_m > 0.0 {
            blast(core, body, weapon, at_m);
        }
        out.events.push(Event::Ended {
            projectile: body.entity,
            weapon: body.weapon,
            at_m,
            blast_radius_m: weapon.blast_radius_m,
        });
        false
    });
    core.projectiles.flying = flying;
}

pub(crate) fn state_of(body: &Projectile) -> EntityState {
    let flat = body.velocity_m_s.x.hypot(body.velocity_m_s.z);
    let yaw_rad = (-body.velocity_m_s.x).atan2(-body.velocity_m_s.z);
    EntityState {
        id: body.entity,
        kind: EntityKind::Projectile(body.weapon),
        life: body.life,
        pose: Pose::new(body.position_m, yaw_rad, body.velocity_m_s.y.atan2(flat)),
        health_eighths: 0,
        alive: true,
        teleported: body.fresh,
        held: body.weapon,
        team: EntityState::NO_TEAM,
        traits: 0,
    }
}

fn speed_of(launch: &Launch) -> f32 {
    if launch.numbers.speed_m_s > 0.0 { launch.numbers.speed_m_s } else { 20.0 }
}

/// One tick of flight; where it ended, if it struck something.
fn fly(core: &mut Core, body: &mut Projectile, weapon: &Weapon, dt_s: f32) -> Option<Vec3> {
    body.velocity_m_s.y -= weapon.gravity_m_s2 * dt_s;
    let way = body.velocity_m_s * dt_s;
    let length_m = way.length();
    if !(length_m > 0.0) {
        return None;
    }
    let direction = way / length_m;
    let radius_m = weapon.projectile_radius_m;
    let world = Present::new(&core.world, &core.movers);
    let wall = world.sweep(body.position_m, direction, length_m, radius_m);
    let range_m = wall.map_or(length_m, |hit| hit.distance_m);
    let ray = Ray { origin_m: body.position_m, direction, range_m };
    let scene = fairshot_judge::Scene {
        world,
        history: &core.history,
        mode: &core.mode,
        teams: &core.teams,
        landed: core.tick,
        clock_ticks: core.clock_ticks,
    };
    let spare_allies = !scene.friendly_fire(weapon);
    let shooter = body.shooter;
    let spares = |id: EntityId| id == shooter || (spare_allies && scene.are_allies(shooter, id));
    if let Ok(present) = core.history.present() {
        present.sweep(&ray, radius_m, 0, spares, &mut core.projectiles.scratch);
        if let Some(hit) = core.projectiles.scratch.as_slice().first().copied() {
            let at_m = body.position_m + direction * hit.distance_m;
            let kind = present.place(hit.entity).map(|past| past.kind).ok();
            let zone =
                hit.zone.zip(kind).and_then(|(zone, kind)| core.history.shapes().zone(kind, zone));
            let factor = zone.map_or(1.0, |zone| zone.multiplier * body.numbers.zone_damage);
            // The blast finds the one it struck as well: it takes one hit, the direct one.
            let damage = hit_by(body, hit.entity, hit.life, hit.zone, body.numbers.damage * factor);
            body.position_m = at_m;
            core.queue_damage(damage);
            return Some(at_m);
        }
    }
    body.position_m += direction * range_m;
    wall.map(|_| body.position_m)
}

/// Hurts everybody near, less with distance, unless the world stands between; whom it struck directly
/// is hurt by that alone. The shooter herself is hurt too.
fn blast(core: &mut Core, body: &Projectile, weapon: &Weapon, at_m: Vec3) {
    let mut hurt: Vec<Damage> = Vec::new();
    let scene = core.scene();
    let spare_allies = !scene.friendly_fire(weapon);
    let Ok(present) = core.history.present() else { return };
    for state in present.states() {
        let direct = core.damage.last().is_some_and(|last| {
            last.target == state.id
                && last.number == Some(body.number)
                && last.source == Some(body.shooter)
        });
        let spared =
            state.id != body.shooter && spare_allies && scene.are_allies(body.shooter, state.id);
        if !state.alive || direct || spared {
            continue;
        }
        let height_m = match state.kind {
            EntityKind::Player => core.mode.body.height_m,
            EntityKind::Monster(kind) => {
                core.mode.monsters.get(usize::from(kind)).map_or(0.0, |spec| spec.height_m)
            }
            EntityKind::Projectile(_) => continue,
        };
        let middle_m = state.pose.position_m() + Vec3::Y * (height_m * 0.5);
        let distance_m = middle_m.distance(at_m);
        if distance_m >= weapon.blast_radius_m {
            continue;
        }
        // A blast against a wall or the ground sits on its surface: looked at from a little nearer.
        let from_m = at_m + (middle_m - at_m) * 0.05;
        if !scene.world.is_clear(from_m, middle_m) {
            continue;
        }
        let share = 1.0 - distance_m / weapon.blast_radius_m;
        hurt.push(hit_by(body, state.id, state.life, None, body.numbers.damage * share));
    }
    for damage in hurt {
        core.queue_damage(damage);
    }
}

fn hit_by(
    body: &Projectile,
    target: EntityId,
    life: Life,
    zone: Option<u8>,
    amount: f32,
) -> Damage {
    Damage {
        target,
        target_life: life,
        source: Some(body.shooter),
        weapon: HitSource::Weapon(body.weapon),
        number: Some(body.number),
        zone,
        amount,
        data: HitData::OfWeapon,
    }
}
