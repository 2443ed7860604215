//! What the parts of one shard share on their thread: seats, rooms, and who speaks on which session.

use super::ShardStatus;
use super::status::Report;
use crate::feeds::Feeds;
use crate::inventory::InventoryActor;
use crate::node::NodeShared;
use crate::room::{RoomActor, RoomInbox, Workspace};
use actix::Addr;
use fairshot_cluster::agent::RunningRoom;
use fairshot_cluster::control::{Heartbeat, RefusedShot};
use fairshot_cluster::directory::RoomEpoch;
use fairshot_gateway::SessionId;
use fairshot_matchmaking::{Generation, Labels, RoomCode, RoomSummary, ShardSeats};
use fairshot_room::TickSchedule;
use fairshot_telemetry::metrics::ShardMetrics;
use fairshot_units::{EntityId, PlayerId, RoomId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

/// A room of the shard.
#[derive(Debug)]
pub(crate) struct RoomEntry {
    pub(crate) actor: Addr<RoomActor>,
    pub(crate) inbox: Rc<RoomInbox>,
    pub(crate) mode: String,
    pub(crate) schedule: TickSchedule,
    /// When the schedule's next tick is due.
    pub(crate) due_ns: u64,
    pub(crate) phase: u32,
    pub(crate) seats_max: u16,
    pub(crate) epoch: RoomEpoch,
    pub(crate) code: Option<RoomCode>,
    pub(crate) labels: Labels,
    /// Kept apart from the mode's, so that a change of rules keeps the room's own number.
    pub(crate) monsters: Option<u16>,
}

/// Whose messages arrive on a session.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) session: SessionId,
    pub(crate) room_id: RoomId,
    pub(crate) room: Addr<RoomActor>,
    pub(crate) inventory: Addr<InventoryActor>,
    pub(crate) player: PlayerId,
    pub(crate) address: Option<IpAddr>,
    pub(crate) entity: EntityId,
    pub(crate) generation: Generation,
}

/// See the module's head.
#[derive(Debug)]
pub(crate) struct ShardShared {
    pub(crate) index: u16,
    pub(crate) node: Arc<NodeShared>,
    pub(crate) seats: RefCell<ShardSeats>,
    pub(crate) rooms: RefCell<BTreeMap<RoomId, RoomEntry>>,
    /// By the session's index.
    routes: RefCell<Vec<Option<Route>>>,
    pub(crate) metrics: ShardMetrics,
    pub(crate) late_ticks: Cell<u64>,
    pub(crate) dropped_ticks: Cell<u64>,
    pub(crate) slow_disconnects: Cell<u64>,
    /// Inputs that rooms have taken for their next tick.
    pub(crate) inbox_depth: Cell<usize>,
    pub(crate) workspace: RefCell<Workspace>,
    feeds: Arc<Feeds>,
    status: Arc<ShardStatus>,
}

impl ShardShared {
    pub(crate) fn new(
        index: u16,
        seats: ShardSeats,
        node: Arc<NodeShared>,
        feeds: Arc<Feeds>,
        metrics: ShardMetrics,
        status: Arc<ShardStatus>,
    ) -> Self {
        Self {
            index,
            node,
            seats: RefCell::new(seats),
            rooms: RefCell::default(),
            routes: RefCell::default(),
            metrics,
            late_ticks: Cell::new(0),
            dropped_ticks: Cell::new(0),
            slow_disconnects: Cell::new(0),
            inbox_depth: Cell::new(0),
            workspace: RefCell::default(),
            feeds,
            status,
        }
    }

    /// The room has let a player in. False where her seat is gone by now.
    pub(crate) fn joined(&self, room: &RoomId, seat: EntityId, of: Generation) -> bool {
        self.seats.borrow_mut().joined(room, seat.0, of)
    }

    /// Forgets a room that ended.
    pub(crate) fn room_ended(&self, room: &RoomId) {
        self.rooms.borrow_mut().remove(room);
        self.seats.borrow_mut().close(room);
        self.node.poke();
    }

    pub(crate) fn heartbeat(&self, heartbeat: Arc<Heartbeat>) {
        self.feeds.heartbeat(heartbeat);
    }

    pub(crate) fn refused(&self, refused: Arc<RefusedShot>) {
        self.feeds.refused(refused);
    }

    pub(crate) fn route(&self, session: SessionId) -> Option<Route> {
        let routes = self.routes.borrow();
        routes.get(session.index())?.as_ref().filter(|route| route.session == session).cloned()
    }

    /// Runs something with a session's route, without copying it.
    pub(crate) fn with_route<R>(
        &self,
        session: SessionId,
        run: impl FnOnce(&Route) -> R,
    ) -> Option<R> {
        let routes = self.routes.borrow();
        routes.get(session.index())?.as_ref().filter(|route| route.session == session).map(run)
    }

    pub(crate) fn put_route(&self, route: Route) {
        let mut routes = self.routes.borrow_mut();
        let index = route.session.index();
        if routes.len() <= index {
            routes.resize(index + 1, None);
        }
        routes[index] = Some(route);
    }

    pub(crate) fn take_route(&self, session: SessionId) -> Option<Route> {
        let mut routes = self.routes.borrow_mut();
        routes.get_mut(session.index())?.take_if(|route| route.session == session)
    }

    /// Every session with a player behind it.
    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        self.routes.borrow().iter().flatten().map(|route| route.session).collect()
    }

    /// The sessions a test holds for.
    pub(crate) fn routes_where(&self, holds: impl Fn(&Route) -> bool) -> Vec<Route> {
        self.routes.borrow().iter().flatten().filter(|route| holds(route)).cloned().collect()
    }

    pub(crate) fn room(&self, room: &RoomId) -> Option<Addr<RoomActor>> {
        self.rooms.borrow().get(room).map(|entry| entry.actor.clone())
    }

    /// Inputs that wait for their rooms' next tick.
    pub(crate) fn inputs_waiting(&self) -> usize {
        let left: usize = self.rooms.borrow().values().map(|entry| entry.inbox.depth()).sum();
        self.inbox_depth.get() + left
    }

    /// Tells other threads how this shard stands.
    pub(crate) fn publish(&self, headroom: f32) {
        let seats = self.seats.borrow();
        let mut players = 0;
        let rooms = self
            .rooms
            .borrow()
            .iter()
            .map(|(id, entry)| {
                let counts = seats.counts(id).unwrap_or_default();
                players += u32::from(counts.taken);
                RunningRoom {
                    summary: RoomSummary {
                        room: id.clone(),
                        mode: entry.mode.clone(),
                        region: self.node.region.clone(),
                        node: self.node.id.clone(),
                        shard: self.index,
                        seats: counts,
                        locked: seats.book(id).is_some_and(|book| book.is_locked()),
                        code: entry.code,
                        labels: entry.labels.clone(),
                    },
                    epoch: entry.epoch,
                }
            })
            .collect();
        self.status.put(Report {
            rooms,
            players,
            // A shard without rooms has all of its time, whatever else the machine does.
            headroom: if self.rooms.borrow().is_empty() { 1.0 } else { headroom },
            late_ticks: self.late_ticks.get(),
            dropped_ticks: self.dropped_ticks.get(),
            slow_disconnects: self.slow_disconnects.get(),
        });
    }
}

/// The part of [`ShardShared`] every actor of the shard holds.
pub(crate) type Shared = Rc<ShardShared>;
