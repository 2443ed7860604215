//! `fairshotctl`: everything an operator does, from a terminal or a script.
//!
//! Exit codes: 0 done; 1 the server refused; 2 the command line is wrong; 3 the server was not
//! reached; 4 it let nobody in, or the role is too low.

mod args;
mod commands;
mod connect;
mod context;
mod error;
mod out;
mod top;

use args::Args;
use clap::Parser;
use error::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // One TLS provider in the whole tree. Only a second installation could fail.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args = Args::parse();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(&Failure::Local(error.to_string())),
    };
    match runtime.block_on(commands::run(args)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough, as `head` does.
        Err(Failure::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => report(&failure),
    }
}

fn report(failure: &Failure) -> ExitCode {
    eprintln!("error: {failure}");
    ExitCode::from(failure.exit_code())
}
