//! A session on each of nine grades of a cellular line, both with its order kept and turned round.

use crate::common::{House, address, batch};
use fairshot_gateway::SessionEvent;
use fairshot_transport::link::{Grade, GradePlayer, Line};
use std::time::Duration;

const SECONDS: u32 = 40;

#[test]
fn every_grade_carries_a_session_and_loses_no_event() {
    let server = crate::common::SERVER.parse().expect("an address");
    for (number, name) in Grade::names().into_iter().enumerate() {
        for reorders in [false, true] {
            let grade = Grade::named(name).expect("a grade");
            let mut up = GradePlayer::new(grade.clone(), number * 17, reorders);
            let mut down = GradePlayer::new(grade, number * 17, reorders);
            let mut house = House::new(7 + number as u64, Line::default());
            let (client, session) = house.player(1);
            let (mut frames, mut queued, mut oldest) = (0, 0, 0);
            let (mut heard_at, mut stall) = (0, 0);
            for tick in 0..64 * SECONDS {
                let since = Duration::from_micros(15_625) * tick;
                house.link.set_line_between(address(1), server, up.line(since));
                house.link.set_line_between(server, address(1), down.line(since));
                if tick % 2 == 0 {
                    let mut snapshot = vec![0; 150];
                    snapshot[..4].copy_from_slice(&tick.to_le_bytes());
                    house.gateway.send_snapshot(session, snapshot.into());
                }
                if tick % 16 == 0 {
                    queued += 1;
                    house.gateway.queue_batch(session, batch(queued)).expect("room");
                }
                let key = house.clients[client].key;
                if !house.clients[client].endpoint.datagrams_held(key) {
                    house.clients[client].frame();
                }
                let seen = house.clients[client].datagrams.len();
                house.step();
                house.clients[client].acknowledge();
                for datagram in &house.clients[client].datagrams[seen..] {
                    let sent =
                        u32::from_le_bytes([datagram[0], datagram[1], datagram[2], datagram[3]]);
                    oldest = oldest.max(tick - sent);
                }
                let heard = house
                    .events
                    .extract_if(.., |event| matches!(event, SessionEvent::Datagram { .. }))
                    .count();
                frames += heard;
                stall = stall.max(tick - heard_at);
                if heard > 0 {
                    heard_at = tick;
                }
            }
            let snapshots = house.clients[client].datagrams.len();
            println!(
                "{name:26} reorders {reorders:5}: frames {:5.1}/s, longest stall {:.2} s, snapshots {:5.1}/s, oldest {:.2} s",
                frames as f32 / SECONDS as f32,
                stall as f32 / 64.0,
                snapshots as f32 / SECONDS as f32,
                oldest as f32 / 64.0,
            );
            assert!(house.closed().is_empty(), "{name}: {:?}", house.closed());
            // The line itself gives nothing for up to a third of a second, and the transport adds
            // nothing to that: a stall of 0.65 s would cost an honest player her shots.
            assert!(stall < 32, "{name}: a stall of {stall} ticks");
            // Whatever is still on its way gets a good line to arrive on.
            house.link.set_line_between(address(1), server, Line::default());
            house.link.set_line_between(server, address(1), Line::default());
            for _ in 0..64 * 5 {
                house.clients[client].acknowledge();
                house.clients[client].frame();
                house.step();
            }
            let batches = house.clients[client].batches();
            assert_eq!(batches, (1..=queued).collect::<Vec<u32>>(), "{name}");
            assert_eq!(house.gateway.depths(session).expect("open").batches, 0, "{name}");
        }
    }
}
