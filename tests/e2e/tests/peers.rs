//! Clients that go before they have come, and clients that take nothing in, over real QUIC.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fairshot_client::{Ended, Matchmaker, Notice};
use fairshot_client_core::{ClientEvent, Fire, PlayerClient};
use fairshot_cluster::control::NodeControl;
use fairshot_e2e::{House, Players};
use fairshot_units::{EntityId, Input, MessageNumber, WeaponId};
use fairshot_wire::{CloseCode, Event};
use glam::Vec3;
use ring::hmac;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(20);
const SECRET: &[u8; 32] = b"a secret of thirty-two bytes, ok";

fn still(_: usize, session: &mut PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}

/// The bearer token of a player, good until 2100.
fn token_of(player: &str) -> String {
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let head = encode(r#"{"alg":"HS256","typ":"JWT"}"#.to_owned());
    let claims = encode(format!(r#"{{"sub":"{player}","exp":4102444800}}"#));
    let signed = format!("{head}.{claims}");
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, SECRET), signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag))
}

#[actix_rt::test]
async fn r17_whoever_is_gone_before_her_join_has_finished_keeps_no_seat_and_comes_back_as_one() {
    let files = tempfile::tempdir().expect("a folder");
    let key = files.path().join("key");
    std::fs::write(&key, SECRET).expect("a key file");
    let key_flag = format!("--join-jwt-key-file={}", key.display());
    let house = House::open_with(&[], &["--join-auth=jwt", &key_flag]).await;
    let uri = format!("http://{}", house.server.join_address());
    let mut watcher = Matchmaker::connect(&uri, Some(&token_of("y"))).await.expect("a matchmaker");
    let seat = watcher.join("arena").await.expect("a seat");
    let room = seat.room_id.clone();
    let mut watching = Players::plain();
    watching.sit(vec![seat]);
    watching.play("the watcher is in", SOON, still, Players::all_in).await;

    let mut hers = Matchmaker::connect(&uri, Some(&token_of("x"))).await.expect("a matchmaker");
    for drop_ms in [0, 2, 5, 10, 20, 50, 100] {
        let mut first = Players::plain();
        let seat = hers.join("arena").await.expect("a seat");
        assert_eq!(seat.room_id, room, "one room has place for both");
        first.sit(vec![seat]);
        let until = Instant::now() + Duration::from_millis(drop_ms);
        first.play("begins to connect", SOON, still, |_| Instant::now() >= until).await;
        // Gone without a word, whatever had been reached.
        let key = first.keys[0];
        first.set.remove(key);
        first.set.flush(Instant::now());

        let mut second = Players::plain();
        second.sit(vec![hers.join("arena").await.expect("her seat")]);
        let told = |players: &Players| !players.notices.is_empty() || players.all_in();
        second.play("is back", SOON, still, told).await;
        assert!(second.notices.is_empty(), "after {drop_ms} ms: {:?}", second.notices);
        let settled = Instant::now() + Duration::from_millis(300);
        watching.play("watches", SOON, still, |_| Instant::now() > settled).await;
        let players = house.server.node().players(None).await.expect("players");
        assert_eq!(players.len(), 2, "after {drop_ms} ms: {players:?}");
        second.set.leave(Instant::now(), second.keys[0]);
        second.play("leaves", SOON, still, |players| !players.notices.is_empty()).await;
    }
    let settled = Instant::now() + Duration::from_millis(300);
    watching.play("watches", SOON, still, |_| Instant::now() > settled).await;

    // Everybody who was told to come is told to go before anybody else takes her place.
    let mut here: Vec<EntityId> = Vec::new();
    for event in &watching.heard[0] {
        match event {
            ClientEvent::Room { event: Event::Joined(joined), .. } => {
                assert!(!here.contains(&joined.entity), "{joined:?} joined twice");
                here.push(joined.entity);
            }
            ClientEvent::Room { event: Event::Left { entity }, .. } => {
                let at = here.iter().position(|known| known == entity);
                here.remove(at.unwrap_or_else(|| panic!("{entity:?} left without a join")));
            }
            _ => {}
        }
    }
    assert_eq!(here.len(), 1, "the watcher alone is left: {here:?}");
    house.close().await;
}

/// Every verdict a player heard, in order.
fn verdicts(heard: &[ClientEvent]) -> Vec<(EntityId, MessageNumber)> {
    heard
        .iter()
        .filter_map(|event| match event {
            ClientEvent::Room { event: Event::ShotJudged(judged), .. } => {
                Some((judged.shooter, judged.number))
            }
            _ => None,
        })
        .collect()
}

#[actix_rt::test]
async fn r20_a_peer_that_takes_no_events_is_closed_alone_and_the_others_hear_everything_once() {
    let arena = fairshot_mode::presets::named("arena").expect("a preset").text;
    let mode = arena
        .replace("name = \"arena\"", "name = \"busy\"")
        .replace("\"ledger\"", "\"open\"")
        .replace("shots_per_second = 8.0", "shots_per_second = 64.0");
    let house = House::open(&[&mode]).await;
    let seats = house.seats("busy", 4, 0).await;
    let mut players = Players::plain();
    players.sit(seats);
    players.play("all in", SOON, still, Players::all_in).await;
    players.heard.iter_mut().for_each(Vec::clear);

    // Three fire into the sky with every frame; the fourth plays on, but her game loop takes no event.
    let deaf = players.keys[3];
    let until = Instant::now() + Duration::from_secs(60);
    let mut ended = Vec::new();
    let mut firing = true;
    let mut quiet_from = None;
    loop {
        let now = Instant::now();
        players.set.receive(now);
        let now_us = players.set.micros(now);
        for (index, key) in players.keys.iter().enumerate() {
            if *key != deaf {
                while let Some(event) = players.set.next_event(*key) {
                    players.heard[index].push(event);
                }
            }
            let due = players.set.session(*key).is_some_and(|session| session.frame_due(now_us));
            if due && let Some(session) = players.set.session_mut(*key) {
                session.frame(Input::default(), false, now_us);
                if firing && *key != deaf {
                    let fire = Fire { weapon: WeaponId(4), direction: Some(Vec3::Y) };
                    // The trigger is pulled with every frame, ready or not.
                    let _ = session.fire(fire, now_us);
                }
            }
        }
        players.set.flush(now);
        while let Some((key, notice)) = players.set.next_notice() {
            ended.push((key, notice));
        }
        if !ended.is_empty() && firing {
            firing = false;
            quiet_from = Some(now + Duration::from_secs(1));
        }
        if quiet_from.is_some_and(|from| now > from) {
            break;
        }
        assert!(now < until, "the deaf peer was never closed");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let [(key, Notice::Ended(Ended::Closed { code, .. }))] = ended.as_slice() else {
        panic!("{ended:?}")
    };
    assert_eq!((*key, *code), (deaf, CloseCode::Slow));
    let told: Vec<_> = players.heard[..3].iter().map(|heard| verdicts(heard)).collect();
    assert!(told[0].len() > 256, "{}", told[0].len());
    let mut once = told[0].clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), told[0].len(), "each verdict is told once");
    assert_eq!(told[0], told[1], "and to all in one order");
    assert_eq!(told[0], told[2]);
    let here = house.server.node().players(None).await.expect("players");
    assert_eq!(here.len(), 3);
    house.close().await;
}
