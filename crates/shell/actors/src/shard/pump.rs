//! The shard's loop: at each phase that a room is due in, one pass over the port, the rooms that are
//! due, and the port again.

use super::asks::{self, Ask};
use super::door;
use super::phases;
use super::shared::Shared;
use super::status::Load;
use crate::clock::Clock;
use crate::inventory::{ApplyFailed, Heard};
use crate::pending::Pending;
use crate::room::{Close, GameCommand, Leave, Run};
use crate::ticks::{PHASE, PhaseTimer};
use fairshot_gateway::{Counters, Gateway, SessionEvent, SessionId};
use fairshot_matchmaking::SeatEvent;
use fairshot_telemetry::health::Beat;
use fairshot_telemetry::metrics::{RoomEnd, SessionEnd};
use fairshot_telemetry::stage;
use fairshot_telemetry::traces::TickSampler;
use fairshot_wire::{CloseCode, Up};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tracing::Span;

/// Seats are polled and the shard's report is published this often.
const REPORT_EVERY_MS: u64 = 250;
/// One pass in so many gets spans: one to four a second. A prime, so that each phase has its turn.
pub(super) const SPANS_EVERY: u32 = 127;
/// Sessions get this long to hear why the shard stops.
const CLOSING_MAX: Duration = Duration::from_millis(500);

/// One shard's loop and all it owns.
pub(crate) struct Pump {
    pub(crate) shared: Shared,
    pub(crate) gateway: Rc<RefCell<Gateway>>,
    pub(crate) pending: Pending,
    pub(crate) asked: mpsc::Receiver<Ask>,
    pub(crate) timer: PhaseTimer,
    pub(crate) beat: Beat,
    pub(crate) clock: Clock,
    /// Says which passes get spans.
    pub(crate) sampler: TickSampler,
}

impl Pump {
    /// Runs until the shard is told to stop or nobody can tell it any more.
    pub(crate) async fn run(mut self) {
        let mut load = Load::default();
        let mut told = Counters::default();
        let mut report_due_ms = 0;
        loop {
            let woken = tokio::select! {
                biased;
                woken = self.timer.wait_until(self.clock.at(self.wake_ns())) => woken,
                asked = self.asked.recv() => {
                    let Some(ask) = asked else { break };
                    if self.answer(ask).await {
                        continue;
                    }
                    break;
                }
            };
            if let Err(error) = woken {
                tracing::error!(%error, shard = self.shared.index, "the tick timer failed");
                break;
            }
            let began = Instant::now();
            self.step(began).await;
            let worked = began.elapsed();
            self.shared.metrics.tick_duration.record(worked.as_secs_f64());
            load.add(u64::try_from(worked.as_nanos()).unwrap_or(u64::MAX), self.clock.now_ns());
            self.beat.beat(began);
            if !self.answer_asks().await {
                break;
            }
            let now_ms = self.clock.now_ms();
            if now_ms >= report_due_ms {
                report_due_ms = now_ms + REPORT_EVERY_MS;
                self.poll_seats(now_ms);
                self.end_drained();
                self.shared.publish(load.headroom());
                self.tell_counters(&mut told);
            }
        }
        self.stop().await;
    }

    /// One phase: receive, rule, tick, send.
    async fn step(&mut self, now: Instant) {
        let pass = match self.sampler.take() {
            true => tracing::info_span!(parent: None, "tick", shard = self.shared.index),
            false => Span::none(),
        };
        let stage = stage!(&pass, "receive");
        self.gateway.borrow_mut().receive(now);
        self.take_events(now);
        self.pending.settle().await;
        drop(stage);
        let received = Instant::now();
        let stage = stage!(&pass, "rooms");
        self.tick_rooms(&stage);
        self.pending.settle().await;
        drop(stage);
        let ticked = Instant::now();
        let stage = stage!(&pass, "send");
        self.gateway.borrow_mut().flush(ticked);
        drop(stage);
        let metrics = &self.shared.metrics;
        metrics.stage_receive.record((received - now).as_secs_f64());
        metrics.stage_rooms.record((ticked - received).as_secs_f64());
        metrics.stage_send.record(ticked.elapsed().as_secs_f64());
    }

    fn take_events(&mut self, now: Instant) {
        loop {
            let Some(event) = self.gateway.borrow_mut().next_event() else { return };
            match event {
                SessionEvent::Hello { session, hello } => {
                    door::admit(self, session, &hello, now);
                }
                SessionEvent::Datagram { session, datagram, malformed } => {
                    let heard = Heard { datagram, malformed };
                    let sent =
                        self.shared.with_route(session, |route| route.inventory.try_send(heard));
                    if matches!(sent, Some(Ok(()))) {
                        self.pending.sent();
                    }
                }
                SessionEvent::Message { session, message } => self.take_message(session, message),
                SessionEvent::Closed { session, code } => self.take_closed(session, code),
            }
        }
    }

    fn take_message(&mut self, session: SessionId, message: Up) {
        let Some(route) = self.shared.route(session) else { return };
        match message {
            // The gateway takes a second hello for what it is: a session that breaks the protocol.
            Up::Hello(_) => {
                self.gateway.borrow_mut().close(session, CloseCode::Protocol, "a second hello");
            }
            Up::ApplyFailed { revision } => route.inventory.do_send(ApplyFailed(revision)),
            Up::GameCommand(command) => {
                let asked = GameCommand { entity: route.entity, command };
                if route.room.try_send(asked).is_err() {
                    tracing::warn!(player = %route.player, "a command was dropped: the room's mailbox is full");
                }
            }
            Up::Goodbye => {
                self.gateway.borrow_mut().close(session, CloseCode::Goodbye, "goodbye");
            }
        }
    }

    fn take_closed(&mut self, session: SessionId, code: CloseCode) {
        let Some(route) = self.shared.take_route(session) else { return };
        self.shared.metrics.session_ended(session_end(code));
        if code == CloseCode::Slow {
            self.shared.slow_disconnects.set(self.shared.slow_disconnects.get() + 1);
        }
        let now_ms = self.clock.now_ms();
        {
            let mut seats = self.shared.seats.borrow_mut();
            let seat = route.entity.0;
            // A seat that was taken away already (a kick) is nobody's to give back.
            let _gone = if code == CloseCode::Goodbye {
                seats.left(&route.room_id, seat, route.generation, now_ms)
            } else {
                seats.lost(&route.room_id, seat, route.generation, now_ms)
            };
        }
        leave(&route, code == CloseCode::Slow);
        tracing::info!(
            player = %route.player,
            room = %route.room_id,
            code = code.label(),
            "a session ended"
        );
    }

    fn tick_rooms(&mut self, within: &Span) {
        let now_ns = self.clock.now_ns();
        let mut rooms = self.shared.rooms.borrow_mut();
        for entry in rooms.values_mut() {
            let due_ns = entry.due_ns;
            if due_ns > now_ns {
                continue;
            }
            let due = entry.schedule.wake(now_ns);
            entry.due_ns = entry.schedule.next_ns();
            let metrics = &self.shared.metrics;
            if due.dropped > 0 {
                metrics.ticks_dropped.increment(due.dropped.into());
                self.shared
                    .dropped_ticks
                    .set(self.shared.dropped_ticks.get() + u64::from(due.dropped));
            }
            let run = Run { ticks: due.run, dropped: due.dropped, due_ns, within: within.clone() };
            if entry.actor.try_send(run).is_ok() {
                self.pending.sent();
            }
        }
    }

    /// When the shard has work next, on its clock.
    fn wake_ns(&self) -> u64 {
        let rooms = self.shared.rooms.borrow();
        phases::wake_ns(self.clock.now_ns(), rooms.values().map(|entry| entry.due_ns).min())
    }

    /// Answers what was asked while a step kept the shard busy. False once it is to stop.
    async fn answer_asks(&mut self) -> bool {
        loop {
            match self.asked.try_recv() {
                Ok(ask) => {
                    if !self.answer(ask).await {
                        return false;
                    }
                }
                Err(mpsc::error::TryRecvError::Empty) => return true,
                Err(mpsc::error::TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// False once the shard is to stop.
    async fn answer(&mut self, ask: Ask) -> bool {
        match ask {
            Ask::Stop { done } => {
                self.stop_rooms().await;
                // Whoever asked may have given up waiting.
                let _ = done.send(());
                false
            }
            ask => {
                asks::answer(self, ask);
                true
            }
        }
    }

    fn poll_seats(&mut self, now_ms: u64) {
        let events = self.shared.seats.borrow_mut().poll(now_ms);
        for event in events {
            match event {
                SeatEvent::Freed { room, freed } => {
                    tracing::debug!(%room, player = %freed.player, "a seat became free by itself");
                }
                SeatEvent::RoomEmpty { room } => {
                    if let Some(actor) = self.shared.room(&room) {
                        let reason = "the room is empty".to_owned();
                        actor.do_send(Close {
                            code: CloseCode::RoomClosed,
                            reason,
                            end: RoomEnd::Empty,
                        });
                    }
                }
            }
        }
    }

    /// Rooms that outlive a drain's deadline end there.
    fn end_drained(&self) {
        if !self.shared.node.drained() {
            return;
        }
        for entry in self.shared.rooms.borrow().values() {
            let reason = "the node is drained".to_owned();
            let close = Close { code: CloseCode::Stopping, reason, end: RoomEnd::Drained };
            entry.actor.do_send(close);
        }
    }

    /// Adds what the gateway counted since the last time.
    fn tell_counters(&self, told: &mut Counters) {
        let gateway = self.gateway.borrow();
        let now = gateway.counters();
        let metrics = &self.shared.metrics;
        metrics.bytes_up.increment(now.payload_bytes_up - told.payload_bytes_up);
        metrics.bytes_down.increment(now.payload_bytes_down - told.payload_bytes_down);
        metrics.datagrams_up.increment(now.datagrams - told.datagrams);
        metrics.datagrams_down.increment(now.snapshots - told.snapshots);
        metrics.malformed.increment(now.malformed - told.malformed);
        metrics.handshakes.increment(now.hellos - told.hellos);
        metrics.rate_limited.increment(now.datagrams_over_rate - told.datagrams_over_rate);
        #[expect(clippy::cast_precision_loss, reason = "a gauge")]
        metrics.sessions.set(gateway.open_sessions() as f64);
        let (mut bytes, mut commands) = (0, 0);
        for session in self.shared.sessions() {
            let depths = gateway.depths(session).unwrap_or_default();
            bytes += depths.batch_bytes;
            commands += depths.commands;
        }
        #[expect(clippy::cast_precision_loss, reason = "gauges")]
        {
            metrics.event_queue_bytes.set(bytes as f64);
            metrics.command_queue_depth.set(commands as f64);
            metrics.inbox_depth.set(self.shared.inputs_waiting() as f64);
        }
        *told = now.clone();
    }

    async fn stop_rooms(&mut self) {
        let rooms: Vec<_> = self.shared.rooms.borrow().values().map(|e| e.actor.clone()).collect();
        for room in rooms {
            let reason = "the server is stopping".to_owned();
            let close = Close { code: CloseCode::Stopping, reason, end: RoomEnd::Shutdown };
            // A room that is gone already has closed its players.
            let _ = room.send(close).await;
        }
    }

    /// Tells every peer and sends it: first the close, then the wait until it is out, then the end.
    async fn stop(&mut self) {
        self.gateway.borrow_mut().close_all(CloseCode::Stopping, "the server is stopping");
        let until = Instant::now() + CLOSING_MAX;
        while Instant::now() < until {
            {
                let mut gateway = self.gateway.borrow_mut();
                gateway.flush(Instant::now());
                gateway.receive(Instant::now());
                while gateway.next_event().is_some() {}
                if gateway.is_quiet() {
                    break;
                }
            }
            if self.timer.wait_until(Instant::now() + PHASE).await.is_err() {
                break;
            }
        }
        self.shared.publish(1.0);
    }
}

/// The player of a route leaves her room and her inventory ends.
pub(super) fn leave(route: &super::shared::Route, slow: bool) {
    route.room.do_send(Leave { entity: route.entity, session: route.session, slow });
}

fn session_end(code: CloseCode) -> SessionEnd {
    match code {
        CloseCode::Goodbye => SessionEnd::Left,
        CloseCode::Kicked => SessionEnd::Kicked,
        CloseCode::Banned => SessionEnd::Banned,
        CloseCode::Slow => SessionEnd::Slow,
        CloseCode::Malformed | CloseCode::Flood | CloseCode::Protocol => SessionEnd::Malformed,
        CloseCode::Diverged => SessionEnd::Diverged,
        CloseCode::RoomClosed | CloseCode::RoomFailed => SessionEnd::RoomClosed,
        CloseCode::Superseded => SessionEnd::Replaced,
        CloseCode::Stopping => SessionEnd::Shutdown,
        _ => SessionEnd::Lost,
    }
}
