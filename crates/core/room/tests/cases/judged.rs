//! What a shot hits: pellets, pierce, zones, allies, named targets, bodies in flight, flames.

use crate::kit::{A, B, Range, V, W, at, gun, mode, wall};
use fairshot_judge::{NamedTarget, Stop};
use fairshot_mode::{AmmoUse, Body, HitZone, Judge, Mode, Team, Weapon, WeaponKind, ZoneShape};
use fairshot_room::{Event, Frame, Hit, RoomInput};
use fairshot_units::{EntityId, Input, MessageNumber, Rule, WeaponId};
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);
const AHEAD: Vec3 = Vec3::new(0.0, 1.0, -10.0);

/// A shooter at the middle and targets one behind the other at 10, 12 and 14 m.
fn row_of_targets(settings: Mode) -> Range {
    let mut range = Range::new(settings, 1);
    range.join(A, |_| Vec3::ZERO);
    for (behind, target) in [B, V, W].into_iter().enumerate() {
        range.join(target, move |_| Vec3::new(0.0, 0.0, -10.0 - 2.0 * behind as f32));
    }
    range.run_to(5);
    range
}

fn hit_ids(range: &Range) -> Vec<EntityId> {
    let verdict = range.verdicts().last().expect("a verdict");
    range.hits_of(verdict).iter().map(|hit| hit.target).collect()
}

fn dealt(range: &Range) -> Vec<Hit> {
    let hits = range.out.events.iter().filter_map(|event| match event {
        Event::Hit(hit) => Some(hit.clone()),
        _ => None,
    });
    hits.collect()
}

fn head(multiplier: f32) -> HitZone {
    let shape = ZoneShape::Sphere { at_m: Vec3::new(0.0, 1.6, 0.0), radius_m: 0.25 };
    HitZone { name: "head".to_owned(), multiplier, shape }
}

#[test]
fn a_ray_hits_the_nearest_target_and_as_many_behind_it_as_it_pierces() {
    for (pierce, hits) in [(0, vec![B]), (1, vec![B, V]), (2, vec![B, V, W]), (9, vec![B, V, W])] {
        let mut range = row_of_targets(mode(vec![Weapon { pierce, ..gun(1) }]));
        range.shot(A, 1, at(5), MUZZLE, AHEAD);
        assert_eq!(hit_ids(&range), hits);
    }
}

#[test]
fn pellets_fan_level_with_the_ground_about_the_aim() {
    let fan = Weapon { pellets: 3, spread_rad: 0.1, ..gun(1) };
    let mut range = Range::new(mode(vec![fan]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(5);
    range.shot(A, 1, at(5), MUZZLE, Vec3::new(0.0, 2.0, -10.0));
    let ends: Vec<Vec3> = range.out.judgement.rays.iter().map(|ray| ray.end_m).collect();
    assert_eq!(ends.len(), 3);
    assert!(ends.iter().all(|end| (end.y - ends[1].y).abs() < 1e-3), "level: {ends:?}");
    assert!((ends[0].x + ends[2].x).abs() < 1e-3 && ends[0].x.abs() > 5.0, "{ends:?}");
    assert!(range.out.judgement.rays.iter().all(|ray| ray.stopped_by == Stop::Range));
}

#[test]
fn pellets_without_spread_hit_one_target_several_times() {
    let mut range = row_of_targets(mode(vec![Weapon { pellets: 3, damage: 2.0, ..gun(1) }]));
    range.shot(A, 1, at(5), MUZZLE, AHEAD);
    assert_eq!(hit_ids(&range), [B, B, B]);
    assert_eq!(dealt(&range).len(), 3);
    assert_eq!(range.health(B), 24.0);
}

#[test]
fn the_first_zone_on_the_line_names_the_hit_even_behind_the_bodys_front() {
    let behind = HitZone {
        name: "core".to_owned(),
        multiplier: 3.0,
        shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, 1.0, 0.3), radius_m: 0.1 },
    };
    let mut settings = mode(vec![Weapon { zone_damage: 1.5, ..gun(1) }]);
    settings.body = Body { zones: vec![head(2.0), behind], health: 100.0, ..Body::default() };
    let mut range = row_of_targets(settings);
    for (height, zone, amount) in [(1.6, Some(0), 30.0), (1.0, Some(1), 45.0), (0.5, None, 10.0)] {
        range.shot(A, 1, at(5), MUZZLE.with_y(height), AHEAD.with_y(height));
        let hits = dealt(&range);
        assert_eq!((hits[0].zone, hits[0].amount), (zone, amount), "at {height} m");
    }
}

#[test]
fn a_head_that_pokes_out_over_the_body_is_hit() {
    let mut settings = mode(vec![gun(1)]);
    let tall = HitZone {
        shape: ZoneShape::Sphere { at_m: Vec3::new(0.0, 2.2, 0.0), radius_m: 0.25 },
        ..head(2.0)
    };
    settings.body.zones = vec![tall];
    let mut range = row_of_targets(settings);
    range.shot(A, 1, at(5), MUZZLE.with_y(2.2), AHEAD.with_y(2.2));
    assert_eq!(hit_ids(&range), [B]);
    assert_eq!(range.health(B), 10.0);
}

#[test]
fn a_wall_of_the_present_world_stops_a_ray() {
    let mut settings = mode(vec![gun(1)]);
    settings.arena.blocks = vec![wall(Vec3::new(0.0, 1.0, -5.0), Vec3::new(1.0, 1.0, 0.1))];
    let mut range = row_of_targets(settings);
    range.shot(A, 1, at(5), MUZZLE, AHEAD);
    assert!(hit_ids(&range).is_empty());
    assert_eq!(range.out.judgement.rays[0].stopped_by, Stop::World);
}

#[test]
fn without_teams_and_with_friendly_fire_off_a_shot_passes_through_every_player() {
    let mut settings = mode(vec![gun(1), Weapon { friendly_fire: Some(true), ..gun(2) }]);
    settings.friendly_fire = false;
    let mut range = row_of_targets(settings);
    range.shot(A, 1, at(5), MUZZLE, AHEAD);
    assert!(hit_ids(&range).is_empty());
    range.shot(A, 2, at(5), MUZZLE, AHEAD);
    assert_eq!(hit_ids(&range), [B], "a weapon's own setting overrides it");
}

#[test]
fn with_teams_a_shot_passes_through_team_mates_alone() {
    let mut settings = mode(vec![gun(1), Weapon { friendly_fire: Some(true), ..gun(2) }]);
    settings.friendly_fire = false;
    settings.teams = vec![Team { name: "red".to_owned() }, Team { name: "blue".to_owned() }];
    let mut range = Range::new(settings, 1);
    range.join_team(A, 0, Vec3::ZERO);
    range.join_team(B, 0, Vec3::new(0.0, 0.0, -10.0));
    range.join_team(V, 1, Vec3::new(0.0, 0.0, -12.0));
    range.run_to(5);
    range.shot(A, 1, at(5), MUZZLE, AHEAD);
    assert_eq!(hit_ids(&range), [V]);
    range.shot(A, 2, at(5), MUZZLE, AHEAD);
    assert_eq!(hit_ids(&range), [B]);
}

fn trusting(pierce: u8, pellets: u8) -> Weapon {
    Weapon { judge: Judge::Client, pierce, pellets, ..gun(31) }
}

fn named(pellet: u8, target: EntityId) -> NamedTarget {
    NamedTarget { pellet, target }
}

#[test]
fn e2_one_bullet_that_names_five_players_counts_one() {
    let mut range = row_of_targets(mode(vec![trusting(0, 1)]));
    let names = [B, V, W, B, V].map(|target| named(0, target)).to_vec();
    range.fire_named(A, 31, at(5), MUZZLE, AHEAD, names);
    range.tick();
    assert!(range.verdicts()[0].outcome.is_accepted());
    assert_eq!(hit_ids(&range), [B]);
}

#[test]
fn a_client_judged_claim_counts_what_the_room_can_stand_behind() {
    let mut range = row_of_targets(mode(vec![trusting(9, 2)]));
    // Herself, an id nobody has, a pellet the weapon has not, one target twice.
    let names = vec![
        named(0, A),
        named(0, EntityId(7)),
        named(0, EntityId(4000)),
        named(0, V),
        named(0, V),
        named(1, V),
        named(2, W),
    ];
    range.fire_named(A, 31, at(5), MUZZLE, AHEAD, names);
    range.tick();
    assert_eq!(hit_ids(&range), [V, V], "once for each of its two pellets");
}

#[test]
fn a_client_judged_claim_hits_neither_the_dead_nor_a_life_her_screen_never_showed() {
    let killer = Weapon { damage: 30.0, ..gun(2) };
    let mut settings = mode(vec![trusting(9, 1), killer]);
    settings.respawn_delay_s = 0.1;
    let mut range = row_of_targets(settings);
    range.shot(A, 2, at(5), MUZZLE, AHEAD);
    range.fire_named(A, 31, at(6), MUZZLE, AHEAD, vec![named(0, B), named(0, V)]);
    range.tick();
    assert_eq!(hit_ids(&range), [V], "the dead are skipped");
    range.usual_latency(A, 29);
    range.run_to(40);
    range.fire_named(A, 31, at(12), MUZZLE, AHEAD, vec![named(0, B)]);
    range.tick();
    assert!(hit_ids(&range).is_empty(), "her screen never showed this life then");
}

#[test]
fn the_room_judges_the_zone_of_a_named_target_itself() {
    let mut settings = mode(vec![trusting(0, 1)]);
    settings.body = Body { zones: vec![head(2.0)], health: 100.0, ..Body::default() };
    let mut range = row_of_targets(settings);
    range.fire_named(A, 31, at(5), MUZZLE.with_y(1.6), AHEAD.with_y(1.6), vec![named(0, B)]);
    range.tick();
    assert_eq!(dealt(&range)[0].amount, 20.0);
    // The room's copy of the ray misses: the name counts as a hit on the body.
    range.fire_named(A, 31, at(5), MUZZLE, MUZZLE + Vec3::X, vec![named(0, B)]);
    range.tick();
    assert_eq!(dealt(&range)[0].amount, 10.0);
}

#[test]
fn a_claim_that_names_only_targets_beyond_the_weapons_range_is_refused() {
    let short = Weapon { range_m: 8.0, ..trusting(9, 1) };
    let mut range = row_of_targets(mode(vec![short]));
    range.fire_named(A, 31, at(5), MUZZLE, AHEAD, vec![named(0, V), named(0, W)]);
    range.tick();
    assert_eq!(range.verdicts()[0].outcome.refused_by(), Some(Rule::Range));
    // One within the range and the origin's tolerance is enough.
    range.fire_named(A, 31, at(5), MUZZLE, AHEAD, vec![named(0, W), named(0, B)]);
    range.tick();
    assert!(range.verdicts()[0].outcome.is_accepted());
}

#[test]
fn e4_a_projectile_is_flown_from_now_whatever_step_its_shot_names() {
    let rocket = Weapon {
        kind: WeaponKind::Projectile,
        speed_m_s: 32.0,
        damage: 25.0,
        shots_per_second: 1.0,
        ..gun(35)
    };
    let mut settings = mode(vec![rocket]);
    settings.body = Body { health: 100.0, ..Body::default() };
    let mut range = Range::new(settings, 1);
    range.join(A, |_| Vec3::ZERO);
    // In the line of fire until tick 40, beside it since.
    range.join(V, |tick| Vec3::new(if tick < 40 { 0.0 } else { 5.0 }, 0.0, -10.0));
    range.join(W, |_| Vec3::new(0.0, 0.0, -14.0));
    range.run_to(49);
    let verdict = range.shot(A, 35, at(31), MUZZLE, AHEAD);
    assert!(verdict.outcome.is_accepted());
    assert!(range.hits_of(&verdict).is_empty());
    assert!(range.out.events.iter().any(|event| matches!(event, Event::Launched { .. })));
    let mut struck = None;
    for _ in 0..64 {
        range.tick();
        if let Some(hit) = dealt(&range).first() {
            struck = Some((range.out.tick.0, hit.target, hit.amount));
            break;
        }
    }
    let (tick, target, amount) = struck.expect("it strikes");
    assert_eq!((target, amount), (W, 25.0));
    // 13.6 m at half a metre a tick.
    assert!((76..=79).contains(&tick), "struck in tick {tick}");
    assert_eq!(range.health(V), 100.0);
}

#[test]
fn a_blast_hurts_those_near_less_with_distance_and_nobody_behind_a_wall() {
    let grenade = Weapon {
        kind: WeaponKind::Projectile,
        speed_m_s: 64.0,
        damage: 40.0,
        blast_radius_m: 5.0,
        ..gun(16)
    };
    let mut settings = mode(vec![grenade]);
    settings.body = Body { health: 100.0, ..Body::default() };
    settings.arena.blocks = vec![
        wall(Vec3::new(0.0, 2.0, -12.0), Vec3::new(6.0, 2.0, 0.2)),
        wall(Vec3::new(2.5, 2.0, -10.0), Vec3::new(0.1, 2.0, 2.0)),
    ];
    let mut range = Range::new(settings, 1);
    range.join(A, |_| Vec3::ZERO);
    range.join(B, |_| Vec3::new(-1.0, 0.0, -11.0));
    range.join(V, |_| Vec3::new(-3.0, 0.0, -11.0));
    range.join(W, |_| Vec3::new(3.5, 0.0, -11.0));
    range.run_to(5);
    range.shot(A, 16, at(5), MUZZLE, AHEAD);
    range.run_to(40);
    let lost = [B, V, W].map(|entity| 100.0 - range.health(entity));
    assert!(lost[0] > lost[1] && lost[1] > 0.0, "{lost:?}");
    assert_eq!(lost[2], 0.0, "behind the wall");
}

#[test]
fn a_projectile_that_meets_nobody_ends_by_its_range() {
    let sling = Weapon { kind: WeaponKind::Projectile, range_m: 10.0, speed_m_s: 20.0, ..gun(3) };
    let mut range = Range::new(mode(vec![sling]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(5);
    range.shot(A, 3, at(5), MUZZLE, AHEAD);
    let ended = (0..64).find_map(|_| {
        range.tick();
        range.out.events.iter().find_map(|event| match event {
            Event::Ended { at_m, .. } => Some(*at_m),
            _ => None,
        })
    });
    assert!((ended.expect("it ends").z + 10.0).abs() < 0.5, "{ended:?}");
}

#[test]
fn a_continuous_weapon_acts_on_a_firing_frame_and_on_no_other() {
    let flame = Weapon {
        kind: WeaponKind::Continuous,
        ammo: AmmoUse::WhileHeld,
        range_m: 12.0,
        shots_per_second: 16.0,
        damage: 1.0,
        ..gun(37)
    };
    let mut range = row_of_targets(mode(vec![flame]));
    let mut number = 0;
    let mut frame = |firing: Option<WeaponId>, range: &mut Range| {
        number += 1;
        range.input(RoomInput::Frame(Frame {
            entity: A,
            life: range.room.life(A).expect("in the room"),
            number: MessageNumber(number),
            input: Input::default(),
            held: WeaponId(37),
            firing,
        }));
        range.tick();
        (dealt(range).len(), range.verdicts().len())
    };
    assert_eq!(frame(None, &mut range), (0, 0));
    assert_eq!(frame(Some(WeaponId(37)), &mut range), (1, 0), "a burst has hits and no verdict");
    assert_eq!(frame(None, &mut range), (0, 0));
    assert_eq!(frame(Some(WeaponId(1)), &mut range), (0, 0), "only a continuous weapon acts");
    let burst: usize = (0..64).map(|_| frame(Some(WeaponId(37)), &mut range).0).sum();
    assert!(burst <= 16 + 12, "held to its rate: {burst}");
}

#[test]
fn e5_a_swing_is_a_command_and_a_shot_of_a_melee_weapon_hits_nobody() {
    let knife = Weapon { kind: WeaponKind::Melee, ammo: AmmoUse::None, range_m: 90.0, ..gun(4) };
    let mut range = row_of_targets(mode(vec![knife]));
    let verdict = range.shot(A, 4, at(5), MUZZLE, AHEAD);
    assert_ne!(verdict.outcome.refused_by(), Some(Rule::Ammo));
    assert!(hit_ids(&range).is_empty());
}

#[test]
fn a_frame_that_says_it_fires_is_no_way_round_the_rules_of_a_shot() {
    let kinds = [
        Weapon { damage: 20.0, ..gun(1) },
        Weapon { kind: WeaponKind::Projectile, damage: 20.0, ..gun(2) },
        Weapon { kind: WeaponKind::Melee, damage: 20.0, ..gun(3) },
        Weapon { kind: WeaponKind::Continuous, damage: 20.0, ..gun(4) },
    ];
    for (weapon, held, hurts) in
        [(1, true, false), (2, true, false), (3, true, false), (4, true, true), (4, false, false)]
    {
        let mut range = Range::new(mode(kinds.to_vec()), 1);
        range.join(A, |_| Vec3::ZERO);
        range.join(V, |_| Vec3::new(0.0, 0.0, -5.0));
        range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
            room.set_held(A, (!held).then_some(&[]));
        }));
        range.run_to(40);
        range.input(fairshot_room::RoomInput::Frame(fairshot_room::Frame {
            entity: A,
            life: range.room.life(A).expect("in the room"),
            number: fairshot_units::MessageNumber(1),
            input: fairshot_units::Input { pitch: -1000, ..Default::default() },
            held: WeaponId(weapon),
            firing: Some(WeaponId(weapon)),
        }));
        range.tick();
        assert_eq!(range.health(V) < 30.0, hurts, "weapon {weapon}, held {held}");
    }
}
