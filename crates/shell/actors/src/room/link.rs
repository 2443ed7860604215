//! A player of the room, as the room reaches her.

use super::Enter;
use super::kept::KeptShots;
use crate::clock::Clock;
use crate::inventory::{self, InventoryActor};
use actix::Addr;
use fairshot_gateway::SessionId;
use fairshot_telemetry::metrics::{ModeMetrics, PlayerHere};
use fairshot_units::{PlayerId, Revision, Rule};
use fairshot_wire::MessageAcks;
use fairshot_wire::snapshot::SnapshotWriter;
use std::collections::BTreeMap;

/// One connected player.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) session: SessionId,
    pub(crate) player: PlayerId,
    pub(crate) inventory: Addr<InventoryActor>,
    pub(crate) writer: SnapshotWriter,
    pub(crate) acks: MessageAcks,
    pub(crate) revision: Revision,
    pub(crate) connected_s: u64,
    pub(crate) shots: KeptShots,
    pub(crate) accepted: u64,
    pub(crate) refused: BTreeMap<Rule, u64>,
    /// Payload bytes up and down, as last read from the gateway.
    pub(crate) traffic: (u64, u64),
    _here: PlayerHere,
}

impl Link {
    pub(crate) fn new(enter: &Enter, clock: Clock, metrics: &ModeMetrics) -> Self {
        Self {
            session: enter.session,
            player: enter.player.clone(),
            inventory: enter.inventory.clone(),
            writer: SnapshotWriter::new(enter.entity),
            acks: MessageAcks::default(),
            revision: Revision::default(),
            connected_s: clock.now_s(),
            shots: KeptShots::default(),
            accepted: 0,
            refused: BTreeMap::new(),
            traffic: (0, 0),
            _here: metrics.player_joined(),
        }
    }

    /// Ends the player's inventory with her.
    pub(crate) fn retire(self) {
        self.inventory.do_send(inventory::Retire);
    }
}
