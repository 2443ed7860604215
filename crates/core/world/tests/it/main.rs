//! The world's promises, by its public face alone.

mod checkpoint;
mod common;
mod movement;
mod rewind;
