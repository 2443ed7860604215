//! The directory of nodes, rooms and seats, and control of a node

pub mod agent;
pub mod auth;
pub mod control;
pub mod directory;
pub mod host;
pub mod matchmaking;
pub mod remote;
pub mod service;
