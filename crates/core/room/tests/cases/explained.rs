//! What is told of a shot beside its verdict: whom its rays passed, and every rule it could meet.

use crate::kit::*;
use fairshot_judge::{Claim, Pass, Ray, Spared, Verdict, aimed, passes};
use fairshot_mode::{Catalogue, Mode, Rules};
use fairshot_units::{MessageNumber, Rule, SlotIndex, WeaponId};
use glam::Vec3;

const EYES_M: Vec3 = Vec3::new(0.0, 0.9, 0.0);

/// A fires from where she stands along -Z; the passes of that shot.
fn passed(range: &mut Range, aim_m: Vec3) -> (Verdict, Vec<Pass>) {
    let landing = range.room.tick_now().next();
    let verdict = range.shot(A, 30, at(landing.0), EYES_M, aim_m);
    let claim = Claim {
        number: MessageNumber(0),
        weapon: WeaponId(30),
        view: verdict.named,
        origin_m: EYES_M,
        direction: (aim_m - EYES_M).normalize(),
        names: Vec::new(),
    };
    let scene = range.room.scene();
    let weapon = scene.mode.weapons.get(WeaponId(30)).expect("the gun");
    let rays: Vec<Ray> = match verdict.outcome.is_accepted() {
        true => range.out.judgement.rays_of(&verdict).to_vec(),
        false => vec![aimed(&scene, &claim, weapon)],
    };
    let mut out = Vec::new();
    passes(&scene, &claim, &verdict, weapon, &rays, &mut out);
    (verdict, out)
}

fn range_with(mode: Mode, target_m: Vec3) -> Range {
    let mut range = Range::new(mode, 1);
    range.join(A, |_| Vec3::ZERO);
    range.join(V, move |_| target_m);
    range.run_to(8);
    range
}

#[test]
fn a_miss_tells_how_near_the_ray_passed_and_where_the_target_stood() {
    let mut range = range_with(mode(vec![gun(30)]), Vec3::new(0.8, 0.0, -20.0));
    let (verdict, near) = passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
    assert!(verdict.outcome.is_accepted());
    assert_eq!(verdict.shooter_m, EYES_M, "the middle of a body of 1.8 m");
    let [pass] = &near[..] else { panic!("one target: {near:?}") };
    assert_eq!((pass.target, pass.spared), (V, None));
    assert!((pass.passed_m - 0.8).abs() < 0.01, "{pass:?}");
    assert!((pass.distance_m - 20.0).abs() < 0.05, "{pass:?}");
    assert!(pass.stood.position_m().distance(Vec3::new(0.8, 0.0, -20.0)) < 0.01, "{pass:?}");
}

#[test]
fn a_target_further_than_five_metres_from_the_ray_is_not_told_of() {
    let mut range = range_with(mode(vec![gun(30)]), Vec3::new(5.2, 0.0, -20.0));
    let (_, near) = passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
    assert!(near.is_empty(), "{near:?}");
}

#[test]
fn a_wall_an_ally_and_a_death_are_named_as_what_spared_a_target() {
    let mut walled = mode(vec![gun(30)]);
    walled.arena.blocks.push(wall(Vec3::new(0.0, 1.0, -10.0), Vec3::new(3.0, 2.0, 0.5)));
    let mut range = range_with(walled, Vec3::new(0.0, 0.0, -20.0));
    let (_, near) = passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
    assert_eq!(near[0].spared, Some(Spared::Wall));

    let friends = Mode { friendly_fire: false, ..mode(vec![gun(30)]) };
    let mut range = range_with(friends, Vec3::new(0.0, 0.0, -20.0));
    let (_, near) = passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
    assert_eq!(near[0].spared, Some(Spared::Ally));

    let slow = Mode { respawn_delay_s: 10.0, ..mode(vec![gun(30)]) };
    let mut range = range_with(slow, Vec3::new(0.0, 0.0, -20.0));
    // Ten damage of thirty, three times.
    for _ in 0..3 {
        passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
        let next = range.room.tick_now() + 8;
        range.run_to(next.0);
    }
    let (verdict, near) = passed(&mut range, Vec3::new(0.0, 0.9, -20.0));
    assert!(range.hits_of(&verdict).is_empty());
    assert_eq!(near[0].spared, Some(Spared::Dead));
}

#[test]
fn a_refused_shot_tells_whom_its_aim_would_have_met() {
    let mut range = range_with(mode(vec![gun(30)]), Vec3::new(0.0, 0.0, -20.0));
    let landing = range.room.tick_now().next();
    let far_m = Vec3::new(0.0, 0.9, -4.0);
    let verdict = range.shot(A, 30, at(landing.0), far_m, Vec3::new(0.0, 0.9, -20.0));
    assert_eq!(verdict.outcome.refused_by(), Some(Rule::Origin));
    let claim = Claim {
        number: verdict.number,
        weapon: verdict.weapon,
        view: verdict.named,
        origin_m: far_m,
        direction: Vec3::NEG_Z,
        names: Vec::new(),
    };
    let scene = range.room.scene();
    let weapon = scene.mode.weapons.get(verdict.weapon).expect("the gun");
    let ray = aimed(&scene, &claim, weapon);
    assert!((ray.end_m.z + 94.0).abs() < 0.01, "its range is 90 m: {ray:?}");
    let mut near = Vec::new();
    passes(&scene, &claim, &verdict, weapon, &[ray], &mut near);
    assert_eq!(near.len(), 1);
    assert!(near[0].passed_m < 0.01 && (near[0].distance_m - 16.0).abs() < 0.05, "{near:?}");
}

#[test]
fn every_rule_of_a_weapon_is_told_in_its_order_and_whether_it_is_on() {
    let mut without = gun(30);
    without.rules = Rules { cover: false, rate: None, ..without.rules };
    let range = Range::new(
        Mode {
            weapons: Catalogue::new(vec![without], [false; SlotIndex::COUNT]).expect("weapons"),
            ..mode(Vec::new())
        },
        1,
    );
    let weapon = range.room.mode().weapons.get(WeaponId(30)).expect("the gun");
    let told: Vec<(&str, bool)> =
        range.room.rules_of(weapon).map(|(rule, on)| (rule.label(), on)).collect();
    let order = [
        "weapon", "armed", "late", "held", "ammo", "rate", "origin", "cover", "rewind", "range",
        "reload",
    ];
    assert_eq!(told.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), order);
    let off: Vec<&str> = told.iter().filter(|(_, on)| !on).map(|(rule, _)| *rule).collect();
    assert_eq!(off, ["rate", "cover", "reload"], "a game turns reload on");
}
