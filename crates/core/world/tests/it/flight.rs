//! Projectiles, blasts and monsters' minds.

use crate::common::{DT_S, block, history, mode, player};
use fairshot_mode::{Block, Mode};
use fairshot_units::{EntityId, Tick};
use fairshot_world::{
    BlastHit, BodyState, Brain, Flight, Footing, History, Present, Projectile, StaticWorld,
    Surface, WalkerSize, step_walker,
};
use glam::Vec3;

struct Stage {
    world: StaticWorld,
    history: History,
    mode: Mode,
}

/// Target 1 stood at x = -6 for a while and stands at x = 0 now, 20 m ahead.
fn stage(blocks: Vec<Block>) -> Stage {
    let mode = mode(2, 0.4, blocks);
    let world = StaticWorld::build(&mode.arena);
    let mut history = history(&mode);
    for tick in 0..=64 {
        let x = if tick < 60 { -6.0 } else { 0.0 };
        history.record(Tick(tick), &[player(1, 1, Vec3::new(x, 0.0, -20.0))]);
    }
    Stage { world, history, mode }
}

impl Stage {
    fn fly(&self, projectile: &mut Projectile, spared: u16) -> (Flight, u32) {
        let now = self.history.present().unwrap();
        for tick in 1..1000 {
            let world = Present::from(&self.world);
            let flight = projectile.step(world, &now, |entity| entity.0 == spared, DT_S);
            if flight != Flight::Flying {
                return (flight, tick);
            }
        }
        (Flight::Flying, 1000)
    }
}

fn rocket() -> Projectile {
    Projectile {
        position_m: Vec3::new(0.0, 1.0, 0.0),
        velocity_m_s: Vec3::new(0.0, 0.0, -64.0),
        gravity_m_s2: 0.0,
        radius_m: 0.1,
        life_s: 5.0,
    }
}

#[test]
fn a_projectile_meets_its_target_where_it_stands_now() {
    let stage = stage(Vec::new());
    let mut projectile = rocket();
    let (flight, ticks) = stage.fly(&mut projectile, 9);
    let Flight::Struck(hit) = flight else { panic!("{flight:?}") };
    assert_eq!((hit.entity, ticks), (EntityId(1), 20));
    assert!((projectile.position_m.z + 19.5).abs() < 0.01, "{projectile:?}");
    // Nobody is hit where they stood a second ago.
    let mut projectile = Projectile { position_m: Vec3::new(-6.0, 1.0, 0.0), ..rocket() };
    assert!(matches!(stage.fly(&mut projectile, 9).0, Flight::Landed(_)));
}

#[test]
fn a_projectile_passes_through_the_spared_and_stops_at_a_wall() {
    let wall = block(Vec3::new(0.0, 1.5, -30.0), Vec3::new(3.0, 1.5, 0.5));
    let stage = stage(vec![wall]);
    let mut projectile = rocket();
    let (flight, _) = stage.fly(&mut projectile, 1);
    let Flight::Landed(hit) = flight else { panic!("{flight:?}") };
    assert_eq!(hit.surface, Surface::Block(0));
    assert!((projectile.position_m.z + 29.39).abs() < 0.01, "{projectile:?}");
}

#[test]
fn a_fast_projectile_tunnels_through_nobody_and_no_wall() {
    let wall = block(Vec3::new(6.0, 1.5, -30.0), Vec3::new(3.0, 1.5, 0.01));
    let stage = stage(vec![wall]);
    let fast = Vec3::new(0.0, 0.0, -3000.0);
    let mut projectile = Projectile { velocity_m_s: fast, ..rocket() };
    assert!(matches!(stage.fly(&mut projectile, 9), (Flight::Struck(_), 1)));
    let mut projectile =
        Projectile { velocity_m_s: fast, position_m: Vec3::new(6.0, 1.0, 0.0), ..rocket() };
    assert!(matches!(stage.fly(&mut projectile, 9), (Flight::Landed(_), 1)));
}

#[test]
fn a_thrown_body_falls_as_gravity_says_and_flies_no_longer_than_its_time() {
    let stage = stage(Vec::new());
    let mut thrown = Projectile {
        position_m: Vec3::new(10.0, 5.1, 0.0),
        velocity_m_s: Vec3::new(10.0, 0.0, 0.0),
        gravity_m_s2: 10.0,
        ..rocket()
    };
    let (flight, ticks) = stage.fly(&mut thrown, 9);
    assert!(matches!(flight, Flight::Landed(hit) if hit.surface == Surface::Ground));
    // 5 m down in 1 s.
    assert!((63..=65).contains(&ticks), "{ticks}");
    assert!((thrown.position_m.x - 20.0).abs() < 0.05, "{thrown:?}");
    let mut short = Projectile { life_s: 0.1, ..rocket() };
    assert_eq!(stage.fly(&mut short, 9), (Flight::Spent, 7));
    assert!((short.position_m.z + 6.4).abs() < 1e-3, "{short:?}");
}

#[test]
fn a_blast_reaches_who_is_near_and_not_behind_a_wall() {
    let wall = block(Vec3::new(4.0, 2.0, 0.0), Vec3::new(0.2, 2.0, 4.0));
    let mode = mode(2, 0.4, vec![wall]);
    let world = StaticWorld::build(&mode.arena);
    let mut history = history(&mode);
    let mut dead = player(4, 1, Vec3::new(0.0, 0.0, 1.0));
    dead.alive = false;
    history.record(
        Tick(1),
        &[
            player(0, 1, Vec3::new(-3.0, 0.0, 0.0)),
            player(1, 1, Vec3::new(5.0, 0.0, 0.0)),
            player(2, 1, Vec3::new(0.2, 0.0, 0.0)),
            player(3, 1, Vec3::new(0.0, 0.0, 30.0)),
            dead,
        ],
    );
    let now = history.present().unwrap();
    let mut out = Vec::new();
    let at_m = Vec3::new(0.0, 1.0, 0.0);
    now.blast(Present::from(&world), at_m, 5.0, |_| false, &mut out);
    let [far, near] = out[..] else { panic!("{out:?}") };
    assert_eq!(far.entity, EntityId(0));
    assert!((far.distance_m - 2.6).abs() < 0.01);
    assert_eq!(near, BlastHit { entity: EntityId(2), distance_m: 0.0 });
}

#[test]
fn a_monster_finds_its_prey_round_a_wall_and_the_same_way_each_time() {
    let wall = block(Vec3::new(0.0, 1.5, -5.0), Vec3::new(3.0, 1.5, 0.5));
    let stage = stage(vec![wall]);
    let prey = [Vec3::new(0.5, 0.0, -12.0), Vec3::new(0.0, 0.0, 60.0)];
    let size = WalkerSize { radius_m: 0.35, height_m: 1.6, step_height_m: 0.4 };
    let gravity = stage.mode.movement.gravity_m_s2;
    let run = |seed| {
        let mut brain = Brain::new(seed);
        let (mut state, mut footing) = (BodyState::at(Vec3::ZERO, 0), Footing::default());
        for tick in 0..64 * 60 {
            let wish = brain.think(&mut state, &prey, 3.0, 1.0);
            step_walker(&mut state, &mut footing, wish, size, gravity, &stage.world, DT_S);
            if state.position_m.distance(prey[0]) <= 1.1 {
                return (tick, state);
            }
        }
        panic!("never came: {state:?}");
    };
    for seed in 0..8 {
        assert_eq!(run(seed), run(seed));
    }
}
