//! A weapon's rules lie over its mode's, at the start and when an operator changes the mode's.

use fairshot_mode::{Catalogue, Mode, OriginRule, RateRule, Rules, RulesOverlay, Weapon};

const FILE: &str = r#"
name = "small"

[arena]
min_m = [-16, -1, -16]
max_m = [16, 16, 16]

[[spawns]]
position_m = [8, 0, 8]

[rules]
cover = false
rate = { stall_s = 2 }

[[weapons]]
name = "rifle"
id = 1

[[weapons]]
name = "lance"
id = 2
rules = { origin = { metres = 3.5 }, cover = true }

[[weapons]]
name = "plain"
id = 3
rules = { origin = true }
"#;

fn small() -> Mode {
    Mode::parse("small.toml", FILE).unwrap_or_else(|errors| panic!("{errors}"))
}

fn rules<'m>(mode: &'m Mode, weapon: &str) -> &'m Rules {
    &mode.weapons.named(weapon).expect("a weapon of the file").rules
}

fn overlay(text: &str) -> RulesOverlay {
    RulesOverlay::parse("rules", text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn a_weapon_that_says_nothing_has_the_modes_rules() {
    let mode = small();
    assert_eq!(rules(&mode, "rifle"), &mode.rules);
    assert!(!mode.rules.cover);
    assert_eq!(mode.rules.rate, Some(RateRule { stall_s: 2.0 }));
}

#[test]
fn a_weapon_turns_a_rule_back_on_that_its_mode_turned_off() {
    let mode = small();
    assert!(rules(&mode, "lance").cover);
    assert_eq!(rules(&mode, "lance").origin, Some(OriginRule { metres: 3.5 }));
    assert_eq!(rules(&mode, "lance").rate, mode.rules.rate);
}

#[test]
fn a_live_change_reaches_the_weapons_that_do_not_say_otherwise() {
    let mode = small().with_rules(&overlay("origin = { metres = 9 }")).expect("in range");
    assert_eq!(rules(&mode, "rifle").origin, Some(OriginRule { metres: 9.0 }));
    assert_eq!(rules(&mode, "lance").origin, Some(OriginRule { metres: 3.5 }));
    // A weapon that says the default says so, whatever the mode now says.
    assert_eq!(rules(&mode, "plain").origin, Some(OriginRule::default()));
    assert_eq!(mode.rules.rate, Some(RateRule { stall_s: 2.0 }), "unnamed rules stay");
}

#[test]
fn a_live_change_can_be_taken_back() {
    let mode = small();
    let changed = mode.with_rules(&overlay("held = false")).expect("in range");
    assert!(!rules(&changed, "rifle").held);
    assert_eq!(changed.with_rules(&overlay("held = true")).expect("in range").rules, mode.rules);
}

#[test]
fn a_weapon_built_in_code_keeps_what_it_has_over_its_modes_rules() {
    let own = Rules { origin: None, ..Rules::default() };
    let weapon = Weapon { rules: own, ..Weapon::default() };
    let weapons = Catalogue::new(vec![weapon], [false; 13]).expect("one weapon");
    let mode = Mode { weapons, rules: Rules::default(), ..small() };
    let changed = mode.with_rules(&overlay("origin = true\nheld = false")).expect("in range");
    assert_eq!(rules(&changed, "weapon").origin, None);
    assert!(!rules(&changed, "weapon").held);
}

#[test]
fn monsters_are_shared_out_among_their_kinds() {
    let mut mode = fairshot_mode::presets::arena();
    mode.monsters.push(fairshot_mode::Monster { name: "imp".into(), ..mode.monsters[0].clone() });
    let counts = |mode: &Mode| mode.monsters.iter().map(|m| m.count).collect::<Vec<_>>();
    assert_eq!(counts(&mode.with_monsters(41)), [21, 20]);
    assert_eq!(counts(&mode.with_monsters(0)), [0, 0]);
    mode.monsters.clear();
    assert_eq!(counts(&mode.with_monsters(40)), [0_u16; 0]);
}
