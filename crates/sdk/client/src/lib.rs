//! A player's client over QUIC: join, reconnect, poll from a game loop.
//!
//! - [`Matchmaker`] asks for seats over gRPC; nothing else here is async.
//! - [`Client`] is one player: a game loop polls it, ticks it and fires with it.
//! - [`ClientSet`] is many players on one socket and one stepping loop, without a task or a buffer
//!   of their own: bots, load generators, split screens. A [`Client`] is a set of one.
//!
//! What a player sees and does is [`fairshot_client_core::PlayerClient`]'s; this crate carries its
//! bytes, keeps its seat, and comes back with the rejoin ticket when the line broke.

mod client;
mod ended;
mod matchmaker;
mod player;
mod seat;
mod set;

pub use client::{Client, StartError};
pub use ended::Ended;
pub use fairshot_client_core as core;
pub use fairshot_transport::link::{Grade, GradePlayer, Impaired};
pub use fairshot_transport::{Network, PathState, Pin, Settings as TransportSettings, Socket};
pub use matchmaker::{JoinError, Matchmaker, Wish};
pub use seat::{Seat, SeatError};
pub use set::{ClientKey, ClientSet, ConnectError, Notice, Options, Phase, Rejoin, SILENCE_MAX};
