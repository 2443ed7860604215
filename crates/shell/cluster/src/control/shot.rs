//! What is kept of a judged shot, so that an operator can be told why it was refused.

use super::node::NodeName;
use fairshot_units::{
    EntityId, Life, MessageNumber, PlayerId, Revision, RoomId, Tick, ViewStep, WeaponId,
};

/// A refused shot as it is streamed to operators.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedShot {
    pub time_unix_ms: u64,
    pub node: NodeName,
    pub room: RoomId,
    pub mode: String,
    pub player: PlayerId,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    pub weapon_name: String,
    pub rule: String,
    pub reason: String,
    /// An honest shot of a player who had not yet seen her death.
    pub unseen_death: bool,
    pub tick: Tick,
}

/// The verdict record of one shot.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotRecord {
    pub time_unix_ms: u64,
    pub room: RoomId,
    pub mode: String,
    pub player: PlayerId,
    pub number: MessageNumber,
    pub weapon: WeaponId,
    pub weapon_name: String,
    /// The room's tick as the shot landed.
    pub landed: Tick,
    pub tick_hz: u16,
    pub claim: ShotClaim,
    pub verdict: ShotVerdict,
    /// `None` where no rule got as far as measuring it.
    pub latency: Option<LatencyWindow>,
    /// The moment it was judged at; `None` where a rule refused it before.
    pub judged: Option<ViewStep>,
    /// Where the middle of the shooter's body stood in the room as the shot landed, metres.
    pub shooter_m: [f32; 3],
    /// Where each pellet's ray ended, metres; of a refused shot where its aim would have ended.
    pub ray_ends_m: Vec<[f32; 3]>,
    /// Targets hit, then those a ray passed within 5 m, nearest pass first, eight at the most.
    pub targets: Vec<ShotTarget>,
    /// Every rule in the order they run.
    pub rules: Vec<RuleMeasure>,
    /// `None` in a mode that counts no ammunition.
    pub ledger: Option<LedgerAtShot>,
}

/// What the client said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShotClaim {
    pub life: Life,
    pub revision: Revision,
    /// Rounds left after the shot, by her count.
    pub total: u16,
    pub view: ViewStep,
    pub origin_m: [f32; 3],
    pub direction: [f32; 3],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShotVerdict {
    Accepted { hits: u32 },
    Refused { rule: String, reason: String, unseen_death: bool },
}

/// The shooter's measured latency before this shot and the window it allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyWindow {
    /// How long before the landing her claim's view lies, milliseconds.
    pub claimed_ms: f32,
    pub median_ms: f32,
    pub jitter_ms: f32,
    pub samples: u32,
    /// The window the judged moment is held to, milliseconds before the landing.
    pub nearest_ms: f32,
    pub furthest_ms: f32,
}

/// A target at the judged moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotTarget {
    pub entity: EntityId,
    /// A player's id or a monster's name.
    pub name: String,
    pub position_m: [f32; 3],
    /// How near a ray's line passed the middle of its body, metres.
    pub passed_m: f32,
    /// Along the ray, metres.
    pub distance_m: f32,
    pub hit: bool,
    /// The zone struck; empty where none was.
    pub zone: String,
    pub amount: f32,
    /// Why it could take no harm (`wall`, `target`, `ally`, `dead`, `life`); empty where nothing spared
    /// it.
    pub spared: String,
}

/// One rule's part.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleMeasure {
    pub rule: String,
    pub outcome: RuleOutcome,
    /// What was measured against what; `None` for a rule of yes or no.
    pub measured: Option<f32>,
    pub limit: Option<f32>,
    /// Of both: `m`, `ms`, `shots`, `rounds`; empty without one.
    pub unit: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    Passed,
    /// Moved the judged moment.
    Moved,
    Refused,
    /// Turned off by the mode or the weapon.
    Off,
    /// A rule before it refused the shot.
    NotReached,
}

impl RuleOutcome {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Moved => "moved",
            Self::Refused => "refused",
            Self::Off => "off",
            Self::NotReached => "not reached",
        }
    }
}

/// The shooter's inventory as the shot was ruled on, after its report was joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerAtShot {
    /// The newest revision committed.
    pub revision: Revision,
    pub echoed: Revision,
    /// `None` where the shot's own revision held no such weapon, or is no longer retained.
    pub rounds: Option<LedgerRounds>,
    pub held: WeaponId,
    pub held_name: String,
}

/// The weapon's rounds in the segment of the shot's own revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerRounds {
    /// Rounds at the start of the segment, the least heard since, and one over the highest total after
    /// an accepted shot.
    pub base: u32,
    pub low: u32,
    pub top: u32,
}
