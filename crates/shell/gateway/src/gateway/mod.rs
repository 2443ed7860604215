//! The gateway itself: what the port brought becomes session events, what the shard queued goes out.

mod intake;
mod outflow;

use crate::counters::{Counters, Traffic};
use crate::limits::Limits;
use crate::queue::{Depths, Full, Slow};
use crate::session::{Gone, Playing, Session, SessionId, Stage};
use bytes::Bytes;
use fairshot_transport::{AddressRate, Endpoint, Network, PathState, Socket};
use fairshot_wire::{CloseCode, Down, Hello, MalformedShot, Up, UpDatagram, UpLimits};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Decoded datagrams kept for their allocations.
const SPARE_MAX: usize = 256;

/// What a session did, in the order it happened.
#[derive(Debug)]
pub enum SessionEvent {
    /// A new session brings its ticket. Check it, then call [`Gateway::accept`] or
    /// [`Gateway::close`]; until then the session is nobody.
    Hello { session: SessionId, hello: Hello },
    /// Frames and shots; give the datagram back with [`Gateway::recycle`] to save allocations.
    /// Its batch acknowledgement has been applied already.
    Datagram { session: SessionId, datagram: UpDatagram, malformed: Vec<MalformedShot> },
    /// A stream message of an accepted session.
    Message { session: SessionId, message: Up },
    /// The session is over, whoever ended it. Comes once for every hello, and nothing after it.
    Closed { session: SessionId, code: CloseCode },
}

/// Every session of one shard's port.
pub struct Gateway<N: Network = Socket> {
    endpoint: Endpoint,
    network: N,
    limits: Limits,
    address_rate: AddressRate,
    sessions: Vec<Option<Box<Session>>>,
    /// Sessions with a snapshot or stream bytes to hand over at the next flush.
    due: Vec<SessionId>,
    events: VecDeque<SessionEvent>,
    spare: Vec<UpDatagram>,
    read: Vec<u8>,
    swept: Option<Instant>,
    counters: Counters,
    open: usize,
}

impl<N: Network> Gateway<N> {
    /// `endpoint` is a server's; `network` its port.
    #[must_use]
    pub fn new(endpoint: Endpoint, network: N, limits: Limits) -> Self {
        Self {
            endpoint,
            network,
            address_rate: AddressRate::new(limits.address_datagrams),
            limits,
            sessions: Vec::new(),
            due: Vec::new(),
            events: VecDeque::new(),
            spare: Vec::new(),
            read: Vec::new(),
            swept: None,
            counters: Counters::default(),
            open: 0,
        }
    }

    /// Drains the port, decodes, and ends sessions that fell silent or broke a bound.
    pub fn receive(&mut self, now: Instant) {
        self.endpoint.receive(now, &mut self.network);
        self.take_transport_events(now);
        let sweep_due =
            self.swept.is_none_or(|swept| now.saturating_duration_since(swept) >= SWEEP_EVERY);
        if sweep_due {
            self.swept = Some(now);
            self.sweep(now);
        }
    }

    /// The next thing a session did.
    pub fn next_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Gives a datagram's memory back.
    pub fn recycle(&mut self, datagram: UpDatagram) {
        if self.spare.len() < SPARE_MAX {
            self.spare.push(datagram);
        }
    }

    /// Lets a session in after its ticket was found good. `welcome` is the encoded [`Down::Welcome`],
    /// `up` what its room's shots must lie within.
    ///
    /// # Errors
    /// [`Gone`] when the session ended in the meantime: its `Closed` is on its way or was drained.
    pub fn accept(
        &mut self,
        now: Instant,
        session: SessionId,
        welcome: Bytes,
        up: UpLimits,
    ) -> Result<(), Gone> {
        let limits = self.limits;
        let known =
            self.get_mut(session).filter(|s| matches!(s.stage, Stage::Asked { .. })).ok_or(Gone)?;
        let mut playing = Playing::new(now, &limits, up);
        playing.traffic.bytes_down += welcome.len() as u64;
        known.stage = Stage::Playing(Box::new(playing));
        known.last_heard = now;
        self.counters.accepted += 1;
        self.counters.payload_bytes_down += welcome.len() as u64;
        self.endpoint.write(session.0, welcome).map_err(|_| Gone)
    }

    /// Ends a session: [`Down::Closing`] on the stream after everything queued, then QUIC's own close
    /// with the same code. Its [`SessionEvent::Closed`] follows.
    pub fn close(&mut self, session: SessionId, code: CloseCode, reason: &str) {
        let Some(known) = self.get_mut(session) else { return };
        let mut last = Vec::new();
        if let Some(playing) = known.playing() {
            last.extend(std::iter::from_fn(|| playing.queue.pop()));
        }
        last.push(Down::Closing { code, reason: Arc::from(reason) }.to_bytes());
        for bytes in last {
            // What no longer fits is lost with the session; the code still arrives.
            let _ = self.endpoint.write(session.0, bytes);
        }
        self.endpoint.close(session.0, code.code(), reason.as_bytes());
        self.forget(session, code);
    }

    /// Ends every session, greeting ones included.
    pub fn close_all(&mut self, code: CloseCode, reason: &str) {
        for session in self.session_ids() {
            self.close(session, code, reason);
        }
    }

    /// Queues a tick's events. The batch must carry the number of [`Gateway::next_batch`].
    ///
    /// # Errors
    /// [`Slow`]: too much waits unacknowledged; this session alone is closed with
    /// [`CloseCode::Slow`]. A session that is gone takes batches silently.
    pub fn queue_batch(&mut self, session: SessionId, batch: Bytes) -> Result<(), Slow> {
        let size = batch.len() as u64;
        let Some(playing) = self.playing(session) else { return Ok(()) };
        match playing.queue.push_batch(batch) {
            Ok(()) => {
                playing.traffic.bytes_down += size;
                self.counters.payload_bytes_down += size;
                self.due.push(session);
                Ok(())
            }
            Err(slow) => {
                self.close(session, CloseCode::Slow, "event batches are not acknowledged");
                Err(slow)
            }
        }
    }

    /// The number the session's next event batch must carry; they count from 1.
    #[must_use]
    pub fn next_batch(&self, session: SessionId) -> Option<u32> {
        match &self.get(session)?.stage {
            Stage::Playing(playing) => Some(playing.queue.next_batch()),
            Stage::Greeting { .. } | Stage::Asked { .. } => None,
        }
    }

    /// Queues a weapon command or a respawn grant, in one order with everything else on the stream.
    ///
    /// # Errors
    /// [`Full`]: nothing was queued and the session stays.
    pub fn queue_command(&mut self, session: SessionId, command: Bytes) -> Result<(), Full> {
        let size = command.len() as u64;
        let playing = self.playing(session).ok_or(Full::Gone)?;
        if let Err(full) = playing.queue.push_command(command) {
            self.counters.commands_refused_full += 1;
            return Err(full);
        }
        playing.traffic.bytes_down += size;
        self.counters.payload_bytes_down += size;
        self.due.push(session);
        Ok(())
    }

    /// Whether a command would be queued; nothing is, and nothing is counted.
    ///
    /// # Errors
    /// As [`Gateway::queue_command`].
    pub fn check_command(&mut self, session: SessionId) -> Result<(), Full> {
        self.playing(session).ok_or(Full::Gone)?.queue.check_command()
    }

    /// Queues a game's answer to a command of its own.
    ///
    /// # Errors
    /// [`Full`]: nothing was queued and the session stays.
    pub fn queue_reply(&mut self, session: SessionId, reply: Bytes) -> Result<(), Full> {
        let size = reply.len() as u64;
        let playing = self.playing(session).ok_or(Full::Gone)?;
        playing.queue.push_reply(reply)?;
        playing.traffic.bytes_down += size;
        self.counters.payload_bytes_down += size;
        self.due.push(session);
        Ok(())
    }

    /// Puts a snapshot in the session's slot; it goes with the next flush that the path allows, unless
    /// a newer one takes its place. False where the session is gone.
    pub fn send_snapshot(&mut self, session: SessionId, snapshot: Bytes) -> bool {
        let Some(playing) = self.playing(session) else { return false };
        let replaced = playing.snapshot.replace(snapshot).is_some();
        self.counters.snapshots_replaced += u64::from(replaced);
        self.due.push(session);
        true
    }

    /// Sends everything due.
    pub fn flush(&mut self, now: Instant) {
        let mut due = std::mem::take(&mut self.due);
        due.sort_unstable();
        due.dedup();
        due.retain(|session| self.hand_over(*session));
        due.append(&mut self.due);
        self.due = due;
        self.endpoint.flush(now, &mut self.network);
        self.take_transport_events(now);
    }

    /// Largest snapshot the session's path takes now, in bytes; 0 when it is gone.
    pub fn datagram_size_max(&mut self, session: SessionId) -> usize {
        self.endpoint.datagram_size_max(session.0)
    }

    /// Whether the last snapshot has not gone because the path holds it back: encode no new one.
    pub fn is_held(&mut self, session: SessionId) -> bool {
        self.playing(session).is_some_and(|playing| playing.snapshot.is_some())
            || self.endpoint.datagrams_held(session.0)
    }

    /// Round trip, loss and window of the session's path.
    pub fn path(&mut self, session: SessionId) -> Option<PathState> {
        self.endpoint.path(session.0)
    }

    /// The smoothed round trip alone.
    #[must_use]
    pub fn round_trip(&self, session: SessionId) -> Option<Duration> {
        self.endpoint.round_trip(session.0)
    }

    /// How much waits on the session's stream.
    #[must_use]
    pub fn depths(&self, session: SessionId) -> Option<Depths> {
        match &self.get(session)?.stage {
            Stage::Playing(playing) => Some(playing.queue.depths()),
            Stage::Greeting { .. } | Stage::Asked { .. } => None,
        }
    }

    #[must_use]
    pub fn traffic(&self, session: SessionId) -> Option<Traffic> {
        match &self.get(session)?.stage {
            Stage::Playing(playing) => Some(playing.traffic),
            Stage::Greeting { .. } | Stage::Asked { .. } => None,
        }
    }

    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What the transport counted: packets, handshakes, refusals.
    #[must_use]
    pub fn transport_counters(&self) -> fairshot_transport::Counters {
        self.endpoint.counters()
    }

    /// What the port sent.
    #[must_use]
    pub fn sent(&self) -> fairshot_transport::SendCounters {
        self.network.sent()
    }

    /// Sessions open, greeting ones included.
    #[must_use]
    pub fn open_sessions(&self) -> usize {
        self.open
    }

    /// The port, for its address.
    #[must_use]
    pub fn network(&self) -> &N {
        &self.network
    }

    /// Whether every farewell has gone out: after [`Gateway::close_all`] and a flush, a stopping shard
    /// may drop its port once this holds.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.endpoint.is_quiet()
    }

    fn session_ids(&self) -> Vec<SessionId> {
        self.sessions.iter().flatten().map(|session| session.id).collect()
    }

    /// Takes the session out of the books; the shard hears of it if it heard of the session at all.
    fn forget(&mut self, id: SessionId, code: CloseCode) {
        if self.get(id).is_none() {
            return;
        }
        let Some(session) = self.sessions[id.index()].take() else { return };
        self.open -= 1;
        self.counters.count_closed(code);
        if !matches!(session.stage, Stage::Greeting { .. }) {
            self.events.push_back(SessionEvent::Closed { session: id, code });
        }
    }

    fn get(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(id.index())?.as_deref().filter(|session| session.id == id)
    }

    fn get_mut(&mut self, id: SessionId) -> Option<&mut Session> {
        self.sessions.get_mut(id.index())?.as_deref_mut().filter(|session| session.id == id)
    }

    fn playing(&mut self, id: SessionId) -> Option<&mut Playing> {
        self.sessions
            .get_mut(id.index())?
            .as_deref_mut()
            .filter(|session| session.id == id)
            .and_then(Session::playing)
    }
}

/// How often sessions are looked at that say nothing.
const SWEEP_EVERY: Duration = Duration::from_millis(100);

impl<N: Network> std::fmt::Debug for Gateway<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gateway").field("open", &self.open).finish_non_exhaustive()
    }
}
