//! What a room reports: its heartbeat every five seconds, and what operators ask.

use super::deliver::log;
use super::{KeptShot, RoomActor};
use crate::readback::{unix_ms, weapon_name};
use actix::{Handler, Message};
use fairshot_cluster::control::{
    Heartbeat, LatencyWindow, PlayerInfo, RoomInfo, RoomState, RuleCounts, RuleMeasure,
    RuleOutcome, ShotClaim, ShotRecord, ShotTarget, ShotVerdict,
};
use fairshot_judge::Outcome;
use fairshot_room::TickOutput;
use fairshot_units::{
    EntityId, EntityKind, EntityState, Life, MessageNumber, PlayerId, Revision, Rule,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

impl RoomActor {
    /// Writes one heartbeat to the log, the subscribers and the counters.
    pub(super) fn heartbeat(&mut self, last: bool) {
        let mut lines = Vec::new();
        // A room that panicked may do so again when asked; its last heartbeat is then left out.
        let Self { room, .. } = self;
        let Ok(beat) = catch_unwind(AssertUnwindSafe(|| room.heartbeat(&mut lines))) else {
            return;
        };
        for line in &lines {
            log(line, self);
        }
        let (p50, p99) = self.take_tick_times();
        let since = &beat.since;
        self.metrics.shots_judged.increment(since.shots_judged);
        self.metrics.shots_accepted.increment(since.shots_accepted);
        self.metrics.hits.increment(since.hits);
        self.metrics.unseen_deaths.increment(since.unseen_deaths);
        for (rule, count) in &since.refused {
            self.metrics.refuse(*rule, *count);
        }
        let (bytes_up, bytes_down) = self.bytes();
        self.heartbeats += 1;
        let heartbeat = Heartbeat {
            room: self.id.clone(),
            mode: self.loaded.mode.name.clone(),
            node: self.node.clone(),
            shard: self.shard,
            number: self.heartbeats,
            last,
            time_unix_ms: unix_ms(),
            tick: beat.tick.0,
            players: beat.players.into(),
            monsters: beat.monsters.into(),
            tick_time_us_p50: p50,
            tick_time_us_p99: p99,
            late_ticks: self.late_ticks - self.late_ticks_told,
            dropped_ticks: since.ticks_dropped,
            refused_shots: by_rule(&since.refused),
            refused_shots_total: by_rule(&beat.total.refused),
            shots_judged: since.shots_judged,
            shots_accepted: since.shots_accepted,
            hits: since.hits,
            unseen_death: since.unseen_deaths,
            ledger_corrections: std::mem::take(&mut self.corrections),
            slow_disconnects: std::mem::take(&mut self.slow_disconnects),
            bytes_up: bytes_up.saturating_sub(self.told_bytes_up),
            bytes_down: bytes_down.saturating_sub(self.told_bytes_down),
            live_rules: self.live_rules.clone(),
        };
        self.late_ticks_told = self.late_ticks;
        self.told_bytes_up = self.told_bytes_up.max(bytes_up);
        self.told_bytes_down = self.told_bytes_down.max(bytes_down);
        self.last_tick_us = (p50, p99);
        tracing::info!(target: "fairshot::heartbeat", "{}", heartbeat.to_json_line());
        self.shared.heartbeat(Arc::new(heartbeat));
    }

    /// Payload bytes up and down since the room began, those of players who left included.
    fn bytes(&self) -> (u64, u64) {
        let here = self.links.iter().flatten().map(|link| link.traffic);
        here.fold((self.gone_bytes_up, self.gone_bytes_down), |sum, (up, down)| {
            (sum.0 + up, sum.1 + down)
        })
    }

    fn take_tick_times(&mut self) -> (u32, u32) {
        let times = &mut self.tick_times_us;
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(0);
        let percentiles = (at(50), at(99));
        times.clear();
        percentiles
    }

    fn player_info(&self, entity: EntityId) -> Option<PlayerInfo> {
        let link = self.link(entity)?;
        let mode = &self.loaded.mode;
        let state = state_of(&self.out, entity);
        let record = self.room.record(entity);
        let latency = record.map(|record| &record.latency).filter(|latency| !latency.is_empty());
        let mut gateway = self.gateway.borrow_mut();
        let depths = gateway.depths(link.session);
        let path = gateway.path(link.session);
        let round_trip = path.as_ref().map(|path| path.round_trip).unwrap_or_default();
        let team = state
            .filter(|state| state.team != EntityState::NO_TEAM)
            .and_then(|state| mode.teams.get(usize::from(state.team)));
        let held = state.map(|state| state.held).unwrap_or_default();
        Some(PlayerInfo {
            player: link.player.clone(),
            room: self.id.clone(),
            mode: mode.name.clone(),
            node: self.node.clone(),
            shard: self.shard,
            entity,
            team: team.map(|team| team.name.clone()).unwrap_or_default(),
            life: self.room.life(entity).unwrap_or(Life(0)),
            alive: state.is_some_and(|state| state.alive),
            held,
            held_name: weapon_name(mode, held),
            address: path.map(|path| path.address.to_string()).unwrap_or_default(),
            connected_s: self.clock.now_s().saturating_sub(link.connected_s),
            round_trip_ms: round_trip.as_secs_f32() * 1000.0,
            latency_ms: latency.and_then(|latency| latency.middle_s()).map(|s| s * 1000.0),
            jitter_ms: latency.map(|latency| latency.jitter_s() * 1000.0),
            shots_accepted: link.accepted,
            shots_refused: by_rule(&link.refused),
            queued_bytes: depths.map_or(0, |depths| depths.batch_bytes as u64),
        })
    }

    fn shot_record(&self, kept: &KeptShot) -> ShotRecord {
        let mode = &self.loaded.mode;
        let verdict = &kept.verdict;
        let claim = kept.claim.as_ref();
        let outcome = match &verdict.outcome {
            Outcome::Accepted => {
                ShotVerdict::Accepted { hits: u32::try_from(kept.hits.len()).unwrap_or(u32::MAX) }
            }
            Outcome::Refused { rule, reason } => ShotVerdict::Refused {
                rule: rule.label().to_owned(),
                reason: reason.to_string(),
                unseen_death: verdict.unseen_death,
            },
        };
        let window = &verdict.window;
        ShotRecord {
            time_unix_ms: kept.time_unix_ms,
            room: self.id.clone(),
            mode: mode.name.clone(),
            player: kept.player.clone(),
            number: verdict.number,
            weapon: verdict.weapon,
            weapon_name: weapon_name(mode, verdict.weapon),
            landed: verdict.landed,
            tick_hz: mode.tick_hz,
            claim: ShotClaim {
                life: verdict.shooter_life,
                revision: Revision::default(),
                total: 0,
                view: verdict.named,
                origin_m: claim.map_or([0.0; 3], |claim| claim.origin_m.to_array()),
                direction: claim.map_or([0.0; 3], |claim| claim.direction.to_array()),
            },
            verdict: outcome,
            latency: Some(LatencyWindow {
                claimed_ms: window.claimed_s * 1000.0,
                median_ms: window.middle_s.unwrap_or_default() * 1000.0,
                jitter_ms: window.jitter_s * 1000.0,
                samples: u32::from(window.middle_s.is_some()),
                nearest_ms: window.nearest_s * 1000.0,
                furthest_ms: window.furthest_s * 1000.0,
            }),
            judged: verdict.outcome.is_accepted().then_some(verdict.judged),
            shooter_m: [0.0; 3],
            ray_ends_m: kept.rays.iter().map(|ray| ray.end_m.to_array()).collect(),
            targets: kept
                .hits
                .iter()
                .map(|hit| ShotTarget {
                    entity: hit.target,
                    name: self.entity_name(hit.target),
                    position_m: hit.stood.position_m().to_array(),
                    passed_m: 0.0,
                    distance_m: hit.distance_m,
                    hit: true,
                    zone: state_of(&self.out, hit.target)
                        .and_then(|state| self.names.zone(state.kind, hit.zone))
                        .map(|zone| zone.to_string())
                        .unwrap_or_default(),
                    amount: hit.amount,
                    spared: String::new(),
                })
                .collect(),
            rules: verdict
                .measures
                .iter()
                .map(|measure| RuleMeasure {
                    rule: measure.rule.label().to_owned(),
                    outcome: match (measure.passed, measure.rule) {
                        (true, Rule::Rewind) if verdict.judged != verdict.named => {
                            RuleOutcome::Moved
                        }
                        (true, _) => RuleOutcome::Passed,
                        (false, _) => RuleOutcome::Refused,
                    },
                    measured: Some(measure.value),
                    limit: Some(measure.limit),
                    unit: unit_of(measure.rule).to_owned(),
                })
                .collect(),
            ledger: None,
        }
    }

    fn entity_name(&self, entity: EntityId) -> String {
        if let Some(link) = self.link(entity) {
            return link.player.to_string();
        }
        match state_of(&self.out, entity).map(|state| state.kind) {
            Some(EntityKind::Monster(index)) => self.names.monster(index).to_string(),
            _ => format!("entity {}", entity.0),
        }
    }
}

/// The room as an operator reads it; seats are the shard's to fill in.
#[derive(Debug, Message)]
#[rtype(result = "RoomReading")]
pub(crate) struct ReadRoom;

#[derive(Debug)]
pub(crate) struct RoomReading {
    pub(crate) info: RoomInfo,
    pub(crate) players: Vec<PlayerInfo>,
}

impl actix::dev::MessageResponse<RoomActor, ReadRoom> for RoomReading {
    fn handle(
        self,
        _: &mut actix::Context<RoomActor>,
        reply: Option<actix::dev::OneshotSender<RoomReading>>,
    ) {
        if let Some(reply) = reply {
            // Whoever asked may be gone by now.
            let _ = reply.send(self);
        }
    }
}

impl Handler<ReadRoom> for RoomActor {
    type Result = RoomReading;

    fn handle(&mut self, _: ReadRoom, _: &mut Self::Context) -> RoomReading {
        let players: Vec<_> = (0..self.links.len())
            .filter_map(|seat| self.player_info(EntityId(u16::try_from(seat).ok()?)))
            .collect();
        let monsters = self
            .out
            .entities
            .iter()
            .filter(|state| state.alive && matches!(state.kind, EntityKind::Monster(_)))
            .count();
        let counts = self.room.counts();
        let mode = &self.loaded.mode;
        RoomReading {
            info: RoomInfo {
                room: self.id.clone(),
                mode: mode.name.clone(),
                node: self.node.clone(),
                shard: self.shard,
                state: RoomState::Open,
                players: u32::try_from(players.len()).unwrap_or(u32::MAX),
                seats_reserved: 0,
                seats_max: mode.players_max.into(),
                monsters: u32::try_from(monsters).unwrap_or(u32::MAX),
                tick: self.room.tick_now(),
                tick_hz: mode.tick_hz,
                uptime_s: self.clock.now_s().saturating_sub(self.opened_s),
                tick_time_us_p50: self.last_tick_us.0,
                tick_time_us_p99: self.last_tick_us.1,
                refused_shots_total: by_rule(&counts.refused),
            },
            players,
        }
    }
}

/// The kept shots of a player, newest first; only the one of that number, where one is named.
#[derive(Debug, Message)]
#[rtype(result = "Vec<ShotRecord>")]
pub(crate) struct ReadShots {
    pub(crate) player: PlayerId,
    pub(crate) number: Option<MessageNumber>,
}

impl Handler<ReadShots> for RoomActor {
    type Result = Vec<ShotRecord>;

    fn handle(&mut self, asked: ReadShots, _: &mut Self::Context) -> Self::Result {
        let last = self
            .links
            .iter()
            .flatten()
            .filter(|link| link.player == asked.player)
            .flat_map(|link| link.shots.iter());
        let mut kept: Vec<Rc<KeptShot>> =
            last.chain(self.refusals.of(&asked.player)).cloned().collect();
        kept.retain(|shot| asked.number.is_none_or(|number| number == shot.verdict.number));
        kept.sort_by_key(|shot| std::cmp::Reverse((shot.landed_ms, shot.verdict.number)));
        kept.dedup_by(|a, b| Rc::ptr_eq(a, b));
        kept.iter().map(|shot| self.shot_record(shot)).collect()
    }
}

pub(super) fn state_of(out: &TickOutput, entity: EntityId) -> Option<&EntityState> {
    out.entities.iter().find(|state| state.id == entity)
}

pub(super) fn by_rule(counts: &std::collections::BTreeMap<Rule, u64>) -> RuleCounts {
    counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(rule, count)| (rule.label().to_owned(), *count))
        .collect()
}

fn unit_of(rule: Rule) -> &'static str {
    match rule {
        Rule::Rate => "shots",
        Rule::Origin | Rule::Cover | Rule::Range => "m",
        Rule::Rewind => "s",
        _ => "",
    }
}
