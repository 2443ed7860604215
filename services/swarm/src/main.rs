//! `fairshot-swarm`: rooms full of bots over real QUIC, and one JSON object of what came of it.

mod args;
mod crowd;
mod page;
mod report;
mod run;
mod server;

use args::Args;
use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(arguments) = server::child_arguments() {
        return server::serve(arguments);
    }
    let args = Args::parse();
    match run::run(&args) {
        Ok(report) => {
            if args.json {
                println!("{}", report.to_json());
            } else {
                println!("{report}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("fairshot-swarm: {error}");
            ExitCode::FAILURE
        }
    }
}
