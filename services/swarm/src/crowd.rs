//! One thread's share of the players: all of them stepped in one loop over few sockets.

use fairshot_bots::{Bot, Cheat, Mood};
use fairshot_client::{
    ClientKey, ClientSet, Grade, GradePlayer, Impaired, Network, Notice, Options, Phase, Rejoin,
    Seat, Socket, TransportSettings,
};
use fairshot_client_core::{ClientEvent, GameSettings, Stats};
use fairshot_units::Tick;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Players sharing one socket.
const PLAYERS_PER_SOCKET: usize = 64;
/// Steps of a grade between one player's line and the next one's.
const LINE_STRIDE: usize = 17;
/// One turn of the loop.
const TURN: Duration = Duration::from_micros(1953);
/// Players get this long to be told goodbye.
const LEAVE_MAX: Duration = Duration::from_secs(3);

/// A player to be.
#[derive(Debug)]
pub(crate) struct Newcomer {
    pub(crate) seat: Seat,
    pub(crate) room: usize,
    pub(crate) seed: u64,
    pub(crate) cheat: Option<Cheat>,
}

/// What the whole swarm does now, told to every thread.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    now: AtomicU8,
    connected: AtomicU32,
    /// The first player's settings, shared by all: a mode is parsed once.
    settings: Mutex<Option<Arc<GameSettings>>>,
}

/// The stages, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Act {
    Gathering = 0,
    Playing = 1,
    /// Moves on, fires nothing: every shot gets its answer.
    CeaseFire = 2,
    Lingering = 3,
    Leaving = 4,
}

impl Stage {
    pub(crate) fn set(&self, act: Act) {
        self.now.store(act as u8, Ordering::Release);
    }

    fn act(&self) -> Act {
        match self.now.load(Ordering::Acquire) {
            0 => Act::Gathering,
            1 => Act::Playing,
            2 => Act::CeaseFire,
            3 => Act::Lingering,
            _ => Act::Leaving,
        }
    }

    /// Players welcomed so far.
    pub(crate) fn connected(&self) -> u32 {
        self.connected.load(Ordering::Acquire)
    }
}

/// What became of one player.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) room: usize,
    pub(crate) cheat: Option<Cheat>,
    pub(crate) connected: bool,
    pub(crate) disconnects: u32,
    /// Why it ended, where it did so before it left.
    pub(crate) ended: Option<String>,
    /// As it stood when the play began and ended, and at the very end.
    pub(crate) began: Option<Mark>,
    pub(crate) played: Option<Mark>,
    pub(crate) stats: Stats,
    /// Weapon commands applied: what a frozen counter could gain by.
    pub(crate) commands: u64,
    /// Shots a second of the weapon it fired, for a cheat.
    pub(crate) rate: f32,
}

/// A moment of a player's session.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) at: Instant,
    pub(crate) tick: Option<Tick>,
    pub(crate) stats: Stats,
}

#[derive(Debug)]
struct Player {
    set: usize,
    key: ClientKey,
    bot: Bot,
    outcome: Outcome,
    over: bool,
}

/// Players on one socket, or a single one on a line of its own.
type Set = ClientSet<Box<dyn Network>>;

/// Plays until everybody has left. With a grade, each player has a line of that grade.
pub(crate) fn play(
    newcomers: &Receiver<Newcomer>,
    stage: &Stage,
    grade: Option<&Grade>,
) -> Vec<Outcome> {
    let mut sets: Vec<Set> = Vec::new();
    let mut players: Vec<Player> = Vec::new();
    let mut act = Act::Gathering;
    let mut leave_by = None;
    let mut next_turn = Instant::now();
    loop {
        let now = Instant::now();
        if stage.act() == Act::Gathering {
            take_newcomers(newcomers, stage, grade, &mut sets, &mut players, now);
        }
        if stage.act() != act {
            act = stage.act();
            enter(act, &mut sets, &mut players, now);
            if act == Act::Leaving {
                leave_by = Some(now + LEAVE_MAX);
            }
        }
        turn(act, stage, &mut sets, &mut players, now);
        let all_over = players.iter().all(|player| player.over);
        if leave_by.is_some_and(|by| now > by || all_over) {
            break;
        }
        next_turn = (next_turn + TURN).max(now);
        std::thread::sleep(next_turn.saturating_duration_since(Instant::now()));
    }
    players.into_iter().map(|player| player.outcome).collect()
}

fn take_newcomers(
    newcomers: &Receiver<Newcomer>,
    stage: &Stage,
    grade: Option<&Grade>,
    sets: &mut Vec<Set>,
    players: &mut Vec<Player>,
    now: Instant,
) {
    loop {
        let newcomer = match newcomers.try_recv() {
            Ok(newcomer) => newcomer,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return,
        };
        let mut outcome = Outcome {
            room: newcomer.room,
            cheat: newcomer.cheat,
            connected: false,
            disconnects: 0,
            ended: None,
            began: None,
            played: None,
            stats: Stats::default(),
            commands: 0,
            rate: 0.0,
        };
        let per_socket = if grade.is_some() { 1 } else { PLAYERS_PER_SOCKET };
        let set = players.len() / per_socket;
        if set == sets.len() {
            match bind(grade, newcomer.seed, set) {
                Ok(network) => sets.push(ClientSet::on(network, TransportSettings::client(), now)),
                Err(error) => {
                    eprintln!("fairshot-swarm: no socket: {error}");
                    return;
                }
            }
        }
        let settings = stage.settings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let options = Options { rejoin: Rejoin::Never, settings, ..Options::default() };
        match sets[set].connect(now, newcomer.seat, options) {
            Ok(key) => players.push(Player {
                set,
                key,
                bot: Bot::new(newcomer.seed, newcomer.cheat),
                outcome,
                over: false,
            }),
            Err(error) => {
                outcome.ended = Some(error.to_string());
                eprintln!("fairshot-swarm: {error}");
            }
        }
    }
}

fn bind(grade: Option<&Grade>, seed: u64, number: usize) -> std::io::Result<Box<dyn Network>> {
    let socket = Socket::bind(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)))?;
    Ok(match grade {
        None => Box::new(socket),
        Some(grade) => {
            let player = GradePlayer::new(grade.clone(), number * LINE_STRIDE, false);
            Box::new(Impaired::graded(socket, seed, player))
        }
    })
}

fn enter(act: Act, sets: &mut [Set], players: &mut [Player], now: Instant) {
    for player in players {
        let set = &mut sets[player.set];
        let mark = set.session(player.key).map(|session| Mark {
            at: now,
            tick: session.newest_tick(),
            stats: session.stats().clone(),
        });
        match act {
            Act::Playing => player.outcome.began = mark,
            Act::CeaseFire => player.outcome.played = mark,
            Act::Leaving => set.leave(now, player.key),
            Act::Gathering | Act::Lingering => {}
        }
    }
}

fn turn(act: Act, stage: &Stage, sets: &mut [Set], players: &mut [Player], now: Instant) {
    for set in sets.iter_mut() {
        set.receive(now);
    }
    let mood = match act {
        Act::Gathering | Act::CeaseFire => Mood::Peaceful,
        Act::Playing => Mood::Fighting,
        Act::Lingering | Act::Leaving => Mood::Silent,
    };
    for player in players.iter_mut().filter(|player| !player.over) {
        let set = &mut sets[player.set];
        let now_us = set.micros(now);
        while let Some(event) = set.next_event(player.key) {
            hear(&event, player, set, stage);
        }
        let due = set.session(player.key).is_some_and(|session| session.frame_due(now_us));
        if due
            && act != Act::Leaving
            && let Some(session) = set.session_mut(player.key)
        {
            player.bot.play(session, mood, now_us);
        }
        if let Some(session) = set.session(player.key) {
            // The counts outlive the session that made them.
            if act >= Act::CeaseFire {
                player.outcome.stats = session.stats().clone();
            }
        }
        if let Some(Phase::Ended(_)) = set.phase(player.key) {
            player.over = true;
            if act != Act::Leaving {
                player.outcome.disconnects += 1;
            }
        }
    }
    for (index, set) in sets.iter_mut().enumerate() {
        while let Some((key, notice)) = set.next_notice() {
            let told = players.iter_mut().find(|player| player.set == index && player.key == key);
            if let (Some(player), Notice::Ended(ended)) = (told, notice)
                && act != Act::Leaving
            {
                eprintln!(
                    "fairshot-swarm: a player of room {} was lost: {ended:?}",
                    player.outcome.room
                );
                player.outcome.ended = Some(format!("{ended:?}"));
            }
        }
        set.flush(now);
    }
}

fn hear(event: &ClientEvent, player: &mut Player, set: &Set, stage: &Stage) {
    match event {
        ClientEvent::Welcomed(_) => {
            player.outcome.connected = true;
            stage.connected.fetch_add(1, Ordering::AcqRel);
            let mut shared = stage.settings.lock().unwrap_or_else(PoisonError::into_inner);
            if shared.is_none() {
                *shared = set.session(player.key).and_then(|session| session.settings().cloned());
            }
        }
        ClientEvent::Commanded { .. } => player.outcome.commands += 1,
        ClientEvent::Marker { weapon, .. } => {
            let settings = set.session(player.key).and_then(|session| session.settings());
            if let Some(weapon) = settings.and_then(|s| s.catalogue.get(*weapon)) {
                player.outcome.rate = weapon.shots_per_second;
            }
        }
        _ => {}
    }
}
