//! Logs, traces, metrics and health: how a process is watched.
//!
//! Nothing here ever blocks a tick: counters and histograms are handles made once, logs and spans go
//! to bounded queues, and all that waits lives on threads of its own.

pub mod health;
pub mod metrics;
