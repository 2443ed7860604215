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
        let mode = if (number / grades.len() as u64).is_multiple_of(2) { "arena" } else { "competitive" };
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
