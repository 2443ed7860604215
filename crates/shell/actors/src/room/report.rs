//! What a room reports: its heartbeat every five seconds, and what operators ask.

use super::RoomActor;
use super::deliver::log;
use crate::readback::{unix_ms, weapon_name};
use actix::{Handler, Message};
use fairshot_cluster::control::{Heartbeat, PlayerInfo, RoomInfo, RoomState, RuleCounts};
use fairshot_room::TickOutput;
use fairshot_units::{EntityId, EntityKind, EntityState, Life, Rule};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
