//! Nine grades of a cellular line, with everything they have: rate, queue, loss, order kept and lost.
//!
//! A seed says all of a match: its grade, its rules, who plays, what befalls them. One that fails is
//! printed with what it found. `FAIRSHOT_SIMULATED_PLAYER_MINUTES` asks for so many player-minutes over
//! all grades instead of the short form, `FAIRSHOT_SIMULATED_SEED` begins at another seed.

use crate::games::ARSENAL;
use crate::hands::Unsteady;
use crate::table::Table;
use fairshot_bots::Bot;
use fairshot_mode::Mode;
use fairshot_simulation::{Course, Findings, Hands, Match, Plan, play_all};
use fairshot_transport::link::Grade;
use fairshot_units::{WeaponCommand, WeaponId};
use std::time::Duration;

/// Silence of a line up to which no honest shot is refused.
const PROMISE: Duration = Duration::from_millis(650);
const PLAYERS: u64 = 4;
/// Of a match of the deep form, and of the short one.
const DEEP_S: u64 = 120;
const SHORT_S: u64 = 20;
/// Rounds over the nine grades of the short form: one for each of the rules.
const SHORT_ROUNDS: u64 = RULES.len() as u64;
/// Where a match has commands in it, one comes to a player so often.
const COMMAND_EVERY: Duration = Duration::from_millis(250);

/// What a match is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    Arena,
    /// Tighter rules, with a window of rewind that follows the path.
    Competitive,
    /// The arena, with every shot judged at the very step it names. Where a line's latency jumps, the
    /// rewind rule moves the shots of that moment, and what it moves need not be as it was seen.
    Exact,
    /// The arena, in hands that fire everything, and with weapons given, set, taken and armed all the while.
    Commands,
}

const RULES: [Rules; 4] = [Rules::Arena, Rules::Exact, Rules::Commands, Rules::Competitive];

fn plan(rules: Rules, seed: u64) -> Plan {
    match rules {
        Rules::Arena | Rules::Commands => Plan::preset("arena", 40, seed),
        Rules::Competitive => Plan::preset("competitive", 40, seed),
        Rules::Exact => {
            let arena = Plan::preset("arena", 40, seed);
            let mode_text = format!("{}\n[rules.rewind]\ntolerance_s = 1.0\n", arena.mode_text);
            let mode = Mode::parse("exact.toml", &mode_text).expect("a good mode");
            Plan { mode_text, mode: mode.with_monsters(40), seed }
        }
    }
}

/// The grade and the rules of a seed.
fn told_by(seed: u64) -> (&'static str, Rules) {
    let grades = Grade::names();
    let round = (seed - 1) / grades.len() as u64;
    let grade = grades[usize::try_from((seed - 1) % grades.len() as u64).unwrap_or(0)];
    (grade, RULES[usize::try_from(round % RULES.len() as u64).unwrap_or(0)])
}

pub fn play(seed: u64, seconds: u64) -> Findings {
    let (grade, rules) = told_by(seed);
    let courses = (0..PLAYERS)
        .map(|n| {
            let ahead = usize::try_from((seed * 29 + n * 17) % 200).unwrap_or(0);
            let course = Course::graded(grade, ahead, (seed / 9 + n).is_multiple_of(2));
            match (seed / 9 + n) % 4 {
                0 => course.jitter(Duration::from_millis(15)),
                1 => course.duplication(0.02),
                2 => course.packet_size_max(1252),
                _ => course,
            }
        })
        .collect();
    let hands = |n: usize| -> Box<dyn Hands> {
        let own = seed * 64 + n as u64;
        match rules {
            Rules::Commands => Box::new(Unsteady::new(own, ARSENAL)),
            _ => Box::new(Bot::new(own, None)),
        }
    };
    let mut game = Match::played_by(&plan(rules, seed), courses, hands);
    if rules == Rules::Commands {
        fight_under_command(&mut game, seed, Duration::from_secs(seconds));
    } else {
        game.fight(Duration::from_secs(seconds));
    }
    game.settle();
    game.findings()
}

/// Gives, sets, takes and arms, at one player after the other.
fn fight_under_command(game: &mut Match, seed: u64, how_long: Duration) {
    let until = game.played() + how_long;
    let mut turn = seed;
    while game.played() < until {
        game.fight(COMMAND_EVERY);
        turn += 1;
        let weapon = WeaponId(ARSENAL[(turn / 3) as usize % ARSENAL.len()]);
        let command = match turn % 7 {
            0 => WeaponCommand::SetAmmo { weapon, total: 30, clip: None },
            1 => WeaponCommand::Take { weapon },
            2 => WeaponCommand::SetArmed { weapon },
            _ => WeaponCommand::Give { weapon, rounds: 9, set_as_current: turn.is_multiple_of(2) },
        };
        let now = game.now();
        game.host.try_command((turn % PLAYERS) as usize, &command, now);
    }
}

/// What a match found that it must not.
fn broken(findings: &Findings) -> bool {
    findings.refused_within(PROMISE).count() > 0
        || findings.unanswered + findings.unexplained > 0
        || !findings.diverged.is_empty()
        || !findings.ended.is_empty()
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn on_no_grade_is_an_honest_shot_refused_and_what_was_seen_is_dealt() {
    let first = number("FAIRSHOT_SIMULATED_SEED").unwrap_or(1).max(1);
    let grades = Grade::names().len() as u64;
    let (matches, seconds) = match number("FAIRSHOT_SIMULATED_PLAYER_MINUTES") {
        Some(minutes) => ((minutes * 60).div_ceil(DEEP_S * PLAYERS).max(1), DEEP_S),
        None => (SHORT_ROUNDS * grades, SHORT_S),
    };
    let seeds: Vec<u64> = (first..first + matches).collect();
    let played = play_all(&seeds, |seed| {
        let findings = play(*seed, seconds);
        if broken(&findings) {
            println!("{:?}: {findings}", told_by(*seed));
        }
        findings
    });
    let (mut table, mut exact, mut bad) = (Table::default(), Findings::default(), Vec::new());
    for findings in played {
        let (grade, rules) = told_by(findings.seed);
        if broken(&findings) {
            bad.push(format!("{rules:?} over {grade}: {findings}"));
        }
        if rules == Rules::Exact {
            exact.add(findings.clone());
        }
        table.add(grade, seconds * PLAYERS, findings);
    }
    println!("{table}");
    println!("judged where they were aimed: {exact}");
    assert!(bad.is_empty(), "{} of {matches} matches: {}", bad.len(), bad.join("\n"));
    let all = table.all();
    assert!(all.shots > matches * seconds, "too few shots to mean anything: {all}");
    assert!(all.agreement() >= 0.995, "{} of the hits seen were dealt: {all}", all.agreement());
    assert!(
        exact.agreement() >= 0.999,
        "{} of the hits seen were dealt: {exact}",
        exact.agreement()
    );
}

/// 3.5 KB a second at the middle, over which everything is fired: once a seed that left shots unanswered and
/// refused a hundred.
#[test]
fn however_much_is_fired_over_the_poorest_line_each_shot_is_answered_and_none_refused() {
    let findings = play(27, 75);
    assert!(
        findings.frames_dropped > 0,
        "the line does hold back more than the credit: {findings}"
    );
    assert!(findings.shots > 400, "{findings}");
    assert!(findings.refused.is_empty() && findings.unanswered == 0, "{findings}");
}

#[test]
fn a_seed_plays_the_same_match_again() {
    for seed in [9, 27, 36] {
        assert_eq!(play(seed, 10), play(seed, 10));
    }
}
