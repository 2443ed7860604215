//! The machine over a seeded link: what bad networks do to it, and what they must not do.

use crate::common::{CLIENT, Pair, SERVER, STEP, address};
use fairshot_transport::link::Line;
use fairshot_transport::{Bytes, CloseReason, Event, SendError, Settings};
use std::time::Duration;

fn bad_line() -> Line {
    Line {
        latency: Duration::from_millis(30),
        jitter: Duration::from_millis(40),
        loss: 0.2,
        duplication: 0.1,
        ..Line::default()
    }
}

#[test]
fn a_datagram_and_a_stream_go_both_ways() {
    let mut pair = Pair::new(1, Line::default());
    let (client, server) = pair.connect();
    pair.client.endpoint.send_datagram(client, Bytes::from_static(b"frame")).expect("room");
    pair.client.endpoint.write(client, Bytes::from_static(b"hello")).expect("room");
    pair.steps(2);
    assert_eq!(pair.server.datagrams(), [Bytes::from_static(b"frame")]);
    let mut read = Vec::new();
    assert!(!pair.server.endpoint.read(server, &mut read, 1024));
    assert_eq!(read, b"hello");

    pair.server.endpoint.send_datagram(server, Bytes::from_static(b"snapshot")).expect("room");
    pair.server.endpoint.write(server, Bytes::from_static(b"welcome")).expect("room");
    pair.steps(2);
    assert_eq!(pair.client.datagrams(), [Bytes::from_static(b"snapshot")]);
    read.clear();
    assert!(!pair.client.endpoint.read(client, &mut read, 1024));
    assert_eq!(read, b"welcome");
}

#[test]
fn a_server_with_another_certificate_is_not_believed() {
    let mut pair = Pair::new(2, Line::default());
    let mut wrong = pair.pin;
    wrong.0[0] ^= 1;
    pair.client.endpoint.connect(pair.now, address(SERVER), wrong).expect("begun");
    pair.steps(20);
    let last = pair.client.events.last().map(|(_, event)| event.clone());
    assert_eq!(last, Some(Event::Closed(CloseReason::Certificate)));
    assert_eq!(pair.server.connected(), None);
}

#[test]
fn the_stream_is_exact_over_loss_doubling_and_reorder() {
    for seed in 0..8 {
        let mut pair = Pair::new(seed, bad_line());
        let (client, server) = pair.connect();
        let mut read = Vec::new();
        let mut written = Vec::new();
        for batch in 0..640u32 {
            let bytes: Vec<u8> = (0..batch % 60).map(|at| (at ^ batch) as u8).collect();
            written.extend_from_slice(&bytes);
            pair.server.endpoint.write(server, bytes.into()).expect("room");
            let _ = pair.server.endpoint.send_datagram(server, vec![7; 400].into());
            let _ = pair.client.endpoint.send_datagram(client, vec![8; 60].into());
            pair.step();
            while pair.client.endpoint.read(client, &mut read, 4096) {}
        }
        for _ in 0..640 {
            pair.step();
            while pair.client.endpoint.read(client, &mut read, 4096) {}
        }
        assert_eq!(read.len(), written.len(), "seed {seed}");
        assert_eq!(read, written, "seed {seed}");
        let path = pair.server.endpoint.path(server).expect("open");
        assert!(path.packets_lost > 0, "the line was meant to be bad");
    }
}

#[test]
fn r19_a_datagram_at_the_limit_goes_and_one_over_it_is_refused_unsent() {
    let mut pair = Pair::new(3, Line { packet_size_max: 1200, ..Line::default() });
    let (_, server) = pair.connect();
    pair.steps(200);
    let limit = pair.server.endpoint.datagram_size_max(server);
    assert!((1150..1200).contains(&limit), "{limit}");
    for size in [limit - 1, limit] {
        pair.server.endpoint.send_datagram(server, vec![1; size].into()).expect("it fits");
    }
    for size in [limit + 1, 10 * limit] {
        assert_eq!(
            pair.server.endpoint.send_datagram(server, vec![1; size].into()),
            Err(SendError::TooLarge { size, size_max: limit })
        );
    }
    pair.steps(3);
    let sizes: Vec<usize> = pair.client.datagrams().iter().map(Bytes::len).collect();
    assert_eq!(sizes, [limit - 1, limit]);
}

#[test]
fn r19_a_path_that_shrinks_in_play_is_found_out_within_two_seconds() {
    for seed in 0..4 {
        let wide = Line { latency: Duration::from_millis(20), ..Line::default() };
        let server = Settings { packet_size_max: 1452, ..Settings::default() };
        let mut pair = Pair::with(seed, wide, server, Settings::client());
        let (client, server) = pair.connect();
        let mut seen = Vec::new();
        let mut read = Vec::new();
        let mut written = 0;
        for tick in 0..1280u32 {
            if tick == 320 {
                assert!(pair.server.endpoint.datagram_size_max(server) > 1350);
                pair.link.set_line(Line { packet_size_max: 1200, ..wide });
            }
            if tick % 2 == 0 {
                let size = pair.server.endpoint.datagram_size_max(server);
                let sent = pair.server.endpoint.send_datagram(server, vec![9; size].into());
                assert_eq!(sent, Ok(()), "seed {seed} tick {tick}");
            }
            pair.server.endpoint.write(server, Bytes::from_static(b"0123456789")).expect("room");
            written += 10;
            let _ = pair.client.endpoint.send_datagram(client, vec![8; 60].into());
            pair.step();
            while pair.client.endpoint.read(client, &mut read, 4096) {}
            if !pair.client.datagrams().is_empty() {
                seen.push(tick);
            }
        }
        let resumed = seen.iter().find(|tick| **tick > 325).copied().expect("snapshots again");
        assert!(resumed < 320 + 128, "seed {seed}: back at tick {resumed}");
        pair.steps(64);
        while pair.client.endpoint.read(client, &mut read, 4096) {}
        assert_eq!(read.len(), written, "seed {seed}: events lost");
    }
}

#[test]
fn a_new_address_in_mid_session_loses_nothing() {
    let mut pair = Pair::new(5, Line { latency: Duration::from_millis(20), ..Line::default() });
    let (client, server) = pair.connect();
    let (mut read, mut written, mut frames) = (Vec::new(), 0, 0);
    for tick in 0..640u32 {
        if tick == 200 {
            pair.link.translate(address(CLIENT), address("10.9.9.9:999"));
        }
        pair.server.endpoint.write(server, Bytes::from_static(b"event")).expect("room");
        written += 5;
        pair.client.endpoint.send_datagram(client, vec![1; 60].into()).expect("room");
        pair.step();
        frames += pair.server.datagrams().len();
        while pair.client.endpoint.read(client, &mut read, 4096) {}
    }
    pair.steps(64);
    while pair.client.endpoint.read(client, &mut read, 4096) {}
    assert_eq!(read.len(), written);
    assert!(frames > 630, "{frames}");
    let path = pair.server.endpoint.path(server).expect("open");
    assert_eq!(path.address, address("10.9.9.9:999"));
}

#[test]
fn what_was_written_before_a_close_arrives_before_it() {
    let mut pair = Pair::new(6, Line { latency: Duration::from_millis(5), ..Line::default() });
    let (client, server) = pair.connect();
    pair.steps(4);
    pair.server.endpoint.write(server, Bytes::from_static(b"closing")).expect("room");
    pair.server.endpoint.close(server, 42, b"kicked");
    let mut read = Vec::new();
    pair.server.step(pair.now);
    pair.now += Duration::from_millis(100);
    pair.client.endpoint.receive(pair.now, &mut pair.client.port);
    let mut told = Vec::new();
    while let Some((_, event)) = pair.client.endpoint.poll() {
        if event == Event::Readable {
            pair.client.endpoint.read(client, &mut read, 1024);
        }
        told.push(event);
    }
    assert_eq!(read, b"closing");
    assert_eq!(
        told.last(),
        Some(&Event::Closed(CloseReason::Peer { code: 42, reason: Bytes::from_static(b"kicked") }))
    );
    assert!(pair.server.endpoint.is_quiet());
}

#[test]
fn a_silent_peer_times_out_and_its_key_names_nothing_after() {
    let mut pair = Pair::new(7, Line::default());
    let (_, server) = pair.connect();
    for _ in 0..(64 * 12) {
        pair.server.step(pair.now);
        pair.now += STEP;
    }
    assert!(pair.server.events.contains(&(server, Event::Closed(CloseReason::TimedOut))));
    assert_eq!(pair.server.endpoint.open_connections(), 0);
    assert_eq!(
        pair.server.endpoint.send_datagram(server, Bytes::from_static(b"x")),
        Err(SendError::NotConnected)
    );
}
