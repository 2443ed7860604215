//! Players in their rooms, all on one thread: they stand still and look.

use crate::Args;
use crate::figures::Event;
use crate::join::{Matchmakers, Seated, ask_once};
use fairshot_client::{ClientKey, ClientSet, Options, Phase, Rejoin, Seat};
use fairshot_units::Input;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// The players' thread, and the way seats reach it.
pub(crate) struct Players {
    pub(crate) seats: mpsc::Sender<Seated>,
    thread: JoinHandle<()>,
}

impl Players {
    pub(crate) fn end(self) {
        drop(self.seats);
        let _ = self.thread.join();
    }
}

struct Player {
    key: ClientKey,
    set: usize,
    id: String,
    room: String,
    asked_at: Instant,
    lost_at: Option<Instant>,
    seen_at: Option<Instant>,
    over: bool,
}

/// Players who share a socket.
const PLAYERS_PER_SET: usize = 64;
const STEP: Duration = Duration::from_millis(2);
/// A server that says nothing for so long is given up by a player who comes back.
const SILENCE_MAX: Duration = Duration::from_secs(3);
/// Between two attempts to come back.
const COME_BACK_EVERY: Duration = Duration::from_millis(250);
/// For goodbyes to go out.
const GOODBYE: Duration = Duration::from_millis(300);

/// How long a player stays, and bears silence.
#[derive(Clone, Copy)]
struct Patience {
    stay: Option<Duration>,
    silence_max: Option<Duration>,
}

/// Why a session is over for its player, if it is.
fn over(phase: Option<Phase<'_>>, silent: Option<(Duration, Duration)>) -> Option<String> {
    match phase {
        Some(Phase::Ended(ended)) => Some(ended.label().to_owned()),
        _ => silent.filter(|(silent, max)| silent >= max).map(|_| "silent".to_owned()),
    }
}

pub(crate) fn start(
    args: &Args,
    runtime: Handle,
    matchmakers: Arc<Matchmakers>,
    events: mpsc::Sender<Event>,
    stop: &Arc<AtomicBool>,
) -> Players {
    let (seats, coming) = mpsc::channel();
    let (stop, stay) = (stop.clone(), args.stay.map(Duration::from_secs_f64));
    let again = args.come_back.then(|| seats.clone());
    let gives_up_after = args.come_back.then_some(SILENCE_MAX);
    let thread = std::thread::spawn(move || {
        let come_back = |lost_at: Instant| {
            let Some(seats) = again.clone() else { return };
            let (matchmakers, events) = (matchmakers.clone(), events.clone());
            runtime.spawn(async move {
                while !ask_once(&matchmakers, Some(&seats), &events, Some(lost_at)).await {
                    tokio::time::sleep(COME_BACK_EVERY).await;
                    if lost_at.elapsed() > Duration::from_secs(60) {
                        return;
                    }
                }
            });
        };
        let patience = Patience { stay, silence_max: gives_up_after };
        run(&coming, &events, &stop, patience, come_back);
    });
    Players { seats, thread }
}

fn run(
    coming: &mpsc::Receiver<Seated>,
    events: &mpsc::Sender<Event>,
    stop: &AtomicBool,
    patience: Patience,
    come_back: impl Fn(Instant),
) {
    let mut sets: Vec<ClientSet> = Vec::new();
    let mut players: Vec<Player> = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let now = Instant::now();
        while let Ok(seated) = coming.try_recv() {
            enter(seated, &mut sets, &mut players, events, now);
        }
        step(&mut sets, &mut players, events, patience, &come_back, now);
        std::thread::sleep(STEP);
    }
    for player in players.iter().filter(|player| !player.over) {
        sets[player.set].leave(Instant::now(), player.key);
    }
    let until = Instant::now() + GOODBYE;
    while Instant::now() < until {
        let now = Instant::now();
        for set in &mut sets {
            set.receive(now);
            set.flush(now);
        }
        std::thread::sleep(STEP);
    }
}

fn enter(
    seated: Seated,
    sets: &mut Vec<ClientSet>,
    players: &mut Vec<Player>,
    events: &mpsc::Sender<Event>,
    now: Instant,
) {
    let Seated { answer, asked_at, lost_at } = seated;
    let seats = match Seat::all_of(answer) {
        Ok(seats) => seats,
        Err(error) => {
            let _ = events.send(Event::Failed { words: error.to_string() });
            return;
        }
    };
    for seat in seats {
        let set = players.len() / PLAYERS_PER_SET;
        if set == sets.len() {
            match ClientSet::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)), now) {
                Ok(bound) => sets.push(bound),
                Err(error) => {
                    let _ = events.send(Event::Failed { words: error.to_string() });
                    return;
                }
            }
        }
        let (id, room) = (seat.player_id.clone(), seat.room_id.clone());
        let options = Options { rejoin: Rejoin::Never, ..Options::default() };
        match sets[set].connect(now, seat, options) {
            Ok(key) => players.push(Player {
                key,
                set,
                id,
                room,
                asked_at,
                lost_at,
                seen_at: None,
                over: false,
            }),
            Err(error) => {
                let _ = events.send(Event::Failed { words: error.to_string() });
            }
        }
    }
}

fn step(
    sets: &mut [ClientSet],
    players: &mut [Player],
    events: &mpsc::Sender<Event>,
    patience: Patience,
    come_back: &impl Fn(Instant),
    now: Instant,
) {
    for set in sets.iter_mut() {
        set.receive(now);
    }
    for player in players.iter_mut().filter(|player| !player.over) {
        let set = &mut sets[player.set];
        let now_us = set.micros(now);
        while set.next_event(player.key).is_some() {}
        if let Some(session) = set.session_mut(player.key) {
            if player.seen_at.is_none() && session.newest_tick().is_some() {
                player.seen_at = Some(now);
                let _ = events.send(Event::Playing {
                    player: player.id.clone(),
                    room: player.room.clone(),
                    after: now - player.asked_at,
                    away: player.lost_at.map(|lost_at| now - lost_at),
                });
            }
            if session.frame_due(now_us) {
                session.frame(Input::default(), false, now_us);
            }
        }
        let silent = set.silent_for(now, player.key).zip(patience.silence_max);
        let left = patience.stay.zip(player.seen_at).is_some_and(|(stay, at)| now - at >= stay);
        if left {
            set.leave(now, player.key);
            player.over = true;
        } else if let Some(why) = over(set.phase(player.key), silent) {
            player.over = true;
            // Said to a server that may not be there, on a socket others use.
            set.remove(player.key);
            let _ = events.send(Event::Lost {
                player: player.id.clone(),
                room: player.room.clone(),
                why,
            });
            come_back(now);
        }
    }
    for set in sets {
        while set.next_notice().is_some() {}
        set.flush(now);
    }
}
