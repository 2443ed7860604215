//! The arena, its boxes and where players enter.

use super::{COORDINATE_M_MAX, key};
use crate::reference::Kind::{Count, File, Label, Number, Point, Tables};
use crate::reference::{Group, Preset};

pub(crate) static ARENA: Group = Group {
    heading: "[arena]",
    what: "The static world: ground within the bounds, boxes, terrain and meshes; and the doors and lifts in it. y is up.",
    keys: &[
        key(
            "min_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The lowest corner of the bounds. No body leaves the bounds, and a shot whose numbers lie beyond them is malformed.",
        ),
        key(
            "max_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The highest corner of the bounds; every coordinate is over `min_m`'s.",
        ),
        key(
            "blocks",
            Tables(&BLOCK, 0, 4096),
            "",
            Preset::Absent("no boxes"),
            "Boxes that stand still.",
        ),
        key(
            "floor_m",
            Number(-COORDINATE_M_MAX, 0.0),
            "m",
            Preset::Number(0.0),
            "Where the endless floor lies: lower where terrain goes lower.",
        ),
        key(
            "height_fields",
            Tables(&HEIGHT_FIELD, 0, 16),
            "",
            Preset::Absent("no terrain"),
            "Terrain. All triangles of an arena together are at most 262144; a cell has two.",
        ),
        key(
            "meshes",
            Tables(&MESH, 0, 64),
            "",
            Preset::Absent("no meshes"),
            "Meshes that stand still.",
        ),
        key("movers", Tables(&MOVER, 0, 64), "", Preset::Absent("no movers"), "Doors and lifts."),
    ],
};

pub(crate) static HEIGHT_FIELD: Group = Group {
    heading: "[[arena.height_fields]]",
    what: "Terrain: heights over an even grid. The file is nothing but unsigned 16-bit numbers, least byte first, row after row: `columns` along x, then the next step along z. Clients read the same file.",
    keys: &[
        key("file", File, "", Preset::Required, "The heights, up to 4 MiB."),
        key(
            "corner_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The corner with the least x and z; its y is the height of the number 0.",
        ),
        key("cell_m", Number(0.1, 256.0), "m", Preset::Number(1.0), "From one number to the next."),
        key("columns", Count(2, 4096), "numbers", Preset::Required, "Numbers of one row."),
        key(
            "height_m",
            Number(0.0, COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "How far over the corner's y the number 65535 lies.",
        ),
    ],
};

pub(crate) static MESH: Group = Group {
    heading: "[[arena.meshes]]",
    what: "A mesh out of a glTF 2.0 file, binary or text, its buffers within it; solid from both sides. Clients read the same file.",
    keys: &[
        key("file", File, "", Preset::Required, "The glTF, up to 16 MiB."),
        key(
            "position_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Absent("the arena's origin"),
            "Where the file's origin lies.",
        ),
        key(
            "yaw_deg",
            Number(-360.0, 360.0),
            "degrees",
            Preset::Number(0.0),
            "Its turn about y, to the left where positive.",
        ),
    ],
};

pub(crate) static MOVER: Group = Group {
    heading: "[[arena.movers]]",
    what: "A box that moves: a lift, or a door. Shots meet it where it is as they are judged; it is not rewound.",
    keys: &[
        key("name", Label, "", Preset::Required, "Unique among the movers."),
        key(
            "centre_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The middle of the box where it stands at first, within the bounds.",
        ),
        key(
            "size_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "Its whole size along each of its own axes, each over 0.",
        ),
        key(
            "yaw_deg",
            Number(-360.0, 360.0),
            "degrees",
            Preset::Number(0.0),
            "Its turn about y, to the left where positive.",
        ),
        key(
            "to_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Absent("only a game's code moves it"),
            "Its middle at the other end of its way, within the bounds.",
        ),
        key("speed_m_s", Number(0.01, 50.0), "m/s", Preset::Number(2.0), "How fast it goes."),
        key(
            "wait_s",
            Number(0.0, 600.0),
            "s",
            Preset::Number(2.0),
            "How long it stays at each end; a door, after the last player has gone.",
        ),
        key(
            "opens_within_m",
            Number(0.1, 100.0),
            "m",
            Preset::Absent("it goes to and fro"),
            "A door: it goes to `to_m` while a living player is within this of `centre_m`, and else back.",
        ),
    ],
};

pub(crate) static BLOCK: Group = Group {
    heading: "[[arena.blocks]]",
    what: "A box that stands still.",
    keys: &[
        key(
            "centre_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The middle of the box, within the bounds.",
        ),
        key(
            "size_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "Its whole size along each of its own axes, each over 0.",
        ),
        key(
            "yaw_deg",
            Number(-360.0, 360.0),
            "degrees",
            Preset::Number(0.0),
            "Its turn about y, to the left where positive.",
        ),
    ],
};

pub(crate) static TEAM: Group = Group {
    heading: "[[teams]]",
    what: "A team.",
    keys: &[key("name", Label, "", Preset::Required, "Unique among the teams.")],
};

pub(crate) static SPAWN: Group = Group {
    heading: "[[spawns]]",
    what: "A place where players enter.",
    keys: &[
        key(
            "position_m",
            Point(COORDINATE_M_MAX),
            "m",
            Preset::Required,
            "The middle of the feet, within the bounds and in no box.",
        ),
        key(
            "yaw_deg",
            Number(-360.0, 360.0),
            "degrees",
            Preset::Number(0.0),
            "Where the player faces: 0 is -z, positive turns to the left.",
        ),
        key(
            "team",
            Label,
            "",
            Preset::Absent("every player"),
            "The team that enters here. Every team needs a spawn of its own or one for everybody.",
        ),
    ],
};
