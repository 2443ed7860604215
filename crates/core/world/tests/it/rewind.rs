//! The rewind's promises, by the cases that other servers got wrong.

use crate::common::{aim, block, history, hits, mode, player, view_step};
use fairshot_units::{EntityId, Life, Tick, ViewStep};
use fairshot_world::{
    History, Motion, Movers, Present, RewindError, StaticWorld, TargetHits, direction_of,
    rewind_hit_query,
};
use glam::Vec3;

const V: u16 = 1;

fn at(x: f32, z: f32) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// V stands at (0, 0, -10) until tick 99, dies in tick 100, and whoever has its id then stands at (50, 0,
/// -10) from `back` on.
fn respawned(every: u16, back: u32) -> History {
    let mut history = history(&mode(every, 0.4, Vec::new()));
    for tick in 90..=104 {
        let row = match tick {
            ..100 => vec![player(V, 1, at(0.0, -10.0))],
            _ if tick >= back => vec![player(V, 2, at(50.0, -10.0))],
            _ => Vec::new(),
        };
        history.record(Tick(tick), &row);
    }
    history
}

#[test]
fn r01_the_body_of_an_ended_life_is_never_hit_and_the_new_one_only_where_it_was() {
    for (every, back) in [(1, 100), (2, 100), (1, 101), (2, 101)] {
        let history = respawned(every, back);
        let old = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -10.0), 90.0);
        let new = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(50.0, 1.0, -10.0), 90.0);
        assert_eq!(hits(&history, 98.0, &old), []);
        assert_eq!(hits(&history, 98.0, &new), []);
        let hit = hits(&history, 102.0, &new);
        assert_eq!((hit[0].entity, hit[0].life), (EntityId(V), Life(2)));
        assert_eq!(
            history.past(EntityId(V), ViewStep::at(Tick(98))),
            Err(RewindError::Unavailable),
            "every {every}"
        );
    }
}

#[test]
fn r02_the_rewind_lands_on_the_named_step_with_any_snapshot_rate() {
    for every in [1, 2, 4] {
        let mut history = history(&mode(every, 0.2, Vec::new()));
        for tick in 90u16..=110 {
            let x = 0.5 * (f32::from(tick) - 100.0);
            history.record(Tick(tick.into()), &[player(V, 1, at(x, -20.0))]);
            if tick < 106 {
                continue;
            }
            let ray = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -20.0), 90.0);
            let hit = |view| !hits(&history, view, &ray).is_empty();
            let answers = [99.0, 99.7, 100.0, 100.3, 101.0].map(hit);
            assert_eq!(answers, [false, true, true, true, false], "every {every}, tick {tick}");
        }
    }
}

#[test]
fn a_claim_that_names_the_very_tick_it_lands_in_is_judged_on_that_ticks_pose() {
    for every in [1, 2, 4] {
        let mut history = history(&mode(every, 0.2, Vec::new()));
        for tick in 90u16..=115 {
            let x = 0.5 * (f32::from(tick) - 100.0);
            history.record(Tick(tick.into()), &[player(V, 1, at(x, -20.0))]);
            let ray = aim(Vec3::new(x, 1.0, 0.0), Vec3::new(x, 1.0, -20.0), 90.0);
            assert_eq!(hits(&history, f64::from(tick), &ray).len(), 1);
            assert_eq!(
                history.moment(view_step(f64::from(tick) + 0.1)).err(),
                Some(RewindError::Future)
            );
        }
    }
}

/// A world, a target that stands at (0, 0, -20) in ticks 90 to 104, and the trace of a ray at height 1
/// landing in 104 and naming 96.
fn shot_past(world: Present<'_>) -> (Option<EntityId>, f32) {
    let mut history = history(&mode(2, 0.4, Vec::new()));
    for tick in 90..=104 {
        history.record(Tick(tick), &[player(V, 1, at(0.0, -20.0))]);
    }
    let mut ray = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -20.0), 90.0);
    if let Some(hit) = world.cast(ray.origin_m, ray.direction, ray.range_m) {
        ray.range_m = hit.distance_m;
    }
    let mut hits = TargetHits::new();
    history.moment(view_step(96.0)).unwrap().trace(&ray, 0, |_| false, &mut hits);
    let first = hits.as_slice().first();
    (first.map(|hit| hit.entity), first.map_or(ray.range_m, |hit| hit.distance_m))
}

#[test]
fn r05_a_lift_that_came_into_the_way_since_blocks_and_a_door_that_opened_since_does_not() {
    let fixed = StaticWorld::build(&mode(2, 0.4, Vec::new()).arena);
    let plate = block(Vec3::new(0.0, 3.0, -10.0), Vec3::new(2.0, 0.1, 2.0));
    let door = block(Vec3::new(0.0, 1.5, -10.0), Vec3::new(2.0, 1.5, 0.1));
    let mut movers = Movers::new(&[plate]);
    assert_eq!(shot_past(Present::new(&fixed, &movers)).0, Some(EntityId(V)));
    let down = Vec3::new(0.0, 1.0, -10.0);
    movers.set(0, Motion::Towards { centre_m: down, speed_m_s: 1000.0 });
    movers.step(crate::common::DT_S);
    let (victim, end_m) = shot_past(Present::new(&fixed, &movers));
    assert_eq!(victim, None);
    assert!((end_m - 8.0).abs() < 1e-4, "the trace ends at the plate, not at {end_m}");

    let mut movers = Movers::new(&[door]);
    assert_eq!(shot_past(Present::new(&fixed, &movers)).0, None);
    movers.set(0, Motion::Gone);
    assert_eq!(shot_past(Present::new(&fixed, &movers)).0, Some(EntityId(V)));
}

#[test]
fn r05_a_target_on_a_lift_is_hit_where_it_was_whatever_the_lift_does_now() {
    let mut history = history(&mode(2, 0.4, Vec::new()));
    for tick in 90u16..=104 {
        let y = 0.1 * (f32::from(tick) - 96.0).max(0.0);
        history.record(Tick(tick.into()), &[player(V, 1, Vec3::new(0.0, y, -20.0))]);
    }
    let ray = aim(Vec3::new(0.0, 0.1, 0.0), Vec3::new(0.0, 0.1, -20.0), 90.0);
    assert_eq!(hits(&history, 96.0, &ray).len(), 1);
    assert_eq!(hits(&history, 104.0, &ray), []);
}

#[test]
fn d5_a_target_in_the_clear_then_and_behind_a_wall_now_is_missed() {
    let wall = block(Vec3::new(4.0, 2.0, -10.0), Vec3::new(2.0, 2.0, 0.2));
    let mode = mode(2, 0.4, vec![wall]);
    let world = StaticWorld::build(&mode.arena);
    let mut history = history(&mode);
    for tick in 90u16..=104 {
        let x = if tick < 100 { 0.0 } else { 4.0 };
        let states = [player(0, 1, at(x, 0.0)), player(V, 1, at(x, -20.0))];
        history.record(Tick(tick.into()), &states);
    }
    let shoot = |yaw| {
        let attacker = (EntityId(0), 1.0);
        rewind_hit_query(&history, Present::from(&world), attacker, Tick(97), (yaw, 0), 90.0)
    };
    // The shooter stands at x = 4 now, and the target stood at x = 0 then: the ray between them ends
    // at the present wall, though that pose was in the open.
    let yaw = fairshot_units::quantise_yaw((4.0f32 / 20.0).atan());
    let trace = shoot(yaw).unwrap();
    assert_eq!(trace.victim, None);
    assert!((trace.end_m.z + 9.8).abs() < 0.01, "{trace:?}");
    assert!((direction_of(yaw, 0).x + 4.0 / 416f32.sqrt()).abs() < 1e-3);
}

#[test]
fn the_query_says_why_a_tick_cannot_be_read_also_across_the_wrap() {
    for every in [1, 2, 3, 5] {
        let mut history = history(&mode(every, 0.4, Vec::new()));
        assert_eq!(history.moment(view_step(3.0)).err(), Some(RewindError::Unavailable));
        let start = Tick(u32::MAX - 99);
        for passed in 0..200u32 {
            let tick = start + passed;
            let states = [player(0, 1, at(0.0, 0.0)), player(V, 1, at(0.0, -20.0))];
            history.record(tick, &states);
        }
        let world = StaticWorld::build(&mode(every, 0.4, Vec::new()).arena);
        let newest = start + 199;
        let query = |tick, attacker| {
            rewind_hit_query(&history, Present::from(&world), (attacker, 1.6), tick, (0, 0), 50.0)
        };
        let shooter = EntityId(0);
        for back in 0..=64 {
            let trace = query(newest - back, shooter).unwrap();
            assert_eq!(trace.victim, Some((EntityId(V), Life(1))), "every {every}, back {back}");
        }
        assert_eq!(query(newest + 1, shooter), Err(RewindError::Future));
        assert_eq!(query(newest - 65, shooter), Err(RewindError::Expired));
        assert_eq!(query(newest - 64, EntityId(7)), Err(RewindError::Unavailable));
    }
}

#[test]
fn every_step_of_a_second_reads_the_place_a_screen_drew_across_the_wrap() {
    for every in [1u16, 2, 3, 4, 16] {
        let mut history = history(&mode(every, 0.4, Vec::new()));
        let start = Tick(u32::MAX - 149);
        let place = |passed: f64| 0.125 * passed;
        for passed in 0..300u32 {
            let x = place(f64::from(passed)) - 20.0;
            #[expect(clippy::cast_possible_truncation, reason = "small")]
            history.record(start + passed, &[player(V, 1, at(x as f32, -20.0))]);
            if passed < 90 {
                continue;
            }
            for sixteenths in 0..64 * 16u32 {
                let back = f64::from(sixteenths) / 16.0;
                let step = ViewStep::at(start + passed).back(back);
                let x = f64::from(history.past(EntityId(V), step).unwrap().pose.position_m.x);
                let right = place(f64::from(passed) - back) - 20.0;
                // A steady walk is the same line whichever snapshots it is drawn between, to the
                // quantum of a pose.
                assert!((x - right).abs() < 0.005, "every {every}, at {passed}, back {back}");
            }
        }
    }
}

#[test]
fn nothing_is_drawn_across_a_teleport_and_the_nearer_pose_stands() {
    for teleport in [100, 101] {
        let mut history = history(&mode(2, 0.4, Vec::new()));
        for tick in 90..=104 {
            let x = if tick < teleport { 0.0 } else { 10.0 };
            let mut state = player(V, 1, at(x, -20.0));
            state.teleported = tick == teleport;
            history.record(Tick(tick), &[state]);
        }
        // Sent ticks are even: a teleport in 101 is first sent with 102, and is still one there.
        let sent = f64::from(teleport + teleport % 2);
        let x = |view| history.past(EntityId(V), view_step(view)).unwrap().pose.position_m.x;
        assert_eq!([x(sent - 1.1), x(sent - 0.9), x(sent)], [0.0, 10.0, 10.0]);
        let ray = |x| aim(Vec3::new(x, 1.0, 0.0), Vec3::new(x, 1.0, -20.0), 90.0);
        for between in 1..10u8 {
            let x = f32::from(between);
            assert_eq!(hits(&history, sent - 2.0 + f64::from(x) / 5.0, &ray(x)), []);
        }
        assert_eq!(hits(&history, sent - 1.1, &ray(0.0)).len(), 1);
        assert_eq!(hits(&history, sent - 0.9, &ray(10.0)).len(), 1);
    }
}

#[test]
fn traits_and_the_living_are_those_of_the_newer_send() {
    let mut history = history(&mode(2, 0.4, Vec::new()));
    for tick in 90..=104 {
        let mut state = player(V, 1, at(0.0, -20.0));
        state.traits = tick;
        state.alive = !(98..100).contains(&tick);
        history.record(Tick(tick), &[state]);
    }
    let traits = |view| history.past(EntityId(V), view_step(view)).unwrap().traits;
    assert_eq!([traits(96.0), traits(96.1), traits(97.9), traits(98.0)], [96, 98, 98, 98]);
    let ray = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -20.0), 90.0);
    let met = |view| hits(&history, view, &ray).len();
    assert_eq!([met(96.0), met(96.2), met(98.0), met(98.2), met(100.0)], [1, 0, 0, 1, 1]);
}

#[test]
fn the_dead_and_the_gone_are_not_hit_where_they_once_stood() {
    let mut history = history(&mode(1, 0.4, Vec::new()));
    for tick in 90..=104 {
        let mut dead = player(V, 1, at(0.0, -20.0));
        dead.alive = tick < 104;
        let left = player(2, 1, at(0.0, -15.0));
        let row = if tick < 104 { vec![dead, left] } else { vec![dead] };
        history.record(Tick(tick), &row);
    }
    let ray = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -20.0), 90.0);
    assert_eq!(hits(&history, 100.0, &ray), []);
    let dead = history.past(EntityId(V), view_step(100.0)).unwrap();
    assert!(dead.alive, "a game may still read where it was");
    assert_eq!(history.past(EntityId(2), view_step(100.0)), Err(RewindError::Unavailable));
}

#[test]
fn targets_come_nearest_first_as_far_as_the_shot_pierces_and_the_spared_let_it_through() {
    let mut history = history(&mode(1, 0.4, Vec::new()));
    let states: Vec<_> =
        (0..20u16).map(|id| player(id, 1, at(0.0, -2.0 * f32::from(20 - id)))).collect();
    history.record(Tick(7), &states);
    let ray = aim(Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 1.0, -20.0), 90.0);
    let met = |pierce| {
        let mut hits = TargetHits::new();
        let moment = history.present().unwrap();
        moment.trace(&ray, pierce, |entity| entity.0 % 2 == 1, &mut hits);
        hits.as_slice().iter().map(|hit| hit.entity.0).collect::<Vec<_>>()
    };
    assert_eq!(met(0), [18]);
    assert_eq!(met(3), [18, 16, 14, 12]);
    assert_eq!(met(31).len(), 10);
}

#[test]
fn reading_the_past_changes_nothing() {
    let mode = mode(2, 0.4, Vec::new());
    let mut history = history(&mode);
    for tick in 0..200 {
        history.record(Tick(tick), &[player(0, 1, at(0.0, 0.0)), player(V, 1, at(0.0, -9.0))]);
    }
    let before = history.save();
    let world = StaticWorld::build(&mode.arena);
    let query = || {
        rewind_hit_query(
            &history,
            Present::from(&world),
            (EntityId(0), 1.6),
            Tick(170),
            (0, 0),
            50.0,
        )
    };
    let first = query();
    for view in 0..300 {
        let _ = history.past(EntityId(V), view_step(f64::from(view) + 0.3));
    }
    assert_eq!(query(), first);
    assert_eq!(history.save(), before);
}
