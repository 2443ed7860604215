//! The rules a shot meets and the verdict it gets.
//!
//! [`Judge::judge`] takes one stamped claim, the shooter's record and the [`Scene`] and pushes one
//! [`Verdict`]. The judge never sees bytes, deals no damage and knows no clock but the ticks it is told.

mod allowance;
mod check;
mod claim;
mod judge;
mod latency;
mod measures;
mod named;
mod passes;
mod past;
mod pull;
mod rules;
mod scene;
mod shooter;
mod verdict;

pub use allowance::{Allowance, Pace};
pub use check::{Arms, GameRule, RuleFn, Shooter, ShotCheck};
pub use claim::{Claim, LedgerRuling, MalformedClaim, NAMES_MAX, NamedTarget, view_step_of};
pub use fairshot_mode::ReloadRule;
pub use judge::{GAME_RULES_MAX, Judge, ShooterNow, Shot, numbers_of};
pub use latency::{Latency, SAMPLES};
pub use measures::{Measure, Measures};
pub use passes::{
    PASSED_WITHIN_M, PASSES_MAX, Pass, Spared, Way, aimed, middle_m, passes, way_past,
};
pub use past::{measure_latency, read_past_places, rewind_step};
pub use scene::Scene;
pub use shooter::{ClipUse, FIRED_SHOTS, FiredShot, ShooterRecord};
pub use verdict::{Judgement, LatencyWindow, Outcome, Ray, Reason, ShotHit, Stop, Verdict};

pub(crate) use check::pause_ticks;
pub(crate) use pull::amount_of;
