//! The seats of a shard on a fake clock: the races that lost or oversold seats elsewhere.

use fairshot_matchmaking::{
    Admission, DoorError, Generation, IssuedSeat, Nonce, SeatEvent, SeatFreedWhy, SeatRules,
    ShardSeats,
};
use fairshot_units::{NodeId, PlayerId, RoomId};

/// A shard's seats with nonces that count up.
struct Door {
    seats: ShardSeats,
    nonces: u128,
}

impl Door {
    fn new() -> Self {
        let node = NodeId::new("node-1").expect("an id");
        Self { seats: ShardSeats::new(node, 0, &[9; 32], 16), nonces: 0 }
    }

    fn with_room(seats_max: u16, teams: u8) -> Self {
        let mut door = Self::new();
        door.open(SeatRules::new(seats_max, teams), 0);
        door
    }

    fn open(&mut self, rules: SeatRules, now_ms: u64) {
        self.seats.open(&room(), rules, Some(0), now_ms).expect("a new room");
    }

    fn nonce(&mut self) -> Nonce {
        self.nonces += 1;
        Nonce(self.nonces.to_le_bytes())
    }

    fn ask_all(&mut self, names: &[&str], now_ms: u64) -> Result<Vec<IssuedSeat>, &'static str> {
        let party: Vec<_> = names.iter().map(|name| (player(name), self.nonce())).collect();
        self.seats.reserve(&room(), &party, now_ms).map_err(|e| e.label())
    }

    fn ask(&mut self, name: &str, now_ms: u64) -> Result<IssuedSeat, &'static str> {
        Ok(self.ask_all(&[name], now_ms)?.remove(0))
    }

    fn enter(&mut self, ticket: &[u8], now_ms: u64) -> Result<Admission, DoorError> {
        let rejoin = self.nonce();
        self.seats.admit(ticket, rejoin, now_ms)
    }

    /// Asked, entered and joined.
    fn play(&mut self, name: &str, now_ms: u64) -> Admission {
        let issued = self.ask(name, now_ms).expect("a seat");
        let admission = self.enter(&issued.ticket, now_ms).expect("let in");
        assert!(self.joined(&admission));
        admission
    }

    fn joined(&mut self, admission: &Admission) -> bool {
        self.seats.joined(&room(), admission.admitted.seat, admission.admitted.generation)
    }

    fn lost(&mut self, admission: &Admission, now_ms: u64) -> bool {
        self.seats.lost(&room(), admission.admitted.seat, admission.admitted.generation, now_ms)
    }

    fn left(&mut self, admission: &Admission, now_ms: u64) -> bool {
        self.seats.left(&room(), admission.admitted.seat, admission.admitted.generation, now_ms)
    }

    /// Reserved, taken, held.
    fn counts(&self) -> [u16; 3] {
        self.seats.counts(&room()).map_or([0; 3], |c| [c.reserved, c.taken, c.held])
    }
}

fn room() -> RoomId {
    RoomId::new("room-1").expect("an id")
}

fn player(name: &str) -> PlayerId {
    PlayerId::new(name).expect("an id")
}

#[test]
fn r15_two_join_at_once_and_a_third_is_refused_as_full() {
    let mut door = Door::with_room(2, 0);
    let a = door.ask("a", 0).expect("a seat");
    let a = door.enter(&a.ticket, 0).expect("let in");
    let b = door.ask("b", 10).expect("a seat");
    let b = door.enter(&b.ticket, 10).expect("let in");
    assert_eq!(door.ask("c", 50), Err("full"));
    assert_eq!(door.counts(), [0, 2, 0]);
    assert!(door.joined(&a) && door.joined(&b));
    assert_eq!(door.counts(), [0, 2, 0]);
}

#[test]
fn r15_a_failed_join_gives_its_seat_to_the_next() {
    let mut door = Door::with_room(2, 0);
    let a = door.ask("a", 0).expect("a seat");
    let a = door.enter(&a.ticket, 0).expect("let in");
    let b = door.ask("b", 10).expect("a seat");
    door.enter(&b.ticket, 10).expect("let in");
    assert_eq!(door.ask("c", 50), Err("full"));
    assert!(door.left(&a, 200));
    assert!(!door.joined(&a), "the failed join holds no seat");
    let c = door.ask("c", 250).expect("a seat");
    assert!(door.enter(&c.ticket, 250).is_ok());
    assert_eq!(door.counts(), [0, 2, 0]);
}

#[test]
fn r15_two_hundred_come_and_go_and_the_room_is_never_oversold() {
    let mut door = Door::with_room(50, 0);
    // Kept open when empty: the last check fills it anew.
    door.seats.close(&room());
    door.seats.open(&room(), SeatRules::new(50, 0), None, 0).expect("a new room");
    let mut inside: Vec<Option<(Admission, u64)>> = vec![None; 200];
    let mut random = 1u64;
    for now_ms in 0..10_000u64 {
        for (client, slot) in (0..200).zip(&mut inside) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(client);
            match slot {
                Some((admission, until_ms)) if *until_ms <= now_ms => {
                    assert!(door.left(admission, now_ms));
                    *slot = None;
                }
                None if (random >> 60) == 0 => {
                    if let Ok(issued) = door.ask(&format!("p{client}"), now_ms) {
                        let admission = door.enter(&issued.ticket, now_ms).expect("let in");
                        *slot = Some((admission, now_ms + (random >> 33) % 300));
                    }
                }
                _ => {}
            }
            let [reserved, taken, held] = door.counts();
            assert!(reserved + taken + held <= 50);
        }
    }
    for (admission, _) in inside.into_iter().flatten() {
        assert!(door.left(&admission, 10_000));
    }
    assert_eq!(door.counts(), [0, 0, 0]);
    for client in 0..50 {
        door.ask(&format!("q{client}"), 10_001).expect("a seat");
    }
    assert_eq!(door.ask("q50", 10_001), Err("full"));
}

#[test]
fn r16_a_room_whose_seats_nobody_takes_is_gone_and_late_tickets_make_no_room() {
    let mut door = Door::new();
    for round in 0..1_000u64 {
        let start_ms = round * 2_000;
        door.open(SeatRules { seat_ttl_ms: 1_000, ..SeatRules::new(2, 0) }, start_ms);
        let a = door.ask("a", start_ms).expect("a seat");
        door.ask("b", start_ms).expect("a seat");
        let events = door.seats.poll(start_ms + 1_200);
        assert_eq!(events.len(), 3, "two seats freed, then the room given up");
        assert_eq!(events[2], SeatEvent::RoomEmpty { room: room() });
        let late = door.enter(&a.ticket, start_ms + 1_500).expect_err("too late");
        assert_eq!(late.label(), "expired");
        assert_eq!(door.seats.rooms().count(), 0);
    }
}

#[test]
fn r17_a_join_that_ends_after_its_client_is_gone_keeps_no_seat() {
    for drop_ms in (0..400).step_by(50) {
        let mut door = Door::with_room(4, 0);
        let first = door.ask("x", 0).expect("a seat");
        let first = door.enter(&first.ticket, 0).expect("let in");
        let joined_first = drop_ms > 300 && door.joined(&first);
        assert!(door.lost(&first, drop_ms));
        let second = door.ask("x", drop_ms + 50).expect("a seat");
        let second = door.enter(&second.ticket, drop_ms + 50).expect("let in");
        if drop_ms <= 300 {
            assert!(!door.joined(&first), "the room must undo the late join");
        }
        assert_eq!(second.admitted.came_back.is_some(), joined_first);
        assert!(door.joined(&second));
        assert_eq!(door.counts(), [0, 1, 0]);
    }
}

#[test]
fn r17_who_leaves_with_her_next_ticket_in_hand_comes_back_with_it() {
    let mut door = Door::with_room(1, 0);
    let first = door.play("x", 0);
    let again = door.ask("x", 100).expect("her own seat");
    // Her old connection's goodbye comes only now.
    assert!(door.left(&first, 120));
    assert_eq!(door.counts(), [1, 0, 0], "the seat waits for her ticket");
    assert_eq!(door.ask("y", 130), Err("full"));
    let second = door.enter(&again.ticket, 140).expect("let in");
    assert_eq!(second.admitted.came_back, None, "she left, and is new in the room");
    assert!(door.joined(&second));
    assert!(!door.left(&first, 150));
    // A ticket that ran out holds nothing.
    door.ask("x", 200).expect("her own seat");
    assert!(door.left(&second, 200 + 60_000));
    assert_eq!(door.counts(), [0, 0, 0]);
}

#[test]
fn r18_the_old_connection_times_out_and_the_new_one_stays() {
    let mut door = Door::with_room(2, 0);
    let old = door.play("p", 0);
    door.play("q", 0);
    // The room is full, yet p has a seat in it: hers.
    let again = door.ask("p", 2_000).expect("her own seat");
    assert_eq!(again.seat, old.admitted.seat);
    assert_eq!(door.counts(), [0, 2, 0]);
    let new = door.enter(&again.ticket, 2_000).expect("let in");
    assert_eq!(new.admitted.replaced, Some(old.admitted.generation));
    assert!(!door.lost(&old, 10_000), "the old connection has no seat to lose");
    assert!(!door.left(&old, 12_000));
    assert_eq!(door.counts(), [0, 2, 0]);
    assert!(door.left(&new, 13_000));
    assert_eq!(door.counts(), [0, 1, 0]);
}

#[test]
fn a_lost_players_seat_is_held_30_seconds_and_her_rejoin_ticket_opens_it_once() {
    let mut door = Door::with_room(1, 0);
    let first = door.play("p", 0);
    assert!(door.lost(&first, 1_000));
    assert_eq!(door.ask("q", 30_999), Err("full"));
    let second = door.enter(&first.rejoin_ticket, 30_999).expect("within the hold");
    assert_eq!(second.admitted.came_back, Some(first.admitted.generation));
    assert_eq!(second.admitted.replaced, None);
    let twice = door.enter(&first.rejoin_ticket, 31_000).expect_err("single use");
    assert_eq!(twice.label(), "revoked");
    assert!(door.lost(&second, 40_000));
    let freed = door.seats.poll(70_000);
    let SeatEvent::Freed { freed, .. } = &freed[0] else { panic!("a seat freed first") };
    assert_eq!(freed.why, SeatFreedWhy::HoldOver);
    assert_eq!(freed.generation, Some(second.admitted.generation));
    assert_eq!(door.enter(&second.rejoin_ticket, 70_001).expect_err("over").label(), "no_room");
}

#[test]
fn a_kick_voids_every_ticket_of_the_player() {
    let mut door = Door::with_room(4, 0);
    let playing = door.play("p", 0);
    let spare = door.ask("p", 10).expect("her own seat");
    let up = door.seats.evict(&room(), &player("p"), 20);
    assert_eq!(up, Some(playing.admitted.generation));
    door.ask("q", 20).expect("a seat");
    for ticket in [&playing.rejoin_ticket, &spare.ticket] {
        assert!(matches!(door.enter(ticket, 30), Err(DoorError::Seat(_))));
    }
}

#[test]
fn a_join_ticket_is_good_once() {
    let mut door = Door::with_room(4, 0);
    let issued = door.ask("p", 0).expect("a seat");
    door.enter(&issued.ticket, 0).expect("let in");
    assert_eq!(door.enter(&issued.ticket, 1).expect_err("used").label(), "used");
}

#[test]
fn a_party_stays_in_one_team_and_teams_stay_even() {
    let mut door = Door::with_room(8, 2);
    let pair = door.ask_all(&["a", "b"], 0).expect("seats");
    assert_eq!(pair[0].team, pair[1].team);
    let solo = door.ask("c", 0).expect("a seat");
    assert_ne!(solo.team, pair[0].team);
    let three = door.ask_all(&["d", "e", "f"], 0).expect("seats");
    assert!(three.iter().all(|seat| seat.team == solo.team));
    assert_eq!(door.ask_all(&["g", "h", "i"], 0), Err("full"));
    assert_eq!(door.ask_all(&["g", "h", "i", "j", "k"], 0), Err("full"));
    assert_eq!(door.counts(), [6, 0, 0], "all of a party or none of it");
    let joins_friend = door.ask_all(&["a", "g"], 0).expect("seats");
    assert_eq!(joins_friend[1].team, pair[0].team);
}

#[test]
fn a_party_larger_than_a_team_is_told_so() {
    let mut door = Door::with_room(8, 2);
    assert_eq!(door.ask_all(&["a", "b", "c", "d", "e"], 0), Err("party_too_large"));
    assert_eq!(door.ask_all(&["a", "a"], 0), Err("party"));
}

#[test]
fn a_locked_room_takes_nobody_new_and_lets_its_own_back_in() {
    let mut door = Door::with_room(4, 0);
    let playing = door.play("p", 0);
    assert!(door.seats.set_locked(&room(), true));
    assert_eq!(door.ask("q", 0), Err("locked"));
    assert!(door.lost(&playing, 10));
    assert!(door.ask("p", 20).is_ok());
}

#[test]
fn a_released_reservation_frees_its_seat_and_voids_its_ticket() {
    let mut door = Door::with_room(1, 0);
    let issued = door.ask("p", 0).expect("a seat");
    assert!(door.seats.release(&issued.ticket, 10));
    assert!(!door.seats.release(&issued.ticket, 11));
    door.ask("q", 12).expect("the seat is free");
    assert_eq!(door.enter(&issued.ticket, 13).expect_err("void").label(), "seat_expired");
}

#[test]
fn a_generation_of_another_time_touches_nothing() {
    let mut door = Door::with_room(1, 0);
    door.play("p", 0);
    assert!(!door.seats.lost(&room(), 0, Generation(77), 1));
    assert!(!door.seats.left(&room(), 9, Generation(1), 1));
    assert_eq!(door.counts(), [0, 1, 0]);
}
