//! A wrong file is told with its place, its key and what was expected; one edit of a right file each.

use fairshot_mode::{Mode, RulesOverlay};

const RIGHT: &str = r#"name = "small"

[arena]
min_m = [-16, -1, -16]
max_m = [16, 16, 16]

[[arena.blocks]]
centre_m = [0, 1, 0]
size_m = [4, 2, 4]

[[teams]]
name = "red"

[[spawns]]
position_m = [8, 0, 8]
team = "red"

[body]
height_m = 1.8

[[body.zones]]
name = "head"
multiplier = 2
at_m = [0, 1.6, 0]
radius_m = 0.2

[[weapons]]
name = "rifle"
id = 4
slot = 5
shots_per_second = 8
stats = { damage = ["damage", "gun_damage"] }

[[weapons]]
name = "rail"
id = 5
tiers = [{ modifiers = { pierce = { flat = 4 } } }]

[[loadout]]
weapon = "rifle"
rounds = 90

[rules]
origin = { metres = 4 }
"#;

/// Replaces one piece of the right file and expects exactly these faults.
#[track_caller]
fn check(piece: &str, instead: &str, expected: &str) {
    assert_eq!(RIGHT.matches(piece).count(), 1, "{piece:?} stands once in the file");
    let text = RIGHT.replace(piece, instead);
    let errors = Mode::parse("small.toml", &text).expect_err("the file is wrong").to_string();
    assert_eq!(errors, expected);
}

#[test]
fn the_right_file_is_right() {
    let mode = Mode::parse("small.toml", RIGHT).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!((mode.tick_hz, mode.spawns[0].team, mode.loadout[0].rounds), (64, Some(0), 90));
    assert_eq!(mode.weapons.named("rail").map(|rail| rail.tiers.len()), Some(1));
}

#[test]
fn a_mistyped_key_is_told_with_the_nearest_known_one() {
    check(
        "shots_per_second = 8",
        "shots_per_secnd = 8",
        "small.toml:31:1: weapons[0].shots_per_secnd: expected a known key \
         (did you mean \"shots_per_second\"?), found the unknown key \"shots_per_secnd\"",
    );
}

#[test]
fn a_negative_rate_is_told_with_its_range() {
    check(
        "shots_per_second = 8",
        "shots_per_second = -8",
        "small.toml:31:20: weapons[0].shots_per_second: \
         expected a number from 0 to 1000 1/s, found -8",
    );
}

#[test]
fn nan_and_infinity_are_no_numbers_of_a_mode() {
    for odd in ["nan", "inf", "-inf", "1e300"] {
        check(
            "shots_per_second = 8",
            &format!("shots_per_second = {odd}"),
            &format!(
                "small.toml:31:20: weapons[0].shots_per_second: \
                 expected a number from 0 to 1000 1/s, found {odd}"
            ),
        );
    }
    check(
        "[8, 0, 8]",
        "[8, nan, 8]",
        "small.toml:15:14: spawns[0].position_m: \
         expected [x, y, z], each -4096 to 4096 m, found [8, nan, 8]",
    );
}

#[test]
fn two_weapons_of_one_name_or_one_id_are_told_with_both_lines() {
    check(
        "name = \"rail\"",
        "name = \"rifle\"",
        "small.toml:35:8: weapons[1].name: expected a name of its own, \
         found \"rifle\", the name of the one in line 28",
    );
    check(
        "id = 5",
        "id = 4",
        "small.toml:36:6: weapons[1].id: expected an id of its own, found 4, the id in line 29",
    );
}

#[test]
fn a_loadout_names_weapons_of_the_catalogue_only() {
    check(
        "weapon = \"rifle\"",
        "weapon = \"rifel\"",
        "small.toml:40:10: loadout[0].weapon: expected a weapon of the catalogue \
         (did you mean \"rifle\"?), found \"rifel\"",
    );
}

#[test]
fn a_spawn_in_a_box_or_out_of_the_bounds_is_told() {
    check(
        "[8, 0, 8]",
        "[2.2, 0, 0]",
        "small.toml:15:14: spawns[0].position_m: expected room for a body, \
         found [2.2, 0, 0] inside arena.blocks[0]",
    );
    check(
        "[8, 0, 8]",
        "[8, 0, 18]",
        "small.toml:15:14: spawns[0].position_m: expected a point within the bounds \
         [-16, -1, -16] to [16, 16, 16], found [8, 0, 18]",
    );
}

#[test]
fn an_unknown_team_and_a_team_without_a_spawn_are_told() {
    check(
        "team = \"red\"",
        "team = \"reds\"",
        "small.toml:16:8: spawns[0].team: expected a team of this mode \
         (did you mean \"red\"?), found \"reds\"",
    );
    check(
        "name = \"red\"",
        "name = \"red\"\n[[teams]]\nname = \"blue\"",
        "small.toml:16:1: spawns: expected a spawn of team \"blue\", or one for everybody, \
         found none",
    );
}

#[test]
fn a_body_lower_than_its_eyes_or_thicker_than_high_is_told() {
    check(
        "height_m = 1.8",
        "height_m = 0.6",
        "small.toml:18:1: body.eye_height_m: expected at most the body's height of 0.6 m, \
         found 1.6\n\
         small.toml:19:12: body.height_m: expected at least twice the radius of 0.4 m, found 0.6",
    );
}

#[test]
fn a_rule_out_of_its_range_and_an_unknown_rule_are_told() {
    check(
        "origin = { metres = 4 }",
        "origin = { metres = 400 }",
        "small.toml:44:21: rules.origin.metres: expected a number from 0 to 100 m, found 400",
    );
    check(
        "origin = { metres = 4 }",
        "orign = false",
        "small.toml:44:1: rules.orign: expected a known key (did you mean \"origin\"?), \
         found the unknown key \"orign\"",
    );
    check(
        "origin = { metres = 4 }",
        "origin = 4",
        "small.toml:44:10: rules.origin: expected true, false or a table, found 4",
    );
}

#[test]
fn a_missing_key_is_told_at_its_table() {
    check(
        "multiplier = 2\n",
        "",
        "small.toml:21:1: body.zones[0].multiplier: \
         expected a number from 0 to 100 times, found nothing",
    );
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    let errors = Mode::parse("small.toml", "name = \"small\"\ntick_hz = = 3").expect_err("no TOML");
    let error = &errors.0[0];
    assert_eq!((error.line, error.column, error.key.as_str()), (2, 11, ""));
    assert_eq!(error.expected, "TOML");
}

#[test]
fn every_fault_of_a_file_is_told_in_one_run_in_the_order_of_its_lines() {
    let text = RIGHT.replace("id = 4", "id = 999").replace("rounds = 90", "rounds = -1");
    let errors = Mode::parse("small.toml", &text).expect_err("two faults");
    let keys: Vec<&str> = errors.0.iter().map(|error| error.key.as_str()).collect();
    assert_eq!(keys, ["weapons[0].id", "loadout[0].rounds"]);
}

#[test]
fn a_file_of_endless_faults_tells_a_bounded_number() {
    let text: String = (0..1000).map(|n| format!("key_{n} = 1\n")).collect();
    let errors = Mode::parse("odd.toml", &text).expect_err("a thousand faults");
    assert_eq!(errors.0.len(), fairshot_mode::ModeErrors::MAX);
    let errors = Mode::parse("long.toml", &"#".repeat(2 << 20)).expect_err("too long");
    assert_eq!(errors.0.len(), 1);
}

#[test]
fn both_a_rate_and_an_interval_is_one_too_many() {
    check(
        "shots_per_second = 8",
        "shots_per_second = 8\ninterval_s = 0.1",
        "small.toml:32:14: weapons[0].interval_s: \
         expected shots_per_second or interval_s, found both",
    );
}

#[test]
fn an_operators_rules_are_told_like_a_files() {
    let errors = RulesOverlay::parse("rules", "rate = { stall = 2 }").expect_err("no such key");
    assert_eq!(
        errors.to_string(),
        "rules:1:10: rate.stall: expected a known key (did you mean \"stall_s\"?), \
         found the unknown key \"stall\""
    );
}
