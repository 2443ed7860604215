//! What a node tells whoever listens: heartbeats and refusals. Bounded; a slow listener loses the oldest.

use fairshot_cluster::control::{Heartbeat, RefusedShot, Subscription};
use fairshot_units::RoomId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// Items a listener may lag behind before it loses the oldest: a heartbeat of each of 4,096 rooms.
const HEARTBEATS_KEPT: usize = 4096;
const REFUSALS_KEPT: usize = 1024;

/// A node's feeds, shared by its shards.
#[derive(Debug)]
pub struct Feeds {
    heartbeats: broadcast::Sender<Arc<Heartbeat>>,
    refusals: broadcast::Sender<Arc<RefusedShot>>,
    /// The newest heartbeat of each room that runs.
    latest: Mutex<BTreeMap<RoomId, Arc<Heartbeat>>>,
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            heartbeats: broadcast::Sender::new(HEARTBEATS_KEPT),
            refusals: broadcast::Sender::new(REFUSALS_KEPT),
            latest: Mutex::default(),
        }
    }
}

impl Feeds {
    pub(crate) fn heartbeat(&self, heartbeat: Arc<Heartbeat>) {
        {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            if heartbeat.last {
                latest.remove(&heartbeat.room);
            } else {
                latest.insert(heartbeat.room.clone(), heartbeat.clone());
            }
        }
        // Nobody listening is no failure.
        let _ = self.heartbeats.send(heartbeat);
    }

    pub(crate) fn refused(&self, refused: Arc<RefusedShot>) {
        let _ = self.refusals.send(refused);
    }

    pub(crate) fn heartbeats(&self) -> Subscription<Heartbeat> {
        let live = self.heartbeats.subscribe();
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        Subscription { latest: latest.values().cloned().collect(), live }
    }

    pub(crate) fn refusals(&self) -> Subscription<RefusedShot> {
        Subscription { latest: Vec::new(), live: self.refusals.subscribe() }
    }
}
