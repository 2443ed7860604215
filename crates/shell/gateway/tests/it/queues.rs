//! What waits for a player: bounded, in one order, and the fault of that player alone.

use crate::common::{House, STEP, batch};
use bytes::Bytes;
use fairshot_gateway::{BATCHES_MAX, COMMANDS_MAX, Full, SessionEvent, SessionId};
use fairshot_transport::link::Line;
use fairshot_units::{Life, Revision, WeaponCommand};
use fairshot_wire::{CloseCode, Down};
use std::time::Duration;

fn near() -> Line {
    Line { latency: Duration::from_millis(15), ..Line::default() }
}

fn queue(house: &mut House, session: SessionId) -> bool {
    let Some(number) = house.gateway.next_batch(session) else { return false };
    house.gateway.queue_batch(session, batch(number)).is_ok()
}

fn command(revision: u16) -> Bytes {
    Down::Command { revision: Revision(revision), command: WeaponCommand::Clear }.to_bytes()
}

#[test]
fn r20_a_peer_that_stops_acknowledging_is_closed_alone_at_the_bound() {
    let mut house = House::new(1, near());
    let players: Vec<_> = (1..=4).map(|number| house.player(number)).collect();
    let (slow_client, slow) = players[3];
    let mut refused_at = None;
    for tick in 1..=400u32 {
        for (client, session) in &players {
            house.clients[*client].frame();
            let queued = queue(&mut house, *session);
            if *session == slow && !queued && refused_at.is_none() {
                refused_at = Some(tick);
            }
            if let Some(depths) = house.gateway.depths(*session) {
                assert!(depths.batches <= BATCHES_MAX);
            }
        }
        house.step();
        for (client, session) in &players {
            if *session != slow {
                house.clients[*client].acknowledge();
            }
        }
    }
    assert_eq!(refused_at, Some(BATCHES_MAX as u32 + 1));
    assert_eq!(house.closed(), [(slow, CloseCode::Slow)]);
    assert_eq!(house.gateway.counters().closed(CloseCode::Slow), 1);
    assert_eq!(house.clients[slow_client].close_code(), Some(CloseCode::Slow));
    house.steps(16);
    for (client, session) in &players[..3] {
        assert_eq!(house.clients[*client].batches(), (1..=400).collect::<Vec<u32>>());
        assert!(house.gateway.path(*session).is_some());
    }
}

#[test]
fn r20_a_peer_that_acknowledges_again_in_time_stays_and_loses_nothing() {
    let mut house = House::new(2, near());
    let (client, session) = house.player(1);
    for tick in 1..=400u32 {
        assert!(queue(&mut house, session), "tick {tick}");
        if tick > 200 {
            house.clients[client].acknowledge();
        }
        house.clients[client].frame();
        house.step();
    }
    for _ in 0..16 {
        house.clients[client].acknowledge();
        house.clients[client].frame();
        house.step();
    }
    assert_eq!(house.gateway.depths(session).expect("playing").batches, 0);
    assert_eq!(house.clients[client].batches(), (1..=400).collect::<Vec<u32>>());
    assert!(house.closed().is_empty());
}

#[test]
fn r20_batches_arrive_once_and_in_order_over_a_fifth_lost() {
    for seed in 0..4 {
        let line = Line { loss: 0.2, jitter: Duration::from_millis(30), ..near() };
        let mut house = House::new(100 + seed, line);
        let players: Vec<_> = (1..=4).map(|number| house.player(number)).collect();
        for round in 0..600 {
            for (client, session) in &players {
                if round < 60 {
                    assert!(queue(&mut house, *session));
                }
                house.clients[*client].acknowledge();
                house.clients[*client].frame();
            }
            house.step();
        }
        for (client, _) in &players {
            let batches = house.clients[*client].batches();
            assert_eq!(batches, (1..=60).collect::<Vec<u32>>(), "seed {seed}");
        }
        assert!(house.closed().is_empty());
    }
}

#[test]
fn r20_nobody_is_closed_for_lost_snapshots() {
    let mut house = House::new(3, near());
    let (client, session) = house.player(1);
    for tick in 0..64 * 6u32 {
        if tick == 64 {
            // Everything as large as a snapshot is lost for three seconds.
            house.link.set_line(Line { packet_size_max: 300, ..near() });
        }
        if tick == 64 * 4 {
            house.link.set_line(near());
        }
        if tick % 2 == 0 {
            assert!(house.gateway.send_snapshot(session, vec![1; 700].into()));
        }
        assert!(queue(&mut house, session));
        house.clients[client].acknowledge();
        house.clients[client].frame();
        house.step();
    }
    assert!(house.closed().is_empty());
    house.clients[client].datagrams.clear();
    for _ in 0..16 {
        house.gateway.send_snapshot(session, vec![1; 700].into());
        house.clients[client].acknowledge();
        house.clients[client].frame();
        house.step();
    }
    assert!(!house.clients[client].datagrams.is_empty(), "snapshots flow again");
    assert_eq!(house.clients[client].batches().len(), 64 * 6);
}

#[test]
fn commands_grants_and_batches_share_one_order() {
    let line = Line { loss: 0.2, jitter: Duration::from_millis(40), ..near() };
    let mut house = House::new(4, line);
    let (client, session) = house.player(1);
    let mut expected = Vec::new();
    for turn in 0..200u16 {
        let message = match turn % 3 {
            0 => command(turn),
            1 => Down::RespawnGrant { life: Life(turn) }.to_bytes(),
            _ => {
                assert!(queue(&mut house, session));
                expected.push(None);
                continue;
            }
        };
        house.gateway.queue_command(session, message).expect("room");
        expected.push(Some(turn));
        if turn % 7 == 0 {
            house.clients[client].acknowledge();
            house.clients[client].frame();
            house.step();
        }
    }
    house.steps(300);
    let came: Vec<Option<u16>> = house.clients[client]
        .down
        .iter()
        .map(|down| match down {
            Down::Command { revision, .. } => Some(revision.0),
            Down::RespawnGrant { life } => Some(life.0),
            _ => None,
        })
        .collect();
    assert_eq!(came, expected);
}

#[test]
fn a_full_command_queue_refuses_and_closes_nobody() {
    let mut house = House::new(5, near());
    let (client, session) = house.player(1);
    // The client reads nothing, so its window and then the queue fill.
    house.clients[client].reads = false;
    let mut queued = 0u32;
    let full = loop {
        match house.gateway.queue_command(session, vec![1; 400].into()) {
            Ok(()) => queued += 1,
            Err(full) => break full,
        }
        house.gateway.flush(house.now);
        if queued.is_multiple_of(50) {
            house.clients[client].frame();
            house.step();
        }
        assert!(queued < 10_000);
    };
    assert_eq!(full, Full::Full { max: COMMANDS_MAX });
    assert_eq!(house.gateway.check_command(session), Err(full));
    assert_eq!(house.gateway.depths(session).expect("playing").commands, COMMANDS_MAX);
    assert!(house.closed().is_empty());
    assert_eq!(house.gateway.counters().commands_refused_full, 1);
    assert!(queue(&mut house, session), "events have a bound of their own");
}

#[test]
fn the_newest_snapshot_takes_the_place_of_one_the_path_holds_back() {
    let thin =
        Line { bytes_per_second: Some(4000.0), latency: Duration::from_millis(40), ..near() };
    let mut house = House::new(6, near());
    let server = crate::common::SERVER.parse().expect("an address");
    house.link.set_line_between(server, crate::common::address(1), thin);
    let (client, session) = house.player(1);
    for tick in 0..64 * 10u32 {
        if tick % 2 == 0 {
            let mut snapshot = vec![0; 400];
            snapshot[..4].copy_from_slice(&tick.to_le_bytes());
            house.gateway.send_snapshot(session, snapshot.into());
        }
        house.clients[client].frame();
        let seen = house.clients[client].datagrams.len();
        house.step();
        for datagram in &house.clients[client].datagrams[seen..] {
            let sent = u32::from_le_bytes([datagram[0], datagram[1], datagram[2], datagram[3]]);
            // 400 B at 4,000 B/s take 0.1 s each. The line is not known at first; once it is, what
            // waits in front of it is little.
            let age_max = if tick < 64 * 5 { 64 * 3 } else { 64 };
            assert!(tick - sent < age_max, "tick {tick}: a snapshot {} ticks old", tick - sent);
        }
    }
    let seen = house.clients[client].datagrams.len();
    assert!((50..=110).contains(&seen), "the rate falls to what the line carries: {seen}");
    assert!(house.gateway.counters().snapshots_replaced > 100);
    assert!(house.closed().is_empty());
}

#[test]
fn a_snapshot_over_the_paths_limit_is_counted_and_never_an_error() {
    let mut house = House::new(7, near());
    let (client, session) = house.player(1);
    let limit = house.gateway.datagram_size_max(session);
    for size in [limit, limit + 1, 10 * limit] {
        assert!(house.gateway.send_snapshot(session, vec![1; size].into()));
        house.clients[client].frame();
        house.steps(2);
    }
    house.steps(4);
    assert_eq!(house.gateway.counters().snapshots_oversize, 2);
    assert_eq!(house.clients[client].datagrams.len(), 1);
    assert!(house.closed().is_empty());
}

#[test]
fn a_stopping_gateway_tells_every_player() {
    let mut house = House::new(8, near());
    let players: Vec<_> = (1..=8).map(|number| house.player(number)).collect();
    for (_, session) in &players {
        queue(&mut house, *session);
    }
    house.gateway.close_all(CloseCode::Stopping, "the server stops");
    house.gateway.flush(house.now);
    assert!(house.gateway.is_quiet());
    house.now += STEP * 3;
    for (client, _) in &players {
        let now = house.now;
        let peer = &mut house.clients[*client];
        peer.step(now);
        assert_eq!(peer.close_code(), Some(CloseCode::Stopping));
        assert_eq!(peer.closing(), Some(CloseCode::Stopping));
        assert_eq!(peer.batches(), [1], "what was queued before still came");
    }
    house.step();
    let told = house.events.iter().filter(|e| matches!(e, SessionEvent::Closed { .. })).count();
    assert_eq!(told, 8);
}
