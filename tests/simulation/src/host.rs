//! The server in virtual time: a gateway, one room, its players' ledgers, and the order in which a shard
//! steps them.

use crate::findings::Refused;
use crate::session::Session;
use crate::takings::Takings;
use bytes::Bytes;
use fairshot_gateway::{Gateway, Limits, SessionEvent, SessionId};
use fairshot_judge::Outcome as Ruled;
use fairshot_mode::{Ammunition, Mode};
use fairshot_relay::Names;
use fairshot_room::{InventoryOrder, PlainGame, Room, RoomInput, RoomSetup, TickOutput};
use fairshot_transport::link::Port;
use fairshot_transport::{Endpoint, Identity, Pin, Settings};
use fairshot_units::{EntityId, EntityState, Life, MessageNumber, PlayerId, RoomId, WeaponCommand};
use fairshot_wire::snapshot::{Personal, Scratch, SentStates, Viewer};
use fairshot_wire::{BatchWriter, CloseCode, Down, Event, Up, UpLimits, Welcome};
use fairshot_world::StaticWorld;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The path's round trip is told to the room this often, in ticks.
const PATH_EVERY_TICKS: u32 = 32;

/// A server of one room.
pub struct Host {
    pub mode: Arc<Mode>,
    pub room: Room,
    pub sessions: Vec<Session>,
    pub gateway: Gateway<Port>,
    pub pin: Pin,
    /// Snapshots are cut to this at the most.
    pub snapshot_bytes_max: usize,
    pub(crate) refused: Vec<Refused>,
    /// Refusals told to their shooters, unseen deaths among them.
    pub(crate) refusals: u64,
    pub(crate) ended: Vec<EntityId>,
    /// Shots judged at another step than they named.
    pub(crate) moved: BTreeSet<(EntityId, MessageNumber)>,
    /// What each player got out of it, by entity.
    pub takings: Vec<Takings>,
    began: Instant,
    mode_text: Bytes,
    names: Names,
    out: TickOutput,
    states: SentStates,
    scratch: Scratch,
    batches: BatchWriter,
    teleported: Vec<EntityId>,
    rows: Vec<EntityState>,
    inputs: Vec<RoomInput>,
}

impl Host {
    /// # Panics
    /// Where the machine has no randomness for a certificate.
    #[must_use]
    pub fn new(mode_text: &str, mode: Mode, port: Port, seed: u64, now: Instant) -> Self {
        let mode = Arc::new(mode);
        let world = Arc::new(StaticWorld::build(&mode.arena));
        let id = RoomId::new("room").expect("a good name");
        let setup = RoomSetup::new(id, Arc::clone(&mode), world, seed);
        let identity = Identity::generate().expect("the machine gives randomness");
        let settings = Settings { seed: Some([7; 32]), ..Settings::default() };
        let endpoint = Endpoint::server(settings, &identity).expect("a fresh identity is good");
        Self {
            room: Room::new(&setup, Box::new(PlainGame)),
            gateway: Gateway::new(endpoint, port, Limits::default()),
            pin: identity.pin(),
            mode_text: Bytes::copy_from_slice(mode_text.as_bytes()),
            names: Names::of(&mode),
            mode,
            sessions: Vec::new(),
            snapshot_bytes_max: usize::MAX,
            refused: Vec::new(),
            refusals: 0,
            ended: Vec::new(),
            moved: BTreeSet::new(),
            takings: Vec::new(),
            began: now,
            out: TickOutput::default(),
            states: SentStates::new(),
            scratch: Scratch::default(),
            batches: BatchWriter::default(),
            teleported: Vec::new(),
            rows: Vec::new(),
            inputs: Vec::new(),
        }
    }

    /// One phase of a shard: receives, ticks where a tick is due, sends.
    pub(crate) fn step(&mut self, now: Instant, tick: bool) {
        self.gateway.receive(now);
        while let Some(event) = self.gateway.next_event() {
            self.take(now, event);
        }
        if tick {
            let inputs = std::mem::take(&mut self.inputs);
            self.room.tick(&inputs, &mut self.out);
            Takings::note_all(&mut self.takings, &self.out);
            self.deliver(now);
        }
        self.gateway.flush(now);
    }

    /// Queues a weapon command for a player, then lets it count.
    ///
    /// # Panics
    /// Where the ledger or the queue refuses it.
    pub fn command(&mut self, player: usize, command: &WeaponCommand, now: Instant) {
        assert!(self.try_command(player, command, now), "{command:?} is refused");
    }

    /// The same; `false` where the ledger or the queue refuses it, and nothing moved.
    pub fn try_command(&mut self, player: usize, command: &WeaponCommand, now: Instant) -> bool {
        let now_ms = self.now_ms(now);
        let session = &mut self.sessions[player];
        let Ok(planned) = session.intake.ledger.plan(command, now_ms) else { return false };
        let bytes = Down::Command { revision: planned.revision(), command: *command }.to_bytes();
        let queued = self.gateway.queue_command(session.id, bytes).is_ok();
        if queued {
            session.intake.ledger.commit(planned, now_ms);
        }
        queued
    }

    /// Batches of a player queued and not acknowledged; `None` where her session is over.
    #[must_use]
    pub fn batches_pending(&self, player: usize) -> Option<usize> {
        Some(self.gateway.depths(self.sessions.get(player)?.id)?.batches)
    }

    fn take(&mut self, now: Instant, event: SessionEvent) {
        let now_ms = self.now_ms(now);
        match event {
            SessionEvent::Hello { session, .. } => self.welcome(now, session),
            SessionEvent::Datagram { session, datagram, malformed } => {
                if let Some(known) = self.sessions.iter_mut().find(|known| known.id == session) {
                    let before = self.inputs.len();
                    known.join(&datagram, &malformed, now_ms, &mut self.inputs);
                    let is_frame = |input: &&RoomInput| matches!(input, RoomInput::Frame(_));
                    let frames = self.inputs[before..].iter().filter(is_frame).count();
                    known.upward.hear(now, frames);
                }
                self.gateway.recycle(datagram);
            }
            SessionEvent::Message { session, message } => {
                let known = self.sessions.iter_mut().find(|known| known.id == session);
                if let (Some(known), Up::ApplyFailed { .. }) = (known, message) {
                    known.apply_failed = true;
                }
            }
            SessionEvent::Closed { session, code } => {
                let known = self.sessions.iter().find(|known| known.id == session);
                if let Some(known) = known.filter(|_| code != CloseCode::Goodbye) {
                    self.ended.push(known.entity);
                }
            }
        }
    }

    fn welcome(&mut self, now: Instant, id: SessionId) {
        let index = self.sessions.len();
        let entity = entity(index);
        let player = PlayerId::new(&format!("p{index}")).expect("a good name");
        let welcome = Welcome {
            entity,
            life: Life(0),
            player: player.clone(),
            room: self.room.id().clone(),
            tick: self.room.tick_now(),
            tick_hz: self.mode.tick_hz,
            snapshot_every: self.mode.snapshot_every_ticks,
            rejoin_within_ms: 30_000,
            rejoin_ticket: Bytes::new(),
            mode_name: Arc::from(self.mode.name.as_str()),
            mode: self.mode_text.clone(),
            table: self.batches.table().clone(),
        };
        let bounds = self.mode.arena.bounds;
        let limits = UpLimits { min_m: bounds.min_m, max_m: bounds.max_m };
        let bytes = Down::Welcome(Box::new(welcome)).to_bytes();
        if self.gateway.accept(now, id, bytes, limits).is_ok() {
            self.sessions.push(Session::new(entity, id, &self.mode));
            self.tell_of_movers(id);
            // One side after the other, where the mode has sides.
            let team = index.checked_rem(self.mode.teams.len());
            let team = team.and_then(|team| u8::try_from(team).ok());
            self.inputs.push(RoomInput::Join { entity, player, team });
        }
    }

    /// A newcomer hears what every door and lift does.
    fn tell_of_movers(&mut self, id: SessionId) {
        let moved =
            (0..).zip(self.room.movers()).map(|(at, state)| fairshot_relay::moved(at, state));
        let moved: Vec<Event> = moved.collect();
        let Some(number) = self.gateway.next_batch(id) else { return };
        if !moved.is_empty() {
            let nothing = self.batches.write(self.room.tick_now(), &[]);
            // A session that cannot take its first batch is gone, and says so by itself.
            let _ = self.gateway.queue_batch(id, nothing.batch(number, &moved));
        }
    }

    /// Sends everything the tick put out, in the order a shard does.
    fn deliver(&mut self, now: Instant) {
        self.obey_orders(now);
        self.keep_verdicts(now);
        self.tell_events();
        self.send_snapshots();
        if self.out.tick.0.is_multiple_of(PATH_EVERY_TICKS) {
            for session in &self.sessions {
                if let Some(round_trip) = self.gateway.round_trip(session.id) {
                    let round_trip_ms = u32::try_from(round_trip.as_millis()).unwrap_or(u32::MAX);
                    let entity = session.entity;
                    self.inputs.push(RoomInput::Path { entity, round_trip_ms });
                }
            }
        }
    }

    fn obey_orders(&mut self, now: Instant) {
        let orders = std::mem::take(&mut self.out.orders);
        for (entity, order) in &orders {
            let index = usize::from(entity.0);
            let Some(session) = self.sessions.get_mut(index) else { continue };
            match order {
                InventoryOrder::Respawn { life } => {
                    let bytes = Down::RespawnGrant { life: *life }.to_bytes();
                    if self.gateway.queue_command(session.id, bytes).is_ok() {
                        session.intake.ledger.respawn(*life);
                    }
                }
                InventoryOrder::Command(_) if self.mode.ammunition == Ammunition::Open => {}
                // A session that is over takes none, and says so by itself.
                InventoryOrder::Command(command) => {
                    self.try_command(index, command, now);
                }
            }
        }
        self.out.orders = orders;
    }

    fn keep_verdicts(&mut self, now: Instant) {
        for verdict in &self.out.judgement.verdicts {
            let Ruled::Refused { rule, reason } = &verdict.outcome else {
                if verdict.judged != verdict.named {
                    self.moved.insert((verdict.shooter, verdict.number));
                }
                continue;
            };
            self.refusals += 1;
            let session = self.sessions.get(usize::from(verdict.shooter.0));
            if !verdict.unseen_death {
                self.refused.push(Refused {
                    entity: verdict.shooter,
                    number: verdict.number,
                    rule: *rule,
                    reason: reason.to_string(),
                    stall: session.map(|session| session.upward.stall()).unwrap_or_default(),
                    at: now - self.began,
                });
            }
        }
    }

    fn tell_events(&mut self) {
        let (out, names) = (&self.out, &self.names);
        let events: Vec<Event> = out
            .events
            .iter()
            .filter_map(|event| fairshot_relay::event(event, out, names))
            .collect();
        let shared = self.batches.write(out.tick, &events);
        for session in &self.sessions {
            let private: Vec<Event> = out
                .notices
                .iter()
                .filter(|(to, _)| *to == session.entity)
                .filter_map(|(_, notice)| fairshot_relay::notice(notice))
                .collect();
            if shared.is_empty() && private.is_empty() {
                continue;
            }
            let Some(number) = self.gateway.next_batch(session.id) else { continue };
            // A player too slow for it is closed alone, which the findings tell.
            let _ = self.gateway.queue_batch(session.id, shared.batch(number, &private));
        }
    }

    fn send_snapshots(&mut self) {
        let out = &self.out;
        self.teleported.extend(out.entities.iter().filter(|row| row.teleported).map(|row| row.id));
        if !out.snapshot_due {
            return;
        }
        self.rows.clear();
        self.rows.extend(out.entities.iter().map(|row| EntityState {
            teleported: row.teleported || self.teleported.contains(&row.id),
            ..*row
        }));
        self.teleported.clear();
        self.states.record(out.tick, &self.rows);
        for own in &out.own {
            let Some(session) = self.sessions.get_mut(usize::from(own.entity.0)) else { continue };
            if self.gateway.is_held(session.id) {
                continue;
            }
            let row = self.rows.iter().find(|row| row.id == own.entity);
            let personal = Personal {
                own: fairshot_relay::own_state(
                    own,
                    session.revision,
                    row.map_or(0, |row| row.traits),
                ),
                acks: session.intake.acks(),
                viewer: Viewer { pose: row.map(|row| row.pose).unwrap_or_default() },
            };
            let path_bytes_max = self.gateway.datagram_size_max(session.id);
            let bytes_max = path_bytes_max.min(self.snapshot_bytes_max);
            let mut bytes = Vec::new();
            let Session { snapshots, id, .. } = session;
            let (states, scratch) = (&self.states, &mut self.scratch);
            if snapshots.write(states, &personal, bytes_max, scratch, &mut bytes).is_ok() {
                self.gateway.send_snapshot(*id, bytes.into());
            }
        }
    }

    fn now_ms(&self, now: Instant) -> u64 {
        let since: Duration = now - self.began;
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("sessions", &self.sessions.len()).finish_non_exhaustive()
    }
}

fn entity(index: usize) -> EntityId {
    EntityId(u16::try_from(index).unwrap_or(u16::MAX))
}
