//! The rules a shot meets, as settings. [`Rules`] is what one weapon ends up with, after the mode's
//! rules were laid over the defaults and the weapon's own over the mode's.

use crate::Setting;
use std::collections::BTreeMap;

/// The resolved rules of one weapon: `None` or `false` is off.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    pub armed: bool,
    pub held: bool,
    pub ammo: bool,
    pub rate: Option<RateRule>,
    pub origin: Option<OriginRule>,
    pub cover: bool,
    pub rewind: Option<RewindRule>,
    pub range: bool,
    /// Times reloads. `None` leaves it to the game's own code, which may register the rule; else off.
    pub reload: Option<Setting<ReloadRule>>,
    /// A game's own rules by name: off where `false`. A name not listed is on.
    pub game: BTreeMap<String, bool>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            armed: true,
            held: true,
            ammo: true,
            rate: Some(RateRule::default()),
            origin: Some(OriginRule::default()),
            cover: true,
            rewind: Some(RewindRule::default()),
            range: true,
            reload: None,
            game: BTreeMap::new(),
        }
    }
}

/// Holds a player to the weapon's shots a second, with a burst of what a stall holds back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRule {
    /// Seconds of stall ridden out, 0 to 10; the allowance is `rate x this + 1`, at least 2.
    pub stall_s: f32,
}

impl Default for RateRule {
    fn default() -> Self {
        Self { stall_s: 0.65 }
    }
}

/// How far from the middle of her body a shot may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OriginRule {
    pub metres: f32,
}

impl Default for OriginRule {
    fn default() -> Self {
        Self { metres: 2.5 }
    }
}

/// Holds the judged moment near the shooter's measured latency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RewindRule {
    /// Never further back than this, 0 to 1 s; 0 judges every shot at the present.
    pub maximum_s: f32,
    /// How far from the measured latency a claim may lie, 0.2 s.
    pub tolerance_s: f32,
    /// Where set, the centre of the window may not lie further back than the path's measured round
    /// trip plus the mode's largest interpolation delay plus this.
    pub transport_slack_s: Option<f32>,
}

impl Default for RewindRule {
    fn default() -> Self {
        Self { maximum_s: 1.0, tolerance_s: 0.2, transport_slack_s: None }
    }
}

/// Times reloads: after as many shots as a clip holds, none until a reload could have ended. Off unless
/// a mode, a weapon or a game turns it on.
///
/// A client reloads unseen, so what counts is the pause: one as long as a reload, less the stall that
/// may have held back the shot before it, fills the clip. Weapons without clips are never held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReloadRule {
    /// Seconds a reload takes, 0 to 60.
    pub reload_s: f32,
    /// Seconds of stall ridden out, as the rate rule's, 0 to 10.
    pub stall_s: f32,
}

impl Default for ReloadRule {
    fn default() -> Self {
        Self { reload_s: 2.0, stall_s: 0.65 }
    }
}
