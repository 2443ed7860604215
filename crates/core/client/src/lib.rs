//! What a player's client knows: prediction, interpolation, its view step, its own shots and their
//! outcomes. Bytes in, bytes out, and the time as an argument.
//!
//! Nothing here knows a socket, a clock, a thread or a window. [`PlayerClient`] says how it is driven.

mod arms;
mod body;
mod client;
mod clock;
mod doors;
mod error;
mod event;
mod forgery;
mod game;
mod incoming;
mod lateness;
mod outbox;
mod screen;
mod settings;
mod shots;
mod stats;
mod trace;

pub use body::OwnBody;
pub use client::{ClientOptions, Fire, PlayerClient, State};
pub use error::{CannotFire, ClientError};
pub use event::{ClientEvent, EVENTS_QUEUED_MAX, MarkerFate};
pub use forgery::{Forgery, Liar};
pub use screen::Drawn;
pub use settings::{Assets, GameSettings, ReadAsset};
pub use shots::{OwnShot, ShotFate};
pub use stats::Stats;
pub use trace::SeenHit;
