//! What happened, a line each, and what it comes to.

use fairshot_proto::v1::JoinResponse;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

pub(crate) enum Event {
    Seated {
        room: String,
        player: String,
        seat: u32,
        address: String,
        after: Duration,
        at: Instant,
    },
    Refused {
        code: String,
        words: String,
        retry: Option<Duration>,
    },
    Playing {
        player: String,
        room: String,
        after: Duration,
        away: Option<Duration>,
    },
    Lost {
        player: String,
        room: String,
        why: String,
    },
    Failed {
        words: String,
    },
}

impl Event {
    pub(crate) fn seated(answer: &JoinResponse, asked_at: Instant) -> Self {
        let first = answer.seats.first();
        Self::Seated {
            room: answer.room_id.clone(),
            player: first.map(|seat| seat.player_id.clone()).unwrap_or_default(),
            seat: first.map_or(0, |seat| seat.seat),
            address: answer.address.clone(),
            after: asked_at.elapsed(),
            at: Instant::now(),
        }
    }

    pub(crate) fn line(&self, began: Instant) -> Value {
        let t_ms = ms(began.elapsed());
        match self {
            Self::Seated { room, player, seat, address, after, .. } => json!({
                "t_ms": t_ms, "event": "seated", "room": room, "player": player, "seat": seat,
                "address": address, "after_ms": ms(*after),
            }),
            Self::Refused { code, words, retry } => json!({
                "t_ms": t_ms, "event": "refused", "code": code, "words": words,
                "retry_ms": retry.map(ms),
            }),
            Self::Playing { player, room, after, away } => json!({
                "t_ms": t_ms, "event": "playing", "player": player, "room": room,
                "after_ms": ms(*after), "away_ms": away.map(ms),
            }),
            Self::Lost { player, room, why } => json!({
                "t_ms": t_ms, "event": "lost", "player": player, "room": room, "why": why,
            }),
            Self::Failed { words } => json!({ "t_ms": t_ms, "event": "failed", "words": words }),
        }
    }
}

#[derive(Default)]
pub(crate) struct Figures {
    seated: u32,
    refused: BTreeMap<String, u32>,
    refused_with_advice: u32,
    lost: BTreeMap<String, u32>,
    failed: u32,
    seat_ms: Vec<f64>,
    snapshot_ms: Vec<f64>,
    away_ms: Vec<f64>,
    /// Who holds a seat that was given away and not taken, until when nobody else may get it.
    promised: BTreeMap<(String, u32), Instant>,
    promised_twice: u32,
}

/// Well within the time a seat waits for its player.
const PROMISE: Duration = Duration::from_secs(14);

impl Figures {
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Seated { room, seat, after, at, .. } => {
                self.seated += 1;
                self.seat_ms.push(ms(*after));
                let before = self.promised.insert((room.clone(), *seat), *at);
                if before.is_some_and(|before| *at < before + PROMISE) {
                    self.promised_twice += 1;
                }
            }
            Event::Refused { code, retry, .. } => {
                *self.refused.entry(code.clone()).or_default() += 1;
                self.refused_with_advice += u32::from(retry.is_some());
            }
            Event::Playing { after, away, .. } => match away {
                None => self.snapshot_ms.push(ms(*after)),
                Some(away) => self.away_ms.push(ms(*away)),
            },
            Event::Lost { why, .. } => *self.lost.entry(why.clone()).or_default() += 1,
            Event::Failed { .. } => self.failed += 1,
        }
    }

    pub(crate) fn object(&self, took: Duration) -> Value {
        json!({
            "event": "figures",
            "seconds": took.as_secs_f64(),
            "seated": self.seated,
            "refused": self.refused,
            "refused_with_advice": self.refused_with_advice,
            "failed": self.failed,
            "lost": self.lost,
            "came_back": self.away_ms.len(),
            "promised_twice": self.promised_twice,
            "join_to_seat_ms": spread(&self.seat_ms),
            "join_to_first_snapshot_ms": spread(&self.snapshot_ms),
            "away_ms": spread(&self.away_ms),
        })
    }
}

fn spread(values: &[f64]) -> Value {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |part: usize| sorted.get(sorted.len().saturating_sub(1) * part / 100);
    json!({ "count": sorted.len(), "p50": at(50), "p99": at(99), "max": sorted.last() })
}

fn ms(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}
