//! Markers, refusals, lies, and a game loop that looks away.

use crate::games::{ARSENAL, near, secs, unsteady};
use fairshot_client_core::{CannotFire, ClientEvent, Fire, Forgery, MarkerFate, ShotFate};
use fairshot_simulation::{Match, Plan};
use fairshot_units::{Rule, WeaponId};
use fairshot_wire::{Event, RefusedBy};
use fairshot_world::direction_of;
use glam::Vec3;

const RIFLE: WeaponId = WeaponId(4);

fn clean(players: usize, monsters: u16, seed: u64, weapons: &[u8]) -> Match {
    unsteady(&Plan::preset("arena", monsters, seed), players, near(20, 0), weapons)
}

/// Two honest players and one that tells these lies, for ten seconds; all fire the same weapons.
fn cheat(seed: u64, weapons: &[u8], lies: impl Fn(&Match) -> Forgery) -> Match {
    let mut game = clean(3, 20, seed, weapons);
    game.players[0].keeps_events = true;
    for _ in 0..100 {
        let forgery = lies(&game);
        game.players[0].client_mut().forge(forgery);
        game.fight(secs(0.1));
    }
    game.settle();
    for player in &game.players[1..] {
        assert_eq!(player.client().stats().refused_sum(), 0, "an honest player was refused");
    }
    game
}

#[test]
fn a_refused_shot_takes_its_marker_back_and_says_why() {
    let game = cheat(21, &[4], |game| {
        // Four metres along her own line of fire: the screen shows the same hits.
        let body = game.players[0].client().body().unwrap().state;
        let ahead = direction_of(body.yaw, body.pitch) * 4.0;
        let origin_m = body.position_m + Vec3::new(0.0, 1.6, 0.0) + ahead;
        let bounds = game.host.mode.arena.bounds;
        let origin_m = Some(origin_m.clamp(bounds.min_m, bounds.max_m));
        Forgery { origin_m, ..Forgery::default() }
    });
    let (client, events) = (game.players[0].client(), &game.players[0].events);
    let taken_back = events.iter().filter(|event| {
        matches!(event, ClientEvent::MarkerSettled { fate: MarkerFate::Refused(rule), .. }
            if *rule == RefusedBy::BuiltIn(Rule::Origin))
    });
    let drawn = events.iter().filter(|event| matches!(event, ClientEvent::Marker { .. }));
    let refused = &client.stats().shots_refused;
    assert!(refused["origin"] > 10, "{refused:?}");
    assert!(taken_back.count() > 0 && drawn.count() > 0);
    let why = events.iter().find_map(|event| match event {
        ClientEvent::Room { event: Event::ShotRefused { reason, number, .. }, .. } => {
            Some((reason.clone(), *number))
        }
        _ => None,
    });
    let (reason, _) = why.unwrap();
    assert!(reason.contains("2.5 m"), "{reason}");
    assert!(client.last_shots().iter().any(|shot| matches!(shot.fate, ShotFate::Refused(_))));
}

#[test]
fn a_weapon_not_given_is_refused_as_held() {
    let game = cheat(22, &[8, 5], |_| Forgery { any_weapon: true, ..Forgery::default() });
    let refused = &game.players[0].client().stats().shots_refused;
    assert!(!refused.is_empty());
    assert!(refused.keys().all(|rule| rule == "held"), "{refused:?}");
}

#[test]
fn a_rapid_fire_is_cut_to_the_weapons_rate() {
    let mut game = clean(2, 20, 23, &[4]);
    game.players[0].client_mut().forge(Forgery { any_rate: true, ..Forgery::default() });
    for _ in 0..640 {
        game.fight(secs(1.0 / 64.0));
        let now_us = game.now_us(0);
        let fire = Fire { weapon: RIFLE, direction: None };
        // The trigger is pulled whether or not a round is left.
        let _ = game.players[0].client_mut().fire(fire, now_us);
    }
    game.settle();
    let stats = game.players[0].client().stats();
    // 8 a second for ten seconds, and an allowance of 6.2.
    assert!(stats.shots_accepted <= 80 + 7, "{}", stats.shots_accepted);
    assert!(stats.shots_refused["rate"] > 100, "{:?}", stats.shots_refused);
}

#[test]
fn a_frozen_counter_is_refused_as_ammo() {
    let game = cheat(24, &[4], |_| Forgery { frozen_total: Some(600), ..Forgery::default() });
    let refused = &game.players[0].client().stats().shots_refused;
    assert!(refused.get("ammo").is_some_and(|count| *count > 10), "{refused:?}");
}

#[test]
fn an_honest_trigger_stays_within_rate_rounds_and_life() {
    let mut game = clean(1, 0, 25, ARSENAL);
    game.run(secs(1.0), fairshot_bots::Mood::Peaceful);
    let now_us = game.now_us(0);
    let client = game.players[0].client_mut();
    let fire = |id| Fire { weapon: WeaponId(id), direction: None };
    assert_eq!(client.fire(fire(99), now_us), Err(CannotFire::Unknown(WeaponId(99))));
    assert_eq!(client.fire(fire(8), now_us), Err(CannotFire::Kind(WeaponId(8))));
    assert_eq!(client.fire(fire(5), now_us), Err(CannotFire::Ammo));
    let before = client.rounds(RIFLE).unwrap();
    let first = client.fire(fire(4), now_us).unwrap();
    assert_eq!(client.fire(fire(4), now_us), Err(CannotFire::Rate));
    let second = client.fire(fire(4), now_us + 130_000).unwrap();
    assert!(second > first);
    assert_eq!(client.rounds(RIFLE), Some(before - 2));
}

#[test]
fn while_the_game_loop_looks_away_the_stream_waits_and_nothing_is_lost() {
    let mut game = clean(3, 40, 26, ARSENAL);
    for player in &mut game.players {
        player.keeps_events = true;
    }
    game.fight(secs(2.0));
    game.players[0].plays = false;
    let mut stopped = false;
    for _ in 0..60 {
        game.fight(secs(1.0));
        let client = game.players[0].client();
        assert!(client.events_waiting() <= 512 + 64, "{}", client.events_waiting());
        stopped |= !client.wants_stream();
        if stopped {
            break;
        }
    }
    assert!(stopped, "the queue never filled");
    let pending = |game: &Match, player: usize| game.host.batches_pending(player).unwrap();
    let before = pending(&game, 0);
    game.fight(secs(1.0));
    // The others read on; her batches wait, since she acknowledges none.
    assert!(pending(&game, 0) > before);
    assert!(pending(&game, 1) < 20);
    game.players[0].plays = true;
    game.settle();
    assert!(pending(&game, 0) < 20);
    let verdicts = |n: usize| -> Vec<_> {
        let events = game.players[n].events.iter();
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
