//! The keys that stand at the top of a file.

use super::arena::{ARENA, SPAWN, TEAM};
use super::bodies::{BODY, BOTS, MONSTER, MOVEMENT};
use super::key;
use super::rules::RULES;
use super::weapons::{GRANT, WEAPON};
use crate::reference::Kind::{Choice, Count, Counts, Flag, Label, Number, Table, Tables};
use crate::reference::{Group, Preset};

/// The file itself.
pub static MODE: Group = Group {
    heading: "",
    what: "The keys that stand before the first table of the file.",
    keys: &[
        key(
            "name",
            Label,
            "",
            Preset::Required,
            "The mode's name: what a join asks for, and a metric's label.",
        ),
        key("tick_hz", Count(1, 128), "1/s", Preset::Count(64), "Simulation steps a second."),
        key(
            "snapshot_every_ticks",
            Count(1, 16),
            "ticks",
            Preset::Count(2),
            "A snapshot goes out every so many ticks.",
        ),
        key("players_max", Count(1, 64), "players", Preset::Count(16), "Seats in a room."),
        key(
            "ammunition",
            Choice(&["open", "ledger"]),
            "",
            Preset::Text("open"),
            "`open`: every player holds every weapon and never runs dry. `ledger`: the server's inventory says what is held and how many rounds are left.",
        ),
        key(
            "friendly_fire",
            Flag,
            "",
            Preset::Flag(false),
            "Whether shots hurt allies. With teams an ally is a teammate; without teams it is every other player, so `true` without teams is a free-for-all and `false` is players against monsters.",
        ),
        key(
            "respawn_delay_s",
            Number(0.0, 600.0),
            "s",
            Preset::Number(3.0),
            "From a death to the next life.",
        ),
        key(
            "interpolation_delay_max_s",
            Number(0.0, 1.0),
            "s",
            Preset::Number(0.2),
            "How far behind its newest snapshot a client may draw; `transport_slack_s` builds on it.",
        ),
        key(
            "carries_over_slots",
            Counts(12, 13),
            "slots",
            Preset::Absent("no slot"),
            "Slots whose weapons share rounds: a give of another weapon of the slot adds to the rounds that lie there.",
        ),
        key("arena", Table(&ARENA), "", Preset::Required, "The static world."),
        key("teams", Tables(&TEAM, 0, 16), "", Preset::Absent("no teams"), "The teams, in order."),
        key("spawns", Tables(&SPAWN, 1, 1024), "", Preset::Required, "Where players enter."),
        key(
            "body",
            Table(&BODY),
            "",
            Preset::Absent("a body of these defaults"),
            "A player's body.",
        ),
        key(
            "movement",
            Table(&MOVEMENT),
            "",
            Preset::Absent("movement of these defaults"),
            "How a player's body moves.",
        ),
        key(
            "monsters",
            Tables(&MONSTER, 0, 16),
            "",
            Preset::Absent("no monsters"),
            "Kinds of monsters.",
        ),
        key(
            "bots",
            Table(&BOTS),
            "",
            Preset::Absent("no bots"),
            "Players that the room itself plays.",
        ),
        key("weapons", Tables(&WEAPON, 0, 255), "", Preset::Absent("no weapons"), "The catalogue."),
        key(
            "loadout",
            Tables(&GRANT, 0, 64),
            "",
            Preset::Absent("nothing"),
            "What every spawn gives, in order.",
        ),
        key(
            "rules",
            Table(&RULES),
            "",
            Preset::Absent("every rule at its default"),
            "The rules a shot meets, for every weapon that says nothing itself.",
        ),
    ],
};
