//! Sessions that mean harm: what each may cost, and with which word it goes.

use crate::common::House;
use bytes::Bytes;
use fairshot_gateway::{Limits, SessionEvent};
use fairshot_transport::AddressLimit;
use fairshot_transport::link::Line;
use fairshot_wire::{CloseCode, GameCommand, Up, Value};
use std::sync::Arc;
use std::time::Duration;

fn near() -> Line {
    Line { latency: Duration::from_millis(10), ..Line::default() }
}

#[test]
fn too_much_that_cannot_be_read_ends_the_session_and_a_little_does_not() {
    let mut house = House::new(1, near());
    let (clumsy, clumsy_session) = house.player(1);
    let (hostile, hostile_session) = house.player(2);
    for tick in 0..64 * 3 {
        if tick % 2 == 0 {
            house.clients[clumsy].raw(vec![0xFF; 40]);
        }
        house.clients[clumsy].frame();
        house.clients[hostile].raw(vec![0xA1; 40]);
        house.step();
    }
    house.steps(4);
    assert_eq!(house.closed(), [(hostile_session, CloseCode::Malformed)]);
    assert_eq!(house.clients[hostile].close_code(), Some(CloseCode::Malformed));
    assert!(house.gateway.path(clumsy_session).is_some());
    assert!(house.gateway.counters().malformed >= 96);
}

#[test]
fn a_flood_of_datagrams_is_cut_to_its_rate_and_then_ends() {
    let limits = Limits { datagrams_over_rate_max: 500, ..Limits::default() };
    let mut house = House::with(2, near(), limits);
    let (client, session) = house.player(1);
    let mut decoded = 0;
    for _ in 0..64 {
        for _ in 0..40 {
            house.clients[client].frame();
        }
        house.step();
        decoded += house
            .events
            .extract_if(.., |event| matches!(event, SessionEvent::Datagram { .. }))
            .count();
    }
    house.steps(4);
    assert!(decoded <= 256 + 160 + 1, "{decoded}");
    assert_eq!(house.closed(), [(session, CloseCode::Flood)]);
}

#[test]
fn one_address_cannot_crowd_out_another_by_many_sessions() {
    let address_datagrams = AddressLimit { burst: 400.0, per_second: 256.0, addresses_max: 64 };
    let limits = Limits { address_datagrams, ..Limits::default() };
    let mut house = House::with(9, near(), limits);
    // Eight sessions behind one address, each within its own rate, and one elsewhere.
    let crowd: Vec<usize> = (1..=8u8)
        .map(|number| house.player_at(number, ([10, 0, 9, 9], 4000 + u16::from(number)).into()).0)
        .collect();
    let (alone, session) = house.player(20);
    house.events.clear();
    for _ in 0..64 * 4 {
        for client in &crowd {
            house.clients[*client].frame();
            house.clients[*client].frame();
        }
        house.clients[alone].frame();
        house.step();
    }
    house.steps(8);
    let (mut hers, mut theirs) = (0, 0);
    for event in &house.events {
        if let SessionEvent::Datagram { session: of, .. } = event {
            if *of == session { hers += 1 } else { theirs += 1 }
        }
    }
    assert_eq!(hers, 64 * 4, "another address is not held back");
    assert!((400..=400 + 256 * 5).contains(&theirs), "{theirs} of {}", 8 * 2 * 64 * 4);
    assert!(house.gateway.counters().datagrams_over_rate > 2000);
    assert!(house.closed().is_empty(), "dropped is enough: a neighbour may be the one who floods");
}

#[test]
fn a_stall_given_back_at_once_is_no_flood() {
    let mut house = House::new(3, near());
    let (client, session) = house.player(1);
    house.events.clear();
    for _ in 0..5 {
        house.steps(42);
        for _ in 0..42 {
            house.clients[client].frame();
        }
        house.step();
    }
    house.steps(8);
    let frames = house.events.iter().filter(|e| matches!(e, SessionEvent::Datagram { .. })).count();
    assert_eq!(frames, 5 * 42);
    assert!(house.gateway.path(session).is_some());
}

#[test]
fn a_flood_of_stream_messages_ends_the_session() {
    let mut house = House::new(4, near());
    let (client, session) = house.player(1);
    let command = Up::GameCommand(GameCommand {
        number: 1,
        name: Arc::from("shout"),
        view: fairshot_units::ViewStep::default(),
        value: Value::Flag(true),
    });
    for _ in 0..64 {
        for _ in 0..100 {
            house.clients[client].say(&command);
        }
        house.clients[client].frame();
        house.step();
    }
    house.steps(4);
    assert_eq!(house.closed(), [(session, CloseCode::Flood)]);
    let messages =
        house.events.iter().filter(|e| matches!(e, SessionEvent::Message { .. })).count();
    assert!(messages <= 64 + 32, "{messages}");
}

#[test]
fn an_endless_message_is_refused_by_its_length() {
    let mut house = House::new(5, near());
    let (client, session) = house.player(1);
    let key = house.clients[client].key;
    let mut endless = vec![0xFF, 0xFF, 0x7F];
    endless.resize(100_000, 0);
    house.clients[client].endpoint.write(key, endless.into()).expect("room");
    house.steps(16);
    assert_eq!(house.closed(), [(session, CloseCode::Protocol)]);
}

#[test]
fn a_second_hello_and_an_unknown_message_are_broken_protocol() {
    let mut house = House::new(6, near());
    let (twice, first) = house.player(1);
    house.clients[twice].say(&crate::common::hello(b"again"));
    let (odd, second) = house.player(2);
    let key = house.clients[odd].key;
    house.clients[odd].endpoint.write(key, Bytes::from_static(&[1, 99])).expect("room");
    house.steps(8);
    let closed = house.closed();
    assert!(closed.contains(&(first, CloseCode::Hello)), "{closed:?}");
    assert!(closed.contains(&(second, CloseCode::Protocol)), "{closed:?}");
}

#[test]
fn a_peer_that_falls_silent_times_out_and_one_that_only_pings_does_too() {
    let mut house = House::new(7, near());
    let (silent, silent_session) = house.player(1);
    let (_, pinging_session) = house.player(2);
    let (talking, talking_session) = house.player(3);
    let dead = Line { loss: 1.0, ..near() };
    let server = crate::common::SERVER.parse().expect("an address");
    house.link.set_line_between(crate::common::address(1), server, dead);
    for _ in 0..64 * 14 {
        house.clients[silent].frame();
        house.clients[talking].frame();
        house.step();
    }
    let closed = house.closed();
    assert_eq!(closed.len(), 2, "{closed:?}");
    assert!(closed.contains(&(silent_session, CloseCode::Idle)));
    assert!(closed.contains(&(pinging_session, CloseCode::Idle)));
    assert!(house.gateway.path(talking_session).is_some());
}

#[test]
fn a_goodbye_ends_the_session_at_once() {
    let mut house = House::new(8, near());
    let (client, session) = house.player(1);
    house.clients[client].say(&Up::Goodbye);
    house.steps(8);
    assert_eq!(house.closed(), [(session, CloseCode::Goodbye)]);
    assert_eq!(house.clients[client].close_code(), Some(CloseCode::Goodbye));
    assert_eq!(house.gateway.open_sessions(), 0);
}
