//! A real room and real clients over links in virtual time: what is promised to a player holds.

mod answers;
mod bot;
mod games;
mod host;
mod link;
mod play;
