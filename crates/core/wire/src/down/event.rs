//! What happened in a room, as every client hears it: exactly once and in order, one batch a tick.

use crate::Value;
use fairshot_units::{EntityId, EntityKind, Life, MessageNumber, Rule, WeaponId};
use glam::Vec3;
use std::fmt;
use std::sync::Arc;

/// One thing that happened in a tick.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Joined(Joined),
    Left {
        entity: EntityId,
    },
    /// The verdict on one shot, whoever fired it.
    ShotJudged(ShotJudged),
    /// Damage dealt, in the order it was dealt.
    Hit(Hit),
    Killed {
        target: EntityId,
        /// The life that ended.
        life: Life,
        source: Option<EntityId>,
        weapon: Option<HitWeapon>,
    },
    Respawned {
        entity: EntityId,
        life: Life,
        /// The middle of the feet.
        position_m: Vec3,
    },
    /// Why a shot was refused, in words: sent to its shooter only.
    ShotRefused {
        number: MessageNumber,
        rule: RefusedBy,
        reason: Arc<str>,
        /// She had died and her screen had not shown it: no fault of hers.
        unseen_death: bool,
    },
    /// A projectile left; it flies as its own entity.
    Launched {
        projectile: EntityId,
        shooter: EntityId,
        weapon: WeaponId,
        /// The shooter's number for the shot.
        number: MessageNumber,
    },
    /// A projectile ended where it struck or ran out.
    Ended {
        projectile: EntityId,
        weapon: WeaponId,
        at_m: Vec3,
        /// Metres round its end in which it hurt; 0 only what it struck.
        blast_radius_m: f32,
    },
    /// A door or lift was told to do something else; it does just that, tick by tick, until the next.
    Mover {
        /// Those of the mode come first, in its order.
        mover: u16,
        /// Where its middle stands after the batch's tick.
        centre_m: Vec3,
        motion: Motion,
    },
    /// A game's own.
    Game {
        name: Arc<str>,
        entity: Option<EntityId>,
        value: Value,
    },
}

/// What a door or lift does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    Rest,
    /// It is not there.
    Gone,
    /// Goes there, then rests.
    Towards {
        to_m: Vec3,
        speed_m_s: f32,
    },
    /// Goes to and fro, `to_m` first.
    Between {
        from_m: Vec3,
        to_m: Vec3,
        speed_m_s: f32,
    },
}

/// An entity entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    pub entity: EntityId,
    pub kind: EntityKind,
    pub life: Life,
    /// [`fairshot_units::EntityState::NO_TEAM`] is none.
    pub team: u8,
    /// The player's id, empty for a monster.
    pub name: Arc<str>,
}

/// The ruling on one shot.
#[derive(Clone, Debug, PartialEq)]
pub struct ShotJudged {
    pub shooter: EntityId,
    /// The shooter's own number for it.
    pub number: MessageNumber,
    pub weapon: WeaponId,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Accepted {
        /// Where the shot left, to 1/256 m.
        origin_m: Vec3,
        /// Where each pellet's ray ended, to 1/256 m; empty for a projectile.
        ends_m: Vec<Vec3>,
        /// What was struck, in the order it was dealt.
        hits: Vec<Strike>,
    },
    Refused(RefusedBy),
}

/// One target a pellet struck.
#[derive(Clone, Debug, PartialEq)]
pub struct Strike {
    pub target: EntityId,
    pub pellet: u8,
    /// `None` for the body.
    pub zone: Option<Arc<str>>,
    /// Where the ray met it, to 1/256 m.
    pub at_m: Vec3,
}

/// Damage dealt to one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub target: EntityId,
    /// The shooter; `None` where nobody was.
    pub source: Option<EntityId>,
    pub weapon: HitWeapon,
    /// The shot that dealt it, where no verdict told it already: a projectile's.
    pub number: Option<MessageNumber>,
    /// Health taken.
    pub amount: f32,
    /// The multiplier is in the amount already.
    pub zone: Option<Arc<str>>,
    /// The weapon's data, or what the game gave.
    pub data: Option<Value>,
}

/// What dealt damage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HitWeapon {
    Catalogue(WeaponId),
    /// A monster's strike: index into the mode's monsters.
    Monster(u8),
    /// A game's own damage under a name of its own.
    Named(Arc<str>),
}

/// The rule that refused a shot, as a client can hold it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusedBy {
    BuiltIn(Rule),
    /// A game's rule by the name it registered.
    Game(Arc<str>),
}

impl RefusedBy {
    #[must_use]
    pub fn label(&self) -> &str {
        match self {
            Self::BuiltIn(rule) => rule.label(),
            Self::Game(name) => name,
        }
    }
}

impl From<Rule> for RefusedBy {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::Game(name) => Self::Game(Arc::from(name)),
            built_in => Self::BuiltIn(built_in),
        }
    }
}

impl fmt::Display for RefusedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
