//! What a tick hands back: values only, in buffers that are used again.

use crate::LogRecord;
use fairshot_judge::{Judgement, Reason};
use fairshot_mode::DataValue;
use fairshot_units::{
    EntityId, EntityKind, EntityState, Life, MessageNumber, PlayerId, Pose, Rule, Tick,
    WeaponCommand, WeaponId,
};
use fairshot_world::MoverState;
use glam::Vec3;
use std::sync::Arc;

/// One tick's outputs. Keep one per room and hand it to every tick: its buffers are cleared, not freed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TickOutput {
    pub tick: Tick,
    /// Whether this tick's entities go out as a snapshot.
    pub snapshot_due: bool,
    /// For every client, in order; one batch.
    pub events: Vec<Event>,
    /// For one client each, in order.
    pub notices: Vec<(EntityId, Notice)>,
    /// Every verdict of this tick in arrival order, with rays and hits.
    pub judgement: Judgement,
    /// Every entity as the history recorded it this tick: the snapshot.
    pub entities: Vec<EntityState>,
    /// Each player's own state, exact enough to reconcile with.
    pub own: Vec<OwnState>,
    /// For the players' inventories, in order.
    pub orders: Vec<(EntityId, InventoryOrder)>,
    /// For the log, already held to four refusals a player between two heartbeats.
    pub log: Vec<LogRecord>,
}

impl TickOutput {
    pub(crate) fn clear(&mut self, tick: Tick) {
        self.tick = tick;
        self.snapshot_due = false;
        self.events.clear();
        self.notices.clear();
        self.judgement.clear();
        self.entities.clear();
        self.own.clear();
        self.orders.clear();
        self.log.clear();
    }
}

/// What every client is told, once and in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Joined {
        entity: EntityId,
        player: PlayerId,
        team: Option<u8>,
    },
    Left {
        entity: EntityId,
    },
    Spawned {
        entity: EntityId,
        life: Life,
        pose: Pose,
    },
    /// A shot's verdict: `TickOutput::judgement.verdicts[verdict]`. A tracer draws from its rays.
    ShotJudged {
        verdict: u32,
    },
    /// Health was dealt; in deal order.
    Hit(Hit),
    Died {
        entity: EntityId,
        life: Life,
        killer: Option<EntityId>,
        weapon: HitSource,
    },
    /// A projectile left; it flies as its own entity.
    Launched {
        projectile: EntityId,
        shooter: EntityId,
        weapon: WeaponId,
        number: MessageNumber,
    },
    /// A projectile ended where it struck or ran out, with the radius of its blast.
    Ended {
        projectile: EntityId,
        weapon: WeaponId,
        at_m: Vec3,
        blast_radius_m: f32,
    },
    /// A door or lift was told to do something else. Until the next such event it does just that, tick
    /// by tick, so a client can move it too.
    Mover {
        mover: u16,
        /// As it stands after this tick.
        state: MoverState,
    },
    /// A game's own event.
    Game {
        name: &'static str,
        entity: Option<EntityId>,
        data: HitData,
    },
}

/// One hit as it was dealt.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub target: EntityId,
    pub target_life: Life,
    /// What the target is, which names its zones.
    pub target_kind: EntityKind,
    /// Who dealt it; none for the world's own damage.
    pub source: Option<EntityId>,
    pub weapon: HitSource,
    /// The shot that dealt it; none for a monster's strike or a game's own damage.
    pub number: Option<MessageNumber>,
    /// Index into the zones of the target's kind; its multiplier is already in `amount`.
    pub zone: Option<u8>,
    /// The health it was dealt.
    pub amount: f32,
    pub data: HitData,
}

/// What dealt a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitSource {
    /// A weapon of the catalogue.
    Weapon(WeaponId),
    /// A monster's strike: index into the mode's monsters.
    Monster(u8),
    /// A game's own, by its name.
    Game(&'static str),
}

/// The record a hit carries.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum HitData {
    #[default]
    None,
    /// The weapon's own data, as its catalogue holds it.
    OfWeapon,
    Own(Arc<Vec<(String, DataValue)>>),
}

/// What one client alone is told.
#[derive(Clone, Debug, PartialEq)]
pub enum Notice {
    /// Her shot was refused; she takes its hit marker back.
    ShotRefused {
        number: MessageNumber,
        weapon: WeaponId,
        rule: Rule,
        reason: Reason,
        unseen_death: bool,
    },
    /// Her command's answer.
    CommandAnswered { number: u32, answer: Answer },
}

/// How a game's command went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Accepted,
    /// One of the refusals the command declares, or the room's own: `unknown`, `field`, `rate`.
    Refused(&'static str),
}

/// A player's own state after this tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnState {
    pub entity: EntityId,
    pub life: Life,
    pub alive: bool,
    /// The last of her frames that was applied (or taken as heard): her client replays those after it.
    pub applied: MessageNumber,
    pub position_m: Vec3,
    pub velocity_m_s: Vec3,
    pub grounded: bool,
    pub health: f32,
    /// The position did not come by moving: nothing is drawn in between.
    pub teleported: bool,
}

/// What the room orders of a player's inventory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InventoryOrder {
    /// Grants that life: the store starts empty.
    Respawn {
        life: Life,
    },
    Command(WeaponCommand),
}
