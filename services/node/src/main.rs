//! `fairshot-node`: a cluster's room server process.

use fairshot_settings::Program;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PROGRAM: Program = Program {
    name: "fairshot-node",
    about: "Runs rooms and the players in them, as one node of a cluster on etcd.",
    version: env!("CARGO_PKG_VERSION"),
};

fn main() -> ExitCode {
    fairshot_process::node_main(&PROGRAM)
}
