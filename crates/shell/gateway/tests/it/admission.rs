//! Who becomes a session, and what everybody else costs and is told.

use crate::common::{House, address, batch, hello, welcome};
use bytes::Bytes;
use fairshot_gateway::{Gone, SessionEvent};
use fairshot_transport::link::Line;
use fairshot_wire::{CloseCode, Hello, PROTOCOL_VERSION, Up, UpLimits};
use std::time::Duration;

fn near() -> Line {
    Line { latency: Duration::from_millis(10), ..Line::default() }
}

/// Steps until the client is connected, says `up`, and gives the time for an answer.
fn say_first(house: &mut House, client: usize, up: &Up) {
    while !house.clients[client].connected {
        house.step();
    }
    house.clients[client].say(up);
    house.steps(8);
}

#[test]
fn a_hello_comes_with_its_ticket_and_a_welcome_goes_back() {
    let mut house = House::new(1, near());
    let client = house.client(1);
    say_first(&mut house, client, &hello(b"ticket-1"));
    let [SessionEvent::Hello { session, hello }] = house.events.as_slice() else {
        panic!("{:?}", house.events)
    };
    let (session, ticket) = (*session, hello.ticket.clone());
    assert_eq!(ticket, Bytes::from_static(b"ticket-1"));
    house.gateway.accept(house.now, session, welcome(), UpLimits::default()).expect("there");
    house.steps(4);
    assert_eq!(house.clients[client].down.len(), 1);
    assert_eq!(house.gateway.counters().accepted, 1);
}

#[test]
fn a_ticket_turned_away_is_told_why_with_one_code() {
    let codes = [
        CloseCode::TicketForged,
        CloseCode::TicketExpired,
        CloseCode::TicketUsed,
        CloseCode::TicketRoom,
        CloseCode::TicketNode,
        CloseCode::TicketRevoked,
        CloseCode::Full,
    ];
    let mut house = House::new(2, near());
    for (number, code) in codes.into_iter().enumerate() {
        let client = house.client(number as u8 + 1);
        say_first(&mut house, client, &hello(b"bad"));
        let Some(SessionEvent::Hello { session, .. }) = house.events.pop() else {
            panic!("{:?}", house.events)
        };
        house.gateway.close(session, code, "your ticket");
        house.steps(4);
        assert_eq!(house.clients[client].close_code(), Some(code));
        assert_eq!(house.clients[client].closing(), Some(code));
        assert_eq!(house.gateway.counters().closed(code), 1);
    }
    assert_eq!(house.gateway.open_sessions(), 0);
}

#[test]
fn whoever_says_anything_before_hello_is_shown_out() {
    let mut house = House::new(3, near());
    let early = house.client(1);
    say_first(&mut house, early, &Up::Goodbye);
    assert_eq!(house.clients[early].close_code(), Some(CloseCode::Hello));

    let old = house.client(2);
    let version = PROTOCOL_VERSION + 1;
    let hello = Hello { version, ticket: Bytes::from_static(b"t"), traceparent: None };
    say_first(&mut house, old, &Up::Hello(hello));
    assert_eq!(house.clients[old].close_code(), Some(CloseCode::Version));

    let loud = house.client(3);
    while !house.clients[loud].connected {
        house.step();
    }
    for _ in 0..64 {
        house.clients[loud].frame();
        house.step();
    }
    assert!(house.events.is_empty(), "frames of nobody are not even decoded: {:?}", house.events);
    assert_eq!(house.gateway.counters().datagrams, 0);
}

#[test]
fn a_connection_that_never_says_hello_is_closed() {
    let mut house = House::new(4, near());
    let client = house.client(1);
    house.steps(64 * 6);
    assert_eq!(house.clients[client].close_code(), Some(CloseCode::Hello));
    assert_eq!(house.gateway.open_sessions(), 0);
    assert!(house.events.is_empty(), "the shard never heard of it");
}

#[test]
fn a_hello_that_nobody_answers_does_not_wait_for_ever() {
    let mut house = House::new(8, near());
    let client = house.client(1);
    say_first(&mut house, client, &hello(b"ticket"));
    house.steps(64 * 6);
    assert_eq!(house.clients[client].close_code(), Some(CloseCode::Internal));
    assert_eq!(house.closed().len(), 1);
}

#[test]
fn a_client_gone_before_it_was_accepted_is_reported_and_cannot_be_accepted() {
    let mut house = House::new(5, near());
    let client = house.client(1);
    say_first(&mut house, client, &hello(b"ticket"));
    let Some(SessionEvent::Hello { session, .. }) = house.events.pop() else { panic!("no hello") };
    let key = house.clients[client].key;
    house.clients[client].endpoint.close(key, 0, b"");
    house.steps(8);
    assert_eq!(house.closed(), [(session, CloseCode::Goodbye)]);
    let accepted = house.gateway.accept(house.now, session, welcome(), UpLimits::default());
    assert_eq!(accepted, Err(Gone));
}

#[test]
fn the_old_connection_of_a_player_who_came_back_ends_without_touching_the_new_one() {
    let mut house = House::new(6, near());
    let (old_client, old) = house.player(1);
    // Its line breaks: nothing of it arrives, and nothing reaches it.
    let server = crate::common::SERVER.parse().expect("an address");
    let dead = Line { loss: 1.0, ..near() };
    house.link.set_line_between(address(1), server, dead);
    house.link.set_line_between(server, address(1), dead);
    house.steps(64 * 2);
    let (new_client, new) = house.player(2);
    house.gateway.close(old, CloseCode::Superseded, "a newer connection");
    for tick in 0..64 * 12u32 {
        house.clients[new_client].frame();
        house.clients[old_client].frame();
        let number = house.gateway.next_batch(new).expect("playing");
        assert_eq!(number, tick + 1, "its batches count from one");
        house.gateway.queue_batch(new, batch(number)).expect("room");
        house.step();
        house.clients[new_client].acknowledge();
    }
    // The line heals, and late packets of the old connection come in.
    house.link.set_line_between(address(1), server, near());
    house.clients[old_client].frame();
    house.steps(64);
    assert_eq!(house.closed(), [(old, CloseCode::Superseded)], "once, and only the old one");
    assert_eq!(house.clients[new_client].batches(), (1..=64 * 12).collect::<Vec<u32>>());
    assert!(house.clients[new_client].closed.is_none());
    let frames = house.events.iter().all(|event| match event {
        SessionEvent::Datagram { session, .. } => *session == new,
        _ => true,
    });
    assert!(frames, "frames of the old connection are nobody's");
}

#[test]
fn r21_first_packets_played_again_bring_no_second_hello() {
    let mut house = House::new(7, near());
    house.link.record();
    let (client, session) = house.player(1);
    house.clients[client].frame();
    house.steps(8);
    let server = crate::common::SERVER.parse().expect("an address");
    let packets: Vec<_> =
        house.link.record().into_iter().filter(|packet| packet.to == server).collect();
    house.events.clear();
    for _ in 0..1000 {
        for packet in &packets {
            house.link.inject(house.now, address(200), server, &packet.bytes);
        }
        if house.gateway.counters().hellos > 1 {
            break;
        }
        house.gateway.receive(house.now);
    }
    house.steps(64 * 6);
    assert!(house.gateway.next_event().is_none());
    assert!(house.events.is_empty(), "{:?}", house.events);
    assert_eq!(house.gateway.counters().hellos, 1);
    assert_eq!(house.gateway.open_sessions(), 1);
    assert!(house.gateway.path(session).is_some());
}
