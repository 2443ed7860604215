//! What an operator asks of a matchmaker, which has no rooms, reaches the nodes that have.

use fairshot_client::{Matchmaker, Notice, Seat, Wish};
use fairshot_client_core::ClientEvent;
use fairshot_e2e::{Cluster, Players};
use fairshot_proto::v1;
use fairshot_proto::v1::stream_heartbeats_response::Item;
use fairshot_units::Input;
use fairshot_wire::CloseCode;
use std::time::{Duration, Instant};
use tonic::Code;

const SOON: Duration = Duration::from_secs(10);

/// A room on each of the nodes and one player in it.
async fn sit(cluster: &Cluster, players: &mut Players) -> Vec<Seat> {
    let mut operator = cluster.operator().await;
    let mut seats = Vec::new();
    for node in ["a", "b"] {
        let room =
            v1::CreateRoomRequest { mode: "arena".into(), node: node.into(), ..Default::default() };
        let room = operator.create_room(room).await.expect("a room").into_inner().room;
        let room = room.expect("a room");
        assert_eq!(room.node, node);
        let uri = format!("http://{}", cluster.join);
        let mut matchmaker = Matchmaker::connect(&uri, None).await.expect("a matchmaker");
        let wish = v1::JoinRequest { room_id: room.room, ..Default::default() };
        // She may go there as soon as the operator was told of it.
        let seat = matchmaker.ask(Wish::Join(wish)).await.expect("a seat");
        seats.extend(seat);
    }
    players.sit(seats.clone());
    players.play("both are in", SOON, still, Players::all_in).await;
    seats
}

#[actix_rt::test]
async fn each_call_through_a_matchmaker_reaches_the_node_it_is_about() {
    let cluster = Cluster::open(&["a", "b"]).await;
    let mut players = Players::plain();
    let seats = sit(&cluster, &mut players).await;
    let mut operator = cluster.operator().await;

    let rooms = operator.list_rooms(v1::ListRoomsRequest::default()).await.expect("rooms");
    let nodes: Vec<_> = rooms.into_inner().rooms.into_iter().map(|room| room.node).collect();
    assert_eq!(
        (nodes.len(), nodes.contains(&"a".into()), nodes.contains(&"b".into())),
        (2, true, true)
    );
    let listed = operator.list_players(v1::ListPlayersRequest::default()).await.expect("players");
    assert_eq!(listed.into_inner().total, 2);
    let page = v1::ListPlayersRequest { page_size: 1, ..Default::default() };
    let first = operator.list_players(page.clone()).await.expect("a page").into_inner();
    let rest = v1::ListPlayersRequest { page_token: first.next_page_token, ..page };
    let second = operator.list_players(rest).await.expect("a page").into_inner();
    assert!(second.next_page_token.is_empty() && first.players != second.players);

    for (index, seat) in seats.iter().enumerate() {
        let player = seat.player_id.clone();
        let weapon = v1::WeaponRef { weapon: Some(v1::weapon_ref::Weapon::Name("rail".into())) };
        let give = v1::GiveWeaponRequest {
            player: player.clone(),
            weapon: Some(weapon),
            rounds: 7,
            ..Default::default()
        };
        let given = operator.give_weapon(give).await.expect("given").into_inner();
        let read = v1::GetInventoryRequest { player: player.clone() };
        let read = operator.get_inventory(read).await.expect("read").into_inner();
        assert_eq!(read.inventory.expect("an inventory").revision, given.revision);
        let rail = fairshot_units::WeaponId(5);
        players
            .play("her client has it", SOON, still, |players| {
                players.session(index).rounds(rail) == Some(7)
            })
            .await;
        let shot = v1::ExplainShotRequest { player, number: 1 };
        let refused = operator.explain_shot(shot).await.expect_err("she has not fired");
        assert_eq!(refused.code(), Code::NotFound);
    }

    let kick = v1::KickRequest { player: seats[1].player_id.clone(), ..Default::default() };
    let kicked = operator.kick(kick.clone()).await.expect("kicked").into_inner();
    assert_eq!(kicked.node, "b");
    players.play("she is told", SOON, still, |players| told(players, 1, CloseCode::Kicked)).await;
    let again = operator.kick(kick).await.expect_err("she is gone");
    assert_eq!(again.code(), Code::NotFound);

    let drain = v1::DrainNodeRequest { node: "a".into(), deadline_s: 600, ..Default::default() };
    operator.drain_node(drain).await.expect("drains");
    let room =
        v1::CreateRoomRequest { mode: "arena".into(), node: "a".into(), ..Default::default() };
    let refused = operator.create_room(room).await.expect_err("it drains");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    cluster.close().await;
}

#[actix_rt::test]
async fn a_ban_ends_sessions_and_seats_on_every_node_until_it_runs_out() {
    let cluster = Cluster::open(&["a", "b"]).await;
    let mut players = Players::plain();
    sit(&cluster, &mut players).await;
    let mut operator = cluster.operator().await;
    let uri = format!("http://{}", cluster.join);
    let mut matchmaker = Matchmaker::connect(&uri, None).await.expect("a matchmaker");
    // One who has a ticket from before the ban.
    let early = matchmaker.join("arena").await.expect("a seat");

    let ban = v1::BanRequest {
        subject: "address/127.0.0.0/8".into(),
        reason: "a test".into(),
        for_s: Some(8),
        ..Default::default()
    };
    let begun = Instant::now();
    operator.ban(ban).await.expect("banned");
    players
        .play("both are sent away, wherever they play", SOON, still, |players| {
            (0..2).all(|index| told(players, index, CloseCode::Banned))
        })
        .await;
    let refused = matchmaker.join("arena").await.expect_err("no seat for the banned");
    assert!(
        refused.to_string().contains("a test") || refused.to_string().contains("ban"),
        "{refused}"
    );
    players.sit(vec![early]);
    players
        .play("her ticket opens nothing", SOON, still, |players| {
            players
                .notices
                .iter()
                .any(|(key, notice)| *key == players.keys[2] && matches!(notice, Notice::Ended(_)))
        })
        .await;
    assert!(
        begun.elapsed() < Duration::from_secs(7),
        "too slow a machine to tell a ban from its end"
    );

    let seat = loop {
        match matchmaker.join("arena").await {
            Ok(seat) => break seat,
            Err(error) => assert!(begun.elapsed() < SOON * 2, "the ban does not run out: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert!(begun.elapsed() >= Duration::from_secs(7), "{:?}", begun.elapsed());
    players.sit(vec![seat]);
    players
        .play("a seat of afterwards lets her in", SOON, still, |players| {
            players.all_in_but(&[0, 1, 2])
        })
        .await;
    cluster.close().await;
}

#[actix_rt::test]
async fn a_live_rule_reaches_every_node_shows_in_heartbeats_and_is_reverted() {
    let cluster = Cluster::open(&["a", "b"]).await;
    let mut players = Players::plain();
    sit(&cluster, &mut players).await;
    let mut operator = cluster.operator().await;
    let set = |value| v1::SetRuleRequest {
        mode: "arena".into(),
        key: "rate.stall_s".into(),
        value,
        ..Default::default()
    };
    let two = v1::RuleValue { value: Some(v1::rule_value::Value::Number(2.0)) };
    operator.set_rule(set(Some(two))).await.expect("set");
    let all = v1::StreamHeartbeatsRequest::default();
    let mut beats = operator.stream_heartbeats(all).await.expect("a stream").into_inner();
    for wanted in [vec!["rate.stall_s=2".to_owned()], Vec::new()] {
        let mut missing = vec!["a", "b"];
        let until = Instant::now() + Duration::from_secs(20);
        while !missing.is_empty() {
            assert!(Instant::now() < until, "{missing:?} do not tell {wanted:?}");
            let next = tokio::time::timeout(Duration::from_millis(50), beats.message());
            if let Ok(beat) = next.await
                && let Some(Item::Heartbeat(beat)) = beat.expect("a stream").expect("goes on").item
            {
                missing.retain(|node| beat.node != *node || beat.live_rules != wanted);
            }
            // The players would be idle otherwise.
            players.play("a turn", SOON, still, |_| true).await;
        }
        if !wanted.is_empty() {
            operator.set_rule(set(None)).await.expect("reverted");
        }
    }
    cluster.close().await;
}

fn told(players: &Players, index: usize, why: CloseCode) -> bool {
    players.heard[index]
        .iter()
        .any(|event| matches!(event, ClientEvent::Closing { code, .. } if *code == why))
}

fn still(_: usize, session: &mut fairshot_client_core::PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}
