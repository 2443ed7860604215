//! The node as matchmaking sees it: it opens rooms, promises seats, and says how loaded it is.

use super::{Node, STOP_MAX};
use crate::shard::{Ask, ShardHandle};
use async_trait::async_trait;
use fairshot_cluster::agent::{NodeSource, RunningRoom};
use fairshot_cluster::directory::{NodeRecord, NodeStanding};
use fairshot_cluster::host::{HostError, Promised, RoomHost, RoomSpec};
use fairshot_matchmaking::{NodeOffer, ShardOffer};
use fairshot_telemetry::metrics::RoomEnd;
use fairshot_units::{PlayerId, RoomId};
use fairshot_wire::CloseCode;
use std::net::SocketAddr;
use tokio::sync::oneshot;

impl Node {
    /// Asks one shard and waits, two seconds at the most.
    pub(super) async fn ask_shard<T>(
        shard: &ShardHandle,
        ask: impl FnOnce(oneshot::Sender<T>) -> Ask,
    ) -> Result<T, String> {
        let (reply, answer) = oneshot::channel();
        let silent = || format!("shard {} does not answer", shard.index);
        shard.asks.try_send(ask(reply)).map_err(|_| silent())?;
        match tokio::time::timeout(STOP_MAX, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => Err(silent()),
        }
    }

    fn shard(&self, index: u16) -> Result<&ShardHandle, HostError> {
        self.shards.get(usize::from(index)).ok_or(HostError::NoRoom)
    }
}

#[async_trait]
impl RoomHost for Node {
    async fn open_room(
        &self,
        spec: &RoomSpec,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        if self.shared.drains_in_s().is_some() {
            return Err(HostError::Draining);
        }
        let shard = self.shard(spec.shard)?;
        Self::ask_shard(shard, |reply| Ask::OpenRoom {
            spec: Box::new(spec.clone()),
            members: members.to_vec(),
            reply,
        })
        .await
        .map_err(HostError::Unavailable)?
    }

    async fn reserve(
        &self,
        shard: u16,
        room: &RoomId,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        if self.shared.drains_in_s().is_some() {
            return Err(HostError::Draining);
        }
        let shard = self.shard(shard)?;
        Self::ask_shard(shard, |reply| Ask::Reserve {
            room: room.clone(),
            members: members.to_vec(),
            reply,
        })
        .await
        .map_err(HostError::Unavailable)?
    }

    async fn release(&self, shard: u16, _room: &RoomId, ticket: &[u8]) -> Result<bool, HostError> {
        let shard = self.shard(shard)?;
        Self::ask_shard(shard, |reply| Ask::Release { ticket: ticket.to_vec(), reply })
            .await
            .map_err(HostError::Unavailable)
    }
}

#[async_trait]
impl NodeSource for Node {
    fn record(&self) -> NodeRecord {
        let shards = self.shards.iter().map(|shard| {
            let report = shard.status.get();
            let rooms = u32::try_from(report.rooms.len()).unwrap_or(u32::MAX);
            ShardOffer {
                shard: shard.index,
                address: SocketAddr::new(self.advertise, shard.bound.port()).to_string(),
                certificate_sha256: shard.certificate_sha256,
                rooms,
                rooms_measured: rooms,
                players: report.players,
                headroom: report.headroom,
            }
        });
        NodeRecord {
            offer: NodeOffer {
                node: self.shared.id.clone(),
                region: self.shared.region.clone(),
                modes: self.shared.mode_names(),
                draining: self.shared.drains_in_s().is_some(),
                shards: shards.collect(),
            },
            control_uri: self.control_uri.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            standing: NodeStanding::default(),
        }
    }

    fn rooms(&self) -> Vec<RunningRoom> {
        self.shards.iter().flat_map(|shard| shard.status.get().rooms).collect()
    }

    async fn retire(&self, room: &RoomId) {
        for shard in self.shards.iter() {
            let closed = Self::ask_shard(shard, |reply| Ask::CloseRoom {
                room: room.clone(),
                code: CloseCode::RoomClosed,
                reason: "the room moved to another node".to_owned(),
                end: RoomEnd::Closed,
                reply,
            })
            .await;
            if let Err(error) = closed {
                tracing::warn!(%room, error, "a room could not be retired");
            }
        }
    }
}
