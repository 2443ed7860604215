//! What a player and an operator see of one server, over real QUIC.

use fairshot_bots::{Bot, Cheat, Mood};
use fairshot_client::Notice;
use fairshot_client_core::ClientEvent;
use fairshot_cluster::control::{ControlError, Kick, NodeControl};
use fairshot_e2e::{House, Players};
use fairshot_units::{Input, PlayerId, WeaponCommand, WeaponId};
use fairshot_wire::{CloseCode, Event, Outcome};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);

#[actix_rt::test]
async fn a_shot_goes_from_a_players_datagram_to_a_verdict_on_every_client() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    players.sit(house.seats("arena", 3, 8).await);
    let mut bots: Vec<_> = (0..3).map(|seed| Bot::new(seed, None)).collect();
    players
        .play(
            "every client hears every shooter's verdict",
            Duration::from_secs(30),
            |index, session, now_us| bots[index].play(session, Mood::Fighting, now_us),
            |players| {
                (0..3).all(|listener| {
                    let shooters: std::collections::BTreeSet<_> = players.heard[listener]
                        .iter()
                        .filter_map(|event| match event {
                            ClientEvent::Room { event: Event::ShotJudged(judged), .. } => {
                                Some(judged.shooter)
                            }
                            _ => None,
                        })
                        .collect();
                    shooters.len() == 3
                })
            },
        )
        .await;
    for index in 0..3 {
        let stats = players.session(index).stats();
        assert!(stats.shots_accepted > 0, "{stats:?}");
        assert!(stats.shots_refused.is_empty(), "{stats:?}");
    }
    let rooms = house.server.node().rooms().await.expect("rooms");
    assert_eq!((rooms.len(), rooms[0].players), (1, 3));
    house.close().await;
}

#[actix_rt::test]
async fn a_cheats_refusal_is_told_to_it_with_its_number_rule_and_reason() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    players.sit(house.seats("arena", 2, 8).await);
    let mut bots = [Bot::new(1, Some(Cheat::RapidFire)), Bot::new(2, None)];
    players
        .play(
            "the cheat is told",
            Duration::from_secs(30),
            |index, session, now_us| bots[index].play(session, Mood::Fighting, now_us),
            |players| {
                let told = players.heard[0].iter().any(|event| {
                    matches!(event, ClientEvent::Room { event: Event::ShotRefused { rule, reason, .. }, .. }
                        if rule.label() == "rate" && !reason.is_empty())
                });
                let seen_by_the_other = players.heard[1].iter().any(|event| {
                    matches!(event, ClientEvent::Room { event: Event::ShotJudged(judged), .. }
                        if matches!(&judged.outcome, Outcome::Refused(by) if by.label() == "rate"))
                });
                told && seen_by_the_other
            },
        )
        .await;
    assert!(players.session(1).stats().shots_refused.is_empty());
    house.close().await;
}

#[actix_rt::test]
async fn an_operators_weapon_commands_reach_the_player_and_read_back_alike() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    let seats = house.seats("arena", 1, 0).await;
    let player = PlayerId::new(&seats[0].player_id).expect("an id");
    players.sit(seats);
    players.play("in", SOON, still, Players::all_in).await;
    let node = house.server.node().clone();
    let rail = WeaponId(5);
    let give = WeaponCommand::Give { weapon: rail, rounds: 12, set_as_current: true };
    let dry = node.weapon_command(&player, give, true).await.expect("a dry run");
    let before = node.inventory(&player).await.expect("an inventory");
    assert_eq!(dry.revision, before.revision.next());
    let outcome = node.weapon_command(&player, give, false).await.expect("a give");
    assert_eq!(outcome.after.held, rail);
    players
        .play("the client has it", SOON, still, |players| {
            players.session(0).rounds(rail) == Some(12) && players.session(0).held() == rail
        })
        .await;
    let not_owned = WeaponCommand::SetAmmo { weapon: WeaponId(6), total: 5, clip: None };
    assert!(matches!(
        node.weapon_command(&player, not_owned, false).await,
        Err(ControlError::FailedPrecondition(_))
    ));
    let unknown = WeaponCommand::Give { weapon: WeaponId(200), rounds: 1, set_as_current: false };
    assert!(matches!(
        node.weapon_command(&player, unknown, false).await,
        Err(ControlError::InvalidArgument { .. })
    ));
    let after = node.inventory(&player).await.expect("an inventory");
    assert_eq!(after.revision, outcome.revision, "what was refused moved nothing");
    node.weapon_command(&player, WeaponCommand::Clear, false).await.expect("a clear");
    players
        .play("empty-handed", SOON, still, |players| {
            players.session(0).rounds(rail).is_none() && players.session(0).held() == WeaponId(0)
        })
        .await;
    house.close().await;
}

#[actix_rt::test]
async fn a_kicked_player_is_told_so_and_her_ticket_opens_nothing_any_more() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    let seats = house.seats("arena", 2, 0).await;
    let again = seats[0].clone();
    let player = PlayerId::new(&seats[0].player_id).expect("an id");
    players.sit(seats);
    players.play("in", SOON, still, Players::all_in).await;
    let node = house.server.node().clone();
    let kick = Kick { player: player.clone(), reason: "language".to_owned() };
    node.kick(&kick, false).await.expect("a kick");
    players
        .play("told", SOON, still, |players| {
            players.heard[0].iter().any(|event| {
                matches!(event, ClientEvent::Closing { code: CloseCode::Kicked, reason } if &**reason == "language")
            })
        })
        .await;
    assert!(matches!(node.kick(&kick, false).await, Err(ControlError::NotFound { .. })));
    players.sit(vec![again]);
    players
        .play("turned away", SOON, still, |players| {
            players
                .notices
                .iter()
                .any(|(key, notice)| *key == players.keys[2] && matches!(notice, Notice::Ended(_)))
        })
        .await;
    assert!(players.all_in_but(&[0, 2]), "the other player plays on");
    house.close().await;
}

#[actix_rt::test]
async fn a_newcomer_hears_who_is_in_the_room_already() {
    let house = House::open(&[]).await;
    let mut players = Players::plain();
    let mut seats = house.seats("arena", 2, 0).await;
    let second = seats.pop().expect("two seats");
    let first = seats[0].player_id.clone();
    players.sit(seats);
    players.play("the first is in", SOON, still, Players::all_in).await;
    players.sit(vec![second]);
    players
        .play("the second hears of the first", SOON, still, |players| {
            players.heard[1].iter().any(|event| {
                matches!(event, ClientEvent::Room { event: Event::Joined(joined), .. } if *joined.name == *first)
            })
        })
        .await;
    house.close().await;
}

fn still(_: usize, session: &mut fairshot_client_core::PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}
