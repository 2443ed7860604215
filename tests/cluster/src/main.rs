//! Players who join through one or several matchmakers at a steady rate, and play or just hold their
//! seats. Says what happens as it happens, one JSON object a line, and ends with the figures.

mod figures;
mod join;
mod play;

use clap::Parser;
use figures::{Event, Figures};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Parser)]
#[command(name = "fairshot-cluster-load", version)]
struct Args {
    /// Matchmakers, `host:port`, parted by commas; each join goes to the next, and on if one is gone.
    #[arg(long, value_delimiter = ',', default_value = "127.0.0.1:7600")]
    connect: Vec<String>,
    #[arg(long, default_value = "arena")]
    mode: String,
    /// Joins in all.
    #[arg(long, default_value_t = 1)]
    joins: u32,
    /// Joins a second.
    #[arg(long, default_value_t = 50.0)]
    rate: f64,
    /// Takes the seats and stays to the end; else seats are only asked for.
    #[arg(long)]
    play: bool,
    /// Asks for a new seat when a session ends by itself, or the server falls silent.
    #[arg(long, requires = "play")]
    come_back: bool,
    /// A player leaves this long after her first snapshot; to the end without it.
    #[arg(long, value_name = "SECONDS")]
    stay: Option<f64>,
    /// Goes on for so long after the last join was asked for.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    linger: f64,
    /// Lists the first matchmaker's public rooms instead, with how long that took.
    #[arg(long, conflicts_with = "play")]
    list: bool,
    /// Of each join.
    #[arg(long, value_name = "SECONDS", default_value_t = 8.0)]
    deadline: f64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    // ring, for QUIC. A second provider is none of this program's.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                eprintln!("no threads: {error}");
                return ExitCode::FAILURE;
            }
        };
    let _inside = runtime.enter();
    if args.list {
        println!("{}", runtime.block_on(join::list(&args)));
        return ExitCode::SUCCESS;
    }
    let began = Instant::now();
    let (events, told) = mpsc::channel::<Event>();
    let stop = Arc::new(AtomicBool::new(false));
    let matchmakers = Arc::new(join::Matchmakers::new(&args));
    let players = args.play.then(|| {
        play::start(&args, runtime.handle().clone(), matchmakers.clone(), events.clone(), &stop)
    });
    let seats = players.as_ref().map(|players| players.seats.clone());
    let asking = runtime.spawn(join::ask_all(args.clone(), matchmakers, seats, events.clone()));
    let (ended, linger) = (stop.clone(), Duration::from_secs_f64(args.linger));
    let watching = runtime.spawn(async move {
        let _ = asking.await;
        tokio::time::sleep(linger).await;
        ended.store(true, Ordering::Relaxed);
    });
    drop(events);
    let mut figures = Figures::default();
    // Ends when every sender is gone: the joins, and the players' thread.
    while let Ok(event) = told.recv() {
        println!("{}", event.line(began));
        figures.take(&event);
    }
    let _ = runtime.block_on(watching);
    if let Some(players) = players {
        players.end();
    }
    println!("{}", figures.object(began.elapsed()));
    ExitCode::SUCCESS
}
