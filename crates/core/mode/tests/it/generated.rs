//! The committed files are what their generator makes of the tables.

#[path = "../../examples/generate_modes/page.rs"]
mod page;
#[path = "../../examples/generate_modes/san_andreas.rs"]
mod san_andreas;

use fairshot_mode::{AmmoUse, Mode, Weapon, WeaponKind, presets};
use fairshot_units::{SlotIndex, WeaponId};

const AGAIN: &str = "run `cargo run -p fairshot-mode --example generate_modes`";

#[test]
fn the_committed_weapon_mode_is_what_the_table_makes() {
    let made = san_andreas::generate().expect("the table reads");
    let committed = include_str!("../../../../../deploy/modes/san_andreas.toml");
    assert!(made == committed, "deploy/modes/san_andreas.toml is old: {AGAIN}");
}

#[test]
fn the_reference_page_is_what_the_declared_keys_make() {
    let committed = include_str!("../../../../../docs/modes.md");
    assert!(page::generate() == committed, "docs/modes.md is old: {AGAIN}");
}

fn weapon(mode: &Mode, id: u8) -> &Weapon {
    mode.weapons.get(WeaponId(id)).expect("a weapon of the table")
}

#[test]
fn forty_four_weapons_are_held_and_the_games_own_projectiles_are_not() {
    let mode = presets::san_andreas();
    assert_eq!(mode.weapons.weapons().len(), 44);
    for id in 0..=46 {
        assert_eq!(mode.weapons.get(WeaponId(id)).is_none(), (19..=21).contains(&id), "{id}");
    }
}

#[test]
fn thirteen_slots_are_used_and_three_carry_rounds_over() {
    let mode = presets::san_andreas();
    let slots: Vec<SlotIndex> = (0..13).filter_map(SlotIndex::new).collect();
    for slot in &slots {
        assert!(mode.weapons.weapons().iter().any(|weapon| weapon.slot == *slot), "{slot:?}");
    }
    let carries: Vec<usize> =
        slots.iter().filter(|s| mode.weapons.carries_over(**s)).map(|s| s.index()).collect();
    assert_eq!(carries, [3, 4, 5]);
}

#[test]
fn numbers_come_from_their_columns() {
    let mode = presets::san_andreas();
    let m4 = weapon(&mode, 31);
    assert_eq!((m4.name.as_str(), m4.slot.index(), m4.clip_size), ("M4", 5, 50));
    assert_eq!((m4.damage, m4.range_m, m4.pellets), (9.9, 90.0, 1));
    assert!((m4.shots_per_second - 1000.0 / 90.0).abs() < 1e-3, "the fastest fair interval");
    // Twin guns at the best tier, whose clip and range are the largest.
    assert_eq!((weapon(&mode, 22).clip_size, weapon(&mode, 22).range_m), (34, 35.0));
    assert_eq!(weapon(&mode, 34).range_m, 320.0, "the largest of the sources");
    assert_eq!((weapon(&mode, 25).pellets, weapon(&mode, 27).pellets), (15, 8));
    // No fastest fair interval: the other column.
    assert!((weapon(&mode, 37).shots_per_second - 2.0).abs() < 1e-6);
    assert!((weapon(&mode, 35).shots_per_second - 1000.0 / 1050.0).abs() < 1e-3);
}

#[test]
fn three_weapons_are_continuous_and_what_is_thrown_or_launched_flies() {
    let mode = presets::san_andreas();
    let of = |kind| {
        let weapons = mode.weapons.weapons().iter().filter(move |weapon| weapon.kind == kind);
        weapons.map(|weapon| weapon.id.0).collect::<Vec<_>>()
    };
    assert_eq!(of(WeaponKind::Continuous), [37, 41, 42]);
    assert_eq!(of(WeaponKind::Projectile), [16, 17, 18, 35, 36, 39]);
    assert_eq!(of(WeaponKind::Instant), (22..=34).chain([38]).collect::<Vec<_>>());
    assert_eq!(of(WeaponKind::Melee), (0..=15).collect::<Vec<_>>());
    assert_eq!(weapon(&mode, 37).ammo, AmmoUse::WhileHeld);
    assert_eq!(weapon(&mode, 16).ammo, AmmoUse::PerShot);
}

#[test]
fn the_satchel_is_marked_to_hand_out_the_detonator() {
    let mode = presets::san_andreas();
    let grants: Vec<(u8, Vec<WeaponId>)> = mode
        .weapons
        .weapons()
        .iter()
        .filter(|weapon| !weapon.self_grants.is_empty())
        .map(|weapon| (weapon.id.0, weapon.self_grants.clone()))
        .collect();
    assert_eq!(grants, [(39, vec![WeaponId(40)])]);
}
