//! The architecture's tests, in one program since each costs a link.

mod clippy;
mod dependencies;
mod licences;
mod tidy;
