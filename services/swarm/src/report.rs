//! What came of it, as one JSON object or as lines for people.

use crate::args::Args;
use crate::crowd::{Mark, Outcome};
use crate::page::Lateness;
use crate::server::Usage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The swarm's figures. A name ends in its unit; `null` is a figure nobody could read.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    rooms: u16,
    players: u16,
    seconds: f64,
    connected: usize,
    /// Ticks a second of the rooms, by what their players saw.
    tick_hz_mean: f64,
    tick_late_ms_p50: Option<f64>,
    tick_late_ms_p99: Option<f64>,
    server_cpu_s_per_s: Option<f64>,
    server_rss_bytes: Option<u64>,
    /// Payload: datagrams and stream bytes.
    down_bytes_per_player_s: f64,
    up_bytes_per_player_s: f64,
    snapshots_per_player_s: f64,
    shots_sent: u64,
    shots_accepted: u64,
    shots_refused: BTreeMap<String, u64>,
    shots_unseen_death: u64,
    shots_unanswered: u64,
    hits_seen: u64,
    hits_dealt: u64,
    hits_matched: u64,
    deaths: u64,
    disconnects: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    cheat: Option<CheatReport>,
}

/// The cheats, apart from the honest.
#[derive(Clone, Debug, Serialize)]
struct CheatReport {
    name: String,
    players: usize,
    sent: u64,
    accepted: u64,
    refused: BTreeMap<String, u64>,
    unseen_death: u64,
    /// What honest play of the same length could have had accepted.
    accepted_max: u64,
}

impl Report {
    #[expect(clippy::cast_precision_loss, reason = "figures")]
    pub(crate) fn of(
        args: &Args,
        played: Duration,
        usage: Option<(Usage, Usage)>,
        late: Option<(Lateness, Lateness)>,
        outcomes: &[Outcome],
    ) -> Self {
        let seconds = played.as_secs_f64();
        let honest: Vec<&Outcome> = outcomes.iter().filter(|o| o.cheat.is_none()).collect();
        let mut refused = BTreeMap::new();
        for outcome in &honest {
            add(&mut refused, &outcome.stats.shots_refused);
        }
        let sum = |of: fn(&Outcome) -> u64| honest.iter().map(|outcome| of(outcome)).sum::<u64>();
        let spans: Vec<(&Mark, &Mark)> =
            outcomes.iter().filter_map(|o| Some((o.began.as_ref()?, o.played.as_ref()?))).collect();
        let per_player_s = |of: fn(&Mark) -> u64| {
            let total: u64 = spans.iter().map(|(a, b)| of(b).saturating_sub(of(a))).sum();
            total as f64 / (spans.len().max(1) as f64 * seconds)
        };
        let percentile = |part| late.as_ref().and_then(|(a, b)| b.percentile_ms(a, part));
        Self {
            rooms: args.rooms,
            players: args.players,
            seconds: round(seconds, 3),
            connected: outcomes.iter().filter(|outcome| outcome.connected).count(),
            tick_hz_mean: round(tick_hz_mean(&spans), 3),
            tick_late_ms_p50: percentile(0.5).map(|ms| round(ms, 3)),
            tick_late_ms_p99: percentile(0.99).map(|ms| round(ms, 3)),
            server_cpu_s_per_s: usage.map(|(a, b)| round((b.cpu_s - a.cpu_s) / seconds, 4)),
            server_rss_bytes: usage.map(|(_, after)| after.rss_bytes),
            down_bytes_per_player_s: round(
                per_player_s(|m| m.stats.datagram_bytes_down + m.stats.stream_bytes_down),
                1,
            ),
            up_bytes_per_player_s: round(
                per_player_s(|m| m.stats.datagram_bytes_up + m.stats.stream_bytes_up),
                1,
            ),
            snapshots_per_player_s: round(per_player_s(|m| m.stats.snapshots), 2),
            shots_sent: sum(|o| o.stats.shots_sent),
            shots_accepted: sum(|o| o.stats.shots_accepted),
            shots_refused: refused,
            shots_unseen_death: sum(|o| o.stats.shots_unseen_death),
            shots_unanswered: sum(|o| o.stats.shots_unanswered()),
            hits_seen: sum(|o| o.stats.hits_seen),
            hits_dealt: sum(|o| o.stats.hits_dealt),
            hits_matched: sum(|o| o.stats.hits_matched),
            deaths: outcomes.iter().map(|outcome| outcome.stats.deaths).sum(),
            disconnects: outcomes.iter().map(|outcome| outcome.disconnects).sum(),
            cheat: CheatReport::of(args, seconds, outcomes),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
    }
}

impl CheatReport {
    fn of(args: &Args, seconds: f64, outcomes: &[Outcome]) -> Option<Self> {
        use fairshot_bots::Cheat;
        let cheat = args.cheat?;
        let cheats: Vec<&Outcome> = outcomes.iter().filter(|o| o.cheat == Some(cheat)).collect();
        let mut refused = BTreeMap::new();
        for outcome in &cheats {
            add(&mut refused, &outcome.stats.shots_refused);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of shots"
        )]
        let fair = |outcome: &&Outcome| match cheat {
            Cheat::TeleportOrigin | Cheat::Unowned => 0,
            Cheat::FrozenAmmo => outcome.commands,
            _ => {
                let rate = f64::from(outcome.rate);
                (rate * seconds + (rate * 0.65 + 1.0).max(2.0)) as u64
            }
        };
        Some(Self {
            name: cheat.to_string(),
            players: cheats.len(),
            sent: cheats.iter().map(|o| o.stats.shots_sent).sum(),
            accepted: cheats.iter().map(|o| o.stats.shots_accepted).sum(),
            refused,
            unseen_death: cheats.iter().map(|o| o.stats.shots_unseen_death).sum(),
            accepted_max: cheats.iter().map(fair).sum(),
        })
    }
}

/// Mean over the players of how fast their room's ticks went by.
#[expect(clippy::cast_precision_loss, reason = "figures")]
fn tick_hz_mean(spans: &[(&Mark, &Mark)]) -> f64 {
    let rates: Vec<f64> = spans
        .iter()
        .filter_map(|(began, played)| {
            let ticks = played.tick?.since(began.tick?);
            let seconds = (played.at - began.at).as_secs_f64();
            (seconds > 0.0).then(|| f64::from(ticks) / seconds)
        })
        .collect();
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

fn add(sum: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (rule, count) in more {
        *sum.entry(rule.clone()).or_default() += count;
    }
}

fn round(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = serde_json::to_value(self).map_err(|_| fmt::Error)?;
        let Some(object) = value.as_object() else { return Err(fmt::Error) };
        for (index, (name, value)) in object.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}{name:26} {value}")?;
        }
        Ok(())
    }
}
