//! Lines that hold a player's messages back for two thirds of a second.

use crate::games::{ARSENAL, arena, ms, near, secs};
use fairshot_simulation::{Course, Hold, Match, Plan};
use fairshot_transport::link::Line;
use std::time::Duration;

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

#[test]
fn a_stall_of_two_thirds_of_a_second_refuses_no_shot() {
    for seed in 1..=3 {
        let plan = Plan::preset("arena", 20, seed);
        let mut game = Match::new(&plan, stalled(near(30, 5), seed, ms(620)));
        game.fight(secs(19.0));
        game.settle();
        let findings = game.findings();
        assert!(findings.shots > 100, "{findings}");
        assert!(findings.stall_worst.silence > ms(600), "the line did stall: {findings}");
        assert!(findings.refused.is_empty(), "{findings}");
        assert_eq!(findings.unanswered, 0, "{findings}");
    }
}

#[test]
fn so_it_is_for_every_weapon() {
    let mut game = arena(4, 20, near(30, 5), 3);
    for (player, course) in game.players.iter_mut().zip(stalled(near(30, 5), 3, ms(620))) {
        player.course = course;
    }
    assert!(!ARSENAL.is_empty());
    game.fight(secs(19.0));
    game.settle();
    let findings = game.findings();
    assert!(findings.shots > 100, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
}
