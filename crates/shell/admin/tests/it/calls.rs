//! What calls do and answer.

use crate::double::Double;
use crate::fixture::{ADMIN, OPERATOR, Setup, VIEWER, with};
use crate::guard::give;
use fairshot_admin::audit::verify;
use fairshot_proto::v1;
use std::sync::atomic::Ordering;
use tonic::Code;

#[tokio::test]
async fn a_dry_run_says_what_would_happen_and_changes_nothing() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let dry = v1::GiveWeaponRequest { dry_run: true, ..give("ak-47", 90) };
    let would = client.give_weapon(with(OPERATOR, dry)).await.expect("would do").into_inner();
    assert!(would.dry_run);
    assert_eq!(would.revision, 1);
    assert_eq!(would.inventory.expect("an inventory").slots[0].total, 90);
    assert_eq!(served.node.state().revision, 0);
    let kick = v1::KickRequest { player: "alice".into(), dry_run: true, ..Default::default() };
    client.kick(with(OPERATOR, kick)).await.expect("would do");
    assert!(served.node.state().kicked.is_empty());
    let audit =
        client.list_audit(with(ADMIN, v1::ListAuditRequest::default())).await.expect("reads");
    assert!(audit.into_inner().entries[0].dry_run);
}

#[tokio::test]
async fn a_weapon_that_is_none_is_told_which_may_have_been_meant() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let refused = client.give_weapon(with(OPERATOR, give("ak", 90))).await.expect_err("is none");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(refused.message(), "weapon: no weapon `ak`; did you mean `AK-47`");
    let mode = v1::ListWeaponsRequest { mode: "aren".into() };
    let refused = client.list_weapons(with(VIEWER, mode)).await.expect_err("is none");
    assert_eq!(refused.code(), Code::NotFound);
    assert_eq!(refused.message(), "no mode `aren`; did you mean `arena`");
}

#[tokio::test]
async fn a_clip_of_minus_one_is_refused_at_the_door_and_an_unowned_weapon_in_the_room() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    client.give_weapon(with(OPERATOR, give("AK-47", 100))).await.expect("is given");
    let ammo = |weapon: u32, total, clip| {
        let weapon = v1::weapon_ref::Weapon::Id(weapon);
        let request = v1::SetAmmoRequest {
            player: "alice".into(),
            weapon: Some(v1::WeaponRef { weapon: Some(weapon) }),
            total,
            clip,
            ..Default::default()
        };
        with(OPERATOR, request)
    };
    for clip in [-1, 65_535] {
        let refused = client.set_ammo(ammo(30, 90, Some(clip))).await.expect_err("is no clip");
        assert_eq!(refused.code(), Code::InvalidArgument, "{clip}");
    }
    let refused = client.set_ammo(ammo(30, 65_536, None)).await.expect_err("is no total");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(served.node.state().revision, 1);
    let set = client.set_ammo(ammo(30, 90, None)).await.expect("is set").into_inner();
    assert_eq!(set.revision, 2);
    let refused = client.set_ammo(ammo(31, 50, None)).await.expect_err("is not owned");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(served.node.state().revision, 2);
}

#[tokio::test]
async fn a_full_queue_is_resource_exhausted_and_may_be_asked_again_under_its_id() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let request = v1::GiveWeaponRequest { request_id: "r-1".into(), ..give("AK-47", 30) };
    served.node.state().queue_is_full = true;
    let refused = client.give_weapon(with(OPERATOR, request.clone())).await.expect_err("is full");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    served.node.state().queue_is_full = false;
    client.give_weapon(with(OPERATOR, request)).await.expect("is given");
    assert_eq!(served.node.state().revision, 1);
}

#[tokio::test]
async fn the_same_request_id_is_done_once_and_answered_again() {
    let served = Setup::default().serve().await;
    let client = served.client().await;
    let request = v1::GiveWeaponRequest { request_id: "r-1".into(), ..give("AK-47", 30) };
    let calls = (0..8).map(|_| {
        let (mut client, request) = (client.clone(), request.clone());
        async move { client.give_weapon(with(OPERATOR, request)).await.expect("is given") }
    });
    let answers = futures::future::join_all(calls).await;
    let first = answers[0].get_ref().clone();
    assert!(answers.iter().all(|answer| *answer.get_ref() == first));
    assert_eq!(served.node.state().revision, 1);
    let mut client = client;
    let other = v1::GiveWeaponRequest { request_id: "r-1".into(), ..give("M4", 30) };
    let refused =
        client.give_weapon(with(OPERATOR, other.clone())).await.expect_err("another call");
    assert_eq!(refused.code(), Code::InvalidArgument);
    // Another caller's ids are its own.
    client.give_weapon(with(ADMIN, other)).await.expect("is given");
    assert_eq!(served.node.state().revision, 2);
}

#[tokio::test]
async fn what_was_acknowledged_is_in_the_log_in_order() {
    let served = Setup::default().serve().await;
    let client = served.client().await;
    let calls = (0..40_u32).map(|rounds| {
        let mut client = client.clone();
        async move {
            let request = with(OPERATOR, give("AK-47", rounds));
            client.give_weapon(request).await.expect("is given").into_inner().audit_sequence
        }
    });
    let mut sequences = futures::future::join_all(calls).await;
    sequences.sort_unstable();
    sequences.dedup();
    assert_eq!(sequences.len(), 40);
    let verified = verify(&served.audit).expect("holds");
    assert_eq!(verified.entries, 81);
    let text = std::fs::read_to_string(&served.audit).expect("reads");
    for sequence in sequences {
        let line = text.lines().nth(usize::try_from(sequence).expect("fits")).expect("is there");
        assert!(line.contains("\"code\":\"ok\"") && line.contains("GiveWeapon"), "{line}");
    }
}

#[tokio::test]
async fn lists_name_the_nodes_that_are_missing_and_changes_find_the_player_s_node() {
    let nodes = vec![Double::new("a", "alice"), Double::new("b", "bob"), Double::new("c", "carol")];
    nodes[2].down.store(true, Ordering::SeqCst);
    let served = Setup { nodes: nodes.clone(), ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let players = client.list_players(with(VIEWER, v1::ListPlayersRequest::default())).await;
    let players = players.expect("is read").into_inner();
    let names: Vec<_> = players.players.iter().map(|p| p.player.as_str()).collect();
    assert_eq!((names, players.nodes_missing), (vec!["alice", "bob"], vec!["c".to_owned()]));
    let rooms = client
        .list_rooms(with(VIEWER, v1::ListRoomsRequest { page_size: 1, ..Default::default() }));
    let rooms = rooms.await.expect("is read").into_inner();
    assert_eq!((rooms.rooms.len(), rooms.total), (1, 2));
    assert_eq!(rooms.next_page_token, "room-a");
    let listed = client.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("is read");
    assert!(!listed.into_inner().nodes[2].unreachable.is_empty());

    let bob = v1::GiveWeaponRequest { player: "bob".into(), ..give("M4", 5) };
    client.give_weapon(with(OPERATOR, bob)).await.expect("is given");
    assert_eq!((nodes[0].state().revision, nodes[1].state().revision), (0, 1));
    let dave = v1::GiveWeaponRequest { player: "dave".into(), ..give("M4", 5) };
    let refused = client.give_weapon(with(OPERATOR, dave.clone())).await.expect_err("may be on c");
    assert_eq!(refused.code(), Code::Unavailable);
    nodes[2].down.store(false, Ordering::SeqCst);
    let refused = client.give_weapon(with(OPERATOR, dave)).await.expect_err("is nowhere");
    assert_eq!(refused.code(), Code::NotFound);
    assert_eq!(refused.message(), "no player `dave`");
}

#[tokio::test]
async fn a_ban_has_a_reason_an_end_and_its_author_and_is_lifted() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let ban = v1::BanRequest {
        subject: "address/198.51.100.7/24".into(),
        reason: "aims through walls".into(),
        for_s: Some(3600),
        ..Default::default()
    };
    let banned = client.ban(with(ADMIN, ban)).await.expect("is banned").into_inner();
    let banned = banned.ban.expect("a ban");
    assert_eq!(banned.subject, "address/198.51.100.0/24");
    assert_eq!(banned.by, "root");
    assert_eq!(banned.expires_unix_s, Some(banned.since_unix_s + 3600));
    let list = client.list_bans(with(VIEWER, v1::ListBansRequest::default())).await.expect("reads");
    assert_eq!(list.into_inner().bans, [banned]);
    let subject = "address/198.51.100.0/24".to_owned();
    let unban = v1::UnbanRequest { subject, ..Default::default() };
    client.unban(with(ADMIN, unban.clone())).await.expect("is lifted");
    let refused = client.unban(with(ADMIN, unban)).await.expect_err("is gone");
    assert_eq!(refused.code(), Code::NotFound);
    for (subject, for_s) in [
        ("alice", None),
        ("address/0.0.0.0/0", None),
        ("player/alice", Some(0)),
        ("address/x", None),
    ] {
        let ban = v1::BanRequest { subject: subject.into(), for_s, ..Default::default() };
        let refused = client.ban(with(ADMIN, ban)).await.expect_err(subject);
        assert_eq!(refused.code(), Code::InvalidArgument, "{subject}");
    }
    assert!(served.node.state().bans.is_empty());
}

#[tokio::test]
async fn a_room_opens_where_there_is_room_and_a_draining_node_is_passed_over() {
    let nodes = vec![Double::new("a", "alice"), Double::new("b", "bob")];
    let served = Setup { nodes: nodes.clone(), ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let drain = v1::DrainNodeRequest { node: "a".into(), deadline_s: 60, ..Default::default() };
    let refused = client.drain_node(with(OPERATOR, drain.clone())).await.expect_err("is denied");
    assert_eq!(refused.code(), Code::PermissionDenied);
    client.drain_node(with(ADMIN, drain)).await.expect("drains");
    assert!(nodes[0].state().drains);
    let create = |mode: &str, node: &str| {
        let request =
            v1::CreateRoomRequest { mode: mode.into(), node: node.into(), ..Default::default() };
        with(OPERATOR, request)
    };
    let opened = client.create_room(create("arena", "")).await.expect("opens").into_inner();
    assert_eq!(opened.room.expect("a room").node, "b");
    let refused = client.create_room(create("arena", "a")).await.expect_err("drains");
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let refused = client.create_room(create("chess", "")).await.expect_err("is no mode");
    assert_eq!(refused.code(), Code::NotFound);
    let refused = client.create_room(create("arena", "z")).await.expect_err("is no node");
    assert_eq!(refused.message(), "no node `z`");
    let close = v1::CloseRoomRequest { room: "room-b".into(), ..Default::default() };
    client.close_room(with(OPERATOR, close)).await.expect("closes");
    assert_eq!(nodes[1].state().closed.len(), 1);
}

#[tokio::test]
async fn a_room_that_players_cannot_be_sent_to_yet_is_not_told_as_done() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    served.node.hidden.store(true, Ordering::SeqCst);
    let create = |dry_run| {
        let request = v1::CreateRoomRequest { mode: "arena".into(), dry_run, ..Default::default() };
        with(OPERATOR, request)
    };
    client.create_room(create(true)).await.expect("a dry run waits for no room");
    let refused = client.create_room(create(false)).await.expect_err("does not show");
    assert_eq!(refused.code(), Code::Unavailable);
    assert!(refused.message().contains("not shown"), "{}", refused.message());
}

#[tokio::test]
async fn a_rule_is_set_and_reverted_by_an_admin_alone() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let set = |key: &str, value| v1::SetRuleRequest {
        mode: "arena".into(),
        key: key.into(),
        value,
        ..Default::default()
    };
    let number =
        |number| Some(v1::RuleValue { value: Some(v1::rule_value::Value::Number(number)) });
    let refused = client.set_rule(with(OPERATOR, set("rate.stall_s", number(1.0)))).await;
    assert_eq!(refused.expect_err("is denied").code(), Code::PermissionDenied);
    let rules = client.set_rule(with(ADMIN, set("rate.stall_s", number(1.0)))).await;
    let rules = rules.expect("is set").into_inner().rules.expect("rules");
    assert!(rules.settings[0].live);
    let rules = client.set_rule(with(ADMIN, set("rate.stall_s", None))).await.expect("reverts");
    assert!(!rules.into_inner().rules.expect("rules").settings[0].live);
    let refused = client.set_rule(with(ADMIN, set("rate.speed", number(1.0)))).await;
    assert_eq!(refused.expect_err("is no key").code(), Code::InvalidArgument);
}
