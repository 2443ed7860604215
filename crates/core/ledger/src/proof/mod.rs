//! The proof that the rules hold: an exhaustive search over a small world, and random histories over
//! a large one, of the ledger that ships and of rules that must fail.

mod adversary;
mod armoury;
mod books;
mod differential;
mod histories;
mod honest;
mod plain;
mod run;
mod searches;
mod spec;
