//! Who gets in, how often, and for how long.

use crate::double::Double;
use crate::fixture::{ADMIN, OPERATOR, Served, Setup, VIEWER, with};
use fairshot_admin::CallRate;
use fairshot_admin::audit::verify;
use fairshot_proto::v1;
use prost::Message;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tonic::Code;
use tonic::client::Grpc;
use tonic_prost::ProstCodec;

/// Every method of every service the port offers.
fn every_method() -> Vec<String> {
    let ours =
        prost_types::FileDescriptorSet::decode(fairshot_proto::DESCRIPTORS).expect("decodes");
    let admin = ours
        .file
        .iter()
        .flat_map(|file| file.service.iter())
        .find(|service| service.name() == "Admin")
        .expect("the Admin service");
    let mut methods: Vec<String> =
        admin.method.iter().map(|method| format!("/fairshot.v1.Admin/{}", method.name())).collect();
    assert!(methods.len() > 20, "{methods:?}");
    methods.extend([
        "/grpc.health.v1.Health/Check".into(),
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo".into(),
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo".into(),
        "/fairshot.v1.Admin/NoSuchMethod".into(),
    ]);
    methods
}

async fn code_of(served: &Served, method: &str, token: Option<&str>) -> Code {
    let mut grpc = Grpc::new(served.channel().await);
    grpc.ready().await.expect("is ready");
    let request = match token {
        Some(token) => with(token, ()),
        None => tonic::Request::new(()),
    };
    let path = method.parse().expect("a path");
    let codec = ProstCodec::<(), ()>::default();
    let call = grpc.unary(request, path, codec);
    match tokio::time::timeout(Duration::from_millis(500), call).await {
        Ok(answer) => answer.map_or_else(|status| status.code(), |_| Code::Ok),
        // A stream that was let in and has nothing to say yet. One that is not is told at once.
        Err(_) => Code::Ok,
    }
}

#[tokio::test]
async fn r23_every_method_without_a_token_or_with_a_wrong_one_is_unauthenticated_and_changes_nothing()
 {
    let served = Setup::default().serve().await;
    for method in every_method() {
        assert_eq!(code_of(&served, &method, None).await, Code::Unauthenticated, "{method}");
        let wrong = Some("token-of-the-admiN");
        assert_eq!(code_of(&served, &method, wrong).await, Code::Unauthenticated, "{method}");
        assert_ne!(code_of(&served, &method, Some(ADMIN)).await, Code::Unauthenticated, "{method}");
    }
    let state = served.node.state();
    assert_eq!((state.revision, state.commands.len()), (0, 0));
}

#[tokio::test]
async fn the_right_token_gives_a_weapon() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let given = client.give_weapon(with(OPERATOR, give("AK-47", 90))).await.expect("is given");
    let given = given.into_inner();
    assert_eq!(given.revision, 1);
    assert_eq!(given.inventory.expect("an inventory").slots[0].total, 90);
    assert!(given.audit_sequence > 0);
    assert_eq!(served.node.state().revision, 1);
}

#[tokio::test]
async fn a_role_too_low_changes_nothing_and_is_written_down() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let refused = client.give_weapon(with(VIEWER, give("AK-47", 90))).await.expect_err("is denied");
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("operator"), "{}", refused.message());
    let ban = v1::BanRequest { subject: "player/alice".into(), ..Default::default() };
    let refused = client.ban(with(OPERATOR, ban)).await.expect_err("is denied");
    assert_eq!(refused.code(), Code::PermissionDenied);
    let refused =
        client.list_audit(with(OPERATOR, v1::ListAuditRequest::default())).await.expect_err("no");
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert_eq!(served.node.state().revision, 0);
    assert!(served.node.state().bans.is_empty());

    let audit =
        client.list_audit(with(ADMIN, v1::ListAuditRequest::default())).await.expect("is read");
    let entries = audit.into_inner().entries;
    let said: Vec<_> = entries
        .iter()
        .map(|e| (e.caller.as_str(), e.method.as_str(), e.outcome.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("ops", "Ban", "permission_denied"),
            ("wall", "GiveWeapon", "permission_denied"),
            ("test", "", "opened"),
        ]
    );
}

#[tokio::test]
async fn loopback_needs_no_token_in_open_development() {
    let served = Setup { tokens: false, ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    client.give_weapon(give("M4", 5)).await.expect("is given");
    assert_eq!(served.node.state().revision, 1);
}

#[tokio::test]
async fn a_caller_that_calls_too_often_is_told_when_to_come_back() {
    let rate = CallRate { burst: 3, per_second: 0.5 };
    let served = Setup { rate, ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    for _ in 0..3 {
        client.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("is read");
    }
    let refused =
        client.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect_err("too often");
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let wait_ms = refused.metadata().get("grpc-retry-pushback-ms").expect("a hint");
    let wait_ms: u64 = wait_ms.to_str().expect("text").parse().expect("a number");
    assert!((1..=2_000).contains(&wait_ms), "{wait_ms}");
    client.list_nodes(with(ADMIN, v1::ListNodesRequest {})).await.expect("another caller is free");
}

#[tokio::test]
async fn a_call_past_its_deadline_is_told_so_and_a_change_still_ends_and_is_written_down() {
    let node = Double::new("local", "alice");
    let served = Setup { nodes: vec![Arc::clone(&node)], ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    node.hang.store(true, Ordering::SeqCst);
    let mut request = with(OPERATOR, give("AK-47", 30));
    request.set_timeout(Duration::from_millis(100));
    let late = client.give_weapon(request).await.expect_err("hangs");
    assert!(matches!(late.code(), Code::DeadlineExceeded | Code::Cancelled), "{late:?}");
    assert_eq!(node.state().revision, 0);
    node.hang.store(false, Ordering::SeqCst);
    node.release.notify_waiters();
    let ended = async {
        loop {
            let request = with(ADMIN, v1::ListAuditRequest::default());
            let entries = client.list_audit(request).await.expect("is read").into_inner().entries;
            if entries[0].method == "GiveWeapon" && entries[0].outcome == "ok" {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(2), ended).await.expect("is written down");
    assert_eq!(node.state().revision, 1);
    verify(&served.audit).expect("holds");
}

#[tokio::test]
async fn calls_are_counted_by_how_they_ended() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    client.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("is read");
    client.list_nodes(v1::ListNodesRequest {}).await.expect_err("has no token");
    client.give_weapon(with(OPERATOR, give("zz", 1))).await.expect_err("is no weapon");
    let page = served.metrics.render();
    for line in [
        "fairshot_admin_calls_total{reason=\"ok\"} 1",
        "fairshot_admin_calls_total{reason=\"unauthenticated\"} 1",
        "fairshot_admin_calls_total{reason=\"invalid_argument\"} 1",
    ] {
        assert!(page.contains(line), "{line} is missing:\n{page}");
    }
}

pub fn give(weapon: &str, rounds: u32) -> v1::GiveWeaponRequest {
    let weapon = v1::weapon_ref::Weapon::Name(weapon.into());
    v1::GiveWeaponRequest {
        player: "alice".into(),
        weapon: Some(v1::WeaponRef { weapon: Some(weapon) }),
        rounds,
        ..Default::default()
    }
}
