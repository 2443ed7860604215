//! A whole server in this process and players on real sockets, for tests that see what a studio would.

mod cluster;
mod house;
mod lossy;

pub use cluster::Cluster;
pub use house::{House, Players, any_socket};
pub use lossy::{Faults, Lossy};
