//! Cases worked out from public bug reports, each played through a room by its public face.

mod kit;

mod bots;
mod explained;
mod grades;
mod judged;
mod ledger_stamps;
mod limits;
mod lives;
mod movers;
mod refusals;
mod rewound;
mod schedule;
mod shot_cases;
mod stats;
mod step_with_rewind;
