//! One shard: a thread with its own arbiter, QUIC endpoint, port, rooms and sessions.

mod asks;
mod door;
mod phases;
mod pump;
mod shared;
mod status;

pub(crate) use asks::{Ask, Expelled};
pub(crate) use shared::ShardShared;
pub(crate) use status::ShardStatus;

use crate::clock::Clock;
use crate::feeds::Feeds;
use crate::node::NodeShared;
use crate::pending::Pending;
use actix::Arbiter;
use fairshot_gateway::{Gateway, Limits};
use fairshot_matchmaking::ShardSeats;
use fairshot_telemetry::health::Beat;
use fairshot_telemetry::metrics::ShardMetrics;
use fairshot_telemetry::traces::TickSampler;
use fairshot_transport::{Endpoint, Identity, Settings, Socket};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Calls from other threads that wait for one shard; one more is answered `Unavailable`.
const ASKS_MAX: usize = 1024;

/// A shard as other threads reach it.
#[derive(Clone, Debug)]
pub(crate) struct ShardHandle {
    pub(crate) index: u16,
    /// Where the shard listens.
    pub(crate) bound: SocketAddr,
    pub(crate) certificate_sha256: [u8; 32],
    pub(crate) asks: mpsc::Sender<Ask>,
    pub(crate) status: Arc<ShardStatus>,
}

/// What a shard is started with.
#[derive(Debug)]
pub(crate) struct ShardSetup {
    pub(crate) index: u16,
    pub(crate) listen: SocketAddr,
    pub(crate) identity: Identity,
    pub(crate) transport: Settings,
    pub(crate) limits: Limits,
    pub(crate) rooms_max: usize,
    pub(crate) ticket_seed: [u8; 32],
    pub(crate) node: Arc<NodeShared>,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) metrics: ShardMetrics,
    pub(crate) beat: Beat,
    pub(crate) clock: Clock,
}

/// Why a shard did not start.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    #[error("shard {shard} cannot listen on {address}")]
    Bind { shard: u16, address: SocketAddr, source: std::io::Error },
    #[error("shard {shard} has no QUIC endpoint")]
    Endpoint { shard: u16, source: fairshot_transport::ConfigError },
    #[error("shard {shard} has no tick timer")]
    Timer { shard: u16, source: std::io::Error },
    #[error("shard {shard} ended as it started")]
    Gone { shard: u16 },
}

/// Starts a shard on an arbiter and waits until it listens.
///
/// # Errors
/// [`ShardError`]: nothing of the shard is left.
pub(crate) async fn start(arbiter: &Arbiter, setup: ShardSetup) -> Result<ShardHandle, ShardError> {
    let shard = setup.index;
    let (tell, started) = oneshot::channel();
    // What the shard owns never leaves its thread, so it is made there.
    arbiter.spawn_fn(move || match open(setup) {
        Ok((handle, pump)) => {
            if tell.send(Ok(handle)).is_ok() {
                actix::spawn(pump.run());
            }
        }
        Err(error) => drop(tell.send(Err(error))),
    });
    started.await.unwrap_or(Err(ShardError::Gone { shard }))
}

/// Binds everything, on the shard's own thread.
fn open(setup: ShardSetup) -> Result<(ShardHandle, pump::Pump), ShardError> {
    let shard = setup.index;
    let address = setup.listen;
    let certificate_sha256 = setup.identity.pin().0;
    let endpoint = Endpoint::server(setup.transport, &setup.identity)
        .map_err(|source| ShardError::Endpoint { shard, source })?;
    let socket =
        Socket::bind(address).map_err(|source| ShardError::Bind { shard, address, source })?;
    let bound = socket.address();
    let timer = crate::PhaseTimer::start().map_err(|source| ShardError::Timer { shard, source })?;
    let gateway = Rc::new(RefCell::new(Gateway::new(endpoint, socket, setup.limits)));
    let status = Arc::new(ShardStatus::default());
    let shared = Rc::new(ShardShared::new(
        shard,
        ShardSeats::new(setup.node.id.clone(), shard, &setup.ticket_seed, setup.rooms_max),
        setup.node,
        setup.feeds,
        setup.metrics,
        status.clone(),
    ));
    let (asks, asked) = mpsc::channel(ASKS_MAX);
    let pump = pump::Pump {
        shared,
        gateway,
        pending: Pending::default(),
        asked,
        timer,
        beat: setup.beat,
        clock: setup.clock,
        sampler: TickSampler::new(pump::SPANS_EVERY),
    };
    Ok((ShardHandle { index: shard, bound, certificate_sha256, asks, status }, pump))
}
