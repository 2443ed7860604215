//! A mode written as a file reads back, a mode built in code is held to a file's ranges, and no text
//! whatever breaks the reader.

use fairshot_mode::{Catalogue, Grant, Mode, Weapon, presets};
use fairshot_units::WeaponId;
use proptest::prelude::*;

#[test]
fn every_compiled_in_mode_reads_back_from_what_it_writes() {
    for preset in presets::PRESETS {
        let mode = preset.parse().unwrap_or_else(|errors| panic!("{errors}"));
        let text = mode.to_toml();
        let again = Mode::parse("written.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again, mode);
    }
}

#[test]
fn a_mode_built_in_code_is_held_to_the_ranges_of_a_file() {
    let mut mode = presets::arena();
    assert_eq!(mode.check(), Ok(()));
    mode.body.health = f32::NAN;
    mode.spawns[0].position_m.x = 900.0;
    mode.loadout.push(Grant { weapon: WeaponId(99), rounds: 1, armed: false });
    let odd = Weapon { pellets: 0, ..Weapon::default() };
    mode.weapons = Catalogue::new(vec![odd], [false; 13]).expect("one weapon");
    mode.loadout.retain(|grant| grant.weapon == WeaponId(99));
    let errors = mode.check().expect_err("four faults");
    let mut told: Vec<String> = errors.0.iter().map(|error| error.to_string()).collect();
    told.sort();
    assert_eq!(
        told,
        [
            "arena: body.health: expected a number from 0.125 to 8191 health, found nan",
            "arena: loadout[0].weapon: expected a weapon of the catalogue \
             (did you mean \"weapon\"?), found \"weapon 99\"",
            "arena: spawns[0].position_m: expected a point within the bounds \
             [-32, -1, -32] to [32, 24, 32], found [900, 0, 2]",
            "arena: weapons[0].pellets: expected a whole number from 1 to 32 rays, found 0",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_edit_of_a_right_file_breaks_the_reader(
        at in 0_usize..10_000,
        length in 0_usize..40,
        instead in "[ -~\n]{0,12}",
    ) {
        let text = presets::named("siege").expect("a preset").text;
        let at = at.min(text.len());
        let end = (at + length).min(text.len());
        let edited = format!("{}{instead}{}", &text[..at], &text[end..]);
        if let Err(errors) = Mode::parse("edited.toml", &edited) {
            prop_assert!(!errors.0.is_empty());
            let lines = edited.lines().count() + 1;
            prop_assert!(errors.0.iter().all(|error| (1..=lines).contains(&error.line)));
        }
    }
}
