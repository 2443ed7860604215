//! Tests of modes as files, in one program since each costs a link.

mod arena;
mod faults;
mod generated;
mod rules;
mod siege;
mod written;
