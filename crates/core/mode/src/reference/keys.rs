//! The tables themselves.

use super::Kind::{
    Choice, Count, Counts, Flag, Label, Names, Number, Numbers, Open, Point, Switch, Table, Tables,
    Text,
};
use super::{Group, Key, Kind, Preset};
use crate::Mode;

const fn key(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    default: Preset,
    what: &'static str,
) -> Key {
    Key { name, kind, unit, default, what }
}

/// No coordinate lies further out than this, in metres.
const COORDINATE_M_MAX: f32 = 4096.0;
/// Health is sent in eighths in 16 bits.
const HEALTH_MAX: f32 = 8191.0;

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

static ARENA: Group = Group {
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

static BLOCK: Group = Group {
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

static TEAM: Group = Group {
    heading: "[[teams]]",
    what: "A team.",
    keys: &[key("name", Label, "", Preset::Required, "Unique among the teams.")],
};

static SPAWN: Group = Group {
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

static BODY: Group = Group {
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

static ZONE: Group = Group {
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

static MOVEMENT: Group = Group {
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

static MONSTER: Group = Group {
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

static WEAPON: Group = Group {
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

static STATS: Group = Group {
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

static TIER: Group = Group {
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

static GRANT: Group = Group {
    heading: "[[loadout]]",
    what: "One give of the loadout.",
    keys: &[
        key("weapon", Text(48), "", Preset::Required, "A weapon of the catalogue, by name."),
        key("rounds", Count(0, 65535), "rounds", Preset::Count(0), "Rounds given with it."),
        key("armed", Flag, "", Preset::Flag(false), "Whether the give also puts it in hand."),
    ],
};

/// The rules, of the mode or of one weapon.
pub(crate) static RULES: Group = Group {
    heading: "[rules] and [weapons.rules]",
    what: "`false` turns a rule off, `true` sets it to its default, a table loosens or tightens it. A weapon's own rules lie over the mode's; one it names turns on again, in its place, where the mode turned it off.",
    keys: &[
        key(
            "armed",
            Flag,
            "",
            Preset::Flag(true),
            "Refuses a shot of a shooter who is down, disarmed, or in another life.",
        ),
        key(
            "held",
            Flag,
            "",
            Preset::Flag(true),
            "Refuses a shot of a weapon the shooter does not hold.",
        ),
        key("ammo", Flag, "", Preset::Flag(true), "Refuses a shot without a round."),
        key("rate", Switch(&RATE), "", Preset::Flag(true), "Holds a shooter to the weapon's rate."),
        key(
            "origin",
            Switch(&ORIGIN),
            "",
            Preset::Flag(true),
            "Refuses a shot that leaves far from the middle of the shooter's body.",
        ),
        key(
            "cover",
            Flag,
            "",
            Preset::Flag(true),
            "Refuses a shot whose origin lies behind something solid.",
        ),
        key(
            "rewind",
            Switch(&REWIND),
            "",
            Preset::Flag(true),
            "Holds the judged moment near the shooter's measured latency; refuses nothing. Off, a shot is judged at the moment it names, within the last second.",
        ),
        key(
            "range",
            Flag,
            "",
            Preset::Flag(true),
            "Refuses a client-judged claim that names only targets out of range.",
        ),
        key(
            "game",
            Open("flags"),
            "",
            Preset::Absent("each of the game's rules on"),
            "The game's own rules by the name they are registered under; `false` turns one off.",
        ),
    ],
};

pub(crate) static RATE: Group = Group {
    heading: "[rules.rate]",
    what: "The allowance is the weapon's rate x `stall_s` + 1 shots, at least 2.",
    keys: &[key(
        "stall_s",
        Number(0.0, 10.0),
        "s",
        Preset::Number(0.65),
        "The longest network stall whose shots all count when they land together.",
    )],
};

pub(crate) static ORIGIN: Group = Group {
    heading: "[rules.origin]",
    what: "How far from the middle of the shooter's body a shot may leave.",
    keys: &[key("metres", Number(0.0, 100.0), "m", Preset::Number(2.5), "The distance.")],
};

pub(crate) static REWIND: Group = Group {
    heading: "[rules.rewind]",
    what: "Which past moment a shot may be judged at.",
    keys: &[
        key(
            "maximum_s",
            Number(0.0, 1.0),
            "s",
            Preset::Number(1.0),
            "Never further back; 0 judges every shot at the present.",
        ),
        key(
            "tolerance_s",
            Number(0.0, 1.0),
            "s",
            Preset::Number(0.2),
            "How far from the measured latency a claim may lie.",
        ),
        key(
            "transport_slack_s",
            Number(0.0, 1.0),
            "s",
            Preset::Absent("the transport does not bound it"),
            "The middle of the window may not lie further back than the path's measured round trip plus `interpolation_delay_max_s` plus this.",
        ),
    ],
};
