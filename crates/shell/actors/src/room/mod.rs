//! One room as an actor: it owns the match, ticks it when the shard says so, and sends what came of it.

mod deliver;
mod explain;
mod inbox;
mod kept;
mod link;
mod report;

pub(crate) use explain::ReadShots;
pub(crate) use inbox::{RoomInbox, Stamped};
pub(crate) use report::{ReadRoom, RoomReading};

use crate::clock::Clock;
use crate::inventory::{self, InventoryActor};
use crate::modes::LoadedMode;
use crate::pending::Pending;
use crate::shard::ShardShared;
use actix::{Actor, ActorContext, Addr, Context, Handler, Message};
use bytes::Bytes;
use fairshot_cluster::control::NodeName;
use fairshot_gateway::{Gateway, SessionId};
use fairshot_judge::Pass;
use fairshot_matchmaking::Generation;
use fairshot_relay::ShotStamp;
use fairshot_room::{CATCH_UP_TICKS_MAX, Room, RoomInput, RoomSetup, TickOutput};
use fairshot_telemetry::metrics::{ModeMetrics, RoomEnd, RoomOpen};
use fairshot_telemetry::stage;
use fairshot_units::{EntityId, EntityState, Life, PlayerId, RoomId, Tick};
use fairshot_wire::snapshot::{Scratch, SentStates};
use fairshot_wire::{BatchWriter, CloseCode, UpLimits, Welcome};
use kept::KeptRefusals;
use link::Link;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Instant;
use tracing::Span;

/// Messages waiting for one room: its tick, who comes and goes, commands. Datagrams wait in [`RoomInbox`].
const MAILBOX: usize = 1024;

/// Inputs a room keeps for its next tick: each of 64 players may send half a second's frames and its
/// shots at once. What comes over that is dropped and counted.
const INBOX_MAX: usize = 64 * 64;

/// A phase and a millisecond.
const LATE_NS: u64 = crate::PHASE.as_nanos() as u64 + 1_000_000;

/// Memory that the rooms of a shard write their outputs in, one after the other: none holds anything of
/// a room's once its tick was delivered, and it stays in the cache from one room to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    scratch: Scratch,
    /// A tick's entities as its snapshots have them.
    rows: Vec<EntityState>,
    /// One player's snapshot as it is written.
    bytes: Vec<u8>,
    /// What a shot passed by.
    passes: Vec<Pass>,
}

/// Owns one match.
pub(crate) struct RoomActor {
    id: RoomId,
    node: NodeName,
    shard: u16,
    loaded: Rc<LoadedMode>,
    room: Room,
    out: TickOutput,
    /// What the inventories left and the room has not taken yet, and the empty vector it is changed for.
    arrivals: Rc<RoomInbox>,
    spare: Vec<Stamped>,
    inbox: Vec<RoomInput>,
    /// Of the shots in the inbox, for their explanation.
    stamps: Vec<ShotStamp>,
    /// By entity id, which is the seat.
    links: Vec<Option<Link>>,
    batches: BatchWriter,
    states: SentStates,
    /// Entities that teleported in a tick since the last snapshot was recorded.
    teleported: Vec<EntityId>,
    refusals: KeptRefusals,
    tick_times_us: Vec<u32>,
    /// The median and the 99th percentile of the last five seconds.
    last_tick_us: (u32, u32),
    heartbeats: u64,
    next_heartbeat: u32,
    late_ticks: u64,
    late_ticks_told: u64,
    corrections: u64,
    slow_disconnects: u64,
    opened_s: u64,
    gone_bytes_up: u64,
    gone_bytes_down: u64,
    told_bytes_up: u64,
    told_bytes_down: u64,
    live_rules: Vec<String>,
    gateway: Rc<RefCell<Gateway>>,
    shared: Rc<ShardShared>,
    pending: Pending,
    metrics: ModeMetrics,
    _open: RoomOpen,
    clock: Clock,
}

impl std::fmt::Debug for RoomActor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoomActor").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a room actor is made of.
pub(crate) struct RoomParts {
    pub(crate) id: RoomId,
    pub(crate) node: NodeName,
    pub(crate) shard: u16,
    pub(crate) loaded: LoadedMode,
    pub(crate) seed: u64,
    pub(crate) arrivals: Rc<RoomInbox>,
    pub(crate) gateway: Rc<RefCell<Gateway>>,
    pub(crate) shared: Rc<ShardShared>,
    pub(crate) pending: Pending,
    pub(crate) metrics: ModeMetrics,
    pub(crate) clock: Clock,
}

impl RoomActor {
    pub(crate) fn new(parts: RoomParts) -> Self {
        let loaded = parts.loaded;
        let setup =
            RoomSetup::new(parts.id.clone(), loaded.mode.clone(), loaded.world.clone(), parts.seed);
        let room = Room::new(&setup, loaded.new_game());
        let links = (0..loaded.mode.players_max).map(|_| None).collect();
        Self {
            id: parts.id,
            node: parts.node,
            shard: parts.shard,
            next_heartbeat: heartbeat_ticks(loaded.mode.tick_hz),
            loaded: Rc::new(loaded),
            room,
            out: TickOutput::default(),
            arrivals: parts.arrivals,
            spare: Vec::new(),
            inbox: Vec::new(),
            stamps: Vec::new(),
            links,
            batches: BatchWriter::default(),
            states: SentStates::new(),
            teleported: Vec::new(),
            refusals: KeptRefusals::default(),
            tick_times_us: Vec::new(),
            last_tick_us: (0, 0),
            heartbeats: 0,
            late_ticks: 0,
            late_ticks_told: 0,
            corrections: 0,
            slow_disconnects: 0,
            opened_s: parts.clock.now_s(),
            gone_bytes_up: 0,
            gone_bytes_down: 0,
            told_bytes_up: 0,
            told_bytes_down: 0,
            live_rules: Vec::new(),
            gateway: parts.gateway,
            shared: parts.shared,
            pending: parts.pending,
            _open: parts.metrics.room_opened(),
            metrics: parts.metrics,
            clock: parts.clock,
        }
    }

    fn link(&self, entity: EntityId) -> Option<&Link> {
        self.links.get(usize::from(entity.0))?.as_ref()
    }

    fn put(&mut self, input: RoomInput) {
        if self.inbox.len() < INBOX_MAX {
            self.inbox.push(input);
            self.shared.inbox_depth.set(self.shared.inbox_depth.get() + 1);
        } else {
            self.shared.metrics.inbox_overflows.increment(1);
        }
    }

    /// Runs the ticks that are due. False where the match panicked: it is over.
    fn run(&mut self, run: &Run) -> bool {
        self.note_lateness(run.due_ns);
        for index in 0..run.ticks.min(CATCH_UP_TICKS_MAX) {
            let began = Instant::now();
            let waited = self.inbox.len();
            self.shared.inbox_depth.set(self.shared.inbox_depth.get().saturating_sub(waited));
            if index == 0 && run.dropped > 0 {
                self.inbox.insert(0, RoomInput::TicksDropped { ticks: run.dropped });
            }
            let within = stage!(&run.within, "room", room = %self.id, inputs = waited);
            let stage = stage!(&within, "judge");
            let Self { room, inbox, out, .. } = self;
            let ticked = catch_unwind(AssertUnwindSafe(|| room.tick(inbox, out)));
            if ticked.is_err() {
                return false;
            }
            drop(stage);
            let took = began.elapsed();
            let stage = stage!(&within, "deliver");
            self.deliver();
            drop(stage);
            self.tick_times_us.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
            self.shared.metrics.ticks.increment(1);
            self.next_heartbeat = self.next_heartbeat.saturating_sub(1);
            if self.next_heartbeat == 0 {
                self.next_heartbeat = heartbeat_ticks(self.loaded.mode.tick_hz);
                self.heartbeat(false);
            }
        }
        true
    }

    /// A tick that begins later than a phase and a millisecond after it was due counts as late.
    fn note_lateness(&mut self, due_ns: u64) {
        let lateness_ns = self.clock.now_ns().saturating_sub(due_ns);
        let metrics = &self.shared.metrics;
        #[expect(clippy::cast_precision_loss, reason = "seconds for a histogram")]
        metrics.tick_lateness.record(lateness_ns as f64 / 1e9);
        if lateness_ns > LATE_NS {
            metrics.ticks_late.increment(1);
            self.shared.late_ticks.set(self.shared.late_ticks.get() + 1);
            self.late_ticks += 1;
        }
    }

    /// A newcomer hears who is here already and what every door and lift does: that was told before she
    /// could listen.
    fn tell_of_the_present(&mut self, session: SessionId, newcomer: EntityId) {
        let team_of = |entity| {
            let state = self.out.entities.iter().find(|state| state.id == entity);
            state.map_or(EntityState::NO_TEAM, |state| state.team)
        };
        let joined: Vec<_> = self
            .room
            .players()
            .filter(|(entity, _)| *entity != newcomer)
            .map(|(entity, player)| {
                let life = self.room.life(entity).unwrap_or(Life(0));
                fairshot_relay::present(entity, player, life, team_of(entity))
            })
            .collect();
        let moved =
            (0..).zip(self.room.movers()).map(|(at, state)| fairshot_relay::moved(at, state));
        let joined: Vec<_> = joined.into_iter().chain(moved).collect();
        if joined.is_empty() {
            return;
        }
        let nothing = self.batches.write(self.room.tick_now(), &[]);
        let mut gateway = self.gateway.borrow_mut();
        let Some(number) = gateway.next_batch(session) else { return };
        if let Err(slow) = gateway.queue_batch(session, nothing.batch(number, &joined)) {
            tracing::warn!(room = %self.id, %slow, "a newcomer is slow from the start");
        }
    }

    /// Ends the room: its players are told, its last heartbeat is written, nothing of it stays.
    fn end(&mut self, code: CloseCode, reason: &str, end: RoomEnd, context: &mut Context<Self>) {
        for link in self.links.iter_mut().filter_map(Option::take) {
            self.gateway.borrow_mut().close(link.session, code, reason);
            link.retire();
        }
        let waiting = self.inbox.len();
        self.shared.inbox_depth.set(self.shared.inbox_depth.get().saturating_sub(waiting));
        self.heartbeat(true);
        self.metrics.room_ended(end);
        self.shared.room_ended(&self.id);
        context.stop();
    }
}

/// Ticks between two heartbeats: 5 s.
fn heartbeat_ticks(tick_hz: u16) -> u32 {
    u32::from(tick_hz) * 5
}

impl Actor for RoomActor {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.set_mailbox_capacity(MAILBOX);
    }
}

/// Ticks are due.
#[derive(Clone, Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Run {
    pub(crate) ticks: u32,
    pub(crate) dropped: u32,
    /// When the first of them was due.
    pub(crate) due_ns: u64,
    /// The span of a sampled pass; none of any other.
    pub(crate) within: Span,
}

impl Handler<Run> for RoomActor {
    type Result = ();

    fn handle(&mut self, run: Run, context: &mut Self::Context) {
        self.pending.handled();
        self.take_stamped();
        if !self.run(&run) {
            tracing::error!(room = %self.id, "a room panicked in its tick and is retired alone");
            self.end(CloseCode::RoomFailed, "the room failed", RoomEnd::Panicked, context);
        }
    }
}

/// A connection whose ticket was good takes its seat.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Enter {
    pub(crate) session: SessionId,
    pub(crate) entity: EntityId,
    pub(crate) player: PlayerId,
    pub(crate) team: Option<u8>,
    pub(crate) generation: Generation,
    pub(crate) rejoin_ticket: Bytes,
    pub(crate) rejoin_within_ms: u32,
    pub(crate) inventory: Addr<InventoryActor>,
}

impl Handler<Enter> for RoomActor {
    type Result = ();

    fn handle(&mut self, enter: Enter, _: &mut Self::Context) {
        self.take_stamped();
        let mode = &self.loaded.mode;
        let welcome = fairshot_wire::Down::Welcome(Box::new(Welcome {
            entity: enter.entity,
            life: self.room.life(enter.entity).unwrap_or(Life(0)),
            player: enter.player.clone(),
            room: self.id.clone(),
            tick: self.room.tick_now(),
            tick_hz: mode.tick_hz,
            snapshot_every: mode.snapshot_every_ticks,
            rejoin_within_ms: enter.rejoin_within_ms,
            rejoin_ticket: enter.rejoin_ticket.clone(),
            mode_name: mode.name.as_str().into(),
            mode: self.loaded.text.clone(),
            table: self.batches.table().clone(),
        }));
        let bounds = mode.arena.bounds;
        let limits = UpLimits { min_m: bounds.min_m, max_m: bounds.max_m };
        let accepted = self.gateway.borrow_mut().accept(
            Instant::now(),
            enter.session,
            welcome.to_bytes(),
            limits,
        );
        if accepted.is_err() {
            // The client was gone before its join had finished: its `Closed` undoes the seat.
            enter.inventory.do_send(inventory::Retire);
            return;
        }
        if !self.shared.joined(&self.id, enter.entity, enter.generation) {
            self.gateway.borrow_mut().close(
                enter.session,
                CloseCode::TicketExpired,
                "the seat is gone",
            );
            enter.inventory.do_send(inventory::Retire);
            return;
        }
        self.tell_of_the_present(enter.session, enter.entity);
        let index = usize::from(enter.entity.0);
        let Some(place) = self.links.get_mut(index) else { return };
        if let Some(before) = place.replace(Link::new(&enter, self.clock, &self.metrics)) {
            before.retire();
            self.put(RoomInput::Leave { entity: enter.entity });
        }
        self.put(RoomInput::Join { entity: enter.entity, player: enter.player, team: enter.team });
    }
}

/// A session is over.
#[derive(Clone, Copy, Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct Leave {
    pub(crate) entity: EntityId,
    pub(crate) session: SessionId,
    pub(crate) slow: bool,
}

impl Handler<Leave> for RoomActor {
    type Result = ();

    fn handle(&mut self, leave: Leave, _: &mut Self::Context) {
        self.take_stamped();
        let Some(place) = self.links.get_mut(usize::from(leave.entity.0)) else { return };
        // The end of a connection before this one touches nothing.
        let Some(link) = place.take_if(|link| link.session == leave.session) else { return };
        self.gone_bytes_up += link.traffic.0;
        self.gone_bytes_down += link.traffic.1;
        self.slow_disconnects += u64::from(leave.slow);
        link.retire();
        self.put(RoomInput::Leave { entity: leave.entity });
    }
}

/// A game's own command.
#[derive(Debug, Message)]
#[rtype(result = "()")]
pub(crate) struct GameCommand {
    pub(crate) entity: EntityId,
    pub(crate) command: fairshot_wire::GameCommand,
}

impl Handler<GameCommand> for RoomActor {
    type Result = ();

    fn handle(&mut self, asked: GameCommand, _: &mut Self::Context) {
        self.take_stamped();
        self.put(RoomInput::Command(fairshot_relay::command(asked.entity, asked.command)));
    }
}

/// Other rules for the same mode, from the next tick on.
#[derive(Debug, Message)]
#[rtype(result = "bool")]
pub(crate) struct SetRules {
    pub(crate) loaded: LoadedMode,
    /// The settings laid over the mode's file, for heartbeats.
    pub(crate) live_rules: Vec<String>,
}

impl Handler<SetRules> for RoomActor {
    type Result = bool;

    fn handle(&mut self, rules: SetRules, _: &mut Self::Context) -> bool {
        let replaced = self.room.replace_rules(rules.loaded.mode.clone());
        if replaced {
            self.loaded = Rc::new(rules.loaded);
            self.live_rules = rules.live_rules;
        }
        replaced
    }
}

/// The room ends now.
#[derive(Debug, Message)]
#[rtype(result = "u32")]
pub(crate) struct Close {
    pub(crate) code: CloseCode,
    pub(crate) reason: String,
    pub(crate) end: RoomEnd,
}

impl Handler<Close> for RoomActor {
    type Result = u32;

    fn handle(&mut self, close: Close, context: &mut Self::Context) -> u32 {
        let players = self.links.iter().flatten().count();
        self.end(close.code, &close.reason, close.end, context);
        u32::try_from(players).unwrap_or(u32::MAX)
    }
}

/// The tick of a room, for whoever must know without asking more.
impl RoomActor {
    fn tick(&self) -> Tick {
        self.room.tick_now()
    }
}
