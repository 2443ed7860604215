//! A match in virtual time: one server, its players, a line for each, and the steps that drive them.

use crate::findings::Findings;
use crate::host::Host;
use crate::line::Course;
use crate::player::{Hands, Player};
use bytes::Bytes;
use fairshot_bots::{Bot, Mood};
use fairshot_client::{ClientSet, Options, Rejoin, Seat};
use fairshot_client_core::{Assets, GameSettings, Stats};
use fairshot_mode::{Mode, presets};
use fairshot_transport::Settings;
use fairshot_transport::link::{Line, Link};
use fairshot_units::MessageNumber;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One tick of 64 a second.
pub const TICK: Duration = Duration::from_nanos(15_625_000);
/// Everybody is stepped so many times a tick.
const STEPS_A_TICK: u32 = 2;
const SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 7000);
/// Everybody is in by then, on the good line they join over.
const GATHER_TICKS_MAX: u32 = 64 * 10;
/// After the settling, what a grant on its way still keeps apart has come together by then.
const AGREE_TICKS_MAX: u32 = 64;

/// What a match is made of.
#[derive(Clone, Debug)]
pub struct Plan {
    pub mode_text: String,
    pub mode: Mode,
    pub seed: u64,
}

impl Plan {
    /// The compiled-in mode of that name with so many monsters.
    ///
    /// # Panics
    /// Where there is none of that name.
    #[must_use]
    pub fn preset(name: &str, monsters: u16, seed: u64) -> Self {
        let preset = presets::named(name).unwrap_or_else(|| panic!("no mode is called {name}"));
        let mode = preset.parse().unwrap_or_else(|errors| panic!("{name}: {errors}"));
        Self { mode_text: preset.text.to_owned(), mode: mode.with_monsters(monsters), seed }
    }
}

/// A match.
#[derive(Debug)]
pub struct Match {
    pub host: Host,
    pub players: Vec<Player>,
    link: Link,
    seed: u64,
    began: Instant,
    steps: u32,
    /// When the lines' courses began: after everybody joined.
    courses_from: Option<Instant>,
}

impl Match {
    /// Lets so many bots in over a good line, and returns once each has a body.
    ///
    /// # Panics
    /// Where that takes ten seconds.
    #[must_use]
    pub fn new(plan: &Plan, courses: Vec<Course>) -> Self {
        let seed = plan.seed;
        let hands = |n: usize| -> Box<dyn Hands> { Box::new(Bot::new(seed * 64 + n as u64, None)) };
        Self::played_by(plan, courses, hands)
    }

    /// As [`Match::new`], with hands for each player.
    ///
    /// # Panics
    /// As [`Match::new`].
    #[must_use]
    pub fn played_by(
        plan: &Plan,
        courses: Vec<Course>,
        hands: impl Fn(usize) -> Box<dyn Hands>,
    ) -> Self {
        let began = Instant::now();
        let good = Line { latency: Duration::from_millis(20), ..Line::default() };
        let link = Link::new(plan.seed, good);
        let port = link.port(SERVER);
        let host = Host::new(&plan.mode_text, plan.mode.clone(), port, plan.seed, began);
        let mut made = Self {
            host,
            players: Vec::new(),
            link,
            seed: plan.seed,
            began,
            steps: 0,
            courses_from: None,
        };
        let text = Bytes::copy_from_slice(plan.mode_text.as_bytes());
        let settings = Arc::new(
            GameSettings::parse(&text, &Assets::default()).expect("the server's own mode"),
        );
        for (number, course) in courses.into_iter().enumerate() {
            made.connect(number, course, hands(number), &settings);
            // In the order of their seats.
            made.gather(number + 1);
        }
        made.courses_from = Some(made.now());
        made
    }

    fn connect(
        &mut self,
        number: usize,
        course: Course,
        hands: Box<dyn Hands>,
        settings: &Arc<GameSettings>,
    ) {
        let [low, high, ..] = (number + 1).to_le_bytes();
        let address = SocketAddr::from((Ipv4Addr::new(10, 1, high, low), 4000));
        let mut seed = [low; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        let transport = Settings { seed: Some(seed), ..Settings::client() };
        let now = self.now();
        let mut set = ClientSet::on(self.link.port(address), transport, now);
        let seat = Seat {
            address: SERVER,
            certificate_sha256: self.host.pin,
            ticket: Bytes::from_static(b"ticket"),
            room_id: "room".to_owned(),
            player_id: format!("p{number}"),
            traceparent: None,
        };
        let settings = Some(Arc::clone(settings));
        let options = Options { rejoin: Rejoin::Never, settings, ..Options::default() };
        let key = set.connect(now, seat, options).expect("an address that can be reached");
        let seed = self.seed * 1_000_003 + number as u64;
        self.players.push(Player::new(course, hands, set, key, address, seed));
    }

    fn gather(&mut self, players: usize) {
        for _ in 0..GATHER_TICKS_MAX {
            self.tick();
            let here = |player: &Player| player.client().body().is_some_and(|body| body.alive);
            if self.host.sessions.len() == players && self.players.iter().all(here) {
                return;
            }
        }
        panic!("seed {}: not everybody was in after ten seconds", self.seed);
    }

    /// Everybody fights for so long.
    pub fn fight(&mut self, how_long: Duration) {
        self.run(how_long, Mood::Fighting);
    }

    /// Plays on for so long, all of them in that mood.
    pub fn run(&mut self, how_long: Duration, mood: Mood) {
        for player in &mut self.players {
            player.mood = mood;
        }
        let ticks = how_long.as_nanos().div_ceil(TICK.as_nanos());
        for _ in 0..ticks {
            self.tick();
        }
    }

    /// Nobody fires any more, the lines get good, and what is on its way arrives.
    pub fn settle(&mut self) {
        let good = Line { latency: Duration::from_millis(20), ..Line::default() };
        for player in &mut self.players {
            player.course = Course::steady(good);
        }
        self.run(Duration::from_secs(5), Mood::Peaceful);
        // Monsters fight on: a respawn grant or a command may be on its way at any moment.
        for _ in 0..AGREE_TICKS_MAX {
            if self.findings().diverged.is_empty() {
                return;
            }
            self.tick();
        }
    }

    /// One tick of the server, and what the players do in it.
    pub fn tick(&mut self) {
        for _ in 0..STEPS_A_TICK {
            self.steps += 1;
            let now = self.now();
            self.set_lines(now);
            self.host.step(now, self.steps.is_multiple_of(STEPS_A_TICK));
            for (index, player) in self.players.iter_mut().enumerate() {
                player.step(now, self.began);
                let made = player.client().stats().frames - player.frames;
                player.frames += made;
                if let Some(session) = self.host.sessions.get_mut(index) {
                    session.upward.made.extend((0..made).map(|_| now));
                }
            }
        }
    }

    fn set_lines(&mut self, now: Instant) {
        let Some(from) = self.courses_from else { return };
        for player in &mut self.players {
            let (up, down) = player.course.at(now - from);
            self.link.set_line_between(player.address, SERVER, up);
            self.link.set_line_between(SERVER, player.address, down);
        }
    }

    #[must_use]
    pub fn now(&self) -> Instant {
        self.began + TICK * self.steps / STEPS_A_TICK
    }

    /// Since the courses began.
    #[must_use]
    pub fn played(&self) -> Duration {
        self.courses_from.map_or(Duration::ZERO, |from| self.now() - from)
    }

    /// The time as a player's client counts it.
    #[must_use]
    pub fn now_us(&self, player: usize) -> u64 {
        self.players[player].local_us(self.now(), self.began)
    }

    /// Every player's counts in one.
    #[must_use]
    pub fn total(&self) -> Stats {
        let mut total = Stats::default();
        for player in &self.players {
            add(&mut total, player.client().stats());
        }
        total
    }

    /// What came out so far. Settle before, for a shot on its way is not answered yet.
    #[must_use]
    pub fn findings(&self) -> Findings {
        let mut findings = Findings {
            seed: self.seed,
            refused: self.host.refused.clone(),
            ended: self.host.ended.clone(),
            shots_moved: self.host.moved.len() as u64,
            frames_dropped: self.host.room.counts().frames_dropped,
            ..Findings::default()
        };
        let mut explained = 0;
        for (player, session) in self.players.iter().zip(&self.host.sessions) {
            findings.count(player.client().stats());
            explained += player.explained;
            let moved =
                |number: &&MessageNumber| self.host.moved.contains(&(session.entity, **number));
            let all = player.corrected.len();
            let by_rewind = player.corrected.iter().filter(moved).count();
            findings.corrected_by_rewind += by_rewind as u64;
            findings.corrected_in_place += (all - by_rewind) as u64;
            let worst = session.upward.worst();
            let stall = &mut findings.stall_worst;
            stall.silence = stall.silence.max(worst.silence);
            stall.held_back = stall.held_back.max(worst.held_back);
            if !player.agrees_with(session) {
                findings.diverged.push(session.entity);
            }
            if player.ended && !findings.ended.contains(&session.entity) {
                findings.ended.push(session.entity);
            }
        }
        findings.unexplained = self.host.refusals.saturating_sub(explained);
        findings
    }
}

fn add(total: &mut Stats, stats: &Stats) {
    total.shots_sent += stats.shots_sent;
    total.shots_accepted += stats.shots_accepted;
    total.shots_unseen_death += stats.shots_unseen_death;
    total.hits_seen += stats.hits_seen;
    total.hits_dealt += stats.hits_dealt;
    total.hits_matched += stats.hits_matched;
    total.zones_matched += stats.zones_matched;
    total.snapshots += stats.snapshots;
    total.corrections += stats.corrections;
    total.correction_m_max = total.correction_m_max.max(stats.correction_m_max);
    for (rule, count) in &stats.shots_refused {
        *total.shots_refused.entry(rule.clone()).or_default() += count;
    }
}
