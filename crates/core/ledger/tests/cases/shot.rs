//! The inventory rows of the table of shots that went wrong elsewhere (`data/inventory_cases.csv`), each
//! by its id.

use crate::driver::*;
use crate::weapons::*;
use fairshot_ledger::{CommandError, CommandErrorKind, Diverged, PENDING_COMMANDS_MAX, ShotRuling};
use fairshot_units::{Life, Revision, Rule, WeaponCommand};

use ShotRuling::{Accepted, Repeat};

#[test]
fn every_row_of_the_table_has_its_test() {
    let here = include_str!("shot.rs");
    for row in include_str!("data/inventory_cases.csv").lines().skip(1) {
        let id = row.split(',').next().unwrap_or_default();
        let test = format!("fn {}_", id.to_lowercase());
        assert!(here.contains(&test), "no test for row {id}");
    }
}

#[test]
fn a1_a_frame_that_overtakes_its_shot_spends_one_round() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 10)]);
    let shot = pair.client.fire(AK).expect("ten rounds");
    let frame = pair.client.frame(false);
    pair.frame(&frame);
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.server.total(AK), Some(9));
    pair.check_equal();
}

#[test]
fn a3_a_shot_delivered_twice_is_one_hit() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 10)]);
    let shot = pair.client.fire(AK).expect("ten rounds");
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.shot(&shot), Repeat);
    assert_eq!(pair.server.total(AK), Some(9));
    assert_eq!(pair.server.ledger.shot_tally().repeats, 1);
}

#[test]
fn a4_a_lost_shot_before_a_swap_is_counted_by_the_next_message_of_its_slot() {
    let mut pair = Pair::settled(&[give(DEAGLE, 7), give_in_hand(AK, 30)]);
    pair.client.fire(AK).expect("thirty rounds");
    pair.client.arm(DEAGLE);
    for _ in 0..10 {
        let frame = pair.client.frame(false);
        pair.frame(&frame);
    }
    assert_eq!(pair.server.total(AK), Some(30));
    assert_eq!(pair.server.ledger.held(), DEAGLE);
    let shot = pair.client.fire(AK).expect("29 rounds");
    assert_eq!(shot.total, 28);
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.server.total(AK), Some(28));
    pair.check_equal();
}

#[test]
fn a5_a_shot_that_crosses_set_ammo_spends_the_old_balance() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 3)]);
    let shot = pair.client.fire(AK).expect("three rounds");
    pair.both(set(AK, 5, None));
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.server.total(AK), Some(5));
    pair.check_equal();
}

#[test]
fn a6_a_shot_that_crosses_clear_and_give_spends_the_old_balance() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 3)]);
    let shot = pair.client.fire(AK).expect("three rounds");
    pair.both(WeaponCommand::Clear);
    pair.both(give(AK, 2));
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.server.total(AK), Some(2));
    // Both emptied the hand at the clear, whatever the shot before it said.
    pair.check_equal();
}

#[test]
fn a7_a_shot_and_a_frame_that_cross_a_give_lower_what_it_adds_to() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 3)]);
    let shot = pair.client.fire(AK).expect("three rounds");
    let frame = pair.client.frame(false);
    pair.both(give(AK, 100));
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(frame.total, 2);
    pair.frame(&frame);
    assert_eq!(pair.server.total(AK), Some(102));
    pair.check_equal();
}

#[test]
fn a9_a_shot_of_the_last_life_touches_nothing_of_this_one() {
    let mut pair = Pair::settled(&[give_in_hand(M4, 50)]);
    let shot = pair.client.fire(M4).expect("fifty rounds");
    pair.server.ledger.respawn(Life(1));
    pair.client.take_grant(Life(1));
    pair.both(give_in_hand(M4, 50));
    assert_eq!(pair.shot(&shot), refused(Rule::Armed));
    assert_eq!(pair.server.total(M4), Some(50));
    pair.check_equal();
}

#[test]
fn a10_a_client_that_could_not_apply_is_joined_where_it_stands_until_it_diverges() {
    let mut server = Server::new();
    server.settle(&[give(COLT, 9), give(COLT, 1), give(COLT, 1), give(COLT, 1), give(COLT, 1)]);
    server.settle(&[give_in_hand(AK, 30)]);
    assert_eq!(server.order(take(AK)), Ok(Revision(7)));
    assert_eq!(server.order(give(COLT, 1)), Ok(Revision(8)));
    // The client of revision 6 still has its AK, and its shots count there.
    assert_eq!(server.shot(6, AK, 29), Accepted);
    assert_eq!(server.total(AK), None);
    for _ in 0..99 {
        server.now_ms += 100;
        server.frame(6, AK, 29, 29);
        assert_eq!(server.ledger.liveness(), None);
    }
    server.now_ms += 100;
    server.frame(6, AK, 29, 29);
    assert_eq!(server.ledger.liveness(), Some(Diverged::Unechoed { rev: Revision(7) }));
}

#[test]
fn a10_a_client_that_says_its_apply_failed_diverges_at_once() {
    let mut pair = Pair::settled(&[give(COLT, 9)]);
    let error = pair.client.apply(Revision(2), &take(AK)).expect_err("the client has no AK");
    assert_eq!(error.label(), "not_owned");
    // It applies nothing more, and keeps echoing what it did apply.
    assert!(pair.client.apply(Revision(3), &give(AK, 1)).is_err());
    assert_eq!(pair.client.frame(false).rev, Revision(1));
    pair.server.ledger.apply_failed(error.revision());
    assert_eq!(pair.server.ledger.liveness(), Some(Diverged::ApplyFailed { rev: Revision(2) }));
}

#[test]
fn a11_past_1024_unechoed_commands_the_rest_are_refused_and_nothing_moves() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    // The empty store of revision 0 is retained for a second after the give was echoed.
    server.now_ms = 1001;
    let mut refusals = 0;
    for _ in 0..2000 {
        let before = server.ledger.inventory();
        match server.order(give(AK, 1)) {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error, CommandError::Full { pending: PENDING_COMMANDS_MAX });
                assert_eq!(error.kind(), CommandErrorKind::ResourceExhausted);
                assert_eq!(server.ledger.inventory(), before);
                refusals += 1;
            }
        }
    }
    assert_eq!(refusals, 2000 - 1024);
    assert_eq!(server.ledger.revision(), Revision(1025));
    assert_eq!(server.total(AK), Some(1034));
    // Every one of the retained revisions can still be named.
    assert_eq!(server.shot(1, AK, 9), Accepted);
    assert_eq!(server.shot(1025, AK, 1032), Accepted);
    // Echoing them makes room once a second has gone by.
    server.now_ms += 1001;
    assert!(server.order(give(AK, 1)).is_ok());
}

#[test]
fn a13_a_clip_over_the_total_is_held_to_it() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 30)]);
    server.frame(1, AK, 5, 50);
    assert_eq!((server.total(AK), server.clip(AK)), (Some(5), Some(5)));
}

#[test]
fn a15_a_weapon_the_game_hands_out_itself_does_not_move_the_store() {
    let catalogue = catalogue();
    let told = catalogue.get(SATCHEL).map(|satchel| satchel.self_grants.clone());
    assert_eq!(told, Some(vec![DETONATOR]), "the catalogue tells the client what to switch off");

    let mut pair = Pair::settled(&[give(SAWNOFF, 7), give(SATCHEL, 2)]);
    // The mirror hands out nothing: no detonator for a throw.
    let shot = pair.client.fire(SATCHEL).expect("two satchels");
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.client.total(DETONATOR), None);
    pair.check_equal();
    // A client that kept five shells of a police car reports twelve, then fires one of its own.
    pair.server.frame(2, SAWNOFF, 12, 2);
    assert_eq!(pair.server.total(SAWNOFF), Some(7));
    assert_eq!(pair.server.total(DETONATOR), None);
}

#[test]
fn a16_a_frozen_counter_fires_each_round_once() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    let mut accepted = 0;
    for _ in 0..1000 {
        server.frame(1, AK, 10, 10);
        match server.shot(1, AK, 9) {
            Accepted => accepted += 1,
            ruling => assert_eq!(ruling, refused(Rule::Ammo)),
        }
    }
    assert_eq!(accepted, 1);

    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    let mut accepted = 0;
    for shot in 0..1000_u16 {
        server.frame(1, AK, 10, 10);
        match server.shot(1, AK, 9_u16.saturating_sub(shot)) {
            Accepted => accepted += 1,
            ruling => assert_eq!(ruling, refused(Rule::Ammo)),
        }
    }
    assert_eq!(accepted, 10);
}

#[test]
fn b1_a_flamethrower_released_after_its_frame_spends_no_more() {
    let mut pair = Pair::settled(&[give_in_hand(FLAMES, 101)]);
    let firing = pair.client.frame(true);
    assert!(firing.firing);
    assert_eq!(firing.total, 100);
    assert_eq!(pair.frame(&firing).acts, Some(FLAMES));
    pair.server.now_ms += 100;
    let released = pair.client.frame(false);
    assert!(!released.firing);
    assert_eq!(pair.frame(&released).acts, None);
    assert_eq!(pair.server.total(FLAMES), Some(100));
    pair.check_equal();
}

#[test]
fn e5_a_knife_is_held_and_counted_by_no_rounds() {
    let mut pair = Pair::settled(&[give_in_hand(KNIFE, 0)]);
    assert_eq!(pair.server.total(KNIFE), Some(0));
    for _ in 0..3 {
        let swing = pair.client.fire(KNIFE).expect("a knife needs no rounds");
        assert_eq!(pair.shot(&swing), Accepted);
    }
    pair.both(take(KNIFE));
    assert_eq!(pair.client.fire(KNIFE), None);
    assert_eq!(pair.server.shot(2, KNIFE, 0), refused(Rule::Held));
}
