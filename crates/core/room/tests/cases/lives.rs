//! Lives: an old body is never hit, and death comes after the last verdict.

use crate::kit::{A, B, Range, V, W, at, gun, mode};
use fairshot_mode::{Weapon, presets};
use fairshot_room::{Event, PlainGame, Room, RoomInput, RoomSetup, TickOutput};
use fairshot_units::{EntityId, PlayerId, RoomId};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::sync::Arc;

const EYE: Vec3 = Vec3::new(0.0, 1.0, 0.0);
const OLD: Vec3 = Vec3::new(0.0, 0.0, -10.0);
const NEW: Vec3 = Vec3::new(50.0, 0.0, -10.0);
const UP: Vec3 = Vec3::new(0.0, 1.0, 0.0);

fn range_with_a_killer() -> Range {
    let killer = Weapon { damage: 30.0, ..gun(2) };
    let mut range = Range::new(mode(vec![gun(1), killer]), 85);
    range.join(A, |_| Vec3::new(-4.0, 0.0, -4.0));
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |tick| if tick <= 100 { OLD } else { NEW });
    range.usual_latency(B, 6);
    range
}

/// Lands the three shots of the case in tick 104 and gives whom each hit.
fn three_shots(range: &mut Range) -> [Option<EntityId>; 3] {
    range.run_to(103);
    range.fire(B, 1, at(98), EYE, OLD + UP);
    range.fire(B, 1, at(98), EYE, NEW + UP);
    range.fire(B, 1, at(102), EYE, NEW + UP);
    range.tick();
    let verdicts = range.verdicts();
    assert!(verdicts.iter().all(|verdict| verdict.outcome.is_accepted()));
    [0, 1, 2].map(|shot| range.hits_of(&verdicts[shot]).first().map(|hit| hit.target))
}

#[test]
fn r01_killed_and_respawned_inside_one_tick_the_old_body_is_not_hit() {
    let mut range = range_with_a_killer();
    range.run_to(99);
    range.fire(A, 2, at(99), Vec3::new(-4.0, 1.0, -4.0), OLD + UP);
    range.tick();
    let died = range.out.events.iter().position(|e| matches!(e, Event::Died { .. }));
    let spawned = range.out.events.iter().position(|e| matches!(e, Event::Spawned { .. }));
    assert!(died.is_some() && died < spawned, "killed and granted a new life in one tick");
    assert_eq!(range.health(V), 30.0);
    assert_eq!(three_shots(&mut range), [None, None, Some(V)]);
    assert_eq!(range.health(V), 20.0);
}

/// Where every spawn is of one team or another.
#[test]
fn a_player_of_no_team_comes_in_at_a_spawn_of_any() {
    let mode = presets::competitive();
    assert!(mode.spawns.iter().all(|spawn| spawn.team.is_some()));
    let spawns: Vec<Vec3> = mode.spawns.iter().map(|spawn| spawn.position_m).collect();
    let world = Arc::new(StaticWorld::build(&mode.arena));
    let setup = RoomSetup::new(RoomId::new("r").expect("an id"), Arc::new(mode), world, 3);
    let mut room = Room::new(&setup, Box::new(PlainGame));
    let player = PlayerId::new("anna").expect("an id");
    let mut out = TickOutput::default();
    room.tick(&[RoomInput::Join { entity: A, player, team: None }], &mut out);
    let own = out.own.iter().find(|own| own.entity == A).expect("she is in");
    assert!(spawns.iter().any(|at_m| at_m.distance(own.position_m) < 0.5), "{}", own.position_m);
}

#[test]
fn r01_a_pose_recorded_for_one_player_never_hits_the_next_holder_of_her_id() {
    let mut range = range_with_a_killer();
    range.run_to(99);
    range.input(RoomInput::Leave { entity: V });
    range.tick();
    range.walk(V, |_| NEW);
    let player = PlayerId::new("another").expect("an id");
    range.input(RoomInput::Join { entity: V, player, team: None });
    assert_eq!(three_shots(&mut range), [None, None, Some(V)]);
    assert_eq!(range.health(V), 20.0);
}

#[test]
fn two_players_who_shoot_in_one_tick_both_die_whatever_the_order() {
    for order in [[A, B], [B, A]] {
        let killer = Weapon { damage: 30.0, ..gun(2) };
        let mut range = Range::new(mode(vec![killer]), 1);
        range.join(A, |_| Vec3::ZERO);
        range.join(B, |_| OLD);
        range.run_to(5);
        for shooter in order {
            let (from, to) = if shooter == A { (Vec3::ZERO, OLD) } else { (OLD, Vec3::ZERO) };
            range.fire(shooter, 2, at(5), from + UP, to + UP);
        }
        range.tick();
        let deaths: Vec<_> = range
            .out
            .events
            .iter()
            .filter_map(|event| match event {
                Event::Died { entity, killer, .. } => Some((*entity, *killer)),
                _ => None,
            })
            .collect();
        let other = |entity| if entity == A { B } else { A };
        assert_eq!(deaths, order.map(|shooter| (other(shooter), Some(shooter))));
    }
}

#[test]
fn two_shooters_hits_on_one_target_are_told_in_the_order_dealt() {
    let mut range = Range::new(mode(vec![gun(1), Weapon { damage: 25.0, ..gun(2) }]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.join(B, |_| Vec3::new(2.0, 0.0, 0.0));
    range.join(V, |_| OLD);
    range.run_to(5);
    range.fire(B, 2, at(5), Vec3::new(2.0, 1.0, 0.0), OLD + UP);
    range.fire(A, 1, at(5), EYE, OLD + UP);
    range.tick();
    let hits: Vec<_> = range
        .out
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Hit(hit) => Some((hit.source, hit.amount)),
            _ => None,
        })
        .collect();
    assert_eq!(hits, [(Some(B), 25.0), (Some(A), 10.0)]);
}

#[test]
fn a_player_joins_with_a_life_and_leaves_her_seat_free() {
    let mut range = Range::new(mode(vec![gun(1)]), 1);
    range.join(W, |_| NEW);
    range.tick();
    let first = range.room.life(W).expect("in the room");
    range.input(RoomInput::Leave { entity: W });
    range.tick();
    assert_eq!(range.room.life(W), None);
    range.join(W, |_| NEW);
    range.tick();
    assert_eq!(range.room.life(W), Some(first.next()), "the next holder has the next life");
}

#[test]
fn a_shot_fired_before_her_screen_showed_a_games_teleport_is_judged_where_she_was() {
    let mut range = Range::new(mode(vec![gun(1)]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.join(V, |_| OLD);
    range.usual_latency(A, 6);
    range.tick();
    range.script.lock().expect("one thread").paths.remove(&A);
    range.script.lock().expect("one thread").each = Some(Box::new(|room| {
        if room.tick().0 == 100 {
            room.teleport(A, NEW);
        }
    }));
    range.run_to(103);
    let seen_before = range.shot(A, 1, at(97), EYE, OLD + UP);
    assert!(seen_before.outcome.is_accepted(), "{:?}", seen_before.outcome);
    assert_eq!(range.last_hit(), Some(V));
    let seen_after = range.shot(A, 1, at(101), EYE, OLD + UP);
    assert_eq!(seen_after.outcome.refused_by(), Some(fairshot_units::Rule::Origin));
    let from_there = range.shot(A, 1, at(101), NEW + UP, NEW + UP + Vec3::NEG_Z);
    assert!(from_there.outcome.is_accepted());
    range.run_to(170);
    let long_ago = range.shot(A, 1, at(99), EYE, OLD + UP);
    assert_eq!(long_ago.outcome.refused_by(), Some(fairshot_units::Rule::Origin), "over a second");
}

#[test]
fn a_shot_of_a_gun_that_was_taken_before_her_screen_showed_it_counts() {
    let mut range = Range::new(mode(vec![gun(1), gun(2)]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.script.lock().expect("one thread").each = Some(Box::new(|room| {
        let held = if room.tick().0 < 100 { 1 } else { 2 };
        room.set_held(A, Some(&[fairshot_units::WeaponId(held)]));
    }));
    range.run_to(103);
    let held = Some(fairshot_units::Rule::Held);
    assert!(range.shot(A, 1, at(99), EYE, OLD + UP).outcome.is_accepted(), "she saw it in hand");
    assert_eq!(range.shot(A, 1, at(101), EYE, OLD + UP).outcome.refused_by(), held);
    assert!(range.shot(A, 2, at(101), EYE, OLD + UP).outcome.is_accepted());
    range.run_to(170);
    assert_eq!(range.shot(A, 1, at(99), EYE, OLD + UP).outcome.refused_by(), held);
}

#[test]
fn a_shot_left_over_from_a_seats_last_holder_is_not_the_next_ones() {
    let mut range = Range::new(mode(vec![gun(1)]), 1);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(20);
    range.fire(A, 1, at(19), EYE, OLD + UP);
    range.input(RoomInput::Leave { entity: A });
    range.join(A, |_| Vec3::ZERO);
    range.tick();
    assert!(range.verdicts().is_empty() && range.out.notices.is_empty());
    let refused = range.room.heartbeat(&mut Vec::new()).since.refused;
    assert!(refused.is_empty(), "{refused:?}");
}
