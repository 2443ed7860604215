//! The ledger over a line that loses, doubles and reorders, under a storm of weapon commands.

use fairshot_client_core::{Fire, PlayerClient};
use fairshot_cluster::control::{ControlError, NodeControl};
use fairshot_e2e::{Faults, House, Lossy, Players, any_socket};
use fairshot_units::{Input, PlayerId, WeaponCommand, WeaponId};
use std::time::{Duration, Instant};

/// Two fast weapons of one slot, so that a swap carries rounds over, and one of another.
const RANGE: &str = r#"
name = "range"
players_max = 2
ammunition = "ledger"
respawn_delay_s = 1.0
carries_over_slots = [4]

[[weapons]]
name = "drum"
id = 1
slot = 4
clip_size = 100
damage = 0.0
range_m = 30.0
shots_per_second = 50.0

[[weapons]]
name = "belt"
id = 2
slot = 4
clip_size = 200
damage = 0.0
range_m = 30.0
shots_per_second = 50.0

[[weapons]]
name = "coil"
id = 3
slot = 5
clip_size = 50
damage = 0.0
range_m = 30.0
shots_per_second = 50.0

[[loadout]]
weapon = "drum"
rounds = 100
armed = true

[arena]
min_m = [-20.0, -1.0, -20.0]
max_m = [20.0, 10.0, 20.0]

[[spawns]]
position_m = [0.0, 0.0, 0.0]
"#;

const ROUNDS: u64 = 2000;
const FAULTS: Faults =
    Faults { lost: 0.2, doubled: 0.1, reordered: 0.2, late: Duration::from_millis(60) };

#[actix_rt::test]
async fn two_thousand_rounds_through_loss_and_a_storm_of_commands_end_with_ledger_and_client_alike()
{
    let house = House::open(&[RANGE]).await;
    let mut players = Players::on(Lossy::new(any_socket(), FAULTS, 77));
    let seats = house.seats("range", 1, 0).await;
    let player = PlayerId::new(&seats[0].player_id).expect("an id");
    players.sit(seats);
    players.play("in", Duration::from_secs(20), still, Players::all_in).await;

    let node = house.server.node().clone();
    let storm = {
        let (node, player) = (node.clone(), player.clone());
        actix_rt::spawn(async move { storm(&node, &player).await })
    };
    players
        .play(
            "two thousand rounds",
            Duration::from_secs(150),
            |_, session, now_us| shoot(session, now_us),
            |players| players.session(0).stats().shots_sent >= ROUNDS || !players.all_in(),
        )
        .await;
    assert!(players.all_in(), "the session lasted: {:?}", players.notices);
    storm.abort();
    // Whoever aborted it waits until nothing of it is left.
    let _ = storm.await;
    players
        .play("every shot has its answer", Duration::from_secs(20), still, |players| {
            players.session(0).stats().shots_unanswered() == 0
                && players.session(0).unacknowledged().1 == 0
        })
        .await;
    let stats = players.session(0).stats().clone();
    for rule in ["held", "ammo", "late"] {
        assert_eq!(stats.shots_refused.get(rule), None, "{:?}", stats.shots_refused);
    }
    assert_eq!(stats.shots_unseen_death, 0);
    let ledger = settled(&mut players, &node, &player).await;
    let client = players.session(0).inventory().expect("an inventory");
    assert_eq!(ledger.0, client.revision);
    for (weapon, total) in ledger.1 {
        assert_eq!(client.total_of(weapon), Some(total), "weapon {weapon:?}");
    }
    println!(
        "sent {} accepted {} refused {:?} revisions {}",
        stats.shots_sent, stats.shots_accepted, stats.shots_refused, client.revision.0
    );
    house.close().await;
}

/// Gives, takes, sets, clears and swaps as fast as an operator's script would.
async fn storm(node: &impl NodeControl, player: &PlayerId) {
    let weapons = [WeaponId(1), WeaponId(2), WeaponId(3)];
    for turn in 0u16.. {
        let weapon = weapons[usize::from(turn) % 3];
        let command = match turn % 11 {
            3 => WeaponCommand::SetAmmo { weapon, total: 40 + turn % 50, clip: None },
            7 => WeaponCommand::Take { weapon },
            9 => WeaponCommand::SetArmed { weapon },
            10 if turn.is_multiple_of(5) => WeaponCommand::Clear,
            _ => WeaponCommand::Give { weapon, rounds: 60, set_as_current: turn % 2 == 0 },
        };
        match node.weapon_command(player, command, false).await {
            // A weapon not owned just now is the storm's own doing.
            Ok(_) | Err(ControlError::FailedPrecondition(_)) => {}
            Err(error) => panic!("{command:?}: {error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn shoot(session: &mut PlayerClient, now_us: u64) {
    if session.frame(Input::default(), false, now_us).is_none() {
        return;
    }
    let loaded = |weapon: &WeaponId| session.rounds(*weapon).is_some_and(|rounds| rounds > 0);
    let held = session.held();
    let weapon = [held, WeaponId(1), WeaponId(2), WeaponId(3)].into_iter().find(loaded);
    if let Some(weapon) = weapon {
        // A weapon that fires no faster says so: the next frame tries again.
        let _ = session.fire(Fire { weapon, direction: None }, now_us);
    }
}

fn still(_: usize, session: &mut PlayerClient, now_us: u64) {
    session.frame(Input::default(), false, now_us);
}

/// The server's side once the client has echoed its last revision: revision and totals by weapon.
async fn settled(
    players: &mut Players<Lossy>,
    node: &impl NodeControl,
    player: &PlayerId,
) -> (fairshot_units::Revision, Vec<(WeaponId, u16)>) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let view = node.inventory(player).await.expect("an inventory");
        if view.echoed == view.revision {
            let totals = view.slots.iter().map(|slot| (slot.weapon, slot.total)).collect();
            return (view.revision, totals);
        }
        assert!(Instant::now() < until, "the client never echoed {:?}", view.revision);
        let mut turns = 0;
        players
            .play("some turns", Duration::from_secs(5), still, |_| {
                turns += 1;
                turns > 50
            })
            .await;
    }
}
