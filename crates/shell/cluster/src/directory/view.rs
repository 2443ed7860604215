//! The local copy of the directory that everybody reads.

use super::{NodeLease, RoomEpoch};
use crate::control::{Ban, BanSubject, RuleKey, RuleValue};
use fairshot_matchmaking::{NodeOffer, RoomCode, RoomSummary};
use fairshot_units::{NodeId, PlayerId, RoomId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;
use tokio::sync::watch;

/// A node as the directory has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    pub offer: NodeOffer,
    /// Where other processes reach its control and room calls, `http://host:port`; empty in one
    /// process.
    pub control_uri: String,
    pub version: String,
    /// Filled in by the directory; whoever announces a node leaves it at its default.
    #[serde(skip)]
    pub standing: NodeStanding,
}

/// What the directory itself knows of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct NodeStanding {
    /// Changed by every placement on the node: what [`super::Directory::place_room`] compares.
    pub placements: u64,
    /// What everything of the node hangs on.
    pub lease: NodeLease,
}

/// A room as the directory has it.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomRecord {
    pub summary: RoomSummary,
    pub epoch: RoomEpoch,
}

/// How far the view can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewState {
    /// Not read for the first time yet.
    Empty,
    /// Kept up to date.
    Live,
    /// The directory has not been heard of since then.
    Stale { since: Instant },
}

/// Everything the directory holds.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub nodes: BTreeMap<NodeId, NodeRecord>,
    pub rooms: BTreeMap<RoomId, RoomRecord>,
    pub bans: BTreeMap<BanSubject, Ban>,
    pub rules: BTreeMap<(String, RuleKey), RuleValue>,
}

impl View {
    /// The nodes as placement sees them. How many rooms a shard has is counted from the rooms, so
    /// that one placed a moment ago counts before its node says so.
    #[must_use]
    pub fn offers(&self) -> Vec<NodeOffer> {
        let mut rooms: BTreeMap<(&NodeId, u16), u32> = BTreeMap::new();
        for room in self.rooms.values() {
            *rooms.entry((&room.summary.node, room.summary.shard)).or_default() += 1;
        }
        let offers = self.nodes.values().map(|record| {
            let mut offer = record.offer.clone();
            for shard in &mut offer.shards {
                shard.rooms = rooms.get(&(&offer.node, shard.shard)).copied().unwrap_or(0);
            }
            offer
        });
        offers.collect()
    }

    /// The ban that covers a player or her address, if one does at `now_unix_s`.
    #[must_use]
    pub fn ban_of(
        &self,
        player: &PlayerId,
        address: Option<IpAddr>,
        now_unix_s: u64,
    ) -> Option<&Ban> {
        let covers = |ban: &&Ban| match (&ban.subject, address) {
            (BanSubject::Player(banned), _) => banned == player,
            (subject, Some(address)) => subject.covers(player, address),
            (BanSubject::Addresses(_), None) => false,
        };
        self.bans.values().filter(|ban| !ban.is_over(now_unix_s)).find(covers)
    }

    #[must_use]
    pub fn room_of_code(&self, code: RoomCode) -> Option<&RoomRecord> {
        self.rooms.values().find(|room| room.summary.code == Some(code))
    }

    /// Every live change of a mode's rules.
    #[must_use]
    pub fn rules_of(&self, mode: &str) -> BTreeMap<RuleKey, RuleValue> {
        let of_mode = self.rules.iter().filter(|((of, _), _)| of == mode);
        of_mode.map(|((_, key), value)| (key.clone(), *value)).collect()
    }
}

/// The view, shared within a process: read by everybody, written by the directory alone.
#[derive(Debug)]
pub struct ViewCell {
    view: RwLock<View>,
    state: watch::Sender<ViewState>,
    changes: watch::Sender<u64>,
}

impl ViewCell {
    #[must_use]
    pub fn new(state: ViewState) -> Self {
        Self {
            view: RwLock::default(),
            state: watch::Sender::new(state),
            changes: watch::Sender::new(0),
        }
    }

    /// Looks at the view; keep it short, and never wait inside.
    pub fn read<R>(&self, look: impl FnOnce(&View) -> R) -> R {
        // A panic under the lock leaves a whole view: a write is one map operation after another.
        look(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    #[must_use]
    pub fn state(&self) -> ViewState {
        *self.state.borrow()
    }

    /// Changes whenever the view does; what counts is that it changed, not the number.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Follows how far the view can be trusted.
    #[must_use]
    pub fn states(&self) -> watch::Receiver<ViewState> {
        self.state.subscribe()
    }

    pub(crate) fn write<R>(&self, change: impl FnOnce(&mut View) -> R) -> R {
        let result = change(&mut self.view.write().unwrap_or_else(PoisonError::into_inner));
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        result
    }

    pub(crate) fn set_state(&self, to: ViewState) {
        self.state.send_if_modified(|state| {
            // Staleness counts from when it began.
            let goes_on =
                matches!((*state, to), (ViewState::Stale { .. }, ViewState::Stale { .. }));
            let changes = !goes_on && *state != to;
            if changes {
                *state = to;
            }
            changes
        });
    }
}
