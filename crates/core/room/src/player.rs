//! One seat of a room and the player in it.

use crate::bots::Bot;
use crate::commands::CommandCredit;
use crate::seen::Seen;
use fairshot_judge::{Arms, ShooterRecord, numbers_of};
use fairshot_mode::{StatSheet, Weapon};
use fairshot_units::{
    EntityId, EntityState, Life, MessageNumber, PlayerId, Tick, ViewStep, WeaponId,
};
use fairshot_world::BodyState;

/// Ticks of input credit a player can save up: what a stall of 0.65 s holds back, 42 at 64 Hz.
#[must_use]
pub fn credit_ticks_max(tick_hz: u16) -> u32 {
    (u32::from(tick_hz.max(1)) * 65).div_ceil(100)
}

/// A player in a seat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Player {
    pub entity: EntityId,
    pub id: PlayerId,
    pub team: u8,
    pub life: Life,
    /// Her first life here: shots of an earlier one are not hers.
    pub first_life: Life,
    pub body: BodyState,
    pub health: f32,
    pub alive: bool,
    pub disarmed: bool,
    /// Set when the pose did not come by moving; cleared once a tick has recorded it.
    pub teleported: bool,
    pub held: WeaponId,
    pub traits: u32,
    /// The last frame applied or taken as heard.
    pub applied: Option<MessageNumber>,
    pub credit_ticks: u32,
    /// Ticks in a row without a frame of hers.
    pub silent_ticks: u32,
    /// Frames of hers among this tick's inputs that were not looked at yet, each once however often it
    /// came, and the last of those counted.
    pub frames_now: u32,
    pub counted: Option<MessageNumber>,
    /// Where her feet stood before this tick's frames.
    pub tick_began_m: glam::Vec3,
    /// The end of her last life.
    pub died: Option<Tick>,
    /// Ticks until her respawn grant, while she is down.
    pub respawn_ticks: u32,
    pub round_trip_s: Option<f32>,
    pub record: ShooterRecord,
    pub stats: StatSheet,
    /// The weapons she may fire where the mode counts no rounds; `None` is every one.
    pub held_list: Option<Vec<WeaponId>>,
    /// The list before this one, and the tick it changed in.
    pub held_before: Option<(Option<Vec<WeaponId>>, Tick)>,
    /// Where her feet stood when a game put her elsewhere, and the tick it did.
    pub left: Option<(glam::Vec3, Tick)>,
    /// Shot numbers heard, where no inventory sorts out repeats.
    pub seen: Seen,
    /// Refusals since the last heartbeat.
    pub refusals: u32,
    pub command_credit: CommandCredit,
    /// Set where the room itself plays.
    pub bot: Option<Box<Bot>>,
}

impl Player {
    pub(crate) fn arms(&self) -> Arms {
        if !self.alive {
            Arms::Downed
        } else if self.disarmed {
            Arms::Disarmed
        } else {
            Arms::Free
        }
    }

    pub(crate) fn team_index(&self) -> Option<u8> {
        (self.team != EntityState::NO_TEAM).then_some(self.team)
    }

    /// Whether a weapon's last shot lies far enough back for its rate.
    pub(crate) fn is_ready(&self, weapon: &Weapon, tick: Tick, tick_hz: u16) -> bool {
        let rate = numbers_of(weapon, &self.stats).shots_per_second;
        let last = self.record.fired().rev().find(|shot| shot.weapon == weapon.id);
        #[expect(clippy::cast_precision_loss, reason = "ticks since a shot of this match")]
        last.is_none_or(|shot| tick.since(shot.landed) as f32 * rate >= f32::from(tick_hz))
    }

    /// Whether her list lets her fire this weapon.
    pub(crate) fn holds(&self, weapon: WeaponId) -> bool {
        lists(self.held_list.as_ref(), weapon)
    }

    /// The same, or whether the list before did, for a shot whose screen could not have shown the change.
    pub(crate) fn held_as_seen(&self, weapon: WeaponId, view: ViewStep, oldest: Tick) -> bool {
        let before = self.held_before.as_ref().filter(|(_, at)| unseen(view, *at, oldest));
        self.holds(weapon) || before.is_some_and(|(list, _)| lists(list.as_ref(), weapon))
    }

    /// Where she stood before a game moved her, for a shot whose screen could not have shown it: a client
    /// fires from where it has her.
    pub(crate) fn left_unseen(&self, view: ViewStep, oldest: Tick) -> Option<glam::Vec3> {
        self.left.filter(|(_, at)| unseen(view, *at, oldest)).map(|(left_m, _)| left_m)
    }
}

fn lists(list: Option<&Vec<WeaponId>>, weapon: WeaponId) -> bool {
    list.is_none_or(|list| list.contains(&weapon))
}

/// Whether a screen that showed that step could not have shown what happened in that tick, which is no
/// longer ago than the oldest a shot may name.
fn unseen(view: ViewStep, at: Tick, oldest: Tick) -> bool {
    view.since(ViewStep::at(at)) < 0.0 && at.since(oldest) >= 0
}
