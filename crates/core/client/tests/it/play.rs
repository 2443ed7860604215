//! Whole games: no honest shot refused, what was seen is what was dealt, and how many bytes it takes.

use crate::games::Game;
use crate::link::Path;
use fairshot_mode::{Mode, presets};

fn report(name: &str, game: &Game, seconds: f64) {
    let total = game.total();
    let players = game.bots.len() as f64;
    let down: u64 = game.host.sessions.iter().map(|session| session.snapshot_bytes).sum();
    let stream: u64 = game.host.sessions.iter().map(|session| session.stream_bytes).sum();
    println!("{name}: {total:#?}");
    println!(
        "{name}: snapshots {:.0} B/s, stream {:.0} B/s, up {:.0} B/s a player, delay {:?} us",
        down as f64 / players / seconds,
        stream as f64 / players / seconds,
        total.datagram_bytes_up as f64 / players / seconds,
        game.bots[0].client.interpolation_delay_us(),
    );
}

fn check_honest(name: &str, game: &mut Game, seconds: f64) {
    game.run(seconds);
    report(name, game, seconds);
    game.settle();
    let total = game.total();
    assert!(total.shots_sent > 100, "{name}");
    assert_eq!(total.refused_sum(), 0, "{name}: {:?}", total.shots_refused);
    assert_eq!(total.shots_unanswered(), 0, "{name}");
    assert!(total.hits_dealt > 30, "{name}: {}", total.hits_dealt);
    let most = total.hits_seen.max(total.hits_dealt) as f64;
    let matched = total.zones_matched as f64 / most;
    assert!(matched >= 0.999, "{name}: {matched} of {most}");
}

#[test]
fn on_a_clean_path_every_hit_is_dealt_exactly_as_it_was_seen() {
    let path = Path { latency_us: 20_000, jitter_us: 2_000, ..Path::default() };
    let mut game = Game::new(4, 40, path, 1);
    check_honest("clean", &mut game, 20.0);
    let total = game.total();
    assert!(total.corrections * 100 < total.snapshots, "{} corrections", total.corrections);
}

#[test]
fn over_loss_jitter_and_reorder_no_honest_shot_is_refused() {
    let path = Path { latency_us: 40_000, jitter_us: 30_000, loss_percent: 5, double_percent: 3 };
    let mut game = Game::new(4, 40, path, 2);
    check_honest("lossy", &mut game, 20.0);
}

#[test]
fn a_stall_of_two_thirds_of_a_second_refuses_no_shot() {
    let path = Path { latency_us: 30_000, jitter_us: 5_000, ..Path::default() };
    let mut game = Game::new(4, 20, path, 3);
    game.run(2.0);
    for round in 0..12 {
        for (n, session) in game.host.sessions.iter_mut().enumerate() {
            if (round + n) % 2 == 0 {
                // What was sent just before is 30 ms on its way already.
                session.up.stalled_until_us = game.now_us + 650_000;
            }
        }
        game.run(1.5);
    }
    game.settle();
    let total = game.total();
    assert!(total.shots_sent > 100);
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert_eq!(total.shots_unanswered(), 0);
}

#[test]
fn over_round_trips_and_losses_of_nine_cellular_grades_no_honest_shot_is_refused() {
    let grades = [
        "loss_based-good",
        "loss_based-median",
        "loss_based-poor",
        "experience_based-noloss",
        "experience_based-good",
        "experience_based-fair",
        "experience_based-passable",
        "experience_based-poor",
        "experience_based-verypoor",
    ];
    for (seed, grade) in (10..).zip(grades) {
        let mut game = Game::new(4, 20, Path::default(), seed);
        game.play(grade);
        game.run(20.0);
        report(grade, &game, 20.0);
        game.settle();
        let total = game.total();
        assert_eq!(total.refused_sum(), 0, "{grade}: {:?}", total.shots_refused);
        assert_eq!(total.shots_unanswered(), 0, "{grade}");
        let dealt = [total.hits_seen, total.hits_dealt];
        assert!(dealt.iter().all(|hits| total.zones_matched as f64 >= 0.999 * *hits as f64));
    }
}

#[test]
fn snapshots_cut_to_a_fifth_still_make_a_game() {
    let path = Path { latency_us: 20_000, jitter_us: 2_000, ..Path::default() };
    let mut game = Game::new(4, 40, path, 5);
    game.host.limit_bytes = 80;
    game.run(15.0);
    report("cut", &game, 15.0);
    game.settle();
    let total = game.total();
    assert!(game.bots[0].client.stats().snapshots_partial > 100);
    assert_eq!(total.refused_sum(), 0);
    assert!(total.hits_dealt > 20);
    assert!(total.hits_matched as f64 >= 0.8 * total.hits_seen as f64, "{total:?}");
}

#[test]
fn inventories_agree_once_everything_arrived() {
    let path = Path { latency_us: 40_000, jitter_us: 30_000, loss_percent: 10, double_percent: 10 };
    let mut game = Game::new(4, 20, path, 6);
    for _ in 0..20 {
        game.run(0.5);
        let now = game.now_us;
        for session in &mut game.host.sessions {
            let weapon = fairshot_units::WeaponId(4);
            let give =
                fairshot_units::WeaponCommand::Give { weapon, rounds: 7, set_as_current: true };
            session.command(&give, now, &mut game.host.rng);
        }
    }
    game.settle();
    for (bot, session) in game.bots.iter().zip(&game.host.sessions) {
        let (hers, rooms) = (bot.client.inventory().unwrap(), session.ledger.inventory());
        assert_eq!((hers.life, hers.revision), (rooms.life, rooms.revision));
        let totals = |inventory: &fairshot_ledger::Inventory| {
            inventory.slots.map(|slot| (slot.weapon, slot.total))
        };
        assert_eq!(totals(&hers), totals(&rooms));
        assert!(!session.apply_failed);
    }
}

#[test]
fn a_mode_that_counts_no_rounds_is_played_with_every_weapon() {
    let text = presets::named("arena").unwrap().text.replace("\"ledger\"", "\"open\"");
    let mode = Mode::parse("open.toml", &text).unwrap().with_monsters(20);
    let path = Path { latency_us: 20_000, ..Path::default() };
    let mut game = Game::of(&text, mode, 3, path, 7);
    check_honest("open", &mut game, 10.0);
}

#[test]
fn a_client_judged_weapon_names_what_its_screen_showed() {
    let text = presets::named("arena").unwrap().text;
    let text = text.replace("name = \"rifle\"", "name = \"rifle\"\njudge = \"client\"");
    let mode = Mode::parse("judged.toml", &text).unwrap().with_monsters(20);
    let path = Path { latency_us: 20_000, ..Path::default() };
    let mut game = Game::of(&text, mode, 3, path, 8);
    for bot in &mut game.bots {
        bot.weapons = vec![fairshot_units::WeaponId(4)];
    }
    game.run(10.0);
    game.settle();
    let total = game.total();
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert!(total.hits_dealt > 30);
}

#[test]
fn a_smooth_screen_draws_on_across_lost_snapshots() {
    let path = Path { latency_us: 20_000, loss_percent: 20, ..Path::default() };
    let mut game = Game::new(2, 20, path, 9);
    game.smooth();
    game.run(10.0);
    game.settle();
    let total = game.total();
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert!(total.hits_matched as f64 > 0.9 * total.hits_seen as f64, "{total:?}");
}

#[test]
fn clocks_that_run_fast_and_slow_follow_the_rooms() {
    let path = Path { latency_us: 20_000, jitter_us: 5_000, ..Path::default() };
    let mut game = Game::new(4, 20, path, 11);
    for (bot, ppm) in game.bots.iter_mut().zip([3000, -3000, 200, -200]) {
        bot.clock_gains_ppm = ppm;
    }
    check_honest("skewed", &mut game, 20.0);
    // Without following, three in a thousand of 1,280 frames were too many, and dropped.
    let counts = game.host.room.counts();
    assert!(counts.frames_dropped <= 4, "{}", counts.frames_dropped);
    for bot in &game.bots {
        let frames = bot.client.stats().frames;
        assert!((1430..1475).contains(&frames), "{frames} frames in 23 seconds");
    }
}

/// The arena with a plate of 50 m that goes up and down under everybody.
fn on_a_lift(path: Path, seed: u64) -> Game {
    let text = presets::named("arena").unwrap().text;
    let lift = r#"
[[arena.movers]]
name = "lift"
centre_m = [0, 0.1, 0]
size_m = [50, 0.2, 50]
to_m = [0, 3.1, 0]
speed_m_s = 2.0
wait_s = 0.5
"#;
    let text = text.replace("\"ledger\"", "\"open\"") + lift;
    let mut mode = Mode::parse("lift.toml", &text).unwrap();
    mode.arena.blocks.clear();
    for monster in &mut mode.monsters {
        monster.count = 0;
    }
    for spawn in &mut mode.spawns {
        spawn.position_m =
            spawn.position_m.clamp(glam::Vec3::splat(-20.0), glam::Vec3::splat(20.0));
        spawn.position_m.y = 3.3;
    }
    Game::of(&mode.to_toml(), mode, 4, path, seed)
}

#[test]
fn a_lift_is_predicted_so_that_its_riders_are_never_refused() {
    let path = Path { latency_us: 50_000, jitter_us: 20_000, loss_percent: 3, double_percent: 2 };
    let mut game = on_a_lift(path, 12);
    game.run(20.0);
    report("lift", &game, 20.0);
    let rooms: Vec<f32> = game.host.room.movers().map(|mover| mover.centre_m.y).collect();
    assert_eq!(rooms.len(), 1);
    for bot in &game.bots {
        let hers: Vec<f32> = bot.client.movers().map(|mover| mover.centre_m.y).collect();
        // Hers is where the plate will be as her newest input lands, at 2 m/s and within 0.2 s.
        assert!(hers.len() == 1 && (hers[0] - rooms[0]).abs() < 0.45, "{hers:?} {rooms:?}");
    }
    game.settle();
    let total = game.total();
    assert!(total.shots_sent > 100);
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert!(total.hits_dealt > 20, "{}", total.hits_dealt);
    assert!(total.correction_m_max < 0.5, "{} m", total.correction_m_max);
}

#[test]
fn a_stall_on_a_lift_refuses_no_shot() {
    let path = Path { latency_us: 30_000, jitter_us: 5_000, ..Path::default() };
    let mut game = on_a_lift(path, 13);
    game.run(2.0);
    for round in 0..12 {
        for (n, session) in game.host.sessions.iter_mut().enumerate() {
            if (round + n) % 2 == 0 {
                session.up.stalled_until_us = game.now_us + 600_000;
            }
        }
        game.run(1.3);
    }
    game.settle();
    let total = game.total();
    assert!(total.shots_sent > 100);
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
}
