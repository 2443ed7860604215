//! Rules that the cases do not reach: burning, throwing, hands, clips, divergence, refusals.

use crate::driver::*;
use crate::weapons::*;
use fairshot_ledger::{
    CommandError, CommandErrorKind, DIVERGED_AFTER_MS, Diverged, FrameOutcome, FrameReport, Ledger,
    MESSAGE_WINDOW, RETAINED_MS, Rounds, ShotReport, ShotRuling,
};
use fairshot_units::{Life, MessageNumber, Revision, Rule, WeaponCommand, WeaponId};

use ShotRuling::{Accepted, Malformed, Repeat};

#[test]
fn a_plan_whose_packet_finds_no_room_moves_nothing() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    let before = server.ledger.inventory();
    let planned = server.ledger.plan(&give(AK, 5), server.now_ms).expect("a give applies");
    assert_eq!(planned.revision(), Revision(2));
    assert_eq!(planned.command(), &give(AK, 5));
    let _queue_full = planned;
    assert_eq!(server.ledger.inventory(), before);
    assert_eq!(server.order(give(AK, 7)), Ok(Revision(2)));
    assert_eq!(server.total(AK), Some(17));
}

#[test]
#[should_panic(expected = "a plan is committed before the next one is made")]
fn two_plans_of_one_revision_cannot_both_be_committed() {
    let mut ledger = Ledger::new(catalogue());
    let one = ledger.plan(&give(AK, 1), 0).expect("a give applies");
    let other = ledger.plan(&give(AK, 2), 0).expect("a give applies");
    ledger.commit(one, 0);
    ledger.commit(other, 0);
}

#[test]
fn every_refusal_of_a_command_has_its_kind_and_label() {
    use CommandErrorKind::{FailedPrecondition, InvalidArgument};
    let unknown = WeaponId(200);
    let cases = [
        (give(unknown, 1), InvalidArgument, "unknown_weapon"),
        (take(unknown), InvalidArgument, "unknown_weapon"),
        (give(FISTS, 1), InvalidArgument, "fists"),
        (take(FISTS), InvalidArgument, "fists"),
        (set(AK, 90, Some(31)), InvalidArgument, "clip_over_size"),
        (set(AK, 9, Some(10)), InvalidArgument, "clip_over_total"),
        (take(AK), FailedPrecondition, "not_owned"),
        (set(AK, 9, None), FailedPrecondition, "not_owned"),
        (arm(AK), FailedPrecondition, "not_owned"),
    ];
    for (command, kind, label) in cases {
        let error = Server::new().order(command).expect_err("it cannot apply");
        assert_eq!((error.kind(), error.label()), (kind, label), "{command:?}");
    }
    let full = CommandError::Full { pending: 1024 };
    assert_eq!((full.kind(), full.label()), (CommandErrorKind::ResourceExhausted, "full"));
}

#[test]
fn a_give_saturates_at_65535_on_both_sides() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 65_000), give(AK, 65_000), give(M4, 9)]);
    assert_eq!(pair.server.total(M4), Some(65_535));
    pair.check_equal();
    let shot = pair.client.fire(M4).expect("many rounds");
    assert_eq!((shot.total, pair.shot(&shot)), (65_534, Accepted));
    // No shot can leave more than there was.
    assert_eq!(pair.server.shot(3, M4, 65_535), refused(Rule::Ammo));
}

#[test]
fn a_slot_keeps_its_weapon_at_no_rounds_until_it_is_taken() {
    let mut pair = Pair::settled(&[give_in_hand(DEAGLE, 1)]);
    let shot = pair.client.fire(DEAGLE).expect("one round");
    assert_eq!(pair.shot(&shot), Accepted);
    assert_eq!(pair.client.fire(DEAGLE), None);
    assert_eq!((pair.server.total(DEAGLE), pair.server.ledger.held()), (Some(0), DEAGLE));
    pair.both(give(DEAGLE, 3));
    assert_eq!(pair.server.total(DEAGLE), Some(3));
    pair.both(take(DEAGLE));
    assert_eq!((pair.server.total(DEAGLE), pair.server.ledger.held()), (None, FISTS));
    pair.check_equal();
}

#[test]
fn throwing_and_launching_take_one_round_each_like_any_shot() {
    for weapon in [GRENADE, MOLOTOV, SATCHEL, ROCKETS] {
        let mut pair = Pair::settled(&[give(weapon, 2)]);
        let throws = [pair.client.fire(weapon), pair.client.fire(weapon)];
        // They land in the other order, and one of them twice.
        let [first, second] = throws.map(|shot| shot.expect("two of them"));
        assert_eq!(pair.shot(&second), Accepted);
        assert_eq!(pair.shot(&first), Accepted);
        assert_eq!(pair.shot(&second), Repeat);
        assert_eq!(pair.server.total(weapon), Some(0));
        assert_eq!(pair.server.ledger.held(), weapon);
        pair.check_equal();
    }
}

#[test]
fn a_detonator_is_a_weapon_the_server_gives_and_counts_no_rounds() {
    let mut pair = Pair::settled(&[give(SATCHEL, 1), give(DETONATOR, 0)]);
    let trigger = pair.client.fire(DETONATOR).expect("it was given");
    assert_eq!(pair.shot(&trigger), Accepted);
    assert_eq!(pair.server.total(DETONATOR), Some(0));
    assert_eq!(pair.server.total(SATCHEL), Some(1));
}

#[test]
fn a_frozen_counter_of_a_continuous_weapon_runs_dry() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(FLAMES, 20)]);
    let mut acts = 0;
    for _ in 0..100 {
        let report = FrameReport {
            life: Life(0),
            rev: Revision(1),
            number: server.number(),
            held: FLAMES,
            total: 20,
            clip: 20,
            firing: true,
        };
        acts += u16::from(server.ledger.frame(&report, 0).acts == Some(FLAMES));
        assert_eq!(server.ledger.frame(&report, 0).outcome, FrameOutcome::Repeat);
        assert_eq!(server.total(FLAMES), Some(20 - acts));
    }
    assert_eq!(acts, 20);
}

#[test]
fn silence_and_a_released_trigger_cost_nothing() {
    let mut pair = Pair::settled(&[give_in_hand(SPRAYCAN, 50)]);
    for _ in 0..50 {
        pair.server.now_ms += 100;
        let frame = pair.client.frame(false);
        assert_eq!(pair.frame(&frame).acts, None);
    }
    pair.server.now_ms += 5000;
    assert_eq!(pair.server.total(SPRAYCAN), Some(50));
}

#[test]
fn rounds_burned_between_two_frames_are_one_act_and_all_counted() {
    let mut pair = Pair::settled(&[give_in_hand(FLAMES, 20)]);
    assert_eq!(pair.client.burn(4), 4);
    let frame = pair.client.frame(true);
    assert_eq!((frame.firing, frame.total), (true, 16));
    assert_eq!(pair.frame(&frame).acts, Some(FLAMES));
    assert_eq!(pair.client.burn(99), 16);
    let frame = pair.client.frame(true);
    assert_eq!(pair.frame(&frame).acts, Some(FLAMES));
    // Dry: the trigger alone claims nothing.
    assert!(!pair.client.frame(true).firing);
    pair.check_equal();
}

#[test]
fn a_round_burned_before_a_set_is_not_claimed_after_it() {
    let mut pair = Pair::settled(&[give_in_hand(FLAMES, 20)]);
    pair.client.burn(1);
    pair.both(set(FLAMES, 5, None));
    let frame = pair.client.frame(false);
    assert!(!frame.firing);
    pair.frame(&frame);
    assert_eq!(pair.server.total(FLAMES), Some(5));
    pair.check_equal();
}

#[test]
fn a_shot_of_a_continuous_weapon_is_no_message_of_the_protocol() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(FLAMES, 20)]);
    assert_eq!(server.shot(1, FLAMES, 19), Malformed);
    assert_eq!(server.total(FLAMES), Some(20));
    assert_eq!(Pair::settled(&[give_in_hand(FLAMES, 20)]).client.fire(FLAMES), None);
}

#[test]
fn a_revision_not_yet_committed_is_malformed_and_leaves_its_number_free() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    let number = server.number();
    let shot = ShotReport { life: Life(0), rev: Revision(2), number, weapon: AK, total: 9 };
    assert_eq!(server.ledger.shot(&shot, 0), Malformed);
    assert_eq!(server.ledger.shot(&ShotReport { rev: Revision(1), ..shot }, 0), Accepted);
    assert_eq!(server.frame(40_000, AK, 1, 1).outcome, FrameOutcome::Malformed);
    assert_eq!(server.total(AK), Some(9));
}

#[test]
fn a_shot_is_late_a_second_after_a_later_revision_was_first_echoed() {
    for (after_ms, ruling) in [(RETAINED_MS, Accepted), (RETAINED_MS + 1, refused(Rule::Late))] {
        let mut server = Server::new();
        server.settle(&[give_in_hand(AK, 10)]);
        server.order(give(AK, 5)).expect("a give applies");
        server.now_ms += 60_000;
        server.frame(2, AK, 15, 15);
        server.now_ms += after_ms;
        assert_eq!(server.shot(1, AK, 9), ruling);
    }
}

#[test]
fn a_message_over_1024_numbers_behind_is_late() {
    let report = |number| ShotReport {
        life: Life(0),
        rev: Revision(1),
        number: MessageNumber(number),
        weapon: AK,
        total: 9,
    };
    for (behind, ruling) in [(MESSAGE_WINDOW, Accepted), (MESSAGE_WINDOW + 1, refused(Rule::Late))]
    {
        let mut server = Server::new();
        server.settle(&[give_in_hand(AK, 10)]);
        let newest = report(5000);
        server.ledger.shot(&ShotReport { total: 8, ..newest }, 0);
        assert_eq!(server.ledger.shot(&report(5000 - behind), 0), ruling);
    }
}

#[test]
fn totals_must_fall_as_numbers_rise() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    let mut shot = |number, total| {
        let number = MessageNumber(number);
        let life = Life(0);
        server.ledger.shot(&ShotReport { life, rev: Revision(1), number, weapon: AK, total }, 0)
    };
    assert_eq!(shot(600, 5), Accepted);
    assert_eq!(shot(610, 5), refused(Rule::Ammo), "the same round under a new number");
    assert_eq!(shot(611, 7), refused(Rule::Ammo), "a total that rises");
    assert_eq!(shot(590, 3), refused(Rule::Ammo), "a total below a later one");
    assert_eq!(shot(595, 7), Accepted);
    assert_eq!(shot(594, 6), refused(Rule::Ammo), "not before the seven");
    assert_eq!(shot(597, 6), Accepted);
    assert_eq!(shot(620, 2), Accepted);
    assert_eq!(shot(615, 3), Accepted);
    assert_eq!(shot(614, 4), Accepted);
    assert_eq!(shot(613, 4), refused(Rule::Ammo), "that round was judged");
}

#[test]
fn rounds_fired_under_an_old_revision_and_again_under_a_new_one_are_not_granted_twice() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    server.order(give(AK, 5)).expect("a give applies");
    for total in (0..15).rev() {
        assert_eq!(server.shot(2, AK, total), Accepted);
    }
    for total in (0..10).rev() {
        assert_eq!(server.shot(1, AK, total), refused(Rule::Ammo));
    }
}

#[test]
fn the_hand_follows_its_slot_and_the_newest_claim() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 30), give(DEAGLE, 7)]);
    // Another rifle comes to the slot in hand.
    pair.both(give(M4, 1));
    assert_eq!(pair.server.ledger.held(), M4);
    pair.check_equal();
    // The client swaps, then an older frame lands.
    let older = pair.client.frame(false);
    pair.client.arm(DEAGLE);
    let newer = pair.client.frame(false);
    pair.frame(&newer);
    pair.frame(&older);
    assert_eq!(pair.server.ledger.held(), DEAGLE);
    // A command in flight is replayed over the claim it crossed.
    let crossing = pair.client.frame(false);
    pair.both(arm(FISTS));
    pair.frame(&crossing);
    assert_eq!(pair.server.ledger.held(), FISTS);
    pair.check_equal();
    // A weapon the inventory lacks does not come to hand.
    pair.server.frame(4, GRENADE, 1, 1);
    assert_eq!(pair.server.ledger.held(), FISTS);
}

#[test]
fn a_give_fills_the_clip_and_a_set_keeps_what_was_reported() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 100)]);
    for _ in 0..12 {
        pair.client.fire(AK).expect("many rounds");
    }
    let frame = pair.client.frame(false);
    assert_eq!(frame.clip, 18);
    pair.frame(&frame);
    assert_eq!(pair.server.clip(AK), Some(18));
    pair.both(set(AK, 50, None));
    assert_eq!(pair.server.clip(AK), Some(18));
    pair.client.reload();
    let reloaded = pair.client.frame(false);
    pair.frame(&reloaded);
    assert_eq!(pair.server.clip(AK), Some(30));
    pair.both(set(AK, 50, Some(4)));
    pair.both(give(AK, 1));
    assert_eq!(pair.server.clip(AK), Some(30));
    pair.check_equal();
}

#[test]
fn an_outage_is_no_divergence_however_long() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    server.order(give(AK, 1)).expect("a give applies");
    server.now_ms += 50;
    server.frame(1, AK, 10, 10);
    // Ten seconds of nothing, and then the datagrams come before the stream does.
    server.now_ms += 12_000;
    for _ in 0..20 {
        server.frame(1, AK, 10, 10);
        assert_eq!(server.ledger.liveness(), None);
    }
    server.now_ms += 200;
    server.frame(2, AK, 11, 11);
    server.now_ms += 60_000;
    server.frame(2, AK, 11, 11);
    assert_eq!(server.ledger.liveness(), None);
}

#[test]
fn a_client_that_echoes_nothing_diverges_after_ten_seconds_across_lives() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 10)]);
    server.order(give(AK, 1)).expect("a give applies");
    let mut waited_ms = 0;
    while server.ledger.liveness().is_none() {
        server.now_ms += 100;
        waited_ms += 100;
        if waited_ms == 5000 {
            server.ledger.respawn(Life(1));
        }
        let life = Life(u16::from(waited_ms > 7000));
        server.frame_of(life, 1, AK, 10, 10);
    }
    assert_eq!(waited_ms, DIVERGED_AFTER_MS);
    let diverged = server.ledger.liveness().expect("it diverged");
    assert_eq!(diverged, Diverged::Unechoed { rev: Revision(2) });
    assert_eq!(diverged.label(), "unechoed");
}

#[test]
fn the_readback_says_when_the_client_was_last_believed() {
    let mut server = Server::new();
    assert_eq!(server.ledger.inventory().observed_ms, None);
    server.now_ms = 70;
    server.settle(&[give_in_hand(AK, 10)]);
    server.now_ms = 95;
    server.frame_of(Life(9), 1, AK, 3, 3);
    let inventory = server.ledger.inventory();
    assert_eq!(inventory.observed_ms, Some(70));
    assert_eq!(server.ledger.heard_ms(), Some(95));
    assert_eq!((inventory.revision, inventory.echoed), (Revision(1), Revision(1)));
    assert_eq!(inventory.total_of(AK), Some(10));
}

#[test]
fn every_message_is_counted_once_whatever_became_of_it() {
    let mut server = Server::new();
    server.settle(&[give_in_hand(AK, 3), give(FLAMES, 3)]);
    let shots = [(2, AK, 2), (2, AK, 2), (2, M4, 0), (2, WeaponId(200), 0), (9, AK, 0)];
    for (rev, weapon, total) in shots {
        server.shot(rev, weapon, total);
    }
    server.shot(2, FLAMES, 2);
    server.ledger.respawn(Life(1));
    let number = server.number();
    let old = ShotReport { life: Life(0), rev: Revision(2), number, weapon: AK, total: 1 };
    server.ledger.shot(&old, 0);
    server.ledger.shot(&old, 0);
    server.shot(1, AK, 1);
    let tally = *server.ledger.shot_tally();
    assert_eq!((tally.received, tally.accepted, tally.repeats, tally.malformed), (9, 1, 1, 2));
    assert_eq!((tally.ammo, tally.held, tally.weapon, tally.armed, tally.late), (1, 1, 1, 1, 1));
    assert_eq!(tally.received, 1 + tally.repeats + tally.malformed + tally.refused());
}

#[test]
fn a_mirror_stops_at_the_first_command_it_cannot_apply() {
    let mut pair = Pair::settled(&[give_in_hand(AK, 3)]);
    let gap = pair.client.apply(Revision(3), &WeaponCommand::Clear).expect_err("one is missing");
    assert_eq!((gap.label(), gap.revision()), ("out_of_order", Revision(3)));
    let after = pair.client.apply(Revision(2), &WeaponCommand::Clear).expect_err("it stopped");
    assert_eq!((after.label(), after.revision()), ("stopped", Revision(3)));
    pair.client.take_grant(Life(1));
    assert_eq!((pair.client.life(), pair.client.total(AK)), (Life(0), Some(3)));
    assert_eq!(pair.client.failed(), Some(Revision(3)));
}

#[test]
fn what_a_report_was_ruled_by_can_be_read_back() {
    let mut server = Server::new();
    let first = server.order(give_in_hand(AK, 30)).expect("it fits");
    assert_eq!(server.shot(first.0, AK, 29), ShotRuling::Accepted);
    assert_eq!(server.shot(first.0, AK, 27), ShotRuling::Accepted);
    let second = server.order(give(AK, 10)).expect("it fits");
    let rounds = |base, low, top| Some(Rounds { base, low, top });
    let by = server.ledger.ruled_by(first, AK);
    assert_eq!((by.revision, by.echoed, by.held), (second, first, AK));
    assert_eq!(by.rounds, rounds(30, 27, 30), "the segment before the second give");
    assert_eq!(server.ledger.ruled_by(second, AK).rounds, rounds(37, 37, 0), "and the one after");
    assert_eq!(server.ledger.ruled_by(first, DEAGLE).rounds, None, "never held");
    assert_eq!(server.ledger.ruled_by(Revision(second.0 + 1), AK).rounds, None, "not committed");
}
