//! Logs, traces, metrics and health: how a process is watched.
//!
//! Nothing here ever blocks a tick: counters and histograms are handles made once, logs and spans go
//! to bounded queues, and all that waits lives on threads of its own.

pub mod health;
mod http_server;
mod install;
mod log_limit;
pub mod metrics;
pub mod traces;

pub use http_server::{Page, serve_page};
pub use install::{InstallError, Installed, LogSettings, TraceSettings, install};
pub use log_limit::LogLimit;
