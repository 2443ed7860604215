//! Keeps the directory's word about this node true: its load, its rooms, and who owns them.
//!
//! One agent runs beside a node, in one process or in a cluster. About once a second, and whenever it is
//! poked, it tells what changed. When the directory does not answer, it tries again and the rooms run on.

use crate::directory::{Directory, DirectoryError, NodeLease, NodeRecord, RoomEpoch, RoomStatus};
use async_trait::async_trait;
use fairshot_matchmaking::RoomSummary;
use fairshot_units::RoomId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// A room that runs on this node.
#[derive(Clone, Debug, PartialEq)]
pub struct RunningRoom {
    pub summary: RoomSummary,
    /// The one it was opened under.
    pub epoch: RoomEpoch,
}

/// What the agent asks of its node; cheap, from any thread.
#[async_trait]
pub trait NodeSource: Send + Sync {
    /// The node as it is now.
    fn record(&self) -> NodeRecord;

    /// The rooms it runs now.
    fn rooms(&self) -> Vec<RunningRoom>;

    /// The room is another node's by now: end it here, its players are told to join anew.
    async fn retire(&self, room: &RoomId);
}

/// Wakes the agent before its second is over.
#[derive(Clone, Debug, Default)]
pub struct AgentPoke(Arc<Notify>);

impl AgentPoke {
    pub fn poke(&self) {
        self.0.notify_one();
    }
}

/// See the module.
pub struct NodeAgent {
    directory: Arc<dyn Directory>,
    source: Arc<dyn NodeSource>,
    poke: AgentPoke,
    lease: Option<NodeLease>,
    /// What the directory was last told of each running room, and under which epoch.
    told: BTreeMap<RoomId, (RoomEpoch, RoomStatus)>,
    /// Running rooms whose keys went with a lost lease and that are not claimed again yet.
    unclaimed: BTreeSet<RoomId>,
    /// Rooms the directory has for this node that do not run here, and since when that is so.
    missing: BTreeMap<RoomId, Instant>,
}

impl std::fmt::Debug for NodeAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeAgent").field("lease", &self.lease).finish_non_exhaustive()
    }
}

/// The longest that a change goes untold.
const ROUND: Duration = Duration::from_secs(1);
/// Pokes in between are served together.
const ROUND_MIN: Duration = Duration::from_millis(50);
/// A room placed here that still does not run: whoever placed it has died or given up.
const MISSING_MAX: Duration = Duration::from_secs(10);

impl NodeAgent {
    #[must_use]
    pub fn new(directory: Arc<dyn Directory>, source: Arc<dyn NodeSource>) -> Self {
        Self {
            directory,
            source,
            poke: AgentPoke::default(),
            lease: None,
            told: BTreeMap::new(),
            unclaimed: BTreeSet::new(),
            missing: BTreeMap::new(),
        }
    }

    #[must_use]
    pub fn poke(&self) -> AgentPoke {
        self.poke.clone()
    }

    /// Runs until `stop` turns true or its sender is gone; then takes the node out of the directory.
    pub async fn run(mut self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow_and_update() {
            if let Err(error) = self.round().await {
                tracing::warn!(error = %error, "the directory was not told; rooms run on");
            }
            tokio::time::sleep(ROUND_MIN).await;
            tokio::select! {
                () = self.poke.0.notified() => {}
                () = tokio::time::sleep(ROUND - ROUND_MIN) => {}
                changed = stop.changed() => if changed.is_err() { break },
            }
        }
        if let Err(error) = self.directory.withdraw().await {
            tracing::warn!(error = %error, "not taken out; the lease runs out by itself");
        }
    }

    /// Tells everything that changed since the last round.
    ///
    /// # Errors
    /// The first failure to reach the directory; the next round goes on from there.
    pub async fn round(&mut self) -> Result<(), DirectoryError> {
        let lease = self.directory.announce(&self.source.record()).await?;
        let running = self.source.rooms();
        if self.lease.is_some_and(|before| before != lease) {
            // With the lease before it went every room key; the rooms themselves have run on.
            self.told.clear();
            self.unclaimed = running.iter().map(|room| room.summary.room.clone()).collect();
        }
        self.lease = Some(lease);
        for room in &running {
            self.tell(room).await?;
        }
        let ids: BTreeSet<&RoomId> = running.iter().map(|room| &room.summary.room).collect();
        self.take_out_ended(&ids).await?;
        self.take_out_missing(&ids).await
    }

    async fn tell(&mut self, room: &RunningRoom) -> Result<(), DirectoryError> {
        let summary = &room.summary;
        let status = RoomStatus { seats: summary.seats, locked: summary.locked };
        let told = self.told.get(&summary.room).cloned();
        if told.as_ref().is_some_and(|(_, told)| *told == status) {
            return Ok(());
        }
        let mut epoch = told.map_or(room.epoch, |(epoch, _)| epoch);
        if self.unclaimed.contains(&summary.room) {
            epoch = match self.directory.claim_room(summary).await {
                Ok(epoch) => epoch,
                // Placed here after the lease was renewed: the room's own epoch holds, or it is another's.
                Err(DirectoryError::RoomExists(_)) => room.epoch,
                Err(error) => return Err(error),
            };
        }
        match self.directory.update_room(&summary.room, epoch, &status).await {
            Ok(()) => {
                self.unclaimed.remove(&summary.room);
                self.told.insert(summary.room.clone(), (epoch, status));
                Ok(())
            }
            Err(DirectoryError::Fenced(room)) => self.fenced(&room).await,
            Err(error) => Err(error),
        }
    }

    /// Two owners of one room are never right: the one that is fenced off gives way.
    async fn fenced(&mut self, room: &RoomId) -> Result<(), DirectoryError> {
        tracing::warn!(%room, "the directory has another owner for the room: retired here");
        self.told.remove(room);
        self.unclaimed.remove(room);
        self.source.retire(room).await;
        Ok(())
    }

    async fn take_out_ended(&mut self, running: &BTreeSet<&RoomId>) -> Result<(), DirectoryError> {
        let ended: Vec<_> =
            self.told.keys().filter(|room| !running.contains(room)).cloned().collect();
        for room in ended {
            let Some((epoch, _)) = self.told.get(&room) else { continue };
            match self.directory.remove_room(&room, *epoch).await {
                Ok(()) | Err(DirectoryError::Fenced(_)) => self.told.remove(&room),
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    async fn take_out_missing(
        &mut self,
        running: &BTreeSet<&RoomId>,
    ) -> Result<(), DirectoryError> {
        let node = self.source.record().offer.node;
        let placed: BTreeMap<RoomId, RoomEpoch> = self.directory.view().read(|view| {
            let own = view.rooms.values().filter(|record| record.summary.node == node);
            own.filter(|record| !running.contains(&record.summary.room))
                .map(|record| (record.summary.room.clone(), record.epoch))
                .collect()
        });
        self.missing.retain(|room, _| placed.contains_key(room));
        for (room, epoch) in placed {
            let since = *self.missing.entry(room.clone()).or_insert_with(Instant::now);
            if since.elapsed() < MISSING_MAX {
                continue;
            }
            match self.directory.remove_room(&room, epoch).await {
                Ok(()) | Err(DirectoryError::Fenced(_)) => self.missing.remove(&room),
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }
}
