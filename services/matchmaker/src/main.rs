//! `fairshot-matchmaker`: a cluster's matchmaker process, one of any number of equals.

use fairshot_settings::Program;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PROGRAM: Program = Program {
    name: "fairshot-matchmaker",
    about: "Gives players seats in the rooms of a cluster on etcd.",
    version: env!("CARGO_PKG_VERSION"),
};

fn main() -> ExitCode {
    fairshot_process::matchmaker_main(&PROGRAM)
}
