//! `fairshot`: matchmaking, a node, the admin API, metrics and health in one process.

use fairshot_settings::Program;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PROGRAM: Program = Program {
    name: "fairshot",
    about: "Hosts rooms of a shooter: seats, matches, operators and metrics in one process.",
    version: env!("CARGO_PKG_VERSION"),
};

fn main() -> ExitCode {
    fairshot_process::main(&PROGRAM)
}
