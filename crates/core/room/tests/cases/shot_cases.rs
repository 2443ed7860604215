//! Cases of odd numbers and odd places that stand in no other file.

use crate::kit::{A, Range, V, at, gun, mode, wall};
use fairshot_judge::{Claim, LedgerRuling};
use fairshot_room::RoomInput;
use fairshot_units::{MessageNumber, Rule, ViewStep, WeaponId};
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);

#[test]
fn c1_a_shot_of_odd_numbers_is_malformed_and_harms_nothing() {
    let mut range = Range::new(mode(vec![gun(1)]), 10);
    range.join(A, |_| Vec3::ZERO);
    range.usual_latency(A, 4);
    range.run_to(12);
    let latency = range.room.record(A).expect("a player").latency;
    let nan = f32::NAN;
    let odd = [
        (MUZZLE, Vec3::new(nan, 0.0, 0.0)),
        (MUZZLE, Vec3::ZERO),
        (MUZZLE, Vec3::new(0.001, 0.0, 0.0)),
        (MUZZLE, Vec3::splat(1e30)),
        (Vec3::splat(4.29e9), Vec3::NEG_Z),
        (Vec3::splat(nan), Vec3::NEG_Z),
        (Vec3::new(0.0, f32::INFINITY, 0.0), Vec3::NEG_Z),
    ];
    for (number, (origin_m, direction)) in (1..).zip(odd) {
        let claim = Claim {
            number: MessageNumber(number),
            weapon: WeaponId(1),
            view: at(11),
            origin_m,
            direction,
            names: Vec::new(),
        };
        let life = range.room.life(A).expect("in the room");
        range.push_shot(A, life, LedgerRuling::Accepted, claim);
        range.tick();
        assert!(range.verdicts().is_empty(), "no rule saw it");
    }
    range.input(RoomInput::Malformed { entity: A });
    range.tick();
    let heartbeat = range.room.heartbeat(&mut Vec::new());
    assert_eq!(heartbeat.since.refused.get(&Rule::Malformed), Some(&8));
    assert_eq!(heartbeat.since.shots_judged, 0);
    let record = range.room.record(A).expect("a player");
    assert_eq!(record.latency, latency, "the samples are unchanged");
    assert_eq!(record.fired().count(), 0);
}

#[test]
fn r04_any_step_at_all_is_judged_within_the_last_second() {
    let mut range = Range::new(mode(vec![gun(1)]), 1000);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(1100);
    for tick in [0, 1, 1036, 1101, u32::MAX, u32::MAX / 2, 1 << 31] {
        let view = ViewStep { tick: fairshot_units::Tick(tick), fraction: u16::MAX };
        let verdict = range.shot(A, 1, view, MUZZLE, MUZZLE + Vec3::NEG_Z);
        let back = ViewStep::at(verdict.landed).since(verdict.judged);
        assert!((0.0..=64.0).contains(&back), "{tick}: {back}");
        range.run_to(range.room.tick_now().0 + 8);
    }
}

#[test]
fn d4_a_shot_from_past_a_thin_wall_is_refused_as_cover() {
    let mut settings = mode(vec![gun(1)]);
    settings.arena.blocks = vec![wall(Vec3::new(1.2, 1.5, 0.0), Vec3::new(0.05, 1.5, 3.0))];
    let mut range = Range::new(settings, 10);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(12);
    let past_it = Vec3::new(2.4, 0.9, 0.0);
    let verdict = range.shot(A, 1, at(12), past_it, past_it + Vec3::NEG_Z);
    assert_eq!(verdict.outcome.refused_by(), Some(Rule::Cover));
    let open = Vec3::new(-2.4, 0.9, 0.0);
    let verdict = range.shot(A, 1, at(13), open, open + Vec3::NEG_Z);
    assert!(verdict.outcome.is_accepted(), "as far, in the open");
}

#[test]
fn a_shot_from_over_two_and_a_half_metres_from_the_bodys_middle_is_refused_as_origin() {
    let mut range = Range::new(mode(vec![gun(1)]), 10);
    range.join(A, |_| Vec3::ZERO);
    range.run_to(12);
    for (x, refused) in [(2.49, None), (2.51, Some(Rule::Origin)), (90.0, Some(Rule::Origin))] {
        let from = Vec3::new(x, 0.9, 0.0);
        let verdict = range.shot(A, 1, at(12), from, from + Vec3::NEG_Z);
        assert_eq!(verdict.outcome.refused_by(), refused, "from {x} m");
    }
}

#[test]
fn a_shot_is_judged_with_the_body_as_its_own_frame_left_it() {
    let forward = fairshot_units::Input { forward: 127, ..fairshot_units::Input::default() };
    let mut range = Range::new(mode(vec![gun(1)]), 10);
    range.join(A, |_| Vec3::ZERO);
    range.tick();
    range.script.lock().expect("one thread").paths.clear();
    range.run_to(60);
    // 42 frames of a stall land together: she ran over 3 m, and fired after the first of them.
    range.frame(A, forward);
    let early = range.fire(A, 1, at(60), MUZZLE, MUZZLE + Vec3::NEG_Z);
    for _ in 0..40 {
        range.frame(A, forward);
    }
    range.tick();
    assert!(range.out.own[0].position_m.z < -2.9);
    assert_eq!(range.verdicts()[0].number.0, early);
    assert!(range.verdicts()[0].outcome.is_accepted(), "{:?}", range.verdicts()[0].outcome);
    // Claimed for the newest frame, the same origin is too far behind her.
    let late = range.shot(A, 1, at(60), MUZZLE, MUZZLE + Vec3::NEG_Z);
    assert_eq!(late.outcome.refused_by(), Some(Rule::Origin));
}

#[test]
fn a_repeated_shot_is_dropped_where_no_inventory_sorts_it_out() {
    let mut range = Range::new(mode(vec![gun(1)]), 10);
    range.join(A, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -10.0));
    range.run_to(12);
    let claim = Claim {
        number: MessageNumber(5),
        weapon: WeaponId(1),
        view: at(12),
        origin_m: MUZZLE,
        direction: Vec3::NEG_Z,
        names: Vec::new(),
    };
    let life = range.room.life(A).expect("in the room");
    for _ in 0..3 {
        range.push_shot(A, life, LedgerRuling::Accepted, claim.clone());
    }
    range.tick();
    assert_eq!(range.verdicts().len(), 1);
    assert_eq!(range.health(V), 20.0);
}
