//! The rules a shot meets.

use super::key;
use crate::reference::Kind::{Flag, Number, Open, Switch};
use crate::reference::{Group, Preset};

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
            "reload",
            Switch(&RELOAD),
            "",
            Preset::Absent("off, unless the game's code registers it"),
            "Times reloads of weapons with clips: refuses a shot past a clip's last before a reload could have ended.",
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

pub(crate) static RELOAD: Group = Group {
    heading: "[rules.reload]",
    what: "A pause of `reload_s` less `stall_s` between two shots fills the clip; after `clip_size` shots without one the next is refused.",
    keys: &[
        key("reload_s", Number(0.0, 60.0), "s", Preset::Number(2.0), "How long a reload takes."),
        key(
            "stall_s",
            Number(0.0, 10.0),
            "s",
            Preset::Number(0.65),
            "How long a network stall may have held back the clip's last shot.",
        ),
    ],
};
