//! The world's promises, by its public face alone.

mod checkpoint;
mod common;
mod files;
mod flight;
mod movement;
mod plain_past;
mod rewind;
mod scenery;
mod trace;
