//! The rate rule in a room: bursts after an outage, twice the rate kept up, weapons apart.

use crate::kit::{A, B, Range, V, at, gun, mode};
use fairshot_mode::{Body, Weapon};
use fairshot_room::Notice;
use fairshot_units::Rule;
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);
const AIM: Vec3 = Vec3::new(0.0, 1.0, -10.0);

fn duel(weapons: Vec<Weapon>) -> Range {
    let mut settings = mode(weapons);
    settings.body = Body { health: 1000.0, ..Body::default() };
    let mut range = Range::new(settings, 1);
    range.join(B, |_| Vec3::ZERO);
    range.join(V, |_| Vec3::new(0.0, 0.0, -10.0));
    range.tick();
    range
}

fn slow(id: u8) -> Weapon {
    Weapon { shots_per_second: 4.0, ..gun(id) }
}

#[test]
fn r11_after_a_ten_second_outage_the_first_fourteen_of_two_hundred_are_judged() {
    let mut range = duel(vec![gun(1)]);
    range.run_to(130);
    let mut logged = 0;
    for _ in 0..200 {
        range.fire(B, 1, at(130), MUZZLE, AIM);
    }
    range.tick();
    let accepted: Vec<bool> =
        range.verdicts().iter().map(|verdict| verdict.outcome.is_accepted()).collect();
    assert_eq!(accepted[..14], [true; 14]);
    assert!(accepted[14..].iter().all(|accepted| !accepted));
    assert!(range.verdicts()[14..].iter().all(|v| v.outcome.refused_by() == Some(Rule::Rate)));
    assert_eq!(range.out.notices.len(), 186, "each is told");
    logged += range.out.log.len();
    // 60 ms later one more, then twenty a second for 5 s.
    for shot in 0..=100_u32 {
        range.run_to(131 + 4 + shot * 64 / 20 - 1);
        let tick = range.room.tick_now();
        let verdict = range.shot(B, 1, at(tick.0), MUZZLE, AIM);
        assert!(verdict.outcome.is_accepted(), "shot {shot}");
        logged += range.out.log.len();
    }
    assert_eq!(logged, 4);
    let heartbeat = range.room.heartbeat(&mut Vec::new());
    assert_eq!(heartbeat.since.refused.get(&Rule::Rate), Some(&186));
    assert_eq!(heartbeat.since.shots_judged, 301);
}

#[test]
fn r12_twice_the_rate_kept_up_for_ten_seconds_is_cut_to_the_weapons_rate() {
    let mut range = duel(vec![slow(1)]);
    let mut accepted = Vec::new();
    for shot in 0..80 {
        range.run_to(100 + shot * 8 - 1);
        accepted.push(range.shot(B, 1, at(100), MUZZLE, AIM).outcome.is_accepted());
    }
    assert_eq!(accepted.iter().filter(|accepted| **accepted).count(), 43);
    assert_eq!(accepted[..6], [true; 6]);
    assert_eq!(range.health(V), 570.0);
    range.run_to(100 + 678 - 1);
    assert!(range.shot(B, 1, at(770), MUZZLE, AIM).outcome.is_accepted());
}

#[test]
fn r12_two_weapons_in_turn_each_at_its_own_rate_are_not_refused() {
    let mut range = duel(vec![slow(1), slow(2)]);
    for shot in 0..80_u32 {
        range.run_to(100 + shot * 8 - 1);
        let weapon = 1 + u8::from(shot % 2 == 1);
        assert!(range.shot(B, weapon, at(100), MUZZLE, AIM).outcome.is_accepted());
    }
}

#[test]
fn c5_of_eight_shots_that_a_two_second_stall_held_back_three_are_accepted() {
    let mut range = duel(vec![slow(1)]);
    range.run_to(200);
    for _ in 0..8 {
        range.fire(B, 1, at(150), MUZZLE, AIM);
    }
    range.tick();
    let accepted = range.verdicts().iter().filter(|verdict| verdict.outcome.is_accepted());
    assert_eq!(accepted.count(), 3);
    let refused = range.verdicts().iter().filter(|v| v.outcome.refused_by() == Some(Rule::Rate));
    assert_eq!(refused.count(), 5);
}

#[test]
fn c6_two_shots_at_the_weapons_interval_that_land_together_both_count() {
    let m4 = Weapon { shots_per_second: 1000.0 / 90.0, ..gun(31) };
    let mut range = duel(vec![m4]);
    range.run_to(200);
    range.fire(B, 31, at(190), MUZZLE, AIM);
    range.fire(B, 31, at(197), MUZZLE, AIM);
    range.tick();
    assert!(range.verdicts().iter().all(|verdict| verdict.outcome.is_accepted()));
}

#[test]
fn a_shot_refused_by_a_later_rule_takes_nothing_from_the_allowance() {
    let mut range = duel(vec![slow(1)]);
    range.run_to(100);
    for _ in 0..50 {
        range.fire(B, 1, at(99), Vec3::new(9.0, 1.0, 0.0), AIM);
    }
    range.tick();
    assert!(range.verdicts().iter().all(|v| v.outcome.refused_by() == Some(Rule::Origin)));
    for _ in 0..3 {
        range.fire(B, 1, at(99), MUZZLE, AIM);
    }
    range.tick();
    assert!(range.verdicts().iter().all(|verdict| verdict.outcome.is_accepted()));
}

#[test]
fn ticks_the_driver_dropped_count_as_time_for_allowances() {
    let mut range = duel(vec![slow(1)]);
    range.run_to(100);
    for _ in 0..3 {
        range.fire(B, 1, at(99), MUZZLE, AIM);
    }
    range.tick();
    range.input(fairshot_room::RoomInput::TicksDropped { ticks: 112 });
    for _ in 0..3 {
        range.fire(B, 1, at(99), MUZZLE, AIM);
    }
    range.tick();
    assert!(range.verdicts().iter().all(|verdict| verdict.outcome.is_accepted()));
}

#[test]
fn r14_a_refusal_is_never_silent_and_never_floods_the_log() {
    let mut settings = mode(vec![slow(1), slow(2)]);
    settings.body = Body { health: 1000.0, ..Body::default() };
    let mut range = Range::new(settings, 1);
    let (p, q) = (A, B);
    range.join(p, |_| Vec3::ZERO);
    range.join(q, |_| Vec3::new(5.0, 0.0, 0.0));
    range.script.lock().expect("one thread").each = Some(Box::new(|room| {
        room.set_held(B, Some(&[fairshot_units::WeaponId(1)]));
    }));
    range.run_to(60);
    let mut notices = [Vec::new(), Vec::new()];
    let mut log = Vec::new();
    for _ in 0..13 {
        range.fire(p, 1, at(59), MUZZLE, AIM);
    }
    for _ in 0..2 {
        range.fire(p, 2, at(59), Vec3::new(0.0, 1.0, 3.0), AIM);
    }
    for weapon in [2, 2, 2, 200] {
        range.fire(q, weapon, at(59), Vec3::new(5.0, 1.0, 0.0), AIM);
    }
    range.tick();
    collect(&range, &mut notices, &mut log);
    let heartbeat = range.room.heartbeat(&mut log);
    let refused: Vec<(&str, u64)> =
        heartbeat.since.refused.iter().map(|(rule, count)| (rule.label(), *count)).collect();
    assert_eq!(refused, [("weapon", 1), ("held", 3), ("rate", 10), ("origin", 2)]);
    assert_eq!(notices[0].len(), 12);
    assert_eq!(notices[1].len(), 4);
    let mut numbers = notices[0].clone();
    numbers.dedup();
    assert_eq!(numbers.len(), 12, "each with its own shot's number");
    let lines = |name: &str| {
        log.iter()
            .filter(|line| match line {
                fairshot_room::LogRecord::ShotRefused { player, reason, .. } => {
                    player.as_str() == name && !reason.to_string().is_empty()
                }
                _ => false,
            })
            .count()
    };
    assert_eq!((lines("player0"), lines("player1")), (4, 4));
    assert!(
        log.iter().any(|line| matches!(
            line,
            fairshot_room::LogRecord::RefusalsLeftOut { left_out: 8, .. }
        ))
    );
    // Twenty good shots; the next heartbeat carries none of it.
    for shot in 0..20 {
        range.run_to(200 + shot * 16);
        assert!(range.shot(p, 1, at(200), MUZZLE, AIM).outcome.is_accepted());
    }
    assert!(range.room.heartbeat(&mut log).since.refused.is_empty());
    assert_eq!(range.room.record(p).expect("a player").fired().count(), 16);
    assert_eq!(range.room.counts().refused_sum(), 16, "the total since the room began stands");
}

fn collect(range: &Range, notices: &mut [Vec<u32>; 2], log: &mut Vec<fairshot_room::LogRecord>) {
    for (entity, notice) in &range.out.notices {
        if let Notice::ShotRefused { number, reason, .. } = notice {
            assert!(!reason.to_string().is_empty());
            notices[usize::from(entity.0)].push(number.0);
        }
    }
    log.extend(range.out.log.iter().cloned());
}
