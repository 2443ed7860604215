//! Why a shot was refused, as an operator reads it of a running match.

use fairshot_bots::{Bot, Cheat, Mood};
use fairshot_client_core::ClientEvent;
use fairshot_cluster::control::{ControlError, NodeControl, RuleOutcome, ShotVerdict};
use fairshot_e2e::{House, Players};
use fairshot_units::{MessageNumber, PlayerId};
use fairshot_wire::Event;
use std::time::Duration;

#[actix_rt::test]
async fn a_refused_shot_and_an_accepted_one_are_explained_with_all_that_was_measured() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    let seats = house.seats("arena", 2, 12).await;
    let cheat = PlayerId::new(&seats[0].player_id).expect("an id");
    let honest = PlayerId::new(&seats[1].player_id).expect("an id");
    players.sit(seats);
    let mut bots = [Bot::new(1, Some(Cheat::RapidFire)), Bot::new(2, None)];
    let fights = |index: usize, session: &mut _, now_us| {
        bots[index].play(session, Mood::Fighting, now_us);
    };
    players
        .play(
            "the cheat is refused and the other hits",
            Duration::from_secs(60),
            fights,
            |players| {
                let refused = players.heard[0].iter().any(|event| {
                    matches!(event, ClientEvent::Room { event: Event::ShotRefused { rule, .. }, .. }
                    if rule.label() == "rate")
                });
                refused && players.session(1).stats().shots_accepted > 16
            },
        )
        .await;

    let node = house.server.node();
    let shots = node.shots(&cheat).await.expect("shots");
    let by_rate = |verdict: &ShotVerdict| matches!(verdict, ShotVerdict::Refused { rule, .. } if rule == "rate");
    let listed = shots.iter().find(|shot| by_rate(&shot.verdict)).expect("a refusal is kept");
    let shot = node.explain(&cheat, listed.number).await.expect("it is explained");
    let outcomes: Vec<_> =
        shot.rules.iter().map(|rule| (rule.rule.as_str(), rule.outcome)).collect();
    let not_reached =
        ["origin", "cover", "rewind", "range"].map(|rule| (rule, RuleOutcome::NotReached));
    assert_eq!(
        outcomes,
        [
            &["weapon", "armed", "late", "held", "ammo"].map(|rule| (rule, RuleOutcome::Passed))[..],
            &[("rate", RuleOutcome::Refused)],
            &not_reached,
            &[("reload", RuleOutcome::Off)],
        ]
        .concat()
    );
    let rate = &shot.rules[5];
    assert!(rate.measured < rate.limit && rate.unit == "shots", "{rate:?}");
    assert!(rate.measured.is_some());
    assert_eq!(shot.latency, None, "no rule got as far");
    assert_ne!(shot.shooter_m, [0.0; 3]);
    assert_eq!(shot.ray_ends_m.len(), 1, "where its aim would have ended");
    let ledger = shot.ledger.as_ref().expect("the arena counts rounds");
    let rounds = ledger.rounds.expect("its revision is retained");
    assert!(rounds.low <= rounds.base && rounds.top <= rounds.base, "{rounds:?}");
    assert!(u32::from(shot.claim.total) < rounds.top, "the ledger had taken its round: {shot:?}");
    assert!(!ledger.held_name.is_empty());

    let shots = node.shots(&honest).await.expect("shots");
    assert_eq!(shots.len(), 16, "the last sixteen, whatever became of them");
    let accepted = |shot: &&std::sync::Arc<_>| {
        let shot: &fairshot_cluster::control::ShotRecord = shot;
        matches!(shot.verdict, ShotVerdict::Accepted { .. })
    };
    let shot = shots.iter().find(accepted).expect("one was accepted");
    let latency = shot.latency.expect("it reached the rewind");
    assert_eq!(latency.samples, 8, "{latency:?}");
    assert!(latency.nearest_ms <= latency.furthest_ms && latency.median_ms > 0.0, "{latency:?}");
    assert!(shot.judged.is_some());
    assert!(shot.rules.iter().all(|rule| rule.outcome != RuleOutcome::NotReached), "{shot:?}");
    let rewind = shot.rules.iter().find(|rule| rule.rule == "rewind").expect("a rewind");
    assert_eq!(rewind.unit, "ms");
    let met = shots.iter().flat_map(|shot| shot.targets.iter()).collect::<Vec<_>>();
    assert!(met.iter().any(|target| target.hit), "a bot that fights hits: {met:?}");
    for target in met {
        assert!(target.hit || target.passed_m <= 5.0, "{target:?}");
        assert!(!target.name.is_empty(), "{target:?}");
    }

    let never = node.explain(&cheat, MessageNumber(u32::MAX)).await;
    assert!(matches!(never, Err(ControlError::NotFound { .. })), "{never:?}");
    house.close().await;
}
