//! Bodies in flight: the room flies them from now on, swept each tick against the present world and the
//! present targets; the first target ends one. Nothing of a projectile is rewound.

use crate::core::Core;
use crate::damage::Damage;
use crate::{Event, HitData, HitSource, TickOutput};
use fairshot_judge::Scene;
use fairshot_mode::{Weapon, WeaponNumbers};
use fairshot_units::{EntityId, EntityKind, EntityState, Life, MessageNumber, Pose, WeaponId};
use fairshot_world::{BlastHit, Flight, Present, Projectile as Body};
use glam::Vec3;

/// Bodies in flight in one room at the most; a launch beyond flies nothing.
pub const PROJECTILES_MAX: usize = 64;
/// A projectile's speed where its weapon names none, metres a second.
const SPEED_DEFAULT_M_S: f32 = 20.0;
/// Seconds a projectile flies where its weapon names none and it never meets anything.
const LIFE_DEFAULT_S: f32 = 10.0;

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
    pub body: Body,
    /// Set until a snapshot carried it: it is drawn from there on.
    pub fresh: bool,
}

/// Those of one room. Their ids follow the monsters'.
#[derive(Debug)]
pub(crate) struct Projectiles {
    first_id: usize,
    pub(crate) flying: Vec<Projectile>,
    blasted: Vec<BlastHit>,
}

impl Projectiles {
    pub(crate) fn new(first_id: usize) -> Self {
        Self { first_id, flying: Vec::new(), blasted: Vec::new() }
    }

    /// One past the last id of a room.
    pub(crate) fn ids_end(&self) -> usize {
        self.first_id + PROJECTILES_MAX
    }

    /// Whether the id is one of theirs.
    pub(crate) fn holds(&self, entity: EntityId) -> bool {
        (self.first_id..self.ids_end()).contains(&usize::from(entity.0))
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
    let speed_m_s = launch.numbers.speed_m_s;
    let speed_m_s = if speed_m_s > 0.0 { speed_m_s } else { SPEED_DEFAULT_M_S };
    let life_s = if weapon.life_s > 0.0 { weapon.life_s } else { LIFE_DEFAULT_S };
    // A range ends a flight as its time does.
    let reach_s = launch.numbers.range_m / speed_m_s;
    let body = Body {
        position_m: launch.origin_m,
        velocity_m_s: launch.direction.normalize_or(Vec3::NEG_Z) * speed_m_s,
        gravity_m_s2: weapon.gravity_m_s2,
        radius_m: weapon.projectile_radius_m,
        life_s: if reach_s > 0.0 { life_s.min(reach_s) } else { life_s },
    };
    let life = core.next_life(entity);
    core.projectiles.flying.push(Projectile {
        entity,
        life,
        shooter: launch.shooter,
        number: launch.number,
        weapon: launch.weapon,
        numbers: launch.numbers,
        body,
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
    flying.retain_mut(|projectile| {
        let Some(weapon) = mode.weapons.get(projectile.weapon) else { return false };
        let struck = match fly(core, projectile, weapon, dt_s) {
            Flight::Flying => return true,
            Flight::Struck(hit) => Some(hit),
            Flight::Landed(_) | Flight::Spent => None,
        };
        if let Some(hit) = struck {
            let factor = core.zone_factor(hit.entity, hit.zone, projectile.numbers.zone_damage);
            let amount = projectile.numbers.damage * factor;
            core.queue_damage(hit_by(projectile, hit.entity, hit.life, hit.zone, amount));
        }
        if weapon.blast_radius_m > 0.0 {
            blast(core, projectile, weapon, struck.map(|hit| hit.entity));
        }
        out.events.push(Event::Ended {
            projectile: projectile.entity,
            weapon: projectile.weapon,
            at_m: projectile.body.position_m,
            blast_radius_m: weapon.blast_radius_m,
        });
        false
    });
    core.projectiles.flying = flying;
}

pub(crate) fn state_of(projectile: &Projectile) -> EntityState {
    let velocity = projectile.body.velocity_m_s;
    let yaw_rad = (-velocity.x).atan2(-velocity.z);
    let pitch_rad = velocity.y.atan2(velocity.x.hypot(velocity.z));
    EntityState {
        id: projectile.entity,
        kind: EntityKind::Projectile(projectile.weapon),
        life: projectile.life,
        pose: Pose::new(projectile.body.position_m, yaw_rad, pitch_rad),
        health_eighths: 0,
        alive: true,
        teleported: projectile.fresh,
        held: projectile.weapon,
        team: EntityState::NO_TEAM,
        traits: 0,
    }
}

fn fly(core: &Core, projectile: &mut Projectile, weapon: &Weapon, dt_s: f32) -> Flight {
    let scene = core.scene();
    let Ok(now) = core.history.present() else { return Flight::Spent };
    let shooter = projectile.shooter;
    let spares = spared(&scene, weapon, shooter);
    projectile.body.step(scene.world, &now, |id| id == shooter || spares(id), dt_s)
}

/// Whom a shooter's projectile passes through and its blast leaves alone: her allies.
fn spared<'a>(
    scene: &'a Scene<'_>,
    weapon: &Weapon,
    shooter: EntityId,
) -> impl Fn(EntityId) -> bool + 'a {
    let spare_allies = !scene.friendly_fire(weapon);
    move |id| id != shooter && spare_allies && scene.are_allies(shooter, id)
}

/// Hurts everybody near, less with distance, unless the world stands between. Whom it struck directly
/// is hurt by that alone; its own shooter is not spared.
fn blast(core: &mut Core, projectile: &Projectile, weapon: &Weapon, struck: Option<EntityId>) {
    let mut found = std::mem::take(&mut core.projectiles.blasted);
    let world = Present::new(&core.world, &core.movers);
    if let Ok(now) = core.history.present() {
        let scene = core.scene();
        let spares = spared(&scene, weapon, projectile.shooter);
        let (at_m, radius_m) = (projectile.body.position_m, weapon.blast_radius_m);
        now.blast(world, at_m, radius_m, |id| Some(id) == struck || spares(id), &mut found);
    }
    for hit in &found {
        let share = 1.0 - hit.distance_m / weapon.blast_radius_m;
        let Some(life) = core.life(hit.entity) else { continue };
        let amount = projectile.numbers.damage * share;
        core.queue_damage(hit_by(projectile, hit.entity, life, None, amount));
    }
    core.projectiles.blasted = found;
}

fn hit_by(
    projectile: &Projectile,
    target: EntityId,
    target_life: Life,
    zone: Option<u8>,
    amount: f32,
) -> Damage {
    Damage {
        target,
        target_life,
        source: Some(projectile.shooter),
        weapon: HitSource::Weapon(projectile.weapon),
        number: Some(projectile.number),
        zone,
        amount,
        data: HitData::OfWeapon,
    }
}

impl Core {
    /// Zone multiplier x zone damage; 1 for the body.
    fn zone_factor(&self, target: EntityId, zone: Option<u8>, zone_damage: f32) -> f32 {
        let kind = match self.monster_index(target) {
            Some(index) => EntityKind::Monster(self.monsters[index].kind),
            None => EntityKind::Player,
        };
        let zone = zone.and_then(|zone| self.history.shapes().zone(kind, zone));
        zone.map_or(1.0, |zone| zone.multiplier * zone_damage)
    }
}
