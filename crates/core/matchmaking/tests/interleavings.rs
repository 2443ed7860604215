//! Whatever happens in whatever order, a room is never oversold, no player has two seats, and a
//! ticket that is in time opens its seat.

use fairshot_matchmaking::{Generation, Nonce, Seat, SeatRules, ShardSeats};
use fairshot_units::{NodeId, PlayerId, RoomId};
use proptest::prelude::*;
use std::collections::BTreeSet;

#[derive(Clone, Debug)]
enum Step {
    Ask { players: Vec<u8> },
    Enter { ticket: usize },
    Joined { connection: usize },
    Lost { connection: usize },
    Left { connection: usize },
    Release { ticket: usize },
    Evict { player: u8 },
    Lock(bool),
    Poll,
    Wait { ms: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec(0u8..12, 1..4).prop_map(|players| Step::Ask { players }),
        6 => any::<usize>().prop_map(|ticket| Step::Enter { ticket }),
        3 => any::<usize>().prop_map(|connection| Step::Joined { connection }),
        3 => any::<usize>().prop_map(|connection| Step::Lost { connection }),
        2 => any::<usize>().prop_map(|connection| Step::Left { connection }),
        1 => any::<usize>().prop_map(|ticket| Step::Release { ticket }),
        1 => (0u8..12).prop_map(|player| Step::Evict { player }),
        1 => any::<bool>().prop_map(Step::Lock),
        1 => Just(Step::Poll),
        2 => (0u64..20_000).prop_map(|ms| Step::Wait { ms }),
    ]
}

fn player(number: u8) -> PlayerId {
    PlayerId::new(&format!("p{number}")).expect("an id")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_interleaving_oversells_a_room_or_seats_a_player_twice(
        seats_max in 1u16..6,
        teams in 0u8..3,
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let room = RoomId::new("room").expect("an id");
        let node = NodeId::new("node").expect("an id");
        let mut door = ShardSeats::new(node, 0, &[3; 32], 4);
        door.open(&room, SeatRules::new(seats_max, teams), None, 0).expect("a new room");
        let mut now_ms = 0u64;
        let mut random = 0u128;
        let mut nonce = || { random += 1; Nonce(random.to_le_bytes()) };
        let mut tickets: Vec<Vec<u8>> = Vec::new();
        // Seat and generation of every connection there ever was.
        let mut connections: Vec<(u16, Generation)> = Vec::new();
        for step in steps {
            match step {
                Step::Ask { players } => {
                    let party: Vec<_> = players.iter().map(|p| (player(*p), nonce())).collect();
                    if let Ok(issued) = door.reserve(&room, &party, now_ms) {
                        let teams: BTreeSet<u8> = issued.iter().map(|seat| seat.team).collect();
                        prop_assert!(teams.len() == 1 || issued.len() > 1);
                        tickets.extend(issued.into_iter().map(|seat| seat.ticket));
                    }
                }
                Step::Enter { ticket } if !tickets.is_empty() => {
                    let index = ticket % tickets.len();
                    if let Ok(admission) = door.admit(&tickets[index].clone(), nonce(), now_ms) {
                        connections.push((admission.admitted.seat, admission.admitted.generation));
                        prop_assert!(door.admit(&tickets[index], nonce(), now_ms).is_err());
                        tickets.push(admission.rejoin_ticket);
                    }
                }
                Step::Joined { connection } if !connections.is_empty() => {
                    let (seat, generation) = connections[connection % connections.len()];
                    let is_its = matches!(
                        &door.book(&room).expect("open").seats()[usize::from(seat)],
                        Seat::Taken { generation: has, .. } if *has == generation
                    );
                    prop_assert_eq!(door.joined(&room, seat, generation), is_its);
                }
                Step::Lost { connection } if !connections.is_empty() => {
                    let (seat, generation) = connections[connection % connections.len()];
                    let _ = door.lost(&room, seat, generation, now_ms);
                }
                Step::Left { connection } if !connections.is_empty() => {
                    let (seat, generation) = connections[connection % connections.len()];
                    let _ = door.left(&room, seat, generation, now_ms);
                }
                Step::Release { ticket } if !tickets.is_empty() => {
                    let _ = door.release(&tickets[ticket % tickets.len()].clone(), now_ms);
                }
                Step::Evict { player: number } => {
                    door.evict(&room, &player(number), now_ms);
                }
                Step::Lock(locked) => { door.set_locked(&room, locked); }
                Step::Poll => { let _ = door.poll(now_ms); }
                Step::Wait { ms } => now_ms += ms,
                _ => {}
            }
            let book = door.book(&room).expect("open");
            let counts = book.counts();
            prop_assert!(counts.reserved + counts.taken + counts.held <= seats_max);
            let seated: Vec<_> = book.seats().iter().filter_map(Seat::player).collect();
            prop_assert_eq!(seated.iter().collect::<BTreeSet<_>>().len(), seated.len());
            if teams > 0 {
                for team in 0..teams {
                    let players = book.seats().iter().filter(|seat| seat.team() == team).count();
                    prop_assert!(players <= usize::from(seats_max.div_ceil(u16::from(teams))));
                }
            }
        }
        // Nothing is stranded: once the lines are cut and the holds are over, every seat is free.
        for (seat, generation) in connections {
            let _ = door.left(&room, seat, generation, now_ms);
        }
        let _ = door.poll(now_ms + 60_000);
        prop_assert_eq!(door.counts(&room).expect("open").free(), seats_max);
    }

    #[test]
    fn a_reservations_newest_ticket_opens_its_seat_until_it_runs_out(
        asks in prop::collection::vec(0u64..20_000, 1..6),
        enter_after_ms in 0u64..15_000,
    ) {
        let room = RoomId::new("room").expect("an id");
        let mut door = ShardSeats::new(NodeId::new("node").expect("an id"), 0, &[3; 32], 4);
        door.open(&room, SeatRules::new(2, 0), None, 0).expect("a new room");
        let mut now_ms = 0;
        let mut newest = Vec::new();
        for (wait_ms, n) in asks.into_iter().zip(0u8..) {
            now_ms += wait_ms;
            let party = [(player(1), Nonce([n; 16]))];
            newest = door.reserve(&room, &party, now_ms).expect("a seat").remove(0).ticket;
        }
        prop_assert!(door.admit(&newest, Nonce([200; 16]), now_ms + enter_after_ms).is_ok());
    }
}
