//! QUIC driven in batches: quinn's sans-IO half over one UDP socket, stepped by its owner.
//!
//! A connection of a game costs what its packets and wake-ups cost, so nothing here has a task, a
//! timer or a channel of its own. Whoever owns an [`Endpoint`] calls it once a step:
//!
//! 1. [`Endpoint::receive`] drains the network and every due timer,
//! 2. [`Endpoint::poll`] hands out what happened, in order,
//! 3. the owner queues datagrams and stream bytes,
//! 4. [`Endpoint::flush`] sends everything due in as few packets and system calls as it can.
//!
//! The machine knows no clock and no socket: time is an argument and packets go through a
//! [`Network`], which is a [`Socket`] in a server and a [`link::Port`] of a seeded simulated link in
//! tests. What this crate deliberately does not know: tickets, players, and what the bytes mean.
//!
//! Each connection carries datagrams and exactly one ordered stream, opened by the client.

mod address_rate;
mod admission;
mod certificate;
mod config;
mod congestion;
mod connection;
mod endpoint;
mod event;
pub mod link;
mod network;
#[cfg(target_os = "linux")]
mod sendmmsg;
mod socket;

pub use address_rate::{AddressLimit, AddressRate};
pub use admission::{HandshakeLimits, RetryPolicy};
pub use bytes::{Bytes, BytesMut};
pub use certificate::{Identity, IdentityError, Pin, PinError};
pub use config::{ALPN, ConfigError, Settings};
pub use endpoint::{ConnectError, Endpoint};
pub use event::{CloseReason, ConnectionKey, Counters, Event, PathState, SendError, WriteError};
pub use network::{Arrival, Departure, Network, SendCounters};
pub use socket::Socket;
