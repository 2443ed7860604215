//! Doors and lifts of a mode: driven as its file says, told to clients, carrying who stands on them, and
//! no reason to refuse anybody who rides one.

use crate::kit::{A, B, Range, V, at, gun, mode};
use fairshot_mode::{Block, Mode, Mover, MoverWay};
use fairshot_room::Event;
use fairshot_units::{Input, Rule, Tick};
use fairshot_world::{Motion, MoverState, Movers};
use glam::Vec3;

const FORWARD: Input =
    Input { forward: 127, right: 0, buttons: fairshot_units::Buttons(0), yaw: 0, pitch: 0 };
const LOW: Vec3 = Vec3::new(0.0, 0.1, 0.0);
const HIGH: Vec3 = Vec3::new(0.0, 2.1, 0.0);

fn plate(way: MoverWay) -> Mover {
    let block = Block { centre_m: LOW, half_m: Vec3::new(2.0, 0.1, 2.0), yaw_rad: 0.0 };
    Mover { name: "lift".to_owned(), block, way: Some(way) }
}

fn lift() -> Mover {
    plate(MoverWay { to_m: HIGH, speed_m_s: 2.0, wait_s: 1.0, opens_within_m: None })
}

fn with(mover: Mover) -> Mode {
    let mut settings = mode(vec![gun(1)]);
    settings.arena.movers = vec![mover];
    settings
}

fn height(range: &Range) -> f32 {
    range.room.movers().next().expect("a mover").centre_m.y
}

#[test]
fn a_lift_goes_to_and_fro_and_waits_at_each_end() {
    let mut range = Range::new(with(lift()), 1);
    let mut turns = Vec::new();
    let mut before = (height(&range), 0.0);
    for tick in 1..=64 * 8_u32 {
        range.tick();
        let now = height(&range);
        let way = now - before.0;
        if (way == 0.0) != (before.1 == 0.0) {
            turns.push((tick, now));
        }
        before = (now, way);
    }
    // A second of waiting, a second of going, over and over.
    let ticks: Vec<u32> = turns.iter().map(|(tick, _)| *tick).collect();
    for (turn, tick) in (1..).zip(&ticks) {
        assert!(tick.abs_diff(turn * 65) <= 6, "turn {turn} in tick {tick}");
    }
    assert_eq!(ticks.len(), 7);
    assert!(turns.iter().all(|(_, at)| (at - LOW.y).min(HIGH.y - at).abs() < 0.04));
}

#[test]
fn a_door_opens_for_who_comes_near_and_closes_behind_her() {
    let closed = Vec3::new(0.0, 1.5, -10.0);
    let door = Mover {
        name: "door".to_owned(),
        block: Block { centre_m: closed, half_m: Vec3::new(1.0, 1.5, 0.1), yaw_rad: 0.0 },
        way: Some(MoverWay {
            to_m: closed + Vec3::X * 2.0,
            speed_m_s: 4.0,
            wait_s: 0.5,
            opens_within_m: Some(4.0),
        }),
    };
    let mut range = Range::new(with(door), 1);
    range.join(A, |tick| Vec3::new(0.0, 0.0, if (100..200).contains(&tick) { -8.0 } else { 0.0 }));
    let x = |range: &Range| range.room.movers().next().expect("a door").centre_m.x;
    range.run_to(100);
    assert_eq!(x(&range), 0.0, "nobody is near");
    range.run_to(140);
    assert_eq!(x(&range), 2.0, "open within half a second");
    range.run_to(199);
    assert_eq!(x(&range), 2.0, "as long as she stands there");
    range.run_to(228);
    assert_eq!(x(&range), 2.0, "and half a second more");
    range.run_to(275);
    assert_eq!(x(&range), 0.0);
}

#[test]
fn what_clients_are_told_of_a_mover_is_enough_to_move_it_too() {
    let mut range = Range::new(with(lift()), 1);
    let mut client = Movers::new(&[lift().block]);
    let mut told = 0;
    for _ in 0..64 * 10 {
        range.tick();
        client.step(1.0 / 64.0);
        for event in &range.out.events {
            if let Event::Mover { mover: 0, state } = event {
                client.load(&[*state]);
                told += 1;
            }
        }
        assert_eq!(client.get(0), range.room.movers().next(), "tick {:?}", range.out.tick);
    }
    assert!((4..=5).contains(&told), "once each way, not once a tick: {told}");
}

#[test]
fn a_movers_game_code_may_take_it_over_and_leave_it_at_an_end() {
    let mut range = Range::new(with(lift()), 1);
    range.script.lock().expect("one thread").each = Some(Box::new(|room| {
        if room.tick() == Tick(10) {
            let aside = Motion::Towards { centre_m: Vec3::new(9.0, 0.1, 0.0), speed_m_s: 100.0 };
            assert!(room.movers().set(0, aside));
        } else if room.tick() == Tick(400) {
            let back = Motion::Towards { centre_m: LOW, speed_m_s: 100.0 };
            assert!(room.movers().set(0, back));
        }
    }));
    range.run_to(399);
    let rests = MoverState { centre_m: Vec3::new(9.0, 0.1, 0.0), motion: Motion::Rest };
    assert_eq!(range.room.movers().next(), Some(rests), "where the game left it");
    range.run_to(600);
    assert_ne!(height(&range), LOW.y, "at its end it goes on by itself");
}

/// A player on a lift whose frames stall for 0.65 s over and over; she fires from where her own screen
/// has her, which rides on.
#[test]
fn nobody_is_refused_for_riding_a_lift_on_a_stalling_line() {
    let mut range = Range::new(with(lift()), 1);
    range.join(A, |_| Vec3::new(0.0, 0.2, 0.0));
    range.join(B, |_| Vec3::new(30.0, 0.0, 0.0));
    range.tick();
    range.script.lock().expect("one thread").paths.clear();
    range.run_to(30);
    let mut held_back = 0;
    for tick in 31..64 * 12_u32 {
        held_back += 1;
        if tick % 41 == 0 {
            for frame in 0..held_back {
                range.frame(A, Input::default());
                if frame % 8 == 0 {
                    // Her screen has her on the plate as it was when the frame was made.
                    let eye_m = Vec3::new(0.0, height(&range) + 0.1 + 1.6, 0.0);
                    range.fire(A, 1, at(tick - 1), eye_m, eye_m + Vec3::NEG_Z);
                }
            }
            held_back = 0;
        }
        range.tick();
        for verdict in range.verdicts() {
            assert!(verdict.outcome.is_accepted(), "tick {tick}: {:?}", verdict.outcome);
        }
        let feet_m = range.out.own[0].position_m;
        assert!((feet_m.y - height(&range) - 0.1).abs() < 0.03, "tick {tick}: {feet_m}");
    }
    assert!(range.room.counts().shots_accepted > 80);
}

#[test]
fn a_rider_who_walks_off_and_a_monster_are_carried_alike() {
    let mut settings = with(lift());
    settings.monsters = vec![fairshot_mode::Monster { speed_m_s: 0.0, ..Default::default() }];
    let mut range = Range::new(settings, 1);
    let ghoul = fairshot_units::EntityId(8);
    range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
        if room.tick() == Tick(1) {
            room.teleport(ghoul, Vec3::new(1.0, 0.2, 1.0));
        }
    }));
    range.join(V, |_| Vec3::new(0.0, 0.2, 0.0));
    range.tick();
    range.script.lock().expect("one thread").paths.clear();
    range.run_to(140);
    let ghoul_y = |range: &Range| {
        let state = range.out.entities.iter().find(|state| state.id == ghoul);
        state.expect("the ghoul").pose.position_m().y
    };
    assert!((ghoul_y(&range) - 2.2).abs() < 0.02, "{}", ghoul_y(&range));
    assert!((range.out.own[0].position_m.y - 2.2).abs() < 0.02);
    for _ in 0..100 {
        range.frame(V, FORWARD);
        range.tick();
    }
    assert!(range.out.own[0].position_m.y < 0.01, "off the plate and down");
}

/// A wall across the way that slides down at tick 100; she stands before it with her eye past where it
/// comes to be, as her own screen has her, who has not heard of it.
fn behind_a_fallen_gate(fixed: bool) -> Range {
    let down = Block {
        centre_m: Vec3::new(0.0, 1.5, -1.0),
        half_m: Vec3::new(4.0, 1.5, 0.1),
        yaw_rad: 0.0,
    };
    let mut settings = mode(vec![gun(1)]);
    if fixed {
        settings.arena.blocks = vec![down];
    }
    let up = Block { centre_m: down.centre_m + Vec3::Y * 10.0, ..down };
    let mut range = Range::with_movers(settings, 1, vec![up]);
    range.join(A, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -10.0));
    range.script.lock().expect("one thread").each = Some(Box::new(move |room| {
        if room.tick() == Tick(99) {
            let falls = Motion::Towards { centre_m: down.centre_m, speed_m_s: 1000.0 };
            assert!(room.movers().set(0, falls));
        }
    }));
    range.usual_latency(A, 10);
    range
}

const EYE: Vec3 = Vec3::new(0.0, 1.6, -1.5);
const CHEST: Vec3 = Vec3::new(0.0, 1.2, -10.0);

#[test]
fn a_gate_that_fell_unheard_refuses_nobody_who_fires_from_where_her_screen_has_her() {
    let mut range = behind_a_fallen_gate(false);
    // Ten ticks of latency and 0.2 s of tolerance: 22 ticks and a part after the telling of tick 100.
    for tick in [100, 110, 121] {
        range.run_to(tick - 1);
        let verdict = range.shot(A, 1, at(tick - 10), EYE, CHEST);
        assert!(verdict.outcome.is_accepted(), "tick {tick}: {:?}", verdict.outcome);
    }
    assert_eq!(range.last_hit(), Some(V), "and what she saw she hit");
}

#[test]
fn nobody_fires_past_a_gate_for_longer_than_her_latency_keeps_it_from_her() {
    let mut range = behind_a_fallen_gate(false);
    range.run_to(123);
    // Whatever step she names, for the edge is that of the samples before.
    for view in [at(122), at(114), at(99), at(70)] {
        let verdict = range.shot(A, 1, view, EYE, CHEST);
        assert_eq!(verdict.outcome.refused_by(), Some(Rule::Cover), "{view:?}");
    }
    let before = Vec3::new(0.0, 1.6, 0.0);
    assert!(range.shot(A, 1, at(114), before, CHEST).outcome.is_accepted());
    assert_eq!(range.last_hit(), None, "a shot from this side of it stops there");
}

#[test]
fn a_wall_that_never_moved_is_cover_whatever_doors_do() {
    let mut range = behind_a_fallen_gate(true);
    for tick in [90, 100, 110] {
        range.run_to(tick - 1);
        let verdict = range.shot(A, 1, at(tick - 10), EYE, CHEST);
        assert_eq!(verdict.outcome.refused_by(), Some(Rule::Cover), "tick {tick}");
    }
}
