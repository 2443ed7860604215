//! Long random histories of a client that follows the protocol, over a link that loses, doubles, delays
//! and reorders: each invariant as a property. `PROPTEST_CASES=100000` makes them deep.

use super::armoury::{AK, ALL, COLT, FLAMES};
use super::run::{Base, Message, Run, Step, step};
use crate::ruling::ShotRuling;
use crate::{Inventory, Ledger};
use fairshot_units::WeaponCommand;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::sync::LazyLock;

/// A pair that has seen nothing, and one whose revision is about to wrap.
static FRESH: LazyLock<Base> = LazyLock::new(|| Base::after(0));
static WRAPPING: LazyLock<Base> = LazyLock::new(|| Base::after(65_400));

fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(step(), 1..160)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_below(steps in steps()) {
        play(&FRESH, &steps, check_never_below)?;
    }

    /// The client's rounds are spent or left, and it never had more than was granted.
    #[test]
    fn never_from_nothing(steps in steps()) {
        play(&FRESH, &steps, |run| {
            for slot in 0..run.granted.len() {
                prop_assert!(run.accepted[slot] <= run.granted[slot], "slot {slot}");
            }
            Ok(())
        })?;
    }

    /// The same messages in any other order, some of them twice, leave the same store.
    #[test]
    fn order_free(steps in steps(), order in vec(any::<Index>(), 0..200)) {
        let mut run = Run::new(&FRESH);
        let timeless = steps.iter().filter(|step| !matches!(step, Step::Lapse(_)));
        timeless.for_each(|step| run.take_step(step));
        let mut other = FRESH.server.clone();
        run.replay_commands(&mut other);
        let landed: Vec<Message> = run.landed().collect();
        let shuffled = order.iter().filter(|_| !landed.is_empty()).map(|at| at.get(&landed));
        shuffled.chain(landed.iter()).for_each(|message| {
            message.land(&mut other, run.now_ms);
        });
        same_store(&run.server, &other)?;
    }

    /// With nothing in flight, a frame and then a shot of each weapon leave the ledger equal.
    #[test]
    fn exact(steps in steps()) {
        let mut run = Run::new(&FRESH);
        steps.iter().for_each(|step| run.take_step(step));
        run.drain_stream();
        for weapon in ALL {
            if run.client.arm(weapon) {
                run.send_frame(false);
                run.land_newest();
                prop_assert_eq!(run.server.total(weapon), run.client.total(weapon));
                prop_assert_eq!(run.server.held(), weapon);
                let clip = |inventory: Inventory| inventory.slot_of(weapon).map(|slot| slot.clip);
                prop_assert_eq!(clip(run.server.inventory()), clip(run.client.inventory()));
            }
            if run.fire(weapon) {
                run.land_newest();
                prop_assert_eq!(run.server.total(weapon), run.client.total(weapon));
            }
        }
    }

    #[test]
    fn observation_only_lowers(steps in steps()) {
        play(&FRESH, &steps, |run| {
            let Some(landing) = &run.landing else { return Ok(()) };
            prop_assert!(super::honest::only_lowers(&landing.before, &landing.after));
            Ok(())
        })?;
    }

    #[test]
    fn no_false_refusal(steps in steps()) {
        play(&FRESH, &steps, check_no_false_refusal)?;
    }

    /// Every few steps she dies and comes back; gives fall between the grant and her taking it.
    #[test]
    fn lives_do_not_mix(steps in steps(), weapon in 0..ALL.len()) {
        let mut run = Run::new(&FRESH);
        for (index, step) in steps.iter().enumerate() {
            if index % 12 == 11 {
                run.take_step(&Step::Respawn);
                let command =
                    WeaponCommand::Give { weapon: ALL[weapon], rounds: 7, set_as_current: true };
                run.take_step(&Step::Order(command));
                prop_assert_eq!(run.server.total(ALL[weapon]), Some(7));
            }
            run.take_step(step);
            check_never_below(&run)?;
        }
        run.drain_stream();
        let (server, client) = (run.server.inventory(), run.client.inventory());
        prop_assert_eq!(server.life, client.life);
        for (server, client) in server.slots.iter().zip(&client.slots) {
            prop_assert_eq!(server.weapon, client.weapon);
        }
    }

    #[test]
    fn once(steps in steps()) {
        play(&FRESH, &steps, |run| {
            let Some(landing) = &run.landing else { return Ok(()) };
            let counted = landing.shot == Some(ShotRuling::Accepted) || landing.acted;
            prop_assert!(landing.first || !counted);
            Ok(())
        })?;
    }

    #[test]
    fn bounds(steps in steps()) {
        play(&FRESH, &steps, |run| {
            for inventory in [run.server.inventory(), run.client.inventory()] {
                for slot in inventory.slots {
                    let clip_size = run.catalogue.get(slot.weapon).map_or(0, |it| it.clip_size);
                    prop_assert!(slot.clip <= slot.total.min(clip_size));
                }
            }
            prop_assert!(run.server.memory_bytes() < 64 * 1024);
            Ok(())
        })?;
    }

    /// Across the wrap of the revision, with 256 commands in one tick.
    #[test]
    fn wraps(steps in steps(), burst_at in 0..100_usize) {
        let mut run = Run::new(&WRAPPING);
        for (index, step) in steps.iter().enumerate() {
            if index == burst_at {
                run.take_step(&Step::Burst(256));
            }
            run.take_step(step);
            check_never_below(&run)?;
            check_no_false_refusal(&run)?;
        }
    }

    #[test]
    fn conservation(steps in steps()) {
        play(&FRESH, &steps, |run| {
            for tally in [run.server.shot_tally(), run.server.frame_tally()] {
                let ruled = tally.accepted + tally.repeats + tally.malformed + tally.refused();
                prop_assert_eq!(tally.received, ruled);
            }
            prop_assert_eq!(run.server.shot_tally().malformed, 0);
            Ok(())
        })?;
    }
}

#[test]
fn a_storm_of_256_commands_in_one_tick_loses_no_round_whatever_lands_when() {
    let mut run = Run::new(&WRAPPING);
    run.take_step(&Step::Order(WeaponCommand::Give {
        weapon: AK,
        rounds: 9,
        set_as_current: true,
    }));
    run.drain_stream();
    assert!(run.fire(AK));
    run.take_step(&Step::Burst(256));
    for _ in 0..256 {
        run.take_step(&Step::TakeFromStream(1));
        run.fire(AK);
        run.fire(COLT);
        run.client.arm(FLAMES);
        run.send_frame(true);
    }
    // Everything lands at once, the newest first.
    while run.land_newest_unheard() {
        check_never_below(&run).expect("never below");
        check_no_false_refusal(&run).expect("no false refusal");
    }
    run.send_frame(false);
    run.land_newest();
    assert_eq!(run.server.total(FLAMES), run.client.total(FLAMES));
}

fn play(
    base: &Base,
    steps: &[Step],
    check: impl Fn(&Run) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut run = Run::new(base);
    for step in steps {
        run.take_step(step);
        check(&run)?;
    }
    Ok(())
}

fn check_never_below(run: &Run) -> Result<(), TestCaseError> {
    let client = run.client_to_come();
    let server = run.server.inventory();
    for (server, client) in server.slots.iter().zip(&client.slots) {
        prop_assert_eq!(server.weapon, client.weapon);
        prop_assert!(server.total >= client.total, "{server:?} is below {client:?}");
    }
    Ok(())
}

fn check_no_false_refusal(run: &Run) -> Result<(), TestCaseError> {
    let Some(landing) = &run.landing else { return Ok(()) };
    if landing.first && landing.due {
        if let Some(ruling) = landing.shot {
            prop_assert_eq!(ruling, ShotRuling::Accepted);
        }
        prop_assert_eq!(landing.acted, landing.fired_continuous);
    }
    Ok(())
}

fn same_store(one: &Ledger, other: &Ledger) -> Result<(), TestCaseError> {
    let (one, other) = (one.inventory(), other.inventory());
    prop_assert_eq!(one.slots, other.slots);
    prop_assert_eq!(one.held, other.held);
    Ok(())
}
