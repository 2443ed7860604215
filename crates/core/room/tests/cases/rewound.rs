//! The rewind: on the named step, held near the measured latency, of targets only.

use crate::kit::{A, B, Range, V, at, gun, mode, step, wall};
use fairshot_mode::{Body, RewindRule, Weapon};
use fairshot_units::{Rule, Tick, ViewStep};
use fairshot_world::Motion;
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);

/// A target in line with x at `z = -20`, moving so many metres a tick from `x = 0` at tick `zero`.
fn moving(metres: f32, zero: u32) -> impl Fn(u32) -> Vec3 + Send + 'static {
    move |tick| Vec3::new(metres * (tick as f32 - zero as f32), 0.0, -20.0)
}

fn steps_of(view: ViewStep) -> f64 {
    view.since(ViewStep::at(Tick(0)))
}

fn narrow_target(snapshot_every: u16) -> Range {
    let mut settings = mode(vec![Weapon { rules: without_rate(), ..gun(1) }]);
    settings.body = Body { radius_m: 0.2, health: 1000.0, ..Body::default() };
    settings.snapshot_every_ticks = snapshot_every;
    let mut range = Range::new(settings, 90);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, moving(0.5, 100));
    range
}

fn without_rate() -> fairshot_mode::Rules {
    fairshot_mode::Rules { rate: None, ..fairshot_mode::Rules::default() }
}

const R02: [(f64, bool); 5] =
    [(99.0, false), (99.7, true), (100.0, true), (100.3, true), (101.0, false)];

#[test]
fn r02_the_rewind_lands_on_the_named_step_one_shot_a_tick() {
    for snapshot_every in [1, 2] {
        let mut range = narrow_target(snapshot_every);
        range.usual_latency(B, 8);
        range.run_to(105);
        for (view, hits) in R02 {
            let verdict = range.shot(B, 1, step(view), MUZZLE, MUZZLE + Vec3::NEG_Z);
            assert_eq!(range.last_hit(), hits.then_some(V), "view {view}");
            assert!((steps_of(verdict.judged) - view).abs() < 1e-4);
        }
        assert_eq!(range.out.tick, Tick(110));
    }
}

#[test]
fn r02_the_rewind_lands_on_the_named_step_five_shots_in_one_tick() {
    let mut range = narrow_target(2);
    range.usual_latency(B, 8);
    range.run_to(109);
    for (view, _) in R02 {
        range.fire(B, 1, step(view), MUZZLE, MUZZLE + Vec3::NEG_Z);
    }
    range.tick();
    let answers: Vec<bool> =
        range.verdicts().iter().map(|verdict| !range.hits_of(verdict).is_empty()).collect();
    assert_eq!(answers, R02.map(|(_, hits)| hits));
}

#[test]
fn r02_a_shot_that_names_the_tick_it_lands_in_is_judged_after_that_ticks_movement() {
    let mut range = narrow_target(2);
    range.run_to(109);
    let there = Vec3::new(5.0, 1.0, -20.0);
    let verdict = range.shot(B, 1, at(110), MUZZLE, there);
    assert_eq!(verdict.judged, at(110));
    assert_eq!(range.last_hit(), Some(V));
}

fn far_back_claim(aim_x: f32) -> (Range, ViewStep) {
    let mut range = Range::new(mode(vec![Weapon { rules: without_rate(), ..gun(1) }]), 90);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, moving(0.25, 100));
    range.run_to(121);
    for landing in 122..130 {
        let verdict = range.shot(B, 1, at(landing - 2), MUZZLE, Vec3::new(-30.0, 1.0, -20.0));
        assert_eq!(verdict.judged, at(landing - 2));
    }
    range.run_to(131);
    let verdict = range.shot(B, 1, at(100), MUZZLE, Vec3::new(aim_x, 1.0, -20.0));
    assert!(verdict.outcome.is_accepted());
    (range, verdict.judged)
}

#[test]
fn r03_one_far_back_claim_among_honest_ones_is_pulled_to_the_nearest_edge() {
    for (aim_x, hits) in [(0.0, false), (4.3, true), (7.5, false)] {
        let (mut range, judged) = far_back_claim(aim_x);
        assert!((steps_of(judged) - 117.2).abs() < 1e-3, "{judged:?}");
        assert_eq!(range.last_hit(), hits.then_some(V), "aimed at {aim_x}");
        let kept = range.room.record(B).expect("a player").fired().last().copied();
        let kept = kept.expect("the shot is kept");
        assert_eq!((kept.named, kept.judged), (at(100), judged));
        range.run_to(139);
        let next = range.shot(B, 1, at(138), MUZZLE, Vec3::new(0.0, 1.0, -20.0));
        assert_eq!(next.judged, at(138));
    }
}

#[test]
fn r04_a_first_shot_is_judged_a_second_back_at_the_most() {
    for (aim_x, hits) in [(9.0, true), (1.0, false)] {
        let mut range = Range::new(mode(vec![gun(1)]), 890);
        range.join(B, |_| Vec3::ZERO);
        range.join(V, moving(0.25, 900));
        range.run_to(999);
        let verdict = range.shot(B, 1, at(904), MUZZLE, Vec3::new(aim_x, 1.0, -20.0));
        assert_eq!(verdict.judged, at(936));
        assert_eq!(range.last_hit(), hits.then_some(V), "aimed at {aim_x}");
    }
}

#[test]
fn r04_a_long_delay_claimed_on_every_shot_reaches_no_further_than_a_second() {
    let mut range = Range::new(mode(vec![gun(1)]), 890);
    range.join(B, |_| Vec3::ZERO);
    range.run_to(999);
    range.shot(B, 1, at(904), MUZZLE, MUZZLE + Vec3::NEG_Z);
    for landing in (1008..=1064).step_by(8) {
        range.run_to(landing - 1);
        let verdict = range.shot(B, 1, at(landing - 96), MUZZLE, MUZZLE + Vec3::NEG_Z);
        assert!(verdict.outcome.is_accepted());
        assert_eq!(verdict.judged, at(landing - 64));
    }
}

#[test]
fn r04_c4_a_claim_of_the_future_is_judged_at_its_landing() {
    let mut range = Range::new(mode(vec![gun(1)]), 1180);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, moving(0.25, 1200));
    range.usual_latency(B, 8);
    range.run_to(1199);
    let there = Vec3::new(0.0, 1.0, -20.0);
    let verdict = range.shot(B, 1, at(1208), MUZZLE, there);
    assert_eq!(verdict.judged, at(1200));
    assert_eq!(range.last_hit(), Some(V), "where it stands now");
    let verdict = range.shot(B, 1, at(1201 + 5), MUZZLE, there);
    assert_eq!(verdict.judged, at(1201));
}

#[test]
fn r04_a_long_claim_is_held_to_the_paths_own_delay_where_the_mode_sets_a_slack() {
    let mut weapon = gun(1);
    weapon.rules.rewind =
        Some(RewindRule { transport_slack_s: Some(0.2), ..RewindRule::default() });
    let mut range = Range::new(mode(vec![weapon]), 890);
    range.join(B, |_| Vec3::ZERO);
    range.input(fairshot_room::RoomInput::Path { entity: B, round_trip_ms: 50 });
    range.usual_latency(B, 60);
    range.run_to(999);
    let verdict = range.shot(B, 1, at(940), MUZZLE, MUZZLE + Vec3::NEG_Z);
    // 50 ms of path, 100 ms of interpolation, 200 ms of slack, and 200 ms of tolerance.
    assert!((steps_of(verdict.judged) - (1000.0 - 0.55 * 64.0)).abs() < 1e-3);
    assert_eq!(verdict.window.centre_max_s, Some(0.35));
}

#[test]
fn r05_a_lift_that_came_between_stops_the_shot_where_it_is_now() {
    let plate = wall(Vec3::new(0.0, 3.0, -10.0), Vec3::new(2.0, 0.1, 2.0));
    let mut range = Range::with_movers(mode(vec![gun(1)]), 90, vec![plate]);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -20.0));
    range.usual_latency(B, 8);
    // Told in one tick, it goes with the next.
    tell_mover(
        &mut range,
        99,
        Motion::Towards { centre_m: Vec3::new(0.0, 1.0, -10.0), speed_m_s: 1e6 },
    );
    range.run_to(103);
    range.shot(B, 1, at(96), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert_eq!(range.last_hit(), None);
    let ray = range.out.judgement.rays[0];
    assert_eq!(ray.stopped_by, fairshot_judge::Stop::World);
    assert!((ray.end_m.z + 8.0).abs() < 0.01, "{:?}", ray.end_m);
}

#[test]
fn r05_a_door_that_opened_since_lets_the_shot_through() {
    let door = wall(Vec3::new(0.0, 1.5, -10.0), Vec3::new(2.0, 1.5, 0.1));
    let mut range = Range::with_movers(mode(vec![gun(1)]), 90, vec![door]);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -20.0));
    range.usual_latency(B, 8);
    tell_mover(&mut range, 100, Motion::Gone);
    range.run_to(98);
    range.shot(B, 1, at(91), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert_eq!(range.last_hit(), None, "shut");
    range.run_to(103);
    range.shot(B, 1, at(96), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert_eq!(range.last_hit(), Some(V), "open");
}

#[test]
fn r05_a_target_on_a_lift_is_judged_at_its_own_past_place() {
    let mut range = Range::new(mode(vec![gun(1)]), 90);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |tick| Vec3::new(0.0, 0.1 * (tick.max(96) - 96) as f32, -20.0));
    range.usual_latency(B, 8);
    range.run_to(103);
    let low = Vec3::new(0.0, 0.1, 0.0);
    range.shot(B, 1, at(96), low, low + Vec3::NEG_Z);
    assert_eq!(range.last_hit(), Some(V), "its feet were at 0 then and are at 0.8 now");
}

#[test]
fn d5_a_target_behind_a_wall_now_and_in_the_open_then_is_missed() {
    let wall = wall(Vec3::new(0.0, 1.5, -10.0), Vec3::new(2.0, 1.5, 0.1));
    let mut range = Range::with_movers(mode(vec![gun(1)]), 90, vec![wall]);
    range.script.lock().expect("one thread").each = Some(Box::new(|room| {
        let motion = if room.tick().0 < 100 { Motion::Gone } else { Motion::Rest };
        room.movers().set(0, motion);
    }));
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -20.0));
    range.usual_latency(B, 8);
    range.run_to(103);
    let verdict = range.shot(B, 1, at(96), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert!(verdict.outcome.is_accepted());
    assert_eq!(range.last_hit(), None);
}

/// One shot of the case: eight samples of 8 ticks, landing in tick 1000.
fn delayed(named: u32, aim_x: f32, rewind: Option<RewindRule>) -> (bool, f64) {
    let mut weapon = gun(1);
    weapon.rules.rewind = rewind;
    let mut range = Range::new(mode(vec![weapon]), 900);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, moving(0.25, 980));
    range.run_to(998);
    range.usual_latency(B, 8);
    range.tick();
    let verdict = range.shot(B, 1, at(named), MUZZLE, Vec3::new(aim_x, 1.0, -20.0));
    assert_ne!(verdict.outcome.refused_by(), Some(Rule::Rewind));
    assert!(verdict.outcome.is_accepted());
    (range.last_hit() == Some(V), steps_of(verdict.judged))
}

#[test]
fn r13_a_shot_delayed_far_past_the_shooters_usual_is_judged_at_the_edge() {
    let named_place = |named: u32| 0.25 * (named as f32 - 980.0);
    let rule = Some(RewindRule::default());
    assert_eq!(delayed(980, named_place(980), rule), (true, 980.0));
    for named in [944, 872] {
        let (hit, judged) = delayed(named, named_place(named), rule);
        assert!(!hit);
        assert!((judged - 979.2).abs() < 1e-3);
        assert!(delayed(named, -0.2, rule).0, "aimed at where it stood at the edge");
    }
}

#[test]
fn r13_with_a_rewind_of_nothing_every_shot_is_judged_at_its_landing() {
    for named in [980, 944, 872] {
        let rule = Some(RewindRule { maximum_s: 0.0, ..RewindRule::default() });
        assert_eq!(delayed(named, 5.0, rule), (true, 1000.0));
    }
}

#[test]
fn with_the_rewind_rule_off_a_shot_is_judged_where_it_names_within_the_last_second() {
    assert_eq!(delayed(944, -9.0, None), (true, 944.0));
    assert_eq!(delayed(872, 0.25 * (936.0 - 980.0), None), (true, 936.0));
}

#[test]
fn c2_c3_a_backtracking_claim_and_a_steady_fake_lag() {
    // A usual latency of 100 ms; a claim of 900 ms back is judged 300 ms back.
    let mut range = Range::new(mode(vec![gun(1)]), 900);
    range.join(B, |_| Vec3::ZERO);
    range.script.lock().expect("one thread").each = None;
    range.run_to(997);
    range.usual_latency(B, 6);
    range.tick();
    let verdict = range.shot(B, 1, at(999).back(57.6), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert!((at(999).since(verdict.judged) - (6.0 + 12.8)).abs() < 1e-3);
    // Every shot claims 900 ms: judged 900 ms back.
    let mut range = Range::new(mode(vec![gun(1)]), 900);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(999);
    for landing in (1000..1100).step_by(8) {
        range.run_to(landing - 1);
        let named = at(landing).back(57.6);
        assert_eq!(range.shot(A, 1, named, MUZZLE, MUZZLE + Vec3::NEG_Z).judged, named);
    }
}

fn tell_mover(range: &mut Range, tick: u32, motion: Motion) {
    range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
        if room.tick().0 == tick {
            assert!(room.movers().set(0, motion));
        }
    }));
}
