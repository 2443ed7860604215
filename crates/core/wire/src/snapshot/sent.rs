//! What went to one player: which snapshots, and how old each entity was in them.

use super::BASE_TICKS_MAX;
use super::own::OwnState;
use super::ring::{SentStates, Seq, Slot};
use crate::SnapshotAck;
use fairshot_units::{EntityId, Pose, Tick};
use std::collections::VecDeque;

/// A snapshot that went to this player.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) seq: Seq,
    pub(super) tick: Tick,
    pub(super) own: OwnState,
    /// How many snapshots old each entity was in it; `None` where all were of that very tick.
    pub(super) ages: Option<Box<[u8]>>,
}

/// No state of that entity is known.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// The acknowledged snapshots a new one builds on.
pub(super) struct Bases<'a> {
    pub(super) newer: Option<&'a Sent>,
    pub(super) older: Option<&'a Sent>,
    states: &'a SentStates,
    now: Tick,
    own: EntityId,
}

impl<'a> Bases<'a> {
    pub(super) fn find(
        sent: &'a VecDeque<Sent>,
        acked: Option<SnapshotAck>,
        states: &'a SentStates,
        now: &Slot,
        own: EntityId,
    ) -> Self {
        let usable = |tick: Tick| {
            let since = now.tick.since(tick);
            sent.iter()
                .rev()
                .find(|sent| sent.tick == tick)
                .filter(|_| since > 0 && since.unsigned_abs() <= BASE_TICKS_MAX)
                // A room whose ticks began again has forgotten what it sent.
                .filter(|sent| states.slot(sent.seq).is_some_and(|slot| slot.tick == tick))
        };
        let newer = acked.and_then(|ack| usable(ack.newest));
        let older = newer.and_then(|newer| {
            let ticks = acked?.previous_ticks?;
            usable(newer.tick - u32::from(ticks)).filter(|_| ticks < 64)
        });
        Self { newer, older, states, now: now.tick, own }
    }

    /// The slots of both, where neither left anything out.
    pub(super) fn complete(&self) -> Option<(&'a Slot, Option<&'a Slot>)> {
        let slot = |sent: &Sent| match sent.ages {
            None => self.states.slot(sent.seq),
            Some(_) => None,
        };
        let newer = slot(self.newer?)?;
        match self.older {
            None => Some((newer, None)),
            Some(older) => Some((newer, Some(slot(older)?))),
        }
    }

    /// One more than the highest id the client may know.
    pub(super) fn span(&self) -> usize {
        let span = |sent: &Sent| match &sent.ages {
            Some(ages) => ages.len(),
            None => self.states.slot(sent.seq).map_or(0, Slot::span),
        };
        self.newer.map_or(0, span)
    }

    pub(super) fn newer_value(&self, id: usize) -> Option<(&'a Slot, Pose)> {
        self.value(self.newer, id)
    }

    pub(super) fn older_value(&self, id: usize) -> Option<(&'a Slot, Pose)> {
        self.value(self.older, id)
    }

    /// The slot an entity's state in that snapshot was of, and the state's pose.
    fn value(&self, sent: Option<&Sent>, id: usize) -> Option<(&'a Slot, Pose)> {
        let sent = sent?;
        let age = match &sent.ages {
            None => 0,
            Some(ages) => ages.get(id).copied().filter(|age| *age != UNKNOWN)?,
        };
        let slot = self.states.slot(sent.seq.checked_sub(u32::from(age))?)?;
        let is_fresh = self.now.since(slot.tick).unsigned_abs() <= BASE_TICKS_MAX;
        if !is_fresh || id == usize::from(self.own.0) {
            return None;
        }
        slot.pose(id).map(|pose| (slot, pose))
    }

    /// The age an entity has in the new snapshot when it is left out of it.
    pub(super) fn age_of(&self, id: usize, now: Seq) -> u8 {
        self.newer_value(id)
            .and_then(|(slot, _)| u8::try_from(now - slot.seq).ok())
            .unwrap_or(UNKNOWN)
    }
}
