//! The swarm from start to end: seats, play, cease-fire, linger, goodbye.

use crate::args::Args;
use crate::crowd::{self, Act, Newcomer, Outcome, Stage};
use crate::page::Lateness;
use crate::report::Report;
use crate::server::{Server, Usage};
use fairshot_client::{JoinError, Matchmaker, Wish};
use fairshot_proto::v1::CreateRequest;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Threads that play; a thread steps hundreds of players.
const THREADS_MAX: usize = 2;
/// Everybody is in by then, or the play begins without them.
const GATHER_MAX: Duration = Duration::from_secs(12);
/// The rooms get this long to settle before the play is measured.
const SETTLE: Duration = Duration::from_millis(1500);
/// Every shot has its answer by then.
const CEASE_FIRE: Duration = Duration::from_millis(2000);
/// A matchmaker that says "later" is asked again this often at the most.
const JOIN_TRIES: u32 = 40;
const JOIN_AGAIN: Duration = Duration::from_millis(250);

/// Why the swarm did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("`{0}` is no address")]
    Address(String),
    #[error("no server: {0}")]
    Server(#[source] io::Error),
    #[error("no runtime: {0}")]
    Runtime(#[source] io::Error),
    #[error("no seats in room {room}: {source}")]
    Join { room: usize, source: JoinError },
    #[error("a playing thread panicked")]
    Thread,
    #[error("the server did not stop cleanly: {0}")]
    Stop(String),
}

/// Runs it.
pub(crate) fn run(args: &Args) -> Result<Report, RunError> {
    let join = address(&args.connect)?;
    let page = address(&args.metrics).ok();
    let server =
        if args.spawn { Some(Server::spawn(join).map_err(RunError::Server)?) } else { None };
    let pid = server.as_ref().map(Server::pid);

    let stage = Arc::new(Stage::default());
    let threads = usize::from(args.rooms).min(THREADS_MAX);
    let mut doors = Vec::with_capacity(threads);
    let mut crowds = Vec::with_capacity(threads);
    for _ in 0..threads {
        let (door, newcomers) = channel();
        let stage = stage.clone();
        doors.push(door);
        let grade = args.network.clone();
        crowds.push(std::thread::spawn(move || crowd::play(&newcomers, &stage, grade.as_ref())));
    }
    let joined = seat_everybody(args, &doors);
    drop(doors);
    if let Err(error) = joined {
        stage.set(Act::Leaving);
        for crowd in crowds {
            // The error that came first is the one to tell.
            let _ = crowd.join();
        }
        return Err(error);
    }
    let players = u32::from(args.rooms) * u32::from(args.players);
    let gathered_by = Instant::now() + GATHER_MAX;
    while stage.connected() < players && Instant::now() < gathered_by {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(SETTLE);

    stage.set(Act::Playing);
    let began = Instant::now();
    let usage_before = pid.and_then(Usage::of);
    let late_before = page.and_then(Lateness::read);
    std::thread::sleep(Duration::from_secs(u64::from(args.seconds)));
    let played = began.elapsed();
    let usage_after = pid.and_then(Usage::of);
    let late_after = page.and_then(Lateness::read);
    stage.set(Act::CeaseFire);
    std::thread::sleep(CEASE_FIRE);
    if args.linger > 0 {
        stage.set(Act::Lingering);
        std::thread::sleep(Duration::from_secs(u64::from(args.linger)));
    }
    stage.set(Act::Leaving);
    let mut outcomes: Vec<Outcome> = Vec::new();
    for crowd in crowds {
        outcomes.extend(crowd.join().map_err(|_| RunError::Thread)?);
    }
    if let Some(server) = server {
        match server.stop() {
            Ok(Some(0)) => {}
            Ok(code) => return Err(RunError::Stop(format!("exit code {code:?}"))),
            Err(error) => return Err(RunError::Stop(error.to_string())),
        }
    }
    Ok(Report::of(
        args,
        played,
        usage_before.zip(usage_after),
        late_before.zip(late_after),
        &outcomes,
    ))
}

fn address(text: &str) -> Result<SocketAddr, RunError> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.ok_or_else(|| RunError::Address(text.to_owned()))
}

fn seat_everybody(args: &Args, doors: &[Sender<Newcomer>]) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(RunError::Runtime)?;
    runtime.block_on(async {
        let uri = format!("http://{}", args.connect);
        let mut matchmaker = Matchmaker::connect(&uri, args.token.as_deref())
            .await
            .map_err(|source| RunError::Join { room: 0, source })?;
        for room in 0..usize::from(args.rooms) {
            let wish = CreateRequest {
                mode: args.mode.clone(),
                party_size: args.players.into(),
                seats_max: args.players.into(),
                monsters: args.npcs,
                ..CreateRequest::default()
            };
            let mut tries = 0;
            let seats = loop {
                match matchmaker.ask(Wish::Create(wish.clone())).await {
                    Ok(seats) => break seats,
                    Err(error) if error.may_retry() && tries < JOIN_TRIES => {
                        tries += 1;
                        tokio::time::sleep(JOIN_AGAIN).await;
                    }
                    Err(source) => return Err(RunError::Join { room, source }),
                }
            };
            for (index, seat) in seats.into_iter().enumerate() {
                let newcomer = Newcomer {
                    seat,
                    room,
                    seed: args.seed.wrapping_mul(1_000_003) + (room as u64) * 64 + index as u64,
                    cheat: args.cheat.filter(|_| index == 0),
                };
                if doors[room % doors.len()].send(newcomer).is_err() {
                    return Err(RunError::Thread);
                }
            }
        }
        Ok(())
    })
}
