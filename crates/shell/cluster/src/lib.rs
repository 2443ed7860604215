//! The directory of nodes, rooms and seats, and control of a node

pub mod control;
