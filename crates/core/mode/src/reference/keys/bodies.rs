//! Bodies of players and monsters, and the players a room plays itself.

use super::{HEALTH_MAX, key};
use crate::Mode;
use crate::reference::Kind::{Count, Label, Names, Number, Point, Tables};
use crate::reference::{Group, Preset};

pub(crate) static BODY: Group = Group {
    heading: "[body]",
    what: "A player's body: an upright capsule from its feet to its crown.",
    keys: &[
        key("radius_m", Number(0.05, 5.0), "m", Preset::Number(0.4), "The capsule's radius."),
        key(
            "height_m",
            Number(0.1, 10.0),
            "m",
            Preset::Number(1.8),
            "Feet to crown, at least twice the radius.",
        ),
        key(
            "eye_height_m",
            Number(0.0, 10.0),
            "m",
            Preset::Number(1.6),
            "Where the camera and the muzzle sit over the feet; at most the height.",
        ),
        key(
            "health",
            Number(0.125, HEALTH_MAX),
            "health",
            Preset::Number(100.0),
            "Health at a spawn.",
        ),
        key(
            "zones",
            Tables(&ZONE, 0, 16),
            "",
            Preset::Absent("no zones"),
            "Parts of it that take more or less damage.",
        ),
    ],
};

pub(crate) static ZONE: Group = Group {
    heading: "[[body.zones]] and [[monsters.zones]]",
    what: "A part of a body that takes more or less damage, fixed in the body's own frame: metres from its feet, front along -z, turned with its yaw. A sphere round `at_m`, or a capsule from `at_m` to `to_m`.",
    keys: &[
        key(
            "name",
            Label,
            "",
            Preset::Required,
            "Unique among the zones of its body; the hit carries it.",
        ),
        key(
            "multiplier",
            Number(0.0, 100.0),
            "times",
            Preset::Required,
            "Scales the weapon's damage.",
        ),
        key(
            "at_m",
            Point(16.0),
            "m",
            Preset::Required,
            "The middle of the sphere, or one end of the capsule.",
        ),
        key("to_m", Point(16.0), "m", Preset::Absent("a sphere"), "The capsule's other end."),
        key("radius_m", Number(0.01, 10.0), "m", Preset::Required, "The radius of either."),
    ],
};

pub(crate) static MOVEMENT: Group = Group {
    heading: "[movement]",
    what: "How a player's body moves. The room steps it and the client predicts it from the same numbers.",
    keys: &[
        key("run_speed_m_s", Number(0.0, 100.0), "m/s", Preset::Number(5.0), "The fastest run."),
        key(
            "acceleration_m_s2",
            Number(0.0, 1000.0),
            "m/s²",
            Preset::Number(60.0),
            "How fast a body reaches its wished speed on the ground.",
        ),
        key(
            "air_acceleration_m_s2",
            Number(0.0, 1000.0),
            "m/s²",
            Preset::Number(12.0),
            "The same in the air.",
        ),
        key(
            "jump_speed_m_s",
            Number(0.0, 50.0),
            "m/s",
            Preset::Number(5.5),
            "Upward speed at the start of a jump; 0 never jumps.",
        ),
        key(
            "gravity_m_s2",
            Number(0.0, 200.0),
            "m/s²",
            Preset::Number(15.0),
            "How fast a body in the air falls faster.",
        ),
        key(
            "step_height_m",
            Number(0.0, 2.0),
            "m",
            Preset::Number(0.35),
            "The highest ledge a body walks onto without a jump.",
        ),
    ],
};

pub(crate) static MONSTER: Group = Group {
    heading: "[[monsters]]",
    what: "A kind of monster.",
    keys: &[
        key("name", Label, "", Preset::Required, "Unique among the monsters."),
        key(
            "count",
            Count(0, Mode::MONSTERS_MAX as u32),
            "monsters",
            Preset::Count(1),
            "How many a room keeps alive.",
        ),
        key(
            "health",
            Number(0.125, HEALTH_MAX),
            "health",
            Preset::Number(30.0),
            "Health at a spawn.",
        ),
        key("radius_m", Number(0.05, 5.0), "m", Preset::Number(0.4), "The capsule's radius."),
        key(
            "height_m",
            Number(0.1, 10.0),
            "m",
            Preset::Number(1.8),
            "Feet to crown, at least twice the radius.",
        ),
        key("speed_m_s", Number(0.0, 100.0), "m/s", Preset::Number(2.5), "How fast it walks."),
        key(
            "reach_m",
            Number(0.0, 100.0),
            "m",
            Preset::Number(1.5),
            "Within which it strikes a player; 0 never strikes.",
        ),
        key(
            "damage",
            Number(0.0, HEALTH_MAX),
            "health",
            Preset::Number(5.0),
            "Health a strike takes.",
        ),
        key(
            "strikes_per_second",
            Number(0.0, 64.0),
            "1/s",
            Preset::Number(1.0),
            "How often it strikes.",
        ),
        key(
            "respawn_delay_s",
            Number(0.0, 600.0),
            "s",
            Preset::Number(3.0),
            "From its death to the next one in its place.",
        ),
        key(
            "zones",
            Tables(&ZONE, 0, 16),
            "",
            Preset::Absent("no zones"),
            "Parts of it that take more or less damage.",
        ),
    ],
};

pub(crate) static BOTS: Group = Group {
    heading: "[bots]",
    what: "Players that the room itself plays where humans leave seats free. They are judged by the same rules as everybody, join the team with the fewest players, play while a human is in the room, and give their seat to the next one.",
    keys: &[
        key(
            "fill",
            Count(0, 64),
            "players",
            Preset::Count(0),
            "Bots make up what is missing to so many players; at most `players_max`.",
        ),
        key(
            "weapons",
            Names(64),
            "weapons",
            Preset::Absent("every weapon they hold and can fire"),
            "The weapons of the catalogue they use. Where rounds are counted they have the loadout's.",
        ),
        key(
            "reaction_s",
            Number(0.0, 10.0),
            "s",
            Preset::Number(0.4),
            "How long they see somebody before they fire.",
        ),
        key(
            "aim_error_deg",
            Number(0.0, 45.0),
            "degrees",
            Preset::Number(3.0),
            "How far their aim lies off at the most.",
        ),
        key("sight_m", Number(1.0, 1000.0), "m", Preset::Number(60.0), "How far they see."),
    ],
};
