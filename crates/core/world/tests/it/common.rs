//! A small mode and rows for it, shared by the tests and the bench.

use fairshot_mode::{
    Ammunition, Arena, Block, Body, Bounds, Catalogue, HitZone, Mode, Monster, Movement, Rules,
    ZoneShape,
};
use fairshot_units::{EntityId, EntityKind, EntityState, Life, Pose, SlotIndex, WeaponId};
use fairshot_world::{History, Ray, TargetHit, TargetHits, TargetShapes};
use glam::Vec3;
use std::sync::Arc;

pub const DT_S: f32 = 1.0 / 64.0;

pub fn mode(snapshot_every_ticks: u16, radius_m: f32, blocks: Vec<Block>) -> Mode {
    let bounds =
        Bounds { min_m: Vec3::new(-64.0, -4.0, -64.0), max_m: Vec3::new(64.0, 60.0, 64.0) };
    Mode {
        name: "test".into(),
        tick_hz: 64,
        snapshot_every_ticks,
        players_max: 8,
        ammunition: Ammunition::Open,
        arena: Arena { bounds, blocks, ..Arena::default() },
        teams: Vec::new(),
        friendly_fire: true,
        spawns: Vec::new(),
        respawn_delay_s: 3.0,
        body: Body { radius_m, height_m: 1.8, eye_height_m: 1.6, health: 100.0, zones: Vec::new() },
        movement: movement(),
        monsters: vec![ghoul()],
        weapons: Catalogue::new(Vec::new(), [false; SlotIndex::COUNT]).unwrap(),
        loadout: Vec::new(),
        rules: Rules::default(),
        bots: fairshot_mode::Bots::default(),
        interpolation_delay_max_s: 0.2,
    }
}

pub fn movement() -> Movement {
    Movement {
        run_speed_m_s: 5.0,
        acceleration_m_s2: 60.0,
        air_acceleration_m_s2: 10.0,
        jump_speed_m_s: 5.0,
        gravity_m_s2: 15.0,
        step_height_m: 0.4,
    }
}

pub fn ghoul() -> Monster {
    Monster {
        name: "ghoul".into(),
        count: 40,
        health: 30.0,
        radius_m: 0.35,
        height_m: 1.6,
        speed_m_s: 3.0,
        reach_m: 1.0,
        damage: 5.0,
        strikes_per_second: 1.0,
        respawn_delay_s: 5.0,
        zones: vec![HitZone {
            name: "head".into(),
            multiplier: 2.0,
            shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, 1.4, -0.2), radius_m: 0.25 },
        }],
    }
}

pub fn history(mode: &Mode) -> History {
    History::new(mode, Arc::new(TargetShapes::new(mode)))
}

pub fn player(id: u16, life: u16, position_m: Vec3) -> EntityState {
    EntityState {
        id: EntityId(id),
        kind: EntityKind::Player,
        life: Life(life),
        pose: Pose::new(position_m, 0.0, 0.0),
        health_eighths: 800,
        alive: true,
        teleported: false,
        held: WeaponId::FISTS,
        team: EntityState::NO_TEAM,
        traits: 0,
    }
}

pub fn block(centre_m: Vec3, half_m: Vec3) -> Block {
    Block { centre_m, half_m, yaw_rad: 0.0 }
}

/// A ray from one point at another, `range_m` long.
pub fn aim(origin_m: Vec3, at_m: Vec3, range_m: f32) -> Ray {
    Ray { origin_m, direction: (at_m - origin_m).normalize(), range_m }
}

/// Everybody a ray meets at a view step, given as a number: 100.3 is three tenths past tick 100.
pub fn hits(history: &History, view: f64, ray: &Ray) -> Vec<TargetHit> {
    let mut hits = TargetHits::new();
    let moment = history.moment(view_step(view)).unwrap();
    moment.trace(ray, 31, |_| false, &mut hits);
    hits.as_slice().to_vec()
}

pub fn view_step(view: f64) -> fairshot_units::ViewStep {
    fairshot_units::ViewStep::at(fairshot_units::Tick(0)).back(-view)
}
