//! Weapons, their stats and tiers, and the loadout.

use super::key;
use super::rules::RULES;
use crate::reference::Kind::{
    Choice, Count, Flag, Names, Number, Numbers, Open, Table, Tables, Text,
};
use crate::reference::{Group, Preset};

pub(crate) static WEAPON: Group = Group {
    heading: "[[weapons]]",
    what: "A weapon of the catalogue.",
    keys: &[
        key("name", Text(48), "", Preset::Required, "Unique in the catalogue."),
        key(
            "id",
            Count(0, 255),
            "",
            Preset::Required,
            "Unique in the catalogue: the weapon's number on the wire; 0 is fists.",
        ),
        key(
            "slot",
            Count(0, 12),
            "",
            Preset::Count(0),
            "The inventory slot it lies in. A slot holds one weapon.",
        ),
        key(
            "kind",
            Choice(&["instant", "projectile", "continuous", "melee", "gadget"]),
            "",
            Preset::Text("instant"),
            "`instant` hits at once along its rays; `projectile` launches a body the room flies; `continuous` acts while its fire is held and sends no shots; `melee` is a game's own command; `gadget` is held and never fired.",
        ),
        key(
            "ammo",
            Choice(&["none", "per_shot", "while_held"]),
            "",
            Preset::Absent(
                "`per_shot` for instant and projectile, `while_held` for continuous, else `none`",
            ),
            "When a round goes.",
        ),
        key(
            "clip_size",
            Count(0, 65535),
            "rounds",
            Preset::Count(0),
            "Rounds a clip holds; 0 is a weapon without clips.",
        ),
        key(
            "damage",
            Number(0.0, 100_000.0),
            "health",
            Preset::Number(0.0),
            "Health a hit (each pellet) takes.",
        ),
        key(
            "range_m",
            Number(0.0, 8192.0),
            "m",
            Preset::Number(100.0),
            "How far it reaches; with tiers, the largest tier's.",
        ),
        key(
            "shots_per_second",
            Number(0.0, 1000.0),
            "1/s",
            Preset::Absent(
                "from `interval_s`, else 1 for instant and projectile and 0 for the rest",
            ),
            "Its rate; a weapon at 0 fires once a stat raises it.",
        ),
        key(
            "interval_s",
            Number(0.001, 3600.0),
            "s",
            Preset::Absent("`shots_per_second` says it"),
            "The time between two shots, in place of `shots_per_second`.",
        ),
        key(
            "pellets",
            Count(1, 32),
            "rays",
            Preset::Count(1),
            "Rays of one pull, fanned level with the ground.",
        ),
        key(
            "spread_rad",
            Number(0.0, 3.2),
            "rad",
            Preset::Number(0.0),
            "The angle between two pellets.",
        ),
        key(
            "pierce",
            Count(0, 31),
            "targets",
            Preset::Count(0),
            "Targets a ray goes on through behind the first.",
        ),
        key(
            "zone_damage",
            Number(0.0, 100.0),
            "times",
            Preset::Number(1.0),
            "Scales the multiplier of the zone a hit strikes.",
        ),
        key("speed_m_s", Number(0.1, 1000.0), "m/s", Preset::Number(20.0), "A projectile's speed."),
        key(
            "gravity_m_s2",
            Number(0.0, 200.0),
            "m/s²",
            Preset::Number(0.0),
            "How fast a projectile falls faster; 0 flies straight.",
        ),
        key(
            "projectile_radius_m",
            Number(0.0, 5.0),
            "m",
            Preset::Number(0.1),
            "A projectile's radius.",
        ),
        key(
            "blast_radius_m",
            Number(0.0, 100.0),
            "m",
            Preset::Number(0.0),
            "Round a projectile's end, within which it hurts; 0 hurts only what it strikes.",
        ),
        key(
            "life_s",
            Number(0.0, 600.0),
            "s",
            Preset::Number(5.0),
            "How long a projectile flies at the most.",
        ),
        key(
            "judge",
            Choice(&["room", "client"]),
            "",
            Preset::Text("room"),
            "Who says what a shot hit. A room still runs the rules and deals its own damage where a client says it.",
        ),
        key("friendly_fire", Flag, "", Preset::Absent("the mode's"), "Whether it hurts allies."),
        key(
            "model",
            Text(48),
            "",
            Preset::Text(""),
            "What a view draws it as; the room does not read it.",
        ),
        key(
            "self_grants",
            Names(16),
            "weapons",
            Preset::Absent("none"),
            "Weapons the game itself hands a player who uses this one; the client is told to switch that off, since the server owns the inventory.",
        ),
        key(
            "rules",
            Table(&RULES),
            "",
            Preset::Absent("the mode's rules"),
            "Laid over the mode's rules, for this weapon alone.",
        ),
        key(
            "stats",
            Table(&STATS),
            "",
            Preset::Absent("no stat raises it"),
            "The shooter's stats that raise its numbers.",
        ),
        key(
            "data",
            Open("numbers, texts, flags, lists and tables of them"),
            "",
            Preset::Absent("no data"),
            "The game's own record on each hit: up to 32 values, 4 deep.",
        ),
        key(
            "tiers",
            Tables(&TIER, 0, 16),
            "",
            Preset::Absent("no tiers"),
            "Upgrade tiers, in order.",
        ),
    ],
};

pub(crate) static STATS: Group = Group {
    heading: "[weapons.stats]",
    what: "For each number, the shooter's stats that raise it, one name or a list laid on in turn: `(number + base + flats) x (1 + sum of percents) x product of (1 + more)`. Counts are rounded, at least one pellet, nothing below zero. A stat the shooter lacks adds nothing.",
    keys: &[
        key("damage", Names(8), "stats", Preset::Absent("none"), "Raise `damage`."),
        key("range", Names(8), "stats", Preset::Absent("none"), "Raise `range_m`."),
        key(
            "shots_per_second",
            Names(8),
            "stats",
            Preset::Absent("none"),
            "Raise `shots_per_second`.",
        ),
        key(
            "pellets",
            Names(8),
            "stats",
            Preset::Absent("none"),
            "Raise `pellets`, to 32 at the most.",
        ),
        key("spread", Names(8), "stats", Preset::Absent("none"), "Raise `spread_rad`."),
        key(
            "pierce",
            Names(8),
            "stats",
            Preset::Absent("none"),
            "Raise `pierce`, to 31 at the most.",
        ),
        key("zone_damage", Names(8), "stats", Preset::Absent("none"), "Raise `zone_damage`."),
        key("speed", Names(8), "stats", Preset::Absent("none"), "Raise `speed_m_s`."),
    ],
};

pub(crate) static TIER: Group = Group {
    heading: "[[weapons.tiers]]",
    what: "An upgrade tier.",
    keys: &[key(
        "modifiers",
        Open("tables of `base`, `flat`, `percent` and `more`, each a number or a list"),
        "",
        Preset::Required,
        "What the tier lays on the owner's stats, by the stat's name. A percent of 0.25 is a quarter more.",
    )],
};

/// One stat's modifiers, within a tier.
pub(crate) static STAT: Group = Group {
    heading: "[weapons.tiers.modifiers.STAT]",
    what: "The modifiers of one stat.",
    keys: &[
        key(
            "base",
            Number(-100_000.0, 100_000.0),
            "",
            Preset::Number(0.0),
            "The stat's base, added to the number.",
        ),
        key("flat", Numbers(100_000.0, 16), "", Preset::Absent("none"), "Added to the number."),
        key(
            "percent",
            Numbers(1000.0, 16),
            "",
            Preset::Absent("none"),
            "Added up, then scale the number by one plus the sum.",
        ),
        key(
            "more",
            Numbers(1000.0, 16),
            "",
            Preset::Absent("none"),
            "Each scales the number by one plus itself.",
        ),
    ],
};

pub(crate) static GRANT: Group = Group {
    heading: "[[loadout]]",
    what: "One give of the loadout.",
    keys: &[
        key("weapon", Text(48), "", Preset::Required, "A weapon of the catalogue, by name."),
        key("rounds", Count(0, 65535), "rounds", Preset::Count(0), "Rounds given with it."),
        key("armed", Flag, "", Preset::Flag(false), "Whether the give also puts it in hand."),
    ],
};
