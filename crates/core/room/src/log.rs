//! Log records as values: at most four refusals of a player between two heartbeats.

use fairshot_judge::Reason;
use fairshot_units::{EntityId, MessageNumber, PlayerId, Rule, WeaponId};

/// Refusals of one player that are logged between two heartbeats.
pub const REFUSALS_LOGGED_MAX: u32 = 4;

/// One line for the log.
#[derive(Clone, Debug, PartialEq)]
pub enum LogRecord {
    ShotRefused {
        player: PlayerId,
        entity: EntityId,
        number: MessageNumber,
        weapon: WeaponId,
        rule: Rule,
        reason: Reason,
    },
    /// Written at a heartbeat for a player with more refusals than were logged since the last one.
    RefusalsLeftOut { player: PlayerId, entity: EntityId, left_out: u32 },
    /// A game's rule panicked: the shot was refused under its name and nothing else was harmed.
    RulePanicked { rule: Rule },
}
