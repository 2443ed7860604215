//! The wire from outside: what is written is read, whatever is read is bounded, and how long it is.

mod datagrams;
mod document;
mod fuzz;
mod made;
mod rng;
mod sizes;
mod snapshots;
mod streams;
mod world;
