//! The operators' gRPC API: who may call, what is done, and what is written down of it.
//!
//! A call passes the guard (token or client certificate, call rate, deadline), then its role is
//! checked; one that changes something is written to the audit log, synced, before and after it is
//! done. What a node is lies behind `NodeControl`: this crate knows no room and no socket of a player.

pub mod access;
mod changes;
mod guard;
mod limits;
mod names;
mod nodes;
mod pages;
mod server;
mod service;
mod tls;

pub use fairshot_audit as audit;

pub use access::{Access, AccessError, Caller, Role};
pub use limits::CallRate;
pub use server::{AdminOptions, ServeError, serve};
pub use tls::{Tls, TlsError, TlsFiles};
