//! What a cluster's processes share, and how players are seated by it: one program over one set of doubles.

mod directory;
mod matchmaking;
mod support;
