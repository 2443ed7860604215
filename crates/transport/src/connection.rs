//! One connection inside an endpoint: quinn's machine, its one ordered stream, what waits for it.

use crate::config::DATAGRAM_BUFFER_BYTES;
use crate::congestion::Leave;
use crate::event::{CloseReason, ConnectionKey, Event, PathState, SendError, WriteError};
use crate::network::{Departure, Network};
use bytes::Bytes;
use quinn_proto::{
    Chunks, ConnectionError, Dir, ReadError, SendDatagramError, StreamEvent, StreamId, Transmit,
    TransportErrorCode, VarInt, WriteError as QuinnWriteError,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Packets one connection may send in one flush; what is left goes in the next.
const DEPARTURES_PER_FLUSH_MAX: usize = 32;

/// A packet smaller than this had room for more, so nothing was left: asking again costs as much as
/// making a packet, and what a timer wants later it will ask for.
const LAST_BELOW_BYTES: usize = 1000;

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) key: ConnectionKey,
    pub(crate) quinn: quinn_proto::Connection,
    pub(crate) connected: bool,
    /// The owner has been told, or has told us, that it is over: only the farewell is left.
    pub(crate) over: bool,
    /// Already in the endpoint's list of connections to look at in this step.
    pub(crate) touched: bool,
    /// Already in the endpoint's list of connections that may have something to send.
    pub(crate) stirred: bool,
    /// Received something and waits, until then at most, for a packet to ride on.
    pub(crate) lazy_until: Option<Instant>,
    /// A datagram waits for the window or the pacer, until then at most.
    pub(crate) held_until: Option<Instant>,
    /// Already in the endpoint's list of connections held back.
    pub(crate) held_listed: bool,
    /// It has waited long enough: one packet goes, whatever the window says.
    pub(crate) overdue: bool,
    /// A timer fired: what it asks for (a late acknowledgement, probes) does not wait.
    pub(crate) urgent: bool,
    stream: Option<StreamId>,
    /// Stream bytes accepted from the owner and not yet by QUIC.
    pending: VecDeque<Bytes>,
    pending_bytes: usize,
    /// Close once what was written has been sent: code and reason.
    farewell: Option<(u32, Bytes)>,
}

impl Connection {
    pub(crate) fn new(key: ConnectionKey, quinn: quinn_proto::Connection) -> Self {
        Self {
            key,
            quinn,
            connected: false,
            over: false,
            touched: false,
            stirred: false,
            lazy_until: None,
            held_until: None,
            held_listed: false,
            overdue: false,
            urgent: false,
            stream: None,
            pending: VecDeque::new(),
            pending_bytes: 0,
            farewell: None,
        }
    }

    /// Turns what quinn noticed into events, in order.
    pub(crate) fn collect(&mut self, events: &mut VecDeque<(ConnectionKey, Event)>) {
        while let Some(event) = self.quinn.poll() {
            let told = match event {
                quinn_proto::Event::Connected => {
                    self.connected = true;
                    if self.quinn.side().is_client() {
                        self.stream = self.quinn.streams().open(Dir::Bi);
                    }
                    Some(Event::Connected { address: self.quinn.remote_address() })
                }
                quinn_proto::Event::Stream(StreamEvent::Opened { dir: Dir::Bi }) => {
                    self.stream = self.stream.or_else(|| self.quinn.streams().accept(Dir::Bi));
                    self.stream.map(|_| Event::Readable)
                }
                quinn_proto::Event::Stream(StreamEvent::Readable { id }) => {
                    (self.stream == Some(id)).then_some(Event::Readable)
                }
                quinn_proto::Event::ConnectionLost { reason } => {
                    let before = self.over;
                    self.over = true;
                    (!before).then(|| Event::Closed(reason_of(reason)))
                }
                _ => None,
            };
            if let Some(told) = told {
                events.push_back((self.key, told));
            }
        }
        while let Some(datagram) = self.quinn.datagrams().recv() {
            if !self.over {
                events.push_back((self.key, Event::Datagram(datagram)));
            }
        }
    }

    pub(crate) fn send_datagram(&mut self, datagram: Bytes) -> Result<(), SendError> {
        if !self.connected || self.over {
            return Err(SendError::NotConnected);
        }
        let size = datagram.len();
        self.quinn.datagrams().send(datagram, true).map_err(|error| match error {
            SendDatagramError::TooLarge => {
                SendError::TooLarge { size, size_max: self.datagram_size_max() }
            }
            SendDatagramError::UnsupportedByPeer
            | SendDatagramError::Disabled
            | SendDatagramError::Blocked(_) => SendError::NotConnected,
        })
    }

    pub(crate) fn datagram_size_max(&mut self) -> usize {
        if self.connected { self.quinn.datagrams().max_size().unwrap_or(0) } else { 0 }
    }

    pub(crate) fn write(&mut self, bytes: Bytes, pending_max: usize) -> Result<(), WriteError> {
        if self.stream.is_none() || self.over {
            return Err(WriteError::NotConnected);
        }
        if self.pending_bytes + bytes.len() > pending_max {
            return Err(WriteError::Full { pending: self.pending_bytes, pending_max });
        }
        if !bytes.is_empty() {
            self.pending_bytes += bytes.len();
            self.pending.push_back(bytes);
        }
        Ok(())
    }

    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending_bytes
    }

    /// Appends stream bytes to `into`, at most `bytes_max`; true when there may be more.
    pub(crate) fn read(&mut self, into: &mut Vec<u8>, bytes_max: usize) -> (bool, Option<Event>) {
        let Some(id) = self.stream else { return (false, None) };
        let mut stream = self.quinn.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return (false, None) };
        let read = drain(&mut chunks, into, bytes_max);
        // Credit for what was read goes out with the next flush, which the caller stirs.
        let _ = chunks.finalize().should_transmit();
        read
    }

    /// Asks for the end once everything written before has had its chance to be sent.
    pub(crate) fn close(&mut self, code: u32, reason: Bytes) -> bool {
        let first = !self.over;
        if first {
            self.over = true;
            self.farewell = Some((code, reason));
        }
        first
    }

    /// Writes pending stream bytes and sends every packet due now. True when more is left to send.
    pub(crate) fn flush(&mut self, now: Instant, network: &mut dyn Network) -> bool {
        self.write_pending();
        let mut more = self.depart(now, network);
        if std::mem::take(&mut self.overdue) && self.datagrams_held() {
            more = self.depart_over_window(now, network);
        }
        self.urgent = false;
        if let Some((code, reason)) = self.farewell.take() {
            self.pending.clear();
            self.pending_bytes = 0;
            self.quinn.close(now, VarInt::from_u32(code), reason);
            return self.depart(now, network);
        }
        more
    }

    pub(crate) fn path(&mut self) -> PathState {
        let datagram_size_max = self.datagram_size_max();
        let path = self.quinn.stats().path;
        let datagrams_held = self.datagrams_held();
        PathState {
            address: self.quinn.remote_address(),
            round_trip: path.rtt,
            round_trip_min: path.min_rtt.min(path.rtt),
            window_bytes: path.cwnd,
            packets_sent: path.sent_packets,
            packets_lost: path.lost_packets,
            packet_size_max: path.current_mtu,
            datagram_size_max,
            datagrams_held,
        }
    }

    /// Whether a datagram waits in quinn's buffer: the window or the pacer holds it back.
    pub(crate) fn datagrams_held(&mut self) -> bool {
        let free = self.quinn.datagrams().send_buffer_space() + size_of::<quinn_proto::Datagram>();
        free < DATAGRAM_BUFFER_BYTES
    }

    pub(crate) fn round_trip(&self) -> Duration {
        self.quinn.rtt()
    }

    fn write_pending(&mut self) {
        let Some(id) = self.stream else { return };
        while !self.pending.is_empty() {
            let mut stream = self.quinn.send_stream(id);
            match stream.write_chunks(self.pending.make_contiguous()) {
                Ok(written) => {
                    self.pending_bytes -= written.bytes;
                    self.pending.drain(..written.chunks);
                    if self.pending.front().is_some_and(|chunk| !chunk.is_empty()) {
                        return;
                    }
                }
                Err(QuinnWriteError::Blocked) => return,
                Err(QuinnWriteError::Stopped(_) | QuinnWriteError::ClosedStream) => {
                    self.pending.clear();
                    self.pending_bytes = 0;
                }
            }
        }
    }

    /// Notes since when a datagram is held back. True where the endpoint must list the connection.
    pub(crate) fn note_held(&mut self, now: Instant) -> bool {
        if self.held_until.is_some() || !self.connected || self.over || !self.datagrams_held() {
            return false;
        }
        self.held_until = Leave::of(&self.quinn).map(|leave| now + leave.wait());
        self.held_until.is_some() && !std::mem::replace(&mut self.held_listed, true)
    }

    /// Sends one packet that the window held back too long. True when it went.
    fn depart_over_window(&mut self, now: Instant, network: &mut dyn Network) -> bool {
        let Some(leave) = Leave::of(&self.quinn) else { return false };
        leave.give(true);
        let transmit = self.quinn.poll_transmit(now, 1, network.buffer());
        leave.give(false);
        let Some(transmit) = transmit else { return false };
        network.commit(now, departure_of(&transmit));
        self.held_until = None;
        true
    }

    fn depart(&mut self, now: Instant, network: &mut dyn Network) -> bool {
        for _ in 0..DEPARTURES_PER_FLUSH_MAX {
            let segments_max = network.segments_max();
            let buffer = network.buffer();
            let Some(transmit) = self.quinn.poll_transmit(now, segments_max, buffer) else {
                return false;
            };
            let departure = departure_of(&transmit);
            self.held_until = None;
            let is_last = transmit.size < LAST_BELOW_BYTES
                && self.connected
                && !self.urgent
                && self.pending.is_empty()
                && !self.datagrams_held();
            network.commit(now, departure);
            if is_last {
                return false;
            }
        }
        true
    }
}

fn departure_of(transmit: &Transmit) -> Departure {
    Departure {
        to: transmit.destination,
        from: transmit.src_ip,
        congestion_mark: transmit.ecn,
        segment_size: transmit.segment_size,
    }
}

fn drain(chunks: &mut Chunks<'_>, into: &mut Vec<u8>, bytes_max: usize) -> (bool, Option<Event>) {
    let mut left = bytes_max;
    while left > 0 {
        match chunks.next(left) {
            Ok(Some(chunk)) => {
                left -= chunk.bytes.len();
                into.extend_from_slice(&chunk.bytes);
            }
            Ok(None) | Err(ReadError::Reset(_)) => return (false, Some(Event::Finished)),
            Err(ReadError::Blocked) => return (false, None),
        }
    }
    (true, None)
}

fn reason_of(error: ConnectionError) -> CloseReason {
    match error {
        ConnectionError::ApplicationClosed(close) => {
            CloseReason::Peer { code: close.error_code.into_inner(), reason: close.reason }
        }
        ConnectionError::ConnectionClosed(close)
            if close.error_code == TransportErrorCode::CONNECTION_REFUSED =>
        {
            CloseReason::Refused
        }
        ConnectionError::TimedOut => CloseReason::TimedOut,
        ConnectionError::Reset => CloseReason::Reset,
        ConnectionError::CidsExhausted => CloseReason::Refused,
        ConnectionError::LocallyClosed => CloseReason::Local { code: 0 },
        ConnectionError::TransportError(error) if is_certificate(error.code) => {
            CloseReason::Certificate
        }
        other => CloseReason::Protocol(other.to_string()),
    }
}

/// TLS alerts about certificates: `bad_certificate` 42 to `unknown_ca` 48, and `access_denied` 49.
fn is_certificate(code: TransportErrorCode) -> bool {
    (42..=49).any(|alert| code == TransportErrorCode::crypto(alert))
}
