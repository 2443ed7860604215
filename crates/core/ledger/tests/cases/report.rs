//! Cases worked out from public bug reports of game servers, each by its number. What went wrong there
//! stands over each test.

use crate::driver::*;
use crate::weapons::*;
use fairshot_ledger::{CommandErrorKind, Diverged, Ledger, ShotRuling};
use fairshot_mode::AmmoUse;
use fairshot_units::{Life, Revision, Rule, WeaponCommand, WeaponId};

use ShotRuling::Accepted;

/// A check compared a client's reports with its own table while six gives were in flight, and punished
/// the last three weapons (NexiusTailer/Nex-AC#158, #199).
#[test]
fn r06_a_loadout_of_several_gives_survives_frames_in_flight() {
    let mut server = loadout_of_five();
    server.frame(0, FISTS, 0, 0);
    server.frame(2, SAWNOFF, 9999, 2);
    server.frame(3, M4, 0, 0);
    for weapon in [DEAGLE, SAWNOFF, UZI, M4, SNIPER] {
        assert_eq!(server.total(weapon), Some(9999));
    }
    server.frame(5, SNIPER, 9999, 1);
    assert_eq!(server.ledger.held(), SNIPER);
    assert_eq!(server.total(SNIPER), Some(9999));
    server.frame(5, SNIPER, 9990, 1);
    assert_eq!(server.total(SNIPER), Some(9990));
    for weapon in [DEAGLE, SAWNOFF, UZI, M4] {
        assert_eq!(server.total(weapon), Some(9999));
    }
    assert_eq!(server.ledger.frame_tally().accepted, 5);
}

#[test]
fn r06_every_give_carries_its_own_revision_in_order() {
    let mut server = Server::new();
    let orders = [DEAGLE, SAWNOFF, UZI, M4].map(|weapon| server.order(give(weapon, 9999)));
    assert_eq!(orders, [1, 2, 3, 4].map(|rev| Ok(Revision(rev))));
}

#[test]
fn r06_frames_of_a_client_that_stopped_at_three_are_joined_there_until_it_diverges() {
    let mut server = loadout_of_five();
    for step in 0..=100 {
        server.now_ms = step * 100;
        server.frame(3, UZI, 9000, 50);
        let diverged = (step == 100).then_some(Diverged::Unechoed { rev: Revision(4) });
        assert_eq!(server.ledger.liveness(), diverged, "after {} ms", server.now_ms);
    }
    assert_eq!(server.total(UZI), Some(9000));
    assert_eq!((server.total(M4), server.total(SNIPER)), (Some(9999), Some(9999)));
    assert_eq!(server.shot(3, M4, 9998), refused(Rule::Held));
    assert_eq!(server.total(M4), Some(9999));
}

fn loadout_of_five() -> Server {
    let mut server = Server::new();
    for weapon in [DEAGLE, SAWNOFF, UZI, M4] {
        server.order(give(weapon, 9999)).expect("a give applies");
    }
    server.order(give_in_hand(SNIPER, 9999)).expect("a give applies");
    server
}

/// A rifle with 29 rounds left was replaced by one with 9999, and the player was punished for 10028
/// (NexiusTailer/Nex-AC#207).
#[test]
fn r07_another_rifle_in_the_same_slot_carries_the_rounds_over() {
    let mut server = Server::new();
    server.settle(&[give(AK, 29), give(M4, 9999)]);
    assert_eq!(server.total(M4), Some(10028));
    for (reported, total) in [(10028, 10028), (10029, 10028), (10000, 10000)] {
        server.frame(2, M4, reported, 50);
        assert_eq!(server.total(M4), Some(total));
    }
}

#[test]
fn r07_only_shotguns_submachine_guns_and_rifles_share_rounds() {
    let runs = [
        (give(UZI, 100), give(TEC9, 50), TEC9, 150),
        (give(SAWNOFF, 7), give(SPAS, 20), SPAS, 27),
        (give(COLT, 50), give(DEAGLE, 20), DEAGLE, 20),
        (give(GRENADE, 5), give(MOLOTOV, 3), MOLOTOV, 3),
    ];
    for (first, second, weapon, total) in runs {
        let mut server = Server::new();
        server.settle(&[first, second]);
        assert_eq!(server.total(weapon), Some(total));
    }
}

#[test]
fn r07_the_displaced_weapon_is_gone_but_for_shots_already_in_flight() {
    for (old, new) in [(AK, M4), (UZI, TEC9), (SAWNOFF, SPAS), (COLT, DEAGLE)] {
        let mut server = Server::new();
        server.settle(&[give(old, 29)]);
        server.order(give(new, 50)).expect("a give applies");
        assert_eq!(server.shot(2, old, 28), refused(Rule::Held));
        assert_eq!(server.shot(1, old, 28), Accepted);
    }
}

/// A script set a clip of minus one, and the weapon never had to reload (multitheftauto/mtasa-blue#2351).
#[test]
fn r08_a_clip_of_minus_one_is_no_endless_magazine() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 100)]);
    assert_eq!((server.total(AK), server.clip(AK)), (Some(100), Some(30)));
    let before = server.ledger.inventory();

    let error = server.order(set(AK, 90, Some(65535))).expect_err("no clip holds that many");
    assert_eq!(error.kind(), CommandErrorKind::InvalidArgument);
    let error = server.order(set(AK, 20, Some(21))).expect_err("a clip is part of the total");
    assert_eq!(error.kind(), CommandErrorKind::InvalidArgument);
    assert_eq!(server.ledger.inventory(), before);

    assert_eq!(server.order(set(AK, 90, None)), Ok(Revision(2)));
    assert_eq!((server.total(AK), server.clip(AK)), (Some(90), Some(30)));

    assert_eq!(server.order(set(AK, 20, None)), Ok(Revision(3)));
    assert_eq!((server.total(AK), server.clip(AK)), (Some(20), Some(20)));

    let error = server.order(set(M4, 50, None)).expect_err("an M4 is not owned");
    assert_eq!(error.kind(), CommandErrorKind::FailedPrecondition);
    assert_eq!(server.ledger.revision(), Revision(3));
    assert_eq!(server.total(AK), Some(20));

    server.frame(3, AK, 20, 65535);
    assert_eq!((server.total(AK), server.clip(AK)), (Some(20), Some(20)));

    assert_eq!(server.order(set(AK, 90, Some(7))), Ok(Revision(4)));
    assert_eq!((server.total(AK), server.clip(AK)), (Some(90), Some(7)));
}

/// A check asked for the ammo of a slot by the weapon's number and dropped every bullet; another let any
/// number through; players who switched and fired at once were rejected
/// (multitheftauto/mtasa-blue#4408, #3272, jdolan/quetoo#220).
#[test]
fn r09_a_slots_number_is_no_weapons_number_and_a_switch_may_fire_at_once() {
    let mut server = Server::new();
    server.settle(&[give(DEAGLE, 7), give(SNIPER, 1), give_in_hand(M4, 50)]);
    for (weapon, total) in [(M4, 49), (DEAGLE, 6), (SNIPER, 0)] {
        server.now_ms += 60;
        assert_eq!(server.shot(3, weapon, total), Accepted);
        assert_eq!(server.total(weapon), Some(total));
        assert_eq!(server.ledger.held(), weapon);
    }
    let rulings = [
        (SNIPER, 0, Rule::Ammo),
        (COUNTRY_RIFLE, 0, Rule::Held),
        (WeaponId(5), 48, Rule::Held),
        (WeaponId(2), 5, Rule::Held),
        (WeaponId(200), 0, Rule::Weapon),
    ];
    for (weapon, total, rule) in rulings {
        server.now_ms += 1000;
        assert_eq!(server.shot(3, weapon, total), refused(rule));
    }
    assert_eq!(server.total(M4), Some(49));
    server.frame(3, M4, 50, 50);
    assert_eq!(server.ledger.held(), M4);
    assert_eq!(server.total(M4), Some(49));
}

#[test]
fn r09_no_weapon_number_leaves_the_thirteen_slots() {
    for number in 0..=255 {
        let weapon = WeaponId(number);
        let mut server = Server::new();
        let catalogue = catalogue();
        let known = catalogue.get(weapon);
        let ruling = server.shot(0, weapon, 0);
        match known {
            None => assert_eq!(ruling, refused(Rule::Weapon), "{number}"),
            Some(_) if weapon == FISTS => assert_eq!(ruling, Accepted),
            Some(_) => assert_eq!(ruling, refused(Rule::Held), "{number}"),
        }
        server.frame(0, weapon, 9, 9);
        assert_eq!(server.ledger.held(), FISTS);

        let given = server.order(give_in_hand(weapon, 3));
        assert_eq!(given.is_ok(), known.is_some() && weapon != FISTS, "{number}");
        let commands = [take(weapon), set(weapon, 1, None), give(weapon, 1), arm(weapon)];
        for command in commands {
            let applied = server.order(command);
            let owned = given.is_ok() && command != set(weapon, 1, None);
            if owned || (weapon == FISTS && command == arm(weapon)) {
                assert!(applied.is_ok(), "{number}: {command:?}");
            } else {
                assert!(applied.is_err(), "{number}: {command:?}");
            }
        }
        if let Some(known) = known.filter(|known| known.ammo == AmmoUse::PerShot) {
            let slots = server.ledger.inventory().slots;
            assert_eq!(slots[known.slot.index()].weapon, weapon);
        }
    }
}

/// Weapons forgotten or not at a respawn: a give skipped as already owned, and a player punished because
/// her first reports after the spawn showed empty slots (mta-slipe/Slipe-Server#190,
/// NexiusTailer/Nex-AC#368).
#[test]
fn r10_the_store_clears_at_the_grant_and_a_give_before_the_confirmation_survives() {
    let mut server = Server::new();
    server.ledger.respawn(Life(1));
    let ms = |tick: u64| tick * 1000 / 64;
    server.order(give(M4, 100)).expect("a give applies");
    server.frame_of(Life(1), 1, M4, 100, 50);

    // Tick 200, the death, is nothing to the ledger: the corpse keeps its weapons.
    server.now_ms = ms(259);
    assert_eq!(server.total(M4), Some(100));

    server.now_ms = ms(260);
    server.ledger.respawn(Life(2));
    assert_eq!(totals(&server.ledger.inventory()), vec![(0, 0); 13]);
    assert_eq!(server.ledger.revision(), Revision(1));

    server.now_ms = ms(261);
    assert_eq!(server.order(give(DEAGLE, 50)), Ok(Revision(2)));
    server.now_ms = ms(262);
    server.frame_of(Life(1), 1, M4, 100, 50);
    server.now_ms = ms(263);
    server.frame_of(Life(1), 2, FISTS, 0, 0);
    assert_eq!(server.total(DEAGLE), Some(50));
    assert_eq!(server.total(M4), None);

    server.now_ms = ms(268);
    server.frame_of(Life(2), 2, DEAGLE, 50, 7);
    assert_eq!(server.ledger.held(), DEAGLE);

    server.now_ms = ms(280);
    assert_eq!(server.shot(2, DEAGLE, 49), Accepted);
    assert_eq!(server.shot(2, M4, 99), refused(Rule::Held));
    assert_eq!(server.total(DEAGLE), Some(49));

    server.now_ms = ms(300);
    assert_eq!(server.order(give(M4, 100)), Ok(Revision(3)));
    assert_eq!(server.total(M4), Some(100));

    assert_eq!(totals(&Ledger::new(catalogue()).inventory()), vec![(0, 0); 13]);
}

#[test]
fn r10_the_mirror_clears_as_it_takes_the_grant_and_keeps_the_give_after_it() {
    let mut pair = Pair::settled(&[give_in_hand(M4, 100)]);
    pair.server.ledger.respawn(Life(1));
    let give = give_in_hand(DEAGLE, 50);
    let revision = pair.server.order(give).expect("a give applies");
    let late = pair.client.frame(false);
    pair.frame(&late);
    pair.client.take_grant(Life(1));
    pair.client.apply(revision, &give).expect("the give follows the grant");
    let frame = pair.client.frame(false);
    assert!(pair.frame(&frame).is_new());
    pair.check_equal();
    assert_eq!(pair.server.total(DEAGLE), Some(50));
    assert_eq!(pair.client.apply(Revision(3), &WeaponCommand::Clear), Ok(()));
}
