//! Whole matches in virtual time.

mod answers;
mod cheats;
mod games;
mod grades;
mod hands;
mod lifts;
mod play;
mod stalls;
mod table;
