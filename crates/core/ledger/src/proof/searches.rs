//! The searches themselves: a bounded form in every test run, and with the feature `deep-proof` a deep one.

use super::adversary::Attack;
use super::armoury::{AK, COLT, DEAGLE, FLAMES, M4, arm, give, give_in_hand, set, take};
use super::books::Books;
use super::honest::World;
use super::plain::Plain;
use super::spec::{Rules, Spec};
use crate::Ledger;
use fairshot_units::{WeaponCommand, WeaponId};
use stateright::{Checker, HasDiscoveries, Model};
use std::fmt::Debug;
use std::hash::Hash;

#[test]
fn no_reachable_world_breaks_an_invariant_of_two_slots() {
    prove("two slots: 2 orders, 1 shot, 1 frame", two_slots::<Ledger>(2, 1, 1));
    prove("two slots: 1 order, 2 shots, 1 frame", two_slots::<Ledger>(1, 2, 1));
    if cfg!(feature = "deep-proof") {
        prove("two slots: 2 orders, 2 shots, 1 frame", two_slots::<Ledger>(2, 2, 1));
        prove("few orders: 3 orders, 2 shots, 1 frame", few_orders::<Ledger>(3, 2, 1));
    }
}

#[test]
fn no_reachable_world_breaks_an_invariant_of_one_slot_over_many_messages() {
    prove("one slot: 2 orders, 2 shots, 1 frame", one_slot::<Ledger>(2, 2, 1));
    prove("one slot: 1 order, 3 shots, 1 frame", one_slot::<Ledger>(1, 3, 1));
    if cfg!(feature = "deep-proof") {
        prove("one slot: 3 orders, 3 shots, 1 frame", one_slot::<Ledger>(3, 3, 1));
        prove("one slot: 4 orders, 1 shot, 1 frame", one_slot::<Ledger>(4, 1, 1));
    }
}

#[test]
fn no_reachable_world_breaks_an_invariant_of_a_continuous_weapon() {
    prove("continuous: 1 order, 1 shot, 2 frames", continuous::<Ledger>(1, 2));
    if cfg!(feature = "deep-proof") {
        prove("continuous: 2 orders, 1 shot, 3 frames", continuous::<Ledger>(2, 3));
    }
}

#[test]
fn no_reachable_world_mixes_two_lives() {
    prove("lives: 2 orders, 1 shot, 1 frame", lives::<Ledger>(2, 1, 1));
    if cfg!(feature = "deep-proof") {
        prove("lives: 3 orders, 2 shots, 1 frame", lives::<Ledger>(3, 2, 1));
    }
}

#[test]
fn no_forged_messages_get_a_round_from_nothing() {
    prove("forged shots: 2 orders, 3 messages", forged_shots::<Ledger>((), 2, 3));
    prove("forged shots: 3 orders, 2 messages", forged_shots::<Ledger>((), 3, 2));
    prove("forged firing: 2 orders, 3 messages", forged_firing::<Ledger>(2, 3));
    prove("forged lives: 2 orders, 2 messages", forged_lives::<Ledger>(2, 2));
    if cfg!(feature = "deep-proof") {
        prove("forged firing: 4 orders, 4 messages", forged_firing::<Ledger>(4, 4));
        prove("forged lives: 3 orders, 3 messages", forged_lives::<Ledger>(3, 3));
        prove("forged shots: 4 orders, 3 messages", forged_shots::<Ledger>((), 4, 3));
        prove("forged shots: 3 orders, 4 messages", forged_shots::<Ledger>((), 3, 4));
    }
}

/// Frames and shots merged by difference, and a gate that a command in flight closes: a frame that
/// overtakes its shot makes it count twice.
#[test]
fn the_plain_rules_lose_a_round_when_a_frame_overtakes_its_shot() {
    let world = World { doubles: false, orders: 0, ..two_slots::<Plain>(0, 1, 1) };
    refute(world, "never below");
}

#[test]
fn the_plain_rules_count_a_doubled_shot_twice() {
    let world = World { frames: 0, orders: 0, ..two_slots::<Plain>(0, 1, 0) };
    refute(world.clone(), "once");
    refute(world, "never below");
}

#[test]
fn the_plain_rules_lose_a_round_when_a_shot_crosses_set_ammo() {
    let palette = vec![set(AK, 5)];
    let world = World { doubles: false, palette, ..two_slots::<Plain>(1, 1, 0) };
    refute(world, "never below");
}

/// The written rules pass where each of the mutants below fails, so it is the dropped rule that is missed.
#[test]
fn the_written_rules_pass_where_their_mutants_fail() {
    prove("written, two slots", two_slots::<Spec>(1, 1, 1));
    prove("written, forged", forged_shots::<Spec>(Rules::default(), 2, 3));
    prove("written, lives", lives::<Spec>(1, 1, 0));
}

#[test]
fn a_shot_tested_against_its_own_segment_alone_makes_rounds_from_nothing() {
    let rules = Rules { covers_others: false, ..Rules::default() };
    refute(forged_shots::<Spec>(rules, 2, 3), "never from nothing");
}

#[test]
fn totals_that_need_not_fall_make_rounds_from_nothing() {
    let rules = Rules { falls: false, ..Rules::default() };
    refute(forged_shots::<Spec>(rules, 1, 3), "never from nothing");
}

#[test]
fn dropping_retention_refuses_honest_shots() {
    let rules = Rules { retains: false, ..Rules::default() };
    refute(World { rules, ..two_slots::<Spec>(1, 1, 0) }, "no false refusal");
}

#[test]
fn dropping_the_message_window_judges_a_round_twice() {
    let rules = Rules { once: false, ..Rules::default() };
    refute(World { rules, ..two_slots::<Spec>(0, 1, 0) }, "once");
}

#[test]
fn mixing_lives_rules_on_a_shot_of_the_last_one() {
    let rules = Rules { lives: false, ..Rules::default() };
    refute(World { rules, ..lives::<Spec>(1, 1, 0) }, "lives");
}

/// One slot carries rounds over to another weapon, one does not; revisions wrap while commands fly.
fn two_slots<B: Books>(orders: usize, shots: usize, frames: usize) -> World<B> {
    World {
        palette: vec![
            give(AK, 2),
            give_in_hand(M4, 1),
            give_in_hand(DEAGLE, 1),
            set(AK, 1),
            set(COLT, 3),
            take(AK),
            WeaponCommand::Clear,
            arm(COLT),
        ],
        ..world(vec![give(COLT, 1), give_in_hand(AK, 2)], orders, shots, frames)
    }
}

/// The same two slots under the orders that cut most.
fn few_orders<B: Books>(orders: usize, shots: usize, frames: usize) -> World<B> {
    World {
        palette: vec![give(AK, 2), give_in_hand(M4, 1), set(AK, 1), take(AK)],
        lapses: 1,
        ..two_slots(orders, shots, frames)
    }
}

fn one_slot<B: Books>(orders: usize, shots: usize, frames: usize) -> World<B> {
    World {
        palette: vec![give(AK, 1), give(M4, 2), set(AK, 2), take(AK), WeaponCommand::Clear],
        lapses: 3,
        reloads: 1,
        swaps: 0,
        ..world(vec![give_in_hand(AK, 3)], orders, shots, frames)
    }
}

fn continuous<B: Books>(orders: usize, frames: usize) -> World<B> {
    World {
        palette: vec![
            give(FLAMES, 2),
            set(FLAMES, 3),
            take(FLAMES),
            give_in_hand(COLT, 1),
            WeaponCommand::Clear,
        ],
        swaps: 2,
        ..world(vec![give(COLT, 1), give_in_hand(FLAMES, 3)], orders, 1, frames)
    }
}

fn lives<B: Books>(orders: usize, shots: usize, frames: usize) -> World<B> {
    World {
        palette: vec![give_in_hand(AK, 2), set(AK, 1), give(COLT, 1), WeaponCommand::Clear],
        respawns: 1,
        swaps: 0,
        ..world(vec![give_in_hand(AK, 2)], orders, shots, frames)
    }
}

fn world<B: Books>(
    mut start: Vec<WeaponCommand>,
    orders: usize,
    shots: usize,
    frames: usize,
) -> World<B> {
    // Six commands before the search, so that revision 8 is named 0 within it.
    let fill = 6 - start.len();
    start.splice(0..0, std::iter::repeat_n(arm(WeaponId::FISTS), fill));
    World {
        rules: B::Rules::default(),
        start,
        palette: Vec::new(),
        orders,
        shots,
        frames,
        swaps: 1,
        reloads: 0,
        respawns: 0,
        lapses: 2,
        doubles: true,
    }
}

fn forged_shots<B: Books>(rules: B::Rules, orders: usize, messages: usize) -> Attack<B> {
    Attack {
        rules,
        palette: vec![give(AK, 2), give(M4, 1), set(AK, 1), take(AK)],
        weapons: vec![AK, M4],
        totals: vec![0, 1, 2],
        orders,
        messages,
        lapses: 1,
        respawns: 0,
        continuous: false,
    }
}

fn forged_firing<B: Books>(orders: usize, messages: usize) -> Attack<B> {
    Attack {
        palette: vec![give(FLAMES, 2), set(FLAMES, 1), WeaponCommand::Clear],
        weapons: vec![FLAMES],
        totals: vec![0, 1, 3],
        continuous: true,
        ..forged_shots(B::Rules::default(), orders, messages)
    }
}

fn forged_lives<B: Books>(orders: usize, messages: usize) -> Attack<B> {
    Attack { respawns: 1, ..forged_shots(B::Rules::default(), orders, messages) }
}

#[track_caller]
fn prove<M>(name: &str, model: M)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq,
{
    let checker = model.checker().threads(2).spawn_dfs().join();
    println!("{name}: {} states, {} distinct", checker.state_count(), checker.unique_state_count());
    checker.assert_properties();
}

#[track_caller]
fn refute<M>(model: M, property: &'static str)
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq,
{
    let finish = HasDiscoveries::AllOf([property].into_iter().collect());
    let checker = model.checker().finish_when(finish).spawn_bfs().join();
    let path = checker.discovery(property);
    let path = path.unwrap_or_else(|| panic!("{property:?} holds, so a hole is not seen"));
    println!("{property}: {:?}", path.into_actions());
}
