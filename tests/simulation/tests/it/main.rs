//! Whole matches in virtual time.

mod answers;
mod games;
mod grades;
mod hands;
mod lifts;
mod play;
mod stalls;
