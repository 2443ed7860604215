//! Nine grades of a cellular line, with everything they have: rate, queue, loss, order kept and lost.
//!
//! `FAIRSHOT_SIMULATED_PLAYER_MINUTES` asks for so many player-minutes over all grades instead of the
//! short form, `FAIRSHOT_SIMULATED_SEED` begins at another seed; a seed that fails is printed with what
//! it found, and plays the same again.

use fairshot_mode::Mode;
use fairshot_simulation::{Course, Findings, Match, Plan};
use fairshot_transport::link::Grade;
use std::time::Duration;

/// Silence of a line up to which no honest shot is refused.
const PROMISE: Duration = Duration::from_millis(650);
const PLAYERS: u64 = 4;
/// Of a match of the deep form, and of the short one.
const DEEP_S: u64 = 120;
const SHORT_S: u64 = 20;

/// What a match is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    Arena,
    /// Tighter rules, with a window of rewind that follows the path.
    Competitive,
    /// The arena, with every shot judged at the very step it names. Where a line's latency jumps, the
    /// rewind rule moves the shots of that moment, and what it moves need not be as it was seen.
    Exact,
}

fn plan(rules: Rules, seed: u64) -> Plan {
    match rules {
        Rules::Arena => Plan::preset("arena", 40, seed),
        Rules::Competitive => Plan::preset("competitive", 40, seed),
        Rules::Exact => {
            let arena = Plan::preset("arena", 40, seed);
            let mode_text = format!("{}\n[rules.rewind]\ntolerance_s = 1.0\n", arena.mode_text);
            let mode = Mode::parse("exact.toml", &mode_text).expect("a good mode");
            Plan { mode_text, mode: mode.with_monsters(40), seed }
        }
    }
}

fn play(grade: &str, rules: Rules, seed: u64, seconds: u64) -> Findings {
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
    let mut game = Match::new(&plan(rules, seed), courses);
    game.fight(Duration::from_secs(seconds));
    game.settle();
    game.findings()
}

/// What a match found that it must not.
fn broken(findings: &Findings) -> bool {
    findings.refused_within(PROMISE).count() > 0
        || findings.unanswered + findings.unexplained > 0
        || !findings.diverged.is_empty()
        || !findings.ended.is_empty()
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
    let grades = Grade::names();
    let (rounds, seconds) = match deep_minutes() {
        Some(minutes) => ((minutes * 60).div_ceil(DEEP_S * PLAYERS * grades.len() as u64), DEEP_S),
        None => (2, SHORT_S),
    };
    let by_round: &[Rules] = match deep_minutes() {
        Some(_) => &[Rules::Arena, Rules::Competitive, Rules::Exact],
        None => &[Rules::Arena, Rules::Exact],
    };
    let mut totals = vec![Findings::default(); grades.len()];
    let mut exact = Findings::default();
    let mut bad = Vec::new();
    let mut seed = first_seed();
    for rules in by_round.iter().cycle().take(usize::try_from(rounds).unwrap_or(usize::MAX)) {
        for (grade, total) in grades.iter().zip(&mut totals) {
            let findings = play(grade, *rules, seed, seconds);
            if broken(&findings) {
                bad.push(format!("{rules:?} over {grade}: {findings}"));
            }
            if *rules == Rules::Exact {
                exact.add(findings.clone());
            }
            total.add(findings);
            seed += 1;
        }
    }
    let mut all = Findings::default();
    for (grade, total) in grades.iter().zip(totals) {
        println!("{grade}: {total}");
        all.add(total);
    }
    let matches = rounds * grades.len() as u64;
    println!("{} player-minutes: {all}", matches * seconds * PLAYERS / 60);
    println!("judged where they were aimed: {exact}");
    assert!(bad.is_empty(), "{} of {matches} matches: {}", bad.len(), bad.join("\n"));
    assert!(all.shots > matches * seconds, "too few shots to mean anything: {all}");
    assert!(all.agreement() >= 0.995, "{} of the hits seen were dealt: {all}", all.agreement());
    assert!(
        exact.agreement() >= 0.999,
        "{} of the hits seen were dealt: {exact}",
        exact.agreement()
    );
}
