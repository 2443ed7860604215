//! Doors and lifts: predicted by clients, so that nobody is refused for riding one, over any line.

use crate::games::{ms, near, secs};
use fairshot_mode::{Mode, presets};
use fairshot_simulation::{Course, Hold, Match, Plan};
use fairshot_transport::link::Line;

/// The open arena with a plate over all of it that goes up and down under everybody.
fn on_a_lift(courses: Vec<Course>, seed: u64) -> Match {
    let text = presets::named("arena").unwrap().text.replace("\"ledger\"", "\"open\"");
    let lift = r#"
[[arena.movers]]
name = "lift"
centre_m = [0, 0.1, 0]
size_m = [70, 0.2, 70]
to_m = [0, 3.1, 0]
speed_m_s = 2.0
wait_s = 0.5
"#;
    let mut mode = Mode::parse("lift.toml", &(text + lift)).unwrap().with_monsters(0);
    mode.arena.blocks.clear();
    for spawn in &mut mode.spawns {
        spawn.position_m.y = 3.3;
    }
    let mut game = Match::new(&Plan { mode_text: mode.to_toml(), mode, seed }, courses);
    game.run(secs(3.0), fairshot_bots::Mood::Peaceful);
    game
}

#[test]
fn a_lift_is_predicted_and_its_riders_are_not_refused() {
    let line = Line { loss: 0.03, duplication: 0.02, ..near(50, 20) };
    let mut game = on_a_lift(vec![Course::steady(line); 4], 12);
    game.fight(secs(30.0));
    let rooms: Vec<f32> = game.host.room.movers().map(|mover| mover.centre_m.y).collect();
    for player in &game.players {
        let hers: Vec<f32> = player.client().movers().map(|mover| mover.centre_m.y).collect();
        // Hers is where the plate will be as her newest input lands, at 2 m/s and within 0.25 s.
        assert!(hers.len() == 1 && (hers[0] - rooms[0]).abs() < 0.5, "{hers:?} {rooms:?}");
    }
    game.settle();
    let (findings, total) = (game.findings(), game.total());
    assert!(findings.shots > 60, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
    assert!(findings.hits_dealt > 20, "{findings}");
    assert!(total.correction_m_max < 0.6, "{} m", total.correction_m_max);
}

#[test]
fn a_stall_on_a_lift_refuses_no_shot() {
    let courses = (0..4u64)
        .map(|n| {
            let holds = (0..12).map(|round| {
                let from = secs(1.5) * round + ms(137 * n);
                Hold { from, until: from + ms(600) }
            });
            holds.fold(Course::steady(near(30, 5)), Course::hold)
        })
        .collect();
    let mut game = on_a_lift(courses, 13);
    game.fight(secs(16.0));
    game.settle();
    let findings = game.findings();
    assert!(findings.shots > 60, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
}
