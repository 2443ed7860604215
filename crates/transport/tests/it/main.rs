//! Endpoints over a simulated line: what players see of it, and what hostile peers may cost.

mod common;
mod hostile;
mod simulated;
