//! The ledger against cases in which inventories of other game servers went wrong.

mod driver;
mod report;
mod shot;
mod weapons;
