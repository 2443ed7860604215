//! Whole games: no honest shot refused, what was seen is what was dealt, and how many bytes it takes.

use crate::games::Game;
use crate::link::Path;

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
    assert!(matched >= 0.99, "{name}: {matched} of {most}");
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
