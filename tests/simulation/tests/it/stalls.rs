//! Lines that hold a player's messages back: for two thirds of a second, and thin ones.

use crate::games::{arena, ms, near, secs};
use fairshot_simulation::{Course, Findings, Hold, Match, Plan};
use fairshot_transport::link::Line;
use std::time::Duration;

/// Silence of a line up to which no honest shot is refused.
const PROMISE: Duration = ms(650);

/// Four lines that stand still for so long, twelve times, each at times of its own.
fn stalled(line: Line, seed: u64, hold: Duration) -> Vec<Course> {
    (0..4u64)
        .map(|n| {
            let holds = (0..12).map(|round| {
                let from = secs(1.5) * round + ms(137 * n + seed % 7 * 31);
                Hold { from, until: from + hold }
            });
            holds.fold(Course::steady(line), Course::hold)
        })
        .collect()
}

fn fought(mut game: Match, seconds: f64) -> Findings {
    game.fight(secs(seconds));
    game.settle();
    let findings = game.findings();
    assert_eq!(findings.unanswered + findings.unexplained, 0, "{findings}");
    assert!(findings.diverged.is_empty() && findings.ended.is_empty(), "{findings}");
    findings
}

#[test]
fn a_stall_of_two_thirds_of_a_second_refuses_no_shot() {
    for seed in 1..=3 {
        let plan = Plan::preset("arena", 20, seed);
        let findings = fought(Match::new(&plan, stalled(near(30, 5), seed, ms(620))), 19.0);
        assert!(findings.shots > 60, "{findings}");
        assert!(findings.stall_worst.silence > ms(600), "the line did stall: {findings}");
        assert!(findings.refused.is_empty(), "{findings}");
    }
}

#[test]
fn so_it_is_for_every_weapon() {
    let mut game = arena(4, 20, near(30, 5), 3);
    for (player, course) in game.players.iter_mut().zip(stalled(near(30, 5), 3, ms(620))) {
        player.course = course;
    }
    let findings = fought(game, 19.0);
    assert!(findings.shots > 100, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
}

#[test]
fn in_a_longer_stall_the_trigger_waits_before_a_shot_could_be_refused() {
    let plan = Plan::preset("arena", 20, 4);
    let findings = fought(Match::new(&plan, stalled(near(30, 5), 4, ms(1200))), 19.0);
    assert!(findings.stall_worst.silence > ms(1100), "{findings}");
    assert!(findings.frames_dropped > 0, "inputs beyond the credit are dropped: {findings}");
    assert!(findings.shots > 60, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
}

/// A line that carries less than a game wants is not filled until it is silent: what goes gets rarer, and
/// what goes arrives.
#[test]
fn a_thin_line_falls_silent_for_no_longer_than_it_must() {
    for (seed, bytes_per_second) in [(5, 4000.0), (6, 5000.0), (7, 6500.0)] {
        let line = Line { bytes_per_second: Some(bytes_per_second), ..near(40, 0) };
        let plan = Plan::preset("arena", 40, seed);
        let findings = fought(Match::new(&plan, vec![Course::steady(line); 4]), 19.0);
        assert!(findings.stall_worst.silence < ms(400), "{bytes_per_second} B/s: {findings}");
        assert!(findings.refused.is_empty(), "{bytes_per_second} B/s: {findings}");
        assert!(findings.shots > 60, "{findings}");
    }
}

/// Where acknowledgements are lost both ways, neither side waits for the other's to go on.
#[test]
fn after_a_gap_both_ways_a_thin_line_is_in_use_again_at_once() {
    let thin = Line { bytes_per_second: Some(5000.0), ..near(60, 0) };
    let mut game = Match::new(&Plan::preset("arena", 40, 8), vec![Course::steady(thin); 4]);
    for _ in 0..8 {
        game.fight(secs(2.0));
        for player in &mut game.players {
            player.course = Course::steady(Line { loss: 1.0, ..thin });
        }
        game.fight(secs(0.3));
        for player in &mut game.players {
            player.course = Course::steady(thin);
        }
    }
    let findings = fought(game, 2.0);
    assert!(findings.stall_worst.silence < PROMISE, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
}

/// Lines of every kind within the promise, each seed another.
#[test]
fn on_lines_of_every_kind_that_keep_within_the_promise_no_shot_is_refused() {
    for seed in 100..106u64 {
        let mut luck = seed;
        let mut below = |below: u64| {
            luck = luck.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (luck >> 33) % below
        };
        let courses = (0..4)
            .map(|_| {
                let line = Line {
                    latency: ms(5 + below(250)),
                    jitter: ms(below(40)),
                    loss: below(16) as f64 / 100.0,
                    duplication: below(6) as f64 / 100.0,
                    reorders: below(2) == 0,
                    bytes_per_second: Some(4000.0 + below(60_000) as f64),
                    ..Line::default()
                };
                (0..6).fold(Course::steady(line), |course, round| {
                    let from = secs(3.0) * round + ms(below(1500));
                    course.hold(Hold { from, until: from + ms(50 + below(480)) })
                })
            })
            .collect();
        let findings = fought(Match::new(&Plan::preset("arena", 30, seed), courses), 19.0);
        assert_eq!(findings.refused_within(PROMISE).count(), 0, "{findings}");
        assert!(findings.shots > 40, "{findings}");
    }
}
