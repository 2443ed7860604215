//! Players of a set against a scripted server, over a seeded link under virtual time.

mod joining;
mod unreachable;
mod world;
