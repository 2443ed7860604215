//! Runs a room with bots in virtual time.

use crate::bot::Bot;
use crate::host::Host;
use crate::link::{Grade, Path};
use fairshot_client_core::{ClientOptions, PlayerClient, Stats};
use fairshot_mode::{Mode, presets};

pub const TICK_US: u64 = 15_625;
/// The game loops and the room wake at this grain.
const STEP_US: u64 = 3_125;

pub struct Game {
    pub host: Host,
    pub bots: Vec<Bot>,
    pub now_us: u64,
}

impl Game {
    /// The arena with so many players and monsters, all over the same kind of path.
    pub fn new(players: u64, monsters: u16, path: Path, seed: u64) -> Self {
        let preset = presets::named("arena").unwrap();
        let mode = preset.parse().unwrap().with_monsters(monsters);
        Self::of(preset.text, mode, players, path, seed)
    }

    pub fn of(text: &str, mode: Mode, players: u64, path: Path, seed: u64) -> Self {
        let mut host = Host::new(text, mode, seed);
        let mut bots: Vec<Bot> = Vec::new();
        for n in 0..players {
            host.connect(path, path);
            let settings = bots.first().and_then(|bot| bot.client.settings().cloned());
            let client = PlayerClient::new(ClientOptions { settings, ..Default::default() });
            // Pistol, scattergun, rifle, rail.
            bots.push(Bot::new(client, seed * 31 + n, &[2, 3, 4, 5]));
        }
        Self { host, bots, now_us: 0 }
    }

    pub fn run(&mut self, seconds: f64) {
        let end = self.now_us + (seconds * 1e6) as u64;
        while self.now_us < end {
            self.now_us += STEP_US;
            self.carry();
            if self.now_us.is_multiple_of(TICK_US) {
                self.host.tick(self.now_us);
            }
        }
    }

    /// Plays a grade of a cellular connection both ways.
    pub fn play(&mut self, grade: &str) {
        for session in &mut self.host.sessions {
            let links = [
                &mut session.up,
                &mut session.down,
                &mut session.up_stream,
                &mut session.down_stream,
            ];
            for link in links {
                link.play(Grade::named(grade));
            }
        }
    }

    /// Has everybody draw on across gaps.
    pub fn smooth(&mut self) {
        for bot in &mut self.bots {
            bot.client.draw_smoothly(true);
        }
    }

    /// Stops the shooting and lets what is on its way arrive.
    pub fn settle(&mut self) {
        for bot in &mut self.bots {
            bot.shoots = false;
        }
        self.run(3.0);
    }

    fn carry(&mut self) {
        for (bot, session) in self.bots.iter_mut().zip(&mut self.host.sessions) {
            let (room_us, now) = (self.now_us, bot.local_us(self.now_us));
            for bytes in session.down_stream.arrived(room_us) {
                bot.client.handle_stream(&bytes).unwrap();
            }
            for bytes in session.down.arrived(room_us) {
                bot.client.handle_datagram(&bytes, now);
            }
            // Game loops run at their own pace, not the room's.
            if bot.plays && bot.rng.chance(60) {
                bot.play(now);
            }
            let mut out = Vec::new();
            if bot.client.poll_datagram(1162, &mut out) {
                session.up.send(room_us, out, &mut self.host.rng);
            }
            while let Some(bytes) = bot.client.poll_stream() {
                session.up_stream.send_ordered(room_us, bytes.to_vec(), &mut self.host.rng);
            }
        }
    }

    /// Every player's counts in one.
    pub fn total(&self) -> Stats {
        let mut total = Stats::default();
        for stats in self.bots.iter().map(|bot| bot.client.stats()) {
            total.shots_sent += stats.shots_sent;
            total.shots_accepted += stats.shots_accepted;
            total.shots_unseen_death += stats.shots_unseen_death;
            total.hits_seen += stats.hits_seen;
            total.hits_dealt += stats.hits_dealt;
            total.hits_matched += stats.hits_matched;
            total.zones_matched += stats.zones_matched;
            total.deaths += stats.deaths;
            total.respawns += stats.respawns;
            total.kills += stats.kills;
            total.frames += stats.frames;
            total.snapshots += stats.snapshots;
            total.corrections += stats.corrections;
            total.correction_m_max = total.correction_m_max.max(stats.correction_m_max);
            total.datagram_bytes_up += stats.datagram_bytes_up;
            for (rule, count) in &stats.shots_refused {
                *total.shots_refused.entry(rule.clone()).or_default() += count;
            }
            for (label, count) in &stats.snapshots_refused {
                *total.snapshots_refused.entry(label).or_default() += count;
            }
        }
        total
    }
}
