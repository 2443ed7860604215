//! Lines that break, and players that come back.

use fairshot_client::Seat;
use fairshot_client_core::{ClientEvent, PlayerClient};
use fairshot_cluster::control::NodeControl;
use fairshot_e2e::{House, Players};
use fairshot_units::{Input, PlayerId, WeaponCommand, WeaponId};
use fairshot_wire::{CloseCode, Event};
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);

#[actix_rt::test]
async fn r18_a_quick_reconnect_takes_the_seat_and_the_old_connections_end_touches_nothing() {
    let house = House::open_with(&[], &["--players-idle-timeout-s=2"]).await;
    let node = house.server.node().clone();
    let seats = house.seats("arena", 1, 0).await;
    let player = PlayerId::new(&seats[0].player_id).expect("an id");
    let mut old = Players::plain();
    old.sit(seats.clone());
    old.play("in", SOON, still, Players::all_in).await;
    let give = WeaponCommand::Give { weapon: WeaponId(5), rounds: 9, set_as_current: true };
    node.weapon_command(&player, give, false).await.expect("a give");
    let rejoin = rejoin_ticket(&old.heard[0]);

    // The old connection's packets stop, without a goodbye; the player is back from another socket.
    let mut new = Players::plain();
    new.sit(vec![Seat { ticket: rejoin, ..seats[0].clone() }]);
    new.play("back in", SOON, still, Players::all_in).await;
    let view = node.inventory(&player).await.expect("an inventory");
    assert!(view.slots.iter().all(|slot| slot.weapon != WeaponId(5)), "it started empty: {view:?}");
    assert!(
        new.heard[0].iter().all(
            |event| !matches!(event, ClientEvent::Commanded { command, .. } if *command == give)
        ),
        "nothing of the old session is replayed"
    );

    // Longer than the idle time: the old connection times out at the server, the new one plays on.
    let until = Instant::now() + Duration::from_millis(3500);
    new.play("plays on", Duration::from_secs(8), still, |_| Instant::now() > until).await;
    // And the old one's delayed packets and acknowledgements arrive at last.
    let until = Instant::now() + Duration::from_millis(500);
    old.play("late packets", SOON, still, |_| Instant::now() > until).await;
    new.play("plays on still", SOON, still, Players::all_in).await;
    let players = node.players(None).await.expect("players");
    assert_eq!(players.len(), 1);
    let joins = new.heard[0]
        .iter()
        .filter(|event| matches!(event, ClientEvent::Room { event: Event::Joined(_), .. }))
        .count();
    assert_eq!(joins, 1, "each join is told once");
    assert!(
        old.heard[0].iter().all(|event| !matches!(
            event,
            ClientEvent::Closing { code, .. } if *code != CloseCode::Superseded
        )),
        "the old session ends for its own reason or not at all"
    );
    house.close().await;
}

#[actix_rt::test]
async fn a_rejoin_ticket_is_good_once_and_a_join_ticket_is_too() {
    let house = House::open(&[]).await;
    let seats = house.seats("arena", 1, 0).await;
    let mut first = Players::plain();
    first.sit(seats.clone());
    first.play("in", SOON, still, Players::all_in).await;
    let rejoin = rejoin_ticket(&first.heard[0]);
    let mut second = Players::plain();
    second.sit(vec![Seat { ticket: rejoin.clone(), ..seats[0].clone() }]);
    second.play("back in", SOON, still, Players::all_in).await;
    for used in [rejoin, seats[0].ticket.clone()] {
        let mut third = Players::plain();
        third.sit(vec![Seat { ticket: used, ..seats[0].clone() }]);
        third.play("turned away", SOON, still, |players| !players.notices.is_empty()).await;
    }
    second.play("plays on", SOON, still, Players::all_in).await;
    house.close().await;
}

fn rejoin_ticket(heard: &[ClientEvent]) -> bytes::Bytes {
    heard
        .iter()
        .find_map(|event| match event {
            ClientEvent::Welcomed(welcome) => Some(welcome.rejoin_ticket.clone()),
            _ => None,
        })
        .expect("a welcome")
}

fn still(_: usize, session: &mut PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}
