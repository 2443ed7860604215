//! Peers that mean harm, and floods: what they may cost, and what they must not change.

use crate::common::{Pair, SERVER, STEP, Side, address};
use fairshot_transport::link::{Line, Link};
use fairshot_transport::{
    Bytes, CloseReason, Endpoint, Event, HandshakeLimits, Identity, Network, RetryPolicy, Settings,
    WriteError,
};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

fn anywhere(number: u32) -> SocketAddr {
    (Ipv4Addr::from_bits(0x0B00_0000 + number), 4000).into()
}

/// The packets a client sends first.
fn first_flight(pair: &mut Pair) -> Vec<Vec<u8>> {
    pair.link.record();
    pair.client.endpoint.connect(pair.now, address(SERVER), pair.pin).expect("begun");
    pair.client.step(pair.now);
    pair.link.record().into_iter().map(|packet| packet.bytes).collect()
}

#[test]
fn ten_thousand_first_packets_of_forged_addresses_leave_nothing_behind() {
    let mut pair = Pair::new(1, Line::default());
    let flight = first_flight(&mut pair);
    for number in 0..10_000 {
        pair.link.inject(pair.now, anywhere(number), address(SERVER), &flight[0]);
        if number % 100 == 0 {
            pair.server.step(pair.now);
        }
    }
    pair.server.step(pair.now);
    let counters = pair.server.endpoint.counters();
    assert!(counters.retries_sent >= 10_000, "{counters:?}");
    assert_eq!(counters.handshakes_begun, 0);
    assert_eq!(pair.server.endpoint.open_connections(), 0);
    // A retry is no gift to a forger: it is smaller than what asked for it.
    assert!(pair.server.port.sent().bytes < 10_001 * 1200 / 4);
    // Whoever owns her address still gets in.
    pair.steps(8);
    assert!(pair.client.connected().is_some() && pair.server.connected().is_some());
}

/// Each from an address of its own, which no retry asks to prove itself.
#[test]
fn of_ten_thousand_half_open_handshakes_the_cap_stays_and_ends() {
    const CAP: usize = 1024;
    let limits = HandshakeLimits {
        retry: RetryPolicy::Never,
        half_open_max: CAP,
        ..HandshakeLimits::default()
    };
    let settings = Settings { handshakes: limits, ..Settings::default() };
    let mut pair = Pair::with(2, Line::default(), settings, Settings::client());
    for number in 0..10_000 {
        let mut port = pair.link.port(anywhere(number));
        let mut client = Endpoint::client(Settings::client());
        client.connect(pair.now, address(SERVER), pair.pin).expect("begun");
        client.flush(pair.now, &mut port);
        pair.server.step(pair.now);
        assert!(pair.server.endpoint.half_open() <= CAP);
    }
    assert_eq!(pair.server.endpoint.half_open(), CAP);
    assert_eq!(pair.server.endpoint.counters().refused_full, 10_000 - CAP as u64);
    for _ in 0..(64 * 20) {
        pair.server.step(pair.now);
        pair.now += STEP;
    }
    assert_eq!(pair.server.endpoint.half_open(), 0);
    assert_eq!(pair.server.endpoint.open_connections(), 0, "nothing grows after the timeout");
    assert_eq!(pair.server.endpoint.counters().handshakes_timed_out, CAP as u64);
    assert!(pair.server.events.is_empty(), "the owner never hears of them");
    pair.connect();
}

#[test]
fn one_address_cannot_begin_more_handshakes_than_its_rate() {
    let mut pair = Pair::new(3, Line::default());
    // All of these answer their retries: they do own the one address.
    for _ in 0..200 {
        let _ = pair.client.endpoint.connect(pair.now, address(SERVER), pair.pin);
    }
    pair.steps(8);
    let counters = pair.server.endpoint.counters();
    assert!((32..=34).contains(&counters.handshakes_begun), "{counters:?}");
    assert!(counters.refused_address >= 160, "{counters:?}");
}

#[test]
fn r21_first_packets_played_again_change_nothing() {
    let mut pair = Pair::new(4, Line::default());
    pair.link.record();
    let (client, server) = pair.connect();
    pair.client.endpoint.send_datagram(client, Bytes::from_static(b"shot")).expect("room");
    pair.steps(4);
    let packets: Vec<_> =
        pair.link.record().into_iter().filter(|packet| packet.to == address(SERVER)).collect();
    assert_eq!(pair.server.datagrams().len(), 1);
    let from = address("10.66.66.66:6666");
    let play = |pair: &mut Pair| {
        for packet in &packets {
            pair.link.inject(pair.now, from, address(SERVER), &packet.bytes);
        }
    };
    // One second later, once more a minute later, and a thousand times in one second.
    pair.steps(64);
    play(&mut pair);
    pair.steps(64 * 59);
    play(&mut pair);
    for _ in 0..64 {
        for _ in 0..16 {
            play(&mut pair);
        }
        pair.step();
    }
    pair.steps(64 * 6);
    assert_eq!(pair.server.datagrams().len(), 0, "no second shot");
    let mut read = Vec::new();
    pair.server.endpoint.read(server, &mut read, 64);
    assert!(read.is_empty(), "no second hello");
    let told: Vec<_> = pair.server.events.iter().filter(|(key, _)| *key != server).collect();
    assert!(told.is_empty(), "no second player: {told:?}");
    assert_eq!(pair.server.endpoint.open_connections(), 1, "no growth after the timeout");
    pair.client.endpoint.send_datagram(client, Bytes::from_static(b"next")).expect("room");
    pair.steps(2);
    assert_eq!(pair.server.datagrams().len(), 1, "the first player plays on");
}

#[test]
fn garbage_and_broken_packets_are_dropped_without_harm() {
    let mut pair = Pair::new(5, Line { latency: Duration::from_millis(2), ..Line::default() });
    let (client, server) = pair.connect();
    let mut random = 0x1234_5678_9ABC_DEF0u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut frames = 0;
    for _ in 0..200 {
        pair.link.record();
        pair.client.endpoint.send_datagram(client, vec![1; 80].into()).expect("room");
        pair.step();
        let packets = pair.link.record();
        for packet in packets.iter().filter(|packet| packet.to == address(SERVER)) {
            for _ in 0..20 {
                let mut bytes = packet.bytes.clone();
                let at = next() as usize % bytes.len();
                bytes[at] ^= 1 << (next() % 8);
                bytes.truncate(1 + next() as usize % bytes.len());
                bytes.extend((0..next() % 4).map(|n| n as u8));
                pair.link.inject(pair.now, packet.from, packet.to, &bytes);
            }
        }
        for _ in 0..20 {
            let bytes: Vec<u8> = (0..next() % 1400).map(|_| next() as u8).collect();
            pair.link.inject(pair.now, anywhere(next() as u32 % 99), address(SERVER), &bytes);
        }
        frames += pair.server.datagrams().len();
    }
    pair.steps(4);
    frames += pair.server.datagrams().len();
    assert_eq!(frames, 200);
    assert!(pair.server.endpoint.path(server).is_some());
    assert!(pair.server.endpoint.open_connections() < 200);
}

#[test]
fn a_peer_that_reads_nothing_fills_its_bounds_and_no_more() {
    let settings = Settings { stream_pending_bytes_max: 50_000, ..Settings::default() };
    let mut pair = Pair::with(6, Line::default(), settings, Settings::client());
    let (_, server) = pair.connect();
    let mut written = 0;
    let full = loop {
        match pair.server.endpoint.write(server, vec![0; 1000].into()) {
            Ok(()) => written += 1000,
            Err(error) => break error,
        }
        pair.step();
        assert!(written < 1_000_000, "no bound was met");
    };
    assert!(matches!(full, WriteError::Full { pending_max: 50_000, .. }));
    assert!(pair.server.endpoint.pending_bytes(server) <= 50_000);
    // The window of the stream, and what waits here.
    assert!(written <= 50_000 + 64 * 1024 + 1000, "{written}");
    assert!(pair.server.endpoint.path(server).is_some(), "the bound is the owner's to act on");
}

#[test]
fn a_server_that_stops_tells_every_client() {
    let link = Link::new(8, Line { latency: Duration::from_millis(10), ..Line::default() });
    let identity = Identity::generate().expect("randomness");
    let mut server = Side {
        endpoint: Endpoint::server(Settings::default(), &identity).expect("a server"),
        port: link.port(address(SERVER)),
        events: Vec::new(),
    };
    let mut now = Instant::now();
    let mut clients: Vec<Side> = (0..20)
        .map(|number| {
            let mut endpoint = Endpoint::client(Settings::client());
            endpoint.connect(now, address(SERVER), identity.pin()).expect("begun");
            Side { endpoint, port: link.port(anywhere(number)), events: Vec::new() }
        })
        .collect();
    for _ in 0..32 {
        server.step(now);
        clients.iter_mut().for_each(|client| client.step(now));
        now += STEP;
    }
    let keys: Vec<_> = server.events.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys.len(), 20);
    for key in keys {
        server.endpoint.close(key, 1, b"stopping");
    }
    assert!(!server.endpoint.is_quiet());
    server.endpoint.flush(now, &mut server.port);
    assert!(server.endpoint.is_quiet());
    now += Duration::from_millis(20);
    for client in &mut clients {
        client.step(now);
        let last = client.events.last().map(|(_, event)| event.clone());
        let reason = Bytes::from_static(b"stopping");
        assert_eq!(last, Some(Event::Closed(CloseReason::Peer { code: 1, reason })));
    }
}
