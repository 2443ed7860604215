//! The admin API over real sockets, with a node that keeps its one player in memory.

mod calls;
mod double;
mod fixture;
mod guard;
mod streams;
mod tls;
