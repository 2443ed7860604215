//! Joining, coming back, and leaving.

use crate::world::{World, near};
use bytes::Bytes;
use fairshot_client::core::{ClientEvent, EVENTS_QUEUED_MAX};
use fairshot_client::{Ended, Notice, Options, Phase, Rejoin};
use fairshot_transport::CloseReason;
use fairshot_transport::link::Line;
use fairshot_units::{EntityId, Life, Tick};
use fairshot_wire::{CloseCode, Down, EventBatch, Up};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_player_joins_with_the_ticket_of_its_seat() {
    let mut world = World::new(1, near());
    let key = world.connect(b"ticket-7", Options::default());
    assert_eq!(world.set.phase(key), Some(Phase::Connecting));
    world.until_playing(key);
    assert_eq!(world.server.tickets, [Bytes::from_static(b"ticket-7")]);
    let session = world.set.session(key).expect("there");
    assert_eq!(session.entity(), Some(EntityId(1)));
}

#[test]
fn players_on_one_socket_each_get_what_is_theirs() {
    let mut world = World::new(2, near());
    let keys: Vec<_> = (0..64).map(|_| world.connect(b"t", Options::default())).collect();
    world.steps(64);
    let connections: Vec<_> = world.server.readers.keys().copied().collect();
    assert_eq!(connections.len(), 64);
    for (number, connection) in connections.iter().enumerate() {
        let life = Life(u16::try_from(number).expect("small"));
        let grant = Down::RespawnGrant { life }.to_bytes();
        world.server.endpoint.write(*connection, grant).expect("room");
    }
    world.steps(8);
    let mut lives = Vec::new();
    for key in keys {
        while let Some(event) = world.set.next_event(key) {
            if let ClientEvent::Granted { life } = event {
                lives.push(life);
            }
        }
    }
    lives.sort_unstable();
    assert_eq!(lives, (0..64).map(Life).collect::<Vec<_>>());
}

#[test]
fn a_broken_line_is_come_back_from_with_the_rejoin_ticket() {
    let mut world = World::new(3, near());
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    let dead = Line { loss: 1.0, ..near() };
    world.link.set_line(dead);
    // The idle time, counted from the last ping that went out.
    world.steps(64 * 14);
    assert_eq!(
        world.notices,
        [
            (key, Notice::Unreachable),
            (key, Notice::Rejoining { after: Ended::Lost(CloseReason::TimedOut) })
        ]
    );
    world.link.set_line(near());
    world.until_playing(key);
    assert_eq!(world.server.tickets.last(), Some(&Bytes::from_static(b"rejoin-1")));
    // And once more, with the ticket of the second welcome.
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::Slow.code(), b"slow");
    world.steps(2);
    world.until_playing(key);
    assert_eq!(world.server.tickets.last(), Some(&Bytes::from_static(b"rejoin-2")));
    assert_eq!(world.server.tickets.len(), 3);
}

#[test]
fn coming_back_is_given_up_when_the_seat_is_no_longer_held() {
    let mut world = World::new(4, near());
    world.server.rejoin_within_ms = 12_000;
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    world.link.set_line(Line { loss: 1.0, ..near() });
    world.steps(64 * 60);
    assert!(matches!(world.set.phase(key), Some(Phase::Ended(Ended::Lost(_)))));
    let last = world.notices.last().expect("told");
    assert!(matches!(last, (_, Notice::Ended(Ended::Lost(_)))), "{last:?}");
}

#[test]
fn a_kick_is_told_and_not_come_back_from() {
    let mut world = World::new(5, near());
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    let connection = world.server.only();
    let closing = Down::Closing { code: CloseCode::Kicked, reason: Arc::from("out") };
    world.server.endpoint.write(connection, closing.to_bytes()).expect("room");
    world.server.endpoint.close(connection, CloseCode::Kicked.code(), b"out");
    world.steps(64 * 5);
    let kicked = Ended::Closed { code: CloseCode::Kicked, reason: Arc::from("out") };
    assert_eq!(world.notices, [(key, Notice::Ended(kicked))]);
    let event = world.set.next_event(key);
    assert!(matches!(event, Some(ClientEvent::Closing { code: CloseCode::Kicked, .. })));
    assert_eq!(world.server.tickets.len(), 1);
}

#[test]
fn a_server_with_another_certificate_gets_no_ticket() {
    let mut world = World::new(6, near());
    world.pin.0[0] ^= 1;
    let key = world.connect(b"secret", Options::default());
    world.steps(64);
    assert_eq!(world.notices, [(key, Notice::Ended(Ended::Lost(CloseReason::Certificate)))]);
    assert!(world.server.tickets.is_empty());
}

#[test]
fn a_goodbye_arrives_over_a_bad_line() {
    for seed in 0..4 {
        let bad = Line { loss: 0.3, jitter: Duration::from_millis(30), ..near() };
        let mut world = World::new(10 + seed, bad);
        let key = world.connect(b"t", Options::default());
        world.until_playing(key);
        world.set.leave(world.now, key);
        world.steps(64 * 5);
        // This server never says anything else.
        world.notices.retain(|(_, notice)| *notice != Notice::Unreachable);
        assert_eq!(world.notices, [(key, Notice::Ended(Ended::Left))]);
        assert!(world.server.said.contains(&Up::Goodbye), "seed {seed}");
    }
}

#[test]
fn a_game_loop_that_takes_no_events_holds_the_stream_back_and_loses_nothing() {
    let mut world = World::new(7, near());
    world.server.speaks = true;
    let key = world.connect(b"t", Options::default());
    world.until_playing(key);
    let connection = world.server.only();
    let event = fairshot_wire::Event::Left { entity: EntityId(9) };
    let mut written = 0u32;
    for number in 1..=3000u32 {
        let events = vec![event.clone(); 8];
        let batch = Down::Events(EventBatch { number, tick: Tick(number), events });
        if world.server.endpoint.write(connection, batch.to_bytes()).is_err() {
            break;
        }
        written = number;
        world.step();
    }
    let waiting = world.set.session(key).expect("there").events_waiting();
    assert!(waiting <= EVENTS_QUEUED_MAX + 8, "{waiting}");
    let mut taken = 0;
    for _ in 0..4000 {
        while let Some(event) = world.set.next_event(key) {
            taken += u32::from(matches!(event, ClientEvent::Room { .. }));
        }
        world.step();
    }
    assert_eq!(taken, written * 8);
    assert!(world.notices.is_empty(), "{:?}", world.notices);
}

#[test]
fn a_player_that_never_wants_to_come_back_does_not() {
    let mut world = World::new(8, near());
    let options = Options { rejoin: Rejoin::Never, ..Options::default() };
    let key = world.connect(b"t", options);
    world.until_playing(key);
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::Idle.code(), b"idle");
    world.steps(64);
    assert_eq!(world.server.tickets.len(), 1);
    assert!(matches!(world.set.phase(key), Some(Phase::Ended(_))));
    world.set.remove(key);
    assert_eq!(world.set.phase(key), None);
    let again = world.connect(b"t", Options::default());
    assert_ne!(again, key, "an old key never names a new player");
    assert!(world.set.session(key).is_none());
}
