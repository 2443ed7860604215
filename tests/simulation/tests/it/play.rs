//! Whole games: no honest shot refused, what was seen is what was dealt, inventories that agree.

use crate::games::{ARSENAL, arena, near, secs, unsteady};
use fairshot_mode::{Mode, presets};
use fairshot_simulation::{Match, Plan};
use fairshot_transport::link::Line;
use fairshot_units::{WeaponCommand, WeaponId};

const RIFLE: WeaponId = WeaponId(4);

/// Fights and settles; nothing may be other than promised.
fn check_honest(game: &mut Match, seconds: f64) {
    game.fight(secs(seconds));
    game.settle();
    let (findings, total) = (game.findings(), game.total());
    assert!(findings.shots > 100, "{findings}");
    assert!(findings.refused.is_empty(), "{findings}");
    assert_eq!(findings.unanswered + findings.unexplained, 0, "{findings}");
    assert!(findings.diverged.is_empty() && findings.ended.is_empty(), "{findings}");
    assert!(findings.hits_dealt > 30, "{findings}");
    let most = total.hits_seen.max(total.hits_dealt) as f64;
    let matched = total.zones_matched as f64 / most;
    assert!(matched >= 0.999, "zones of {matched} matched; {findings}");
}

#[test]
fn on_a_clean_path_every_hit_is_dealt_exactly_as_it_was_seen() {
    let mut game = arena(4, 40, near(20, 2), 1);
    check_honest(&mut game, 20.0);
    let total = game.total();
    assert!(total.corrections * 100 < total.snapshots, "{} corrections", total.corrections);
}

#[test]
fn over_loss_jitter_and_reorder_no_honest_shot_is_refused() {
    let line = Line { loss: 0.05, duplication: 0.03, ..near(40, 30) };
    check_honest(&mut arena(4, 40, line, 2), 20.0);
}

#[test]
fn snapshots_cut_to_a_fifth_still_make_a_game() {
    let mut game = arena(4, 40, near(20, 2), 5);
    game.host.snapshot_bytes_max = 80;
    game.fight(secs(15.0));
    game.settle();
    let total = game.total();
    assert!(game.players[0].client().stats().snapshots_partial > 100);
    assert_eq!(total.refused_sum(), 0);
    assert!(total.hits_dealt > 20);
    assert!(total.hits_matched as f64 >= 0.8 * total.hits_seen as f64, "{total:?}");
}

#[test]
fn inventories_agree_once_everything_arrived() {
    let line = Line { loss: 0.1, duplication: 0.1, ..near(40, 30) };
    let mut game = arena(4, 20, line, 6);
    for _ in 0..20 {
        game.fight(secs(0.5));
        let now = game.now();
        for player in 0..4 {
            let give = WeaponCommand::Give { weapon: RIFLE, rounds: 7, set_as_current: true };
            game.host.command(player, &give, now);
        }
    }
    game.settle();
    let findings = game.findings();
    assert!(findings.diverged.is_empty(), "{findings}");
    assert!(game.host.sessions.iter().all(|session| session.ledger().revision().0 >= 20));
}

#[test]
fn a_mode_that_counts_no_rounds_is_played_with_every_weapon() {
    let mode_text = presets::named("arena").unwrap().text.replace("\"ledger\"", "\"open\"");
    let mode = Mode::parse("open.toml", &mode_text).unwrap().with_monsters(20);
    let mut game = unsteady(&Plan { mode_text, mode, seed: 7 }, 3, near(20, 0), ARSENAL);
    check_honest(&mut game, 10.0);
}

#[test]
fn a_client_judged_weapon_names_what_its_screen_showed() {
    let text = presets::named("arena").unwrap().text;
    let mode_text = text.replace("name = \"rifle\"", "name = \"rifle\"\njudge = \"client\"");
    let mode = Mode::parse("judged.toml", &mode_text).unwrap().with_monsters(20);
    let mut game = unsteady(&Plan { mode_text, mode, seed: 8 }, 3, near(20, 0), &[RIFLE.0]);
    game.fight(secs(10.0));
    game.settle();
    let total = game.total();
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert!(total.hits_dealt > 30);
}

#[test]
fn a_smooth_screen_draws_on_across_lost_snapshots() {
    let mut game = arena(2, 20, Line { loss: 0.2, ..near(20, 0) }, 9);
    for player in &mut game.players {
        player.client_mut().draw_smoothly(true);
    }
    game.fight(secs(10.0));
    game.settle();
    let total = game.total();
    assert_eq!(total.refused_sum(), 0, "{:?}", total.shots_refused);
    assert!(total.hits_matched as f64 > 0.9 * total.hits_seen as f64, "{total:?}");
}

#[test]
fn clocks_that_run_fast_and_slow_follow_the_rooms() {
    let mut game = arena(4, 20, near(20, 5), 11);
    for (player, ppm) in game.players.iter_mut().zip([3000, -3000, 200, -200]) {
        player.clock_gains_ppm = ppm;
    }
    let frames: Vec<u64> = game.players.iter().map(|p| p.client().stats().frames).collect();
    check_honest(&mut game, 20.0);
    // Without following, three in a thousand of 1,600 frames were too many, and dropped.
    let counts = game.host.room.counts();
    assert!(counts.frames_dropped <= 4, "{}", counts.frames_dropped);
    for (player, before) in game.players.iter().zip(frames) {
        let made = player.client().stats().frames - before;
        assert!((1590..1615).contains(&made), "{made} frames in 25 seconds");
    }
}
