//! The ledger against cases in which inventories of other game servers went wrong.

mod driver;
mod memory;
mod report;
mod rules;
mod shot;
mod weapons;
