//! The arena, its boxes and where players enter.

use super::{COORDINATE_M_MAX, key};
use crate::reference::Kind::{Label, Number, Point, Tables};
use crate::reference::{Group, Preset};

pub(crate) static ARENA: Group = Group {
    heading: "[arena]",
    what: "The static world: ground at y = 0 within the bounds, and boxes. y is up.",
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
