//! The gateway and clients of the bare transport, on simulated lines under virtual time.

mod admission;
mod common;
mod grades;
mod hostile;
mod memory;
mod queues;
