//! Nine grades of a cellular line, with everything they have: rate, queue, loss, order kept and lost.
//!
//! `FAIRSHOT_SIMULATED_PLAYER_MINUTES` asks for so many player-minutes over all grades instead of the
//! short form, `FAIRSHOT_SIMULATED_SEED` begins at another seed; a seed that fails is printed with what
//! it found, and plays the same again.

use fairshot_simulation::{Course, Findings, Match, Plan};
use fairshot_transport::link::Grade;
use std::time::Duration;

/// Silence of a line up to which no honest shot is refused.
const PROMISE: Duration = Duration::from_millis(650);
const PLAYERS: u64 = 4;
/// Of a match of the deep form, and of the short one.
const DEEP_S: u64 = 120;
const SHORT_S: u64 = 20;

fn play(grade: &str, mode: &str, seed: u64, seconds: u64) -> Findings {
    let courses = (0..PLAYERS)
        .map(|n| {
            let ahead = usize::try_from((seed * 29 + n * 17) % 200).unwrap_or(0);
            let course = Course::graded(grade, ahead, (seed + n).is_multiple_of(2));
            match (seed + n) % 4 {
                0 => course.jitter(Duration::from_millis(15)),
                1 => course.duplication(0.02),
                2 => course.packet_size_max(1252),
                _ => course,
            }
        })
        .collect();
    let mut game = Match::new(&Plan::preset(mode, 40, seed), courses);
    game.fight(Duration::from_secs(seconds));
    game.settle();
    game.findings()
}

fn check(grade: &str, findings: &Findings) {
    let refused: Vec<_> = findings.refused_within(PROMISE).collect();
    assert!(refused.is_empty(), "{grade}: an honest shot was refused; {findings}");
    assert_eq!(findings.unanswered, 0, "{grade}: {findings}");
    assert_eq!(findings.unexplained, 0, "{grade}: {findings}");
    assert!(findings.diverged.is_empty() && findings.ended.is_empty(), "{grade}: {findings}");
}

fn deep_minutes() -> Option<u64> {
    std::env::var("FAIRSHOT_SIMULATED_PLAYER_MINUTES").ok()?.parse().ok()
}

fn first_seed() -> u64 {
    let set = std::env::var("FAIRSHOT_SIMULATED_SEED").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(1)
}

#[test]
fn on_no_grade_is_an_honest_shot_refused_and_what_was_seen_is_dealt() {
    let minutes = deep_minutes();
    let seconds = if minutes.is_some() { DEEP_S } else { SHORT_S };
    let grades = Grade::names();
    let matches = match minutes {
        Some(minutes) => (minutes * 60).div_ceil(DEEP_S * PLAYERS).max(grades.len() as u64),
        None => grades.len() as u64,
    };
    let mut totals = vec![Findings::default(); grades.len()];
    for (number, seed) in (0..matches).zip(first_seed()..) {
        let at = usize::try_from(number).unwrap_or(0) % grades.len();
        // Every other round of the grades is played under the tighter rules.
        let mode =
            if (number / grades.len() as u64).is_multiple_of(2) { "arena" } else { "competitive" };
        let findings = play(grades[at], mode, seed, seconds);
        check(grades[at], &findings);
        totals[at].add(findings);
    }
    for (grade, total) in grades.iter().zip(&totals) {
        println!("{grade}: {total}");
        let agreement = total.agreement();
        assert!(agreement >= 0.999, "{grade}: {agreement} of the hits seen were dealt; {total}");
    }
    let shots: u64 = totals.iter().map(|total| total.shots).sum();
    assert!(shots > matches * seconds, "{shots} shots are too few to mean anything");
}

#[test]
fn probe() {
    let grade = std::env::var("PROBE_GRADE").unwrap_or("experience_based-verypoor".into());
    let seed: u64 = std::env::var("PROBE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(9);
    let verbose = std::env::var("PROBE_PLAYER").ok().and_then(|s| s.parse::<usize>().ok());
    let courses = (0..4u64)
        .map(|n| Course::graded(&grade, ((seed * 29 + n * 17) % 200) as usize, (seed + n) % 2 == 0))
        .collect();
    let mut game = Match::new(&Plan::preset("arena", 40, seed), courses);
    let mut last: Vec<_> = vec![(0u64, 0u64, 0u64, 0u64); 4];
    for n in 0..200 {
        game.run(Duration::from_millis(100), fairshot_bots::Mood::Fighting);
        for p in 0..4 {
            if verbose != Some(p) {
                continue;
            }
            let path = game.players[p].path();
            let server = game.host.gateway.path(game.host.sessions[p].id);
            let c = game.players[p].client();
            let s = c.stats();
            let now = (s.datagrams_up, s.datagram_bytes_up, s.snapshots, s.datagram_bytes_down);
            let l = last[p];
            println!(
                "{:5.1} up {:2} dgr {:5} B, down {:2} {:5} B | unacked {:?} | client rtt {:?} cwnd {} held {} lost {}/{} | server rtt {:?} cwnd {} held {} lost {}/{} | {:?}",
                n as f32 / 10.0,
                now.0 - l.0,
                now.1 - l.1,
                now.2 - l.2,
                now.3 - l.3,
                c.unacknowledged(),
                path.round_trip,
                path.window_bytes,
                path.datagrams_held,
                path.packets_lost,
                path.packets_sent,
                server.as_ref().unwrap().round_trip,
                server.as_ref().unwrap().window_bytes,
                server.as_ref().unwrap().datagrams_held,
                server.as_ref().unwrap().packets_lost,
                server.as_ref().unwrap().packets_sent,
                game.host.sessions[p].upward.stall()
            );
            last[p] = now;
        }
    }
    let t: Vec<_> = game.players.iter().map(|p| p.client().stats().clone()).collect();
    game.settle();
    println!("{grade}: {}", game.findings());
    for s in t {
        println!(
            "  up {:.1}/s {:.0} B/s ({:.0} B each), down {:.1}/s {:.0} B/s",
            s.datagrams_up as f32 / 20.0,
            s.datagram_bytes_up as f32 / 20.0,
            s.datagram_bytes_up as f32 / s.datagrams_up as f32,
            s.snapshots as f32 / 20.0,
            s.datagram_bytes_down as f32 / 20.0
        );
    }
}
