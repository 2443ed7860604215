//! A shooter over the upward half of nine cellular connections: none of her shots is refused while her line
//! is never silent for longer than the stall that the rate rule rides out.

use crate::kit::{B, Range, at, gun, mode};
use fairshot_mode::Weapon;
use glam::Vec3;

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);
const STEP_S: f64 = 0.07;
const TICK_S: f64 = 1.0 / 64.0;
/// A datagram with its headers, and what the line's buffer holds.
const DATAGRAM_BITS: f64 = 8.0 * 200.0;
const BUFFER_BITS: f64 = 8.0 * 65536.0;

struct Step {
    round_trip_s: f64,
    bits_per_s: f64,
    gap_s: f64,
    loss: f64,
}

fn grades() -> Vec<(String, Vec<Step>)> {
    let mut grades: Vec<(String, Vec<Step>)> = Vec::new();
    let table = include_str!("../../../../transport/data/cellular_grades.csv");
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        let number = |column: usize| row[column].parse::<f64>().expect("a number");
        let step = Step {
            round_trip_s: number(2) / 1000.0,
            bits_per_s: number(3) * 1000.0,
            gap_s: number(4),
            loss: number(5) / 100.0,
        };
        match grades.last_mut().filter(|(name, _)| name == row[0]) {
            Some((_, steps)) => steps.push(step),
            None => grades.push((row[0].to_owned(), vec![step])),
        }
    }
    grades
}

/// Sends a datagram a tick for that long: when each was sent and when it arrived.
fn play(steps: &[Step], seconds: f64, random: &mut impl FnMut() -> f64) -> Vec<(f64, f64)> {
    let step_at = |s: f64| &steps[(s / STEP_S) as usize % steps.len()];
    let (mut free_s, mut lossy_s) = (0.0_f64, step_at(0.0).gap_s);
    let mut arrived = Vec::new();
    for tick in 0..(seconds / TICK_S) as u32 {
        let now_s = f64::from(tick) * TICK_S;
        if now_s > lossy_s + STEP_S {
            lossy_s = now_s + step_at(now_s).gap_s;
        }
        let lost = now_s >= lossy_s && random() < step_at(now_s).loss;
        let queued = (free_s - now_s).max(0.0) * step_at(now_s).bits_per_s;
        if lost || queued > BUFFER_BITS {
            continue;
        }
        let (mut s, mut bits) = (now_s.max(free_s), DATAGRAM_BITS);
        loop {
            let ends_s = ((s / STEP_S).floor() + 1.0) * STEP_S;
            let rate = step_at(s).bits_per_s.max(1.0);
            if rate * (ends_s - s) >= bits {
                s += bits / rate;
                break;
            }
            bits -= rate * (ends_s - s);
            s = ends_s + 1e-9;
        }
        free_s = s;
        arrived.push((now_s, s + step_at(s).round_trip_s / 2.0));
    }
    arrived
}

#[test]
fn r11_over_each_cellular_grade_no_shot_of_a_line_never_silent_for_longer_is_refused() {
    let mut held_to = 0;
    let mut state = 1_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    };
    for (name, steps) in grades() {
        let arrived = play(&steps, 140.0, &mut random);
        let mut heard: Vec<f64> = arrived.iter().map(|(_, at)| *at).collect();
        heard.sort_by(f64::total_cmp);
        let silence_s = heard.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max);
        // A shot rides in every datagram until it is heard: it lands with the first that arrives.
        let mut landings: Vec<u32> = (0..4 * 139)
            .map(|shot| {
                let fired_s = f64::from(shot) * 0.25;
                let carriers = arrived.iter().filter(|(sent, _)| *sent >= fired_s);
                let lands_s = carriers.map(|(_, at)| *at).fold(f64::MAX, f64::min);
                (lands_s / TICK_S).ceil() as u32
            })
            .filter(|tick| *tick < 200 * 64)
            .collect();
        landings.sort_unstable();
        assert!(landings.len() > 500, "{name}: {}", landings.len());
        let mut range = Range::new(mode(vec![Weapon { shots_per_second: 4.0, ..gun(1) }]), 1);
        range.join(B, |_| Vec3::ZERO);
        range.run_to(64);
        let mut refused = 0;
        for landing in landings {
            let tick = 70 + landing;
            while range.room.tick_now().0 + 1 < tick {
                range.tick();
                refused += count_refused(&range);
            }
            range.fire(B, 1, at(tick), MUZZLE, MUZZLE + Vec3::NEG_Z);
        }
        range.tick();
        refused += count_refused(&range);
        println!("{name}: silent for {silence_s:.2} s at the most, {refused} refused");
        if silence_s <= 0.65 {
            held_to += 1;
            assert_eq!(refused, 0, "{name}");
        }
    }
    assert!(held_to >= 5, "only {held_to} grades are never silent for longer");
}

fn count_refused(range: &Range) -> usize {
    range.verdicts().iter().filter(|verdict| !verdict.outcome.is_accepted()).count()
}
