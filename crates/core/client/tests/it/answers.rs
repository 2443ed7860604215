//! Markers, refusals, lies, and a game loop that looks away.

use crate::games::Game;
use crate::link::Path;
use fairshot_client_core::{CannotFire, ClientEvent, Fire, Forgery, MarkerFate, ShotFate};
use fairshot_units::{Rule, WeaponId};
use fairshot_wire::{Event, RefusedBy};
use fairshot_world::direction_of;
use glam::Vec3;

const RIFLE: WeaponId = WeaponId(4);

fn clean(players: u64, monsters: u16, seed: u64) -> Game {
    let path = Path { latency_us: 20_000, ..Path::default() };
    Game::new(players, monsters, path, seed)
}

/// Two honest players and one that tells these lies, for ten seconds.
fn cheat(seed: u64, weapons: &[u8], lies: impl Fn(&Game) -> Forgery) -> Game {
    let mut game = clean(3, 20, seed);
    game.run(2.0);
    game.bots[0].weapons = weapons.iter().map(|id| WeaponId(*id)).collect();
    game.bots[0].keeps_events = true;
    for _ in 0..100 {
        let forgery = lies(&game);
        game.bots[0].client.forge(forgery);
        game.run(0.1);
    }
    game.settle();
    for bot in &game.bots[1..] {
        assert_eq!(bot.client.stats().refused_sum(), 0, "an honest player was refused");
    }
    game
}

#[test]
fn a_refused_shot_takes_its_marker_back_and_says_why() {
    let game = cheat(21, &[4], |game| {
        // Four metres along her own line of fire: the screen shows the same hits.
        let body = game.bots[0].client.body().unwrap().state;
        let ahead = direction_of(body.yaw, body.pitch) * 4.0;
        let origin_m = body.position_m + Vec3::new(0.0, 1.6, 0.0) + ahead;
        let bounds = game.host.mode.arena.bounds;
        let origin_m = Some(origin_m.clamp(bounds.min_m, bounds.max_m));
        Forgery { origin_m, ..Forgery::default() }
    });
    let stats = game.bots[0].client.stats();
    let taken_back = game.bots[0].events.iter().filter(|event| {
        matches!(event, ClientEvent::MarkerSettled { fate: MarkerFate::Refused(rule), .. }
            if *rule == RefusedBy::BuiltIn(Rule::Origin))
    });
    let drawn =
        game.bots[0].events.iter().filter(|event| matches!(event, ClientEvent::Marker { .. }));
    assert!(stats.shots_refused["origin"] > 10, "{:?}", stats.shots_refused);
    assert!(taken_back.count() > 0 && drawn.count() > 0);
    let why = game.bots[0].events.iter().find_map(|event| match event {
        ClientEvent::Room { event: Event::ShotRefused { reason, number, .. }, .. } => {
            Some((reason.clone(), *number))
        }
        _ => None,
    });
    let (reason, _) = why.unwrap();
    assert!(reason.contains("2.5 m"), "{reason}");
    let last = game.bots[0].client.last_shots();
    assert!(last.iter().any(|shot| matches!(shot.fate, ShotFate::Refused(_))));
}

#[test]
fn a_weapon_not_given_is_refused_as_held() {
    let game = cheat(22, &[8, 5], |_| Forgery { any_weapon: true, ..Forgery::default() });
    let stats = game.bots[0].client.stats();
    assert!(stats.shots_refused.keys().all(|rule| rule == "held"), "{:?}", stats.shots_refused);
}

#[test]
fn a_rapid_fire_is_cut_to_the_weapons_rate() {
    let mut game = clean(2, 20, 23);
    game.run(2.0);
    game.bots[0].client.forge(Forgery { any_rate: true, ..Forgery::default() });
    game.bots[0].weapons = vec![RIFLE];
    for _ in 0..640 {
        game.run(1.0 / 64.0);
        let now = game.now_us;
        let now = game.bots[0].local_us(now);
        let _ = game.bots[0].client.fire(Fire { weapon: RIFLE, direction: None }, now);
    }
    game.settle();
    let stats = game.bots[0].client.stats();
    // 8 a second for ten seconds, an allowance of 6.2, and those of the two seconds before.
    assert!(stats.shots_accepted <= 80 + 7 + 16, "{}", stats.shots_accepted);
    assert!(stats.shots_refused["rate"] > 100, "{:?}", stats.shots_refused);
}

#[test]
fn a_frozen_counter_is_refused_as_ammo() {
    let game = cheat(24, &[4], |_| Forgery { frozen_total: Some(600), ..Forgery::default() });
    let stats = game.bots[0].client.stats();
    assert!(stats.shots_refused.get("ammo").is_some_and(|n| *n > 10), "{:?}", stats.shots_refused);
}

#[test]
fn an_honest_trigger_stays_within_rate_rounds_and_life() {
    let mut game = clean(1, 0, 25);
    let fire = Fire { weapon: RIFLE, direction: None };
    assert_eq!(game.bots[0].client.fire(fire, 0), Err(CannotFire::NotPlaying));
    game.run(1.0);
    let now = game.bots[0].local_us(game.now_us);
    let client = &mut game.bots[0].client;
    let odd = |id| Fire { weapon: WeaponId(id), direction: None };
    assert_eq!(client.fire(odd(99), now), Err(CannotFire::Unknown(WeaponId(99))));
    assert_eq!(client.fire(odd(8), now), Err(CannotFire::Kind(WeaponId(8))));
    assert_eq!(client.fire(odd(5), now), Err(CannotFire::Ammo));
    let before = client.rounds(RIFLE).unwrap();
    let first = client.fire(fire, now).unwrap();
    assert_eq!(client.fire(fire, now), Err(CannotFire::Rate));
    let second = client.fire(fire, now + 130_000).unwrap();
    assert!(second > first);
    assert_eq!(client.rounds(RIFLE), Some(before - 2));
}

#[test]
fn while_the_game_loop_looks_away_the_stream_waits_and_nothing_is_lost() {
    let mut game = clean(3, 40, 26);
    for bot in &mut game.bots {
        bot.keeps_events = true;
    }
    game.run(2.0);
    game.bots[0].plays = false;
    let mut stopped = false;
    for _ in 0..60 {
        game.run(1.0);
        let client = &game.bots[0].client;
        assert!(client.events_waiting() <= 512 + 64, "{}", client.events_waiting());
        stopped |= !client.wants_stream();
        if stopped {
            break;
        }
    }
    assert!(stopped, "the queue never filled");
    let pending = game.host.sessions[0].batches_pending();
    game.run(1.0);
    // The others read on; her batches wait, since she acknowledges none.
    assert!(game.host.sessions[0].batches_pending() > pending);
    assert!(game.host.sessions[1].batches_pending() < 20);
    game.bots[0].plays = true;
    game.settle();
    assert!(game.host.sessions[0].batches_pending() < 20);
    let verdicts = |n: usize| -> Vec<_> {
        let events = game.bots[n].events.iter();
        events
            .filter_map(|event| match event {
                ClientEvent::Room { event: Event::ShotJudged(judged), .. } => {
                    Some((judged.shooter, judged.number))
                }
                _ => None,
            })
            .collect()
    };
    let (hers, others) = (verdicts(0), verdicts(1));
    assert!(hers.len() > 50);
    assert_eq!(hers, others, "each hears every verdict once and in one order");
}
