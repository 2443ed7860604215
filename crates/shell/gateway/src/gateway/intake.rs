//! What the port brought: greetings, datagrams and stream messages, each against its bound.

use super::{Gateway, SessionEvent};
use crate::session::{Session, SessionId, Stage};
use fairshot_transport::{CloseReason, ConnectionKey, Event, Network};
use fairshot_wire::{CloseCode, PROTOCOL_VERSION, Up};
use std::time::Instant;

impl<N: Network> Gateway<N> {
    pub(super) fn take_transport_events(&mut self, now: Instant) {
        while let Some((key, event)) = self.endpoint.poll() {
            match event {
                Event::Connected { .. } => self.begin(now, key),
                Event::Datagram(bytes) => self.take_datagram(now, SessionId(key), &bytes),
                Event::Readable => self.read_stream(now, SessionId(key)),
                // A client that wants to leave says goodbye; a finished stream alone says nothing.
                Event::Finished => {}
                Event::Closed(reason) => self.forget(SessionId(key), code_of(&reason)),
            }
        }
    }

    fn begin(&mut self, now: Instant, key: ConnectionKey) {
        if self.sessions.len() <= key.index() {
            self.sessions.resize_with(key.index() + 1, || None);
        }
        if self.sessions[key.index()].replace(Box::new(Session::new(key, now))).is_none() {
            self.open += 1;
        }
    }

    fn take_datagram(&mut self, now: Instant, id: SessionId, bytes: &[u8]) {
        let limits = self.limits;
        let mut datagram = self.spare.pop().unwrap_or_default();
        let Some(session) = self.get_mut(id) else { return self.recycle(datagram) };
        let Some(playing) = session.playing() else { return self.recycle(datagram) };
        if !playing.datagrams.take(now, limits.datagrams_per_second, limits.datagrams_burst) {
            let over = playing.over_rate.add(now, 1);
            self.counters.datagrams_over_rate += 1;
            if over > limits.datagrams_over_rate_max {
                self.close(id, CloseCode::Flood, "too many datagrams");
            }
            return self.recycle(datagram);
        }
        let address = self.endpoint.remote_address(id.0).map(|address| address.ip());
        if !address.is_some_and(|address| self.address_rate.take(now, address)) {
            self.counters.datagrams_over_rate += 1;
            return self.recycle(datagram);
        }
        let Some(session) = self.get_mut(id) else { return self.recycle(datagram) };
        let Some(playing) = session.playing() else { return self.recycle(datagram) };
        playing.traffic.datagrams_up += 1;
        playing.traffic.bytes_up += bytes.len() as u64;
        let mut malformed = Vec::new();
        let decoded = datagram.decode_into(bytes, &playing.limits, &mut malformed);
        if decoded.is_ok() {
            playing.queue.acknowledge(datagram.batch);
            session.last_heard = now;
        }
        let faults = malformed.len() + usize::from(decoded.is_err());
        self.counters.datagrams += 1;
        self.counters.payload_bytes_up += bytes.len() as u64;
        if faults > 0 && !self.bear_malformed(now, id, faults) {
            return self.recycle(datagram);
        }
        if decoded.is_ok() || !malformed.is_empty() {
            if decoded.is_err() {
                datagram.frames.clear();
                datagram.shots.clear();
            }
            self.events.push_back(SessionEvent::Datagram { session: id, datagram, malformed });
        } else {
            self.recycle(datagram);
        }
    }

    /// Counts what could not be read; false when it was too much and the session was closed.
    fn bear_malformed(&mut self, now: Instant, id: SessionId, faults: usize) -> bool {
        self.counters.malformed += faults as u64;
        let max = self.limits.malformed_per_second_max;
        let Some(session) = self.get_mut(id) else { return false };
        let faults = u32::try_from(faults).unwrap_or(u32::MAX);
        if session.malformed.add(now, faults) <= max {
            return true;
        }
        self.close(id, CloseCode::Malformed, "too much that cannot be read");
        false
    }

    pub(super) fn read_stream(&mut self, now: Instant, id: SessionId) {
        let bytes_max = self.limits.stream_bytes_per_step_max;
        let mut read = std::mem::take(&mut self.read);
        read.clear();
        if self.get(id).is_some() {
            let unread = self.endpoint.read(id.0, &mut read, bytes_max);
            if let Some(session) = self.get_mut(id) {
                session.unread = unread;
                session.reader.push(&read);
            }
            self.take_messages(now, id);
        }
        self.read = read;
    }

    fn take_messages(&mut self, now: Instant, id: SessionId) {
        loop {
            let Some(session) = self.get_mut(id) else { return };
            let message = match session.reader.next_message() {
                Ok(None) => return,
                Ok(Some(message)) => Up::decode(message),
                Err(error) => Err(error),
            };
            match message {
                Ok(message) => self.take_message(now, id, message),
                Err(error) => {
                    tracing::debug!(session = ?id, %error, "unreadable stream message");
                    self.counters.malformed += 1;
                    let code = match self.get(id).map(|session| &session.stage) {
                        Some(Stage::Greeting { .. }) => CloseCode::Hello,
                        _ => CloseCode::Protocol,
                    };
                    return self.close(id, code, "a stream message could not be read");
                }
            }
        }
    }

    fn take_message(&mut self, now: Instant, id: SessionId, message: Up) {
        let limits = self.limits;
        let Some(session) = self.get_mut(id) else { return };
        session.last_heard = now;
        match (&mut session.stage, message) {
            (Stage::Greeting { .. }, Up::Hello(hello)) => {
                if hello.version != PROTOCOL_VERSION {
                    return self.close(id, CloseCode::Version, "another protocol version");
                }
                session.stage = Stage::Asked { since: now };
                self.counters.hellos += 1;
                self.events.push_back(SessionEvent::Hello { session: id, hello });
            }
            (Stage::Greeting { .. }, _) | (_, Up::Hello(_)) => {
                self.close(id, CloseCode::Hello, "the first message, and only it, is a hello");
            }
            (_, Up::Goodbye) => self.close(id, CloseCode::Goodbye, "goodbye"),
            (Stage::Asked { .. }, _) => {
                self.close(id, CloseCode::Protocol, "a message before the welcome");
            }
            (Stage::Playing(playing), message) => {
                if !playing.messages.take(now, limits.messages_per_second, limits.messages_burst) {
                    return self.close(id, CloseCode::Flood, "too many stream messages");
                }
                self.counters.messages += 1;
                self.events.push_back(SessionEvent::Message { session: id, message });
            }
        }
    }
}

/// What the shard is told when the transport ended a session.
fn code_of(reason: &CloseReason) -> CloseCode {
    match reason {
        // Of the codes only these are a client's to give; any other says no more than goodbye.
        CloseReason::Peer { code, .. } => match CloseCode::from_code(*code) {
            Some(code @ (CloseCode::Diverged | CloseCode::Protocol)) => code,
            _ => CloseCode::Goodbye,
        },
        CloseReason::Local { code } => CloseCode::from_code(*code).unwrap_or(CloseCode::Goodbye),
        CloseReason::TimedOut | CloseReason::HandshakeTimedOut => CloseCode::Idle,
        CloseReason::Reset => CloseCode::Goodbye,
        CloseReason::Refused | CloseReason::Certificate => CloseCode::Internal,
        CloseReason::Protocol(_) => CloseCode::Protocol,
    }
}
