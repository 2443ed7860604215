//! One node: its shards and what they share, as matchmaking and operators reach it.

mod control;
mod create;
mod follow;
mod host;
mod shared;

pub(crate) use shared::NodeShared;

use crate::clock::Clock;
use crate::feeds::Feeds;
use crate::modes::Modes;
use crate::shard::{self, Ask, ShardError, ShardHandle, ShardSetup};
use actix::Arbiter;
use fairshot_cluster::agent::AgentPoke;
use fairshot_cluster::control::NodeName;
use fairshot_cluster::directory::Directory;
use fairshot_gateway::Limits;
use fairshot_matchmaking::SeatCounts;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics, ShardMetrics};
use fairshot_transport::{Identity, IdentityError, Settings as TransportSettings};
use fairshot_units::NodeId;
use ring::rand::{SecureRandom, SystemRandom};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What a node is started with.
pub struct NodeSetup {
    pub id: NodeId,
    pub region: String,
    /// Where each shard listens; one shard an address.
    pub listen: Vec<SocketAddr>,
    /// What seats name to players.
    pub advertise: IpAddr,
    pub rooms_per_shard_max: usize,
    pub seat_lifetime: Duration,
    pub seat_hold: Duration,
    pub idle_timeout: Duration,
    pub modes: Modes,
    pub directory: Arc<dyn Directory>,
    pub metrics: Metrics,
    pub process_metrics: ProcessMetrics,
    pub health: Health,
    /// Where other processes reach its control calls; empty in one process.
    pub control_uri: String,
}

impl std::fmt::Debug for NodeSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NodeSetup")
            .field("id", &self.id)
            .field("listen", &self.listen)
            .finish_non_exhaustive()
    }
}

/// Why a node did not start.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    #[error("no certificate could be made")]
    Identity(#[from] IdentityError),
    #[error(transparent)]
    Shard(#[from] ShardError),
}

/// A running node. A clone is the same node.
#[derive(Clone, Debug)]
pub struct Node {
    shared: Arc<NodeShared>,
    shards: Arc<[ShardHandle]>,
    feeds: Arc<Feeds>,
    arbiters: Arc<[Arbiter]>,
    advertise: IpAddr,
    control_uri: String,
    rooms_per_shard_max: usize,
    /// Held while an operator's room is checked, claimed and opened.
    creating: Arc<tokio::sync::Mutex<()>>,
    clock: Clock,
}

impl Node {
    /// Starts every shard, each on an arbiter of its own, and returns once all of them listen.
    ///
    /// # Errors
    /// [`NodeError`]: an address is taken, or a certificate or timer could not be made.
    pub async fn start(setup: NodeSetup) -> Result<Self, NodeError> {
        let clock = Clock::start();
        let feeds = Arc::new(Feeds::default());
        let name = NodeName::new(setup.id.as_str());
        let shared = Arc::new(NodeShared::new(
            setup.id,
            name,
            setup.region,
            setup.modes,
            setup.directory,
            setup.metrics.clone(),
            setup.process_metrics,
            setup.seat_lifetime,
            setup.seat_hold,
        ));
        let mut shards = Vec::with_capacity(setup.listen.len());
        let mut arbiters = Vec::with_capacity(setup.listen.len());
        for (index, listen) in setup.listen.iter().enumerate() {
            let index = u16::try_from(index).unwrap_or(u16::MAX);
            let arbiter = Arbiter::new();
            let shard = shard::start(
                &arbiter,
                ShardSetup {
                    index,
                    listen: *listen,
                    identity: Identity::generate()?,
                    transport: TransportSettings {
                        idle_timeout: setup.idle_timeout,
                        ..TransportSettings::default()
                    },
                    limits: Limits { idle_timeout: setup.idle_timeout, ..Limits::default() },
                    rooms_max: setup.rooms_per_shard_max,
                    ticket_seed: random_bytes(),
                    node: shared.clone(),
                    feeds: feeds.clone(),
                    metrics: ShardMetrics::new(&setup.metrics, index),
                    beat: setup.health.watch(&format!("shard {index}"), Instant::now()),
                    clock,
                },
            )
            .await?;
            shards.push(shard);
            arbiters.push(arbiter);
        }
        Ok(Self {
            shared,
            shards: shards.into(),
            feeds,
            arbiters: arbiters.into(),
            advertise: setup.advertise,
            control_uri: setup.control_uri,
            rooms_per_shard_max: setup.rooms_per_shard_max,
            creating: Arc::default(),
            clock,
        })
    }

    /// Where the shards listen, in order.
    #[must_use]
    pub fn listens(&self) -> Vec<SocketAddr> {
        self.shards.iter().map(|shard| shard.bound).collect()
    }

    /// Wakes whoever tells the directory of this node as its rooms come and go.
    pub fn set_poke(&self, poke: AgentPoke) {
        self.shared.set_poke(poke);
    }

    /// Takes no new room and no new seat from now on; running rooms end by the deadline.
    pub fn drain_within(&self, deadline: Duration) {
        self.shared.drain(deadline);
    }

    /// Rooms that run now, as last reported by the shards.
    #[must_use]
    pub fn rooms_running(&self) -> usize {
        self.shards.iter().map(|shard| shard.status.get().rooms.len()).sum()
    }

    /// Players in them.
    #[must_use]
    pub fn players_connected(&self) -> u32 {
        self.shards.iter().map(|shard| shard.status.get().players).sum()
    }

    /// The seats of all rooms together, as last reported by the shards.
    #[must_use]
    pub fn seats(&self) -> SeatCounts {
        let mut all = SeatCounts::default();
        for shard in self.shards.iter() {
            for room in shard.status.get().rooms {
                let seats = room.summary.seats;
                all.reserved = all.reserved.saturating_add(seats.reserved);
                all.taken = all.taken.saturating_add(seats.taken);
                all.held = all.held.saturating_add(seats.held);
                all.seats_max = all.seats_max.saturating_add(seats.seats_max);
            }
        }
        all
    }

    /// Ends every room and session, telling each player, and then the shards themselves.
    pub async fn stop(&self) {
        let mut waits = Vec::new();
        for shard in self.shards.iter() {
            let (done, stopped) = oneshot::channel();
            // A shard that ended already needs no telling.
            if shard.asks.send(Ask::Stop { done }).await.is_ok() {
                waits.push(stopped);
            }
        }
        for stopped in waits {
            let _ = tokio::time::timeout(STOP_MAX, stopped).await;
        }
        // The shards close their endpoints now; they end as nobody can ask them any more.
        for shard in self.shards.iter() {
            let _ = tokio::time::timeout(STOP_MAX, shard.asks.closed()).await;
        }
        for arbiter in self.arbiters.iter() {
            arbiter.stop();
        }
    }
}

/// A shard that has not said goodbye to its players by then is left behind.
const STOP_MAX: Duration = Duration::from_secs(2);

/// Fresh secret random bytes.
///
/// # Panics
/// Where the operating system has none, which no process can go on without.
#[must_use]
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).expect("the system's random source");
    bytes
}
