//! Servers that say nothing, and seats elsewhere.

use crate::world::{World, near};
use bytes::Bytes;
use fairshot_client::{Notice, Options, Phase, Rejoin};
use fairshot_transport::link::Line;
use fairshot_wire::CloseCode;

#[test]
fn a_silent_server_is_told_within_seconds_once_and_again_after_it_was_heard() {
    let mut world = World::new(31, near());
    world.server.speaks = true;
    let options = Options { rejoin: Rejoin::Automatic, ..Options::default() };
    let key = world.connect(b"first", options);
    world.until_playing(key);
    for times in 1..=2 {
        let told = |world: &World| {
            world.notices.iter().filter(|told| **told == (key, Notice::Unreachable)).count()
        };
        assert_eq!(told(&world), times - 1);
        world.link.set_line(Line { loss: 1.0, ..near() });
        world.steps(64 * 2);
        assert_eq!(told(&world), times - 1, "two seconds are a hitch");
        world.steps(64 * 2);
        assert_eq!(told(&world), times, "asked for before QUIC gives up");
        assert_eq!(world.set.phase(key), Some(Phase::Playing), "and the line may still come back");
        world.steps(64 * 2);
        assert_eq!(told(&world), times, "once");
        world.link.set_line(near());
        // The next ping is answered, and so is whatever the server says.
        world.steps(64 * 3);
    }
    assert_eq!(world.server.tickets.len(), 1, "she never left");
}

#[test]
fn a_server_that_never_answers_is_told_while_its_seat_is_tried() {
    let mut world = World::new(32, Line { loss: 1.0, ..near() });
    let key = world.connect(b"first", Options::default());
    world.steps(64 * 4);
    assert_eq!(world.notices, [(key, Notice::Unreachable)]);
    assert_eq!(world.set.phase(key), Some(Phase::Connecting));
}

#[test]
fn a_player_whose_server_is_gone_goes_on_in_another_seat() {
    let mut world = World::new(33, near());
    world.server.speaks = true;
    let key = world.connect(b"first", Options::default());
    world.until_playing(key);
    world.link.set_line(Line { loss: 1.0, ..near() });
    world.steps(64 * 4);
    assert_eq!(world.notices, [(key, Notice::Unreachable)]);
    // The matchmaker's seat, on a line that works.
    world.link.set_line(near());
    let seat = world.seat(b"second");
    world.set.take_seat(world.now, key, seat).expect("begun");
    assert_eq!(world.set.phase(key), Some(Phase::Connecting));
    world.until_playing(key);
    assert_eq!(world.server.tickets, [Bytes::from_static(b"first"), Bytes::from_static(b"second")]);
    // From now on her way back is the new seat's.
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::Slow.code(), b"slow");
    world.steps(2);
    world.until_playing(key);
    assert_eq!(world.server.tickets.last(), Some(&Bytes::from_static(b"rejoin-2")));
    world.steps(64 * 2);
    let ended = world.notices.iter().any(|(_, notice)| matches!(notice, Notice::Ended(_)));
    assert!(!ended, "the connection before is over without a word: {:?}", world.notices);
}

#[test]
fn a_player_that_ended_or_was_removed_takes_a_seat_or_nothing() {
    let mut world = World::new(34, near());
    let options = Options { rejoin: Rejoin::Never, ..Options::default() };
    let key = world.connect(b"first", options);
    world.until_playing(key);
    let connection = world.server.only();
    world.server.endpoint.close(connection, CloseCode::RoomClosed.code(), b"over");
    world.steps(8);
    assert!(matches!(world.set.phase(key), Some(Phase::Ended(_))));
    let seat = world.seat(b"second");
    world.set.take_seat(world.now, key, seat.clone()).expect("begun");
    world.until_playing(key);
    world.set.remove(key);
    world.set.take_seat(world.now, key, seat).expect("does nothing");
    world.steps(8);
    assert_eq!(world.set.phase(key), None);
    assert_eq!(world.server.tickets.len(), 2);
}
