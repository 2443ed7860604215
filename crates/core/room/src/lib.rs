//! One match: a tick from inputs to outputs.
//!
//! A room is a value: [`Room::tick`] takes what arrived since the last tick and fills a [`TickOutput`].
//! It knows no socket, no clock and no randomness but its seed, so a recorded sequence of inputs always
//! gives the same outputs, also across a checkpoint. The ledger is not in here: shots arrive stamped.

mod bots;
mod checkpoint;
mod commands;
mod core;
mod damage;
mod game;
mod heartbeat;
mod input;
mod log;
mod monsters;
mod movers;
mod output;
mod player;
mod projectiles;
mod rng;
mod room;
mod schedule;
mod seen;
mod shots;
mod spawn;
mod step_with_rewind;

pub use checkpoint::{CHECKPOINT_BYTES_MAX, CheckpointError};
pub use commands::{
    COMMANDS_MAX, COMMANDS_PER_SECOND_DEFAULT, CommandSpec, FieldRange, FieldSpec, GameCommand,
};
pub use game::{Dealt, Game, GameRoom, PlainGame};
pub use heartbeat::{Counts, Heartbeat};
pub use input::{Command, FieldValue, Frame, RoomInput, Shot};
pub use log::{LogRecord, REFUSALS_LOGGED_MAX};
pub use output::{
    Answer, Event, Hit, HitData, HitSource, InventoryOrder, Notice, OwnState, TickOutput,
};
pub use player::credit_ticks_max;
pub use projectiles::PROJECTILES_MAX;
pub use room::{Room, RoomSetup};
pub use schedule::{CATCH_UP_TICKS_MAX, Due, TickSchedule};
pub use step_with_rewind::{QueryError, RejectedShot, RewindStep, ShotTime};

/// The game programmer's guide, whose examples are compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/game.md")]
struct GameGuide;
