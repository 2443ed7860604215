//! The judge's ruling on one shot, with all that is needed to say why.

use crate::Measures;
use fairshot_units::{EntityId, Life, MessageNumber, Pose, Rule, Tick, ViewStep, WeaponId};
use fairshot_world::prefetch;
use glam::Vec3;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// One shot's ruling. Its rays and hits stand in the [`Judgement`] that holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub number: MessageNumber,
    pub shooter: EntityId,
    pub shooter_life: Life,
    pub weapon: WeaponId,
    /// Where it left from, as claimed.
    pub origin_m: Vec3,
    pub landed: Tick,
    /// The middle of the shooter's body as the rules measured from it.
    pub shooter_m: Vec3,
    /// The moment the shot named.
    pub named: ViewStep,
    /// The moment it was judged at.
    pub judged: ViewStep,
    pub outcome: Outcome,
    /// Refused as `armed` after a death her screen had not shown: outside the promise that no honest
    /// shot is refused, and counted apart.
    pub unseen_death: bool,
    pub window: LatencyWindow,
    /// What each rule measured, in the order they ran; the last of a refused shot is the one refusing.
    pub measures: Measures,
    pub(crate) rays: Range<u32>,
    pub(crate) hits: Range<u32>,
}

/// Accepted or refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Accepted,
    Refused { rule: Rule, reason: Reason },
}

impl Outcome {
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted)
    }

    /// The rule that refused the shot.
    #[must_use]
    pub fn refused_by(&self) -> Option<Rule> {
        match self {
            Self::Accepted => None,
            Self::Refused { rule, .. } => Some(*rule),
        }
    }
}

/// Why a rule refused a shot; its text is for people, its label for metrics.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    NotInWorld,
    Downed,
    Disarmed,
    OldLife,
    NotRetained,
    NotHeld,
    NoRounds,
    TooFast {
        allowance: f32,
    },
    FarOrigin {
        distance_m: f32,
        limit_m: f32,
    },
    BehindCover {
        distance_m: f32,
    },
    OutOfRange {
        distance_m: f32,
        limit_m: f32,
    },
    Reloading {
        left_s: f32,
    },
    /// A game's own words.
    Game(Cow<'static, str>),
    /// The game's own rule panicked; the shot is refused under its name.
    Panicked,
}

impl Reason {
    /// A short stable name: a closed list.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NotInWorld => "not_in_world",
            Self::Downed => "downed",
            Self::Disarmed => "disarmed",
            Self::OldLife => "old_life",
            Self::NotRetained => "not_retained",
            Self::NotHeld => "not_held",
            Self::NoRounds => "no_rounds",
            Self::TooFast { .. } => "too_fast",
            Self::FarOrigin { .. } => "far_origin",
            Self::BehindCover { .. } => "behind_cover",
            Self::OutOfRange { .. } => "out_of_range",
            Self::Reloading { .. } => "reloading",
            Self::Game(_) => "game",
            Self::Panicked => "panicked",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInWorld => f.write_str("the world does not hold this weapon"),
            Self::Downed => f.write_str("the shooter is down"),
            Self::Disarmed => f.write_str("the shooter is disarmed"),
            Self::OldLife => f.write_str("fired in another life"),
            Self::NotRetained => f.write_str("the revision it was fired at is no longer retained"),
            Self::NotHeld => f.write_str("the shooter does not hold this weapon"),
            Self::NoRounds => f.write_str("no round was left"),
            Self::TooFast { allowance } => {
                write!(f, "faster than the weapon fires: {allowance:.2} shots of allowance left")
            }
            Self::FarOrigin { distance_m, limit_m } => {
                write!(f, "left {distance_m:.2} m from the body's middle, over {limit_m} m")
            }
            Self::BehindCover { distance_m } => {
                write!(f, "left from behind cover, {distance_m:.2} m from the body's middle")
            }
            Self::OutOfRange { distance_m, limit_m } => {
                write!(f, "its nearest target stood {distance_m:.2} m off, over {limit_m} m")
            }
            Self::Reloading { left_s } => {
                write!(f, "a reload could not have ended for another {left_s:.2} s")
            }
            Self::Game(words) => f.write_str(words),
            Self::Panicked => f.write_str("the rule failed and was taken as a refusal"),
        }
    }
}

/// How far back the rewind rule let the shot be judged, and what that was measured from. Seconds.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct LatencyWindow {
    /// This shot's own delay, landing less the named step, not held; negative names the future.
    pub claimed_s: f32,
    /// The middle of the samples before this shot; `None` with none.
    pub middle_s: Option<f32>,
    pub jitter_s: f32,
    /// How many samples that was.
    pub samples: u8,
    /// The furthest centre the transport's round trip allows, where the mode sets a slack.
    pub centre_max_s: Option<f32>,
    /// The window itself, seconds back from the landing.
    pub nearest_s: f32,
    pub furthest_s: f32,
}

/// Where one pellet went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    pub pellet: u8,
    pub end_m: Vec3,
    pub stopped_by: Stop,
}

/// What ended a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The weapon's range.
    Range,
    /// The present static world.
    World,
    /// The last target it could go into.
    Target,
}

/// One pellet's hit on one target, before any damage is dealt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotHit {
    pub pellet: u8,
    pub target: EntityId,
    pub target_life: Life,
    /// Where the target stood at the judged step.
    pub stood: Pose,
    /// Metres along the ray from its origin.
    pub distance_m: f32,
    /// Index into the zones of the target's kind; `None` is the body.
    pub zone: Option<u8>,
    /// Damage x zone multiplier x zone damage.
    pub amount: f32,
}

/// Every verdict of a tick with its rays and hits, in flat arrays that are used again.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Judgement {
    pub verdicts: Vec<Verdict>,
    pub rays: Vec<Ray>,
    pub hits: Vec<ShotHit>,
}

/// Rays, and hits, of one shot whose places are asked for.
const AHEAD: usize = 3;

impl Judgement {
    pub fn clear(&mut self) {
        self.verdicts.clear();
        self.rays.clear();
        self.hits.clear();
    }

    /// Begins loading the places where the next verdict goes.
    pub(crate) fn prefetch(&mut self) {
        self.verdicts.spare_capacity_mut().first().into_iter().for_each(prefetch);
        self.rays.spare_capacity_mut().iter().take(AHEAD).for_each(prefetch);
        self.hits.spare_capacity_mut().iter().take(AHEAD).for_each(prefetch);
    }

    #[must_use]
    pub fn rays_of(&self, verdict: &Verdict) -> &[Ray] {
        span(&self.rays, &verdict.rays)
    }

    #[must_use]
    pub fn hits_of(&self, verdict: &Verdict) -> &[ShotHit] {
        span(&self.hits, &verdict.hits)
    }
}

fn span<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    list.get(range.start as usize..range.end as usize).unwrap_or(&[])
}
