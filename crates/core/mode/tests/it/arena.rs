//! Terrain, meshes, doors, lifts and bots of a mode's file: read, written back, and told where wrong.

use fairshot_mode::{Mode, ModeErrors};
use glam::Vec3;

const RIGHT: &str = r#"name = "hills"
players_max = 4

[arena]
min_m = [-64, -8, -64]
max_m = [64, 32, 64]
floor_m = -4

[[arena.height_fields]]
file = "hills.r16"
columns = 65
corner_m = [-64, -4, -64]
cell_m = 2
height_m = 12.5

[[arena.meshes]]
file = "maps/bridge.glb"
yaw_deg = 90

[[arena.movers]]
name = "lift"
centre_m = [0, 0, 0]
size_m = [4, 0.2, 4]
to_m = [0, 3, 0]
wait_s = 1.5

[[arena.movers]]
name = "gate"
centre_m = [0, 1, 9]
size_m = [2, 2, 0.2]

[[spawns]]
position_m = [8, 0, 8]

[bots]
fill = 3
weapons = "rifle"
aim_error_deg = 1.5

[[weapons]]
name = "rifle"
id = 4
"#;

#[track_caller]
fn check(piece: &str, instead: &str, expected: &str) {
    assert_eq!(RIGHT.matches(piece).count(), 1, "{piece:?} stands once in the file");
    let text = RIGHT.replace(piece, instead);
    let errors = Mode::parse("hills.toml", &text).expect_err("the file is wrong").to_string();
    assert_eq!(errors, expected);
}

#[test]
fn what_an_arena_names_and_who_fills_it_is_read_and_written_back() {
    let mode = Mode::parse("hills.toml", RIGHT).unwrap_or_else(|errors| panic!("{errors}"));
    let field = &mode.arena.height_fields[0];
    assert_eq!((field.file.as_str(), field.columns, field.height_m), ("hills.r16", 65, 12.5));
    assert_eq!(mode.arena.meshes[0].file, "maps/bridge.glb");
    assert_eq!(mode.arena.meshes[0].position_m, Vec3::ZERO);
    let way = mode.arena.movers[0].way.expect("it goes by itself");
    assert_eq!((way.to_m, way.speed_m_s, way.wait_s), (Vec3::Y * 3.0, 2.0, 1.5));
    assert_eq!(mode.arena.movers[1].way, None, "a game's to move");
    assert_eq!((mode.bots.fill, mode.bots.weapons.len()), (3, 1));
    let again = Mode::parse("written.toml", &mode.to_toml());
    assert_eq!(again.unwrap_or_else(|errors| panic!("{errors}")), mode);
}

#[test]
fn a_path_that_leaves_the_modes_folder_is_told() {
    for path in ["../hills.r16", "/etc/passwd", "a//b", "maps/../../x", "c:x", r"a\\b", ""] {
        check(
            "\"hills.r16\"",
            &format!("\"{path}\""),
            &format!(
                "hills.toml:10:8: arena.height_fields[0].file: expected a path of 1 to 200 bytes below \
                 this file's folder, its parts divided by /, found \"{}\"",
                path.replace(r"\\", r"\").escape_debug()
            ),
        );
    }
}

#[test]
fn a_mover_that_goes_nowhere_or_out_of_the_arena_is_told() {
    check(
        "to_m = [0, 3, 0]",
        "to_m = [0, 0, 0]",
        "hills.toml:24:8: arena.movers[0].to_m: expected another place than centre_m, found [0, 0, 0]",
    );
    check(
        "to_m = [0, 3, 0]",
        "to_m = [0, 300, 0]",
        "hills.toml:24:8: arena.movers[0].to_m: expected a point within the bounds \
         [-64, -8, -64] to [64, 32, 64], found [0, 300, 0]",
    );
    check(
        "size_m = [2, 2, 0.2]",
        "size_m = [2, 2, 0.2]\nopens_within_m = 3",
        "hills.toml:31:18: arena.movers[1].opens_within_m: expected to_m beside it, found none",
    );
    check(
        "name = \"gate\"",
        "name = \"lift\"",
        "hills.toml:28:8: arena.movers[1].name: expected a name of its own, \
         found \"lift\", the name of the one in line 21",
    );
}

#[test]
fn more_bots_than_seats_and_a_weapon_of_no_catalogue_are_told() {
    check(
        "fill = 3",
        "fill = 5",
        "hills.toml:36:8: bots.fill: expected at most the 4 seats of a room, found 5",
    );
    check(
        "weapons = \"rifle\"",
        "weapons = [\"rifle\", \"rifel\"]",
        "hills.toml:37:21: bots.weapons: expected a weapon of the catalogue \
         (did you mean \"rifle\"?), found \"rifel\"",
    );
}

#[test]
fn a_fault_in_a_file_beside_the_modes_is_told_at_the_key_that_names_it() {
    let told = |key: &str| {
        let errors = ModeErrors::at("hills.toml", RIGHT, key, "x".to_owned(), "y".to_owned());
        errors.to_string()
    };
    for (key, line_and_column) in [
        ("arena.height_fields[0].file", "10:8"),
        ("arena.meshes[0].file", "17:8"),
        ("spawns[0].position_m", "33:14"),
    ] {
        let expected = format!("hills.toml:{line_and_column}: {key}: expected x, found y");
        assert_eq!(told(key), expected);
    }
}
