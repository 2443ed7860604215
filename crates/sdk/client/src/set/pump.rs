//! The loop inside a set: what came goes to its player, what players say goes out, lines come back.

use super::{ClientKey, ClientSet, ConnectError, Notice};
use crate::player::Link;
use crate::{Ended, Seat};
use bytes::Bytes;
use fairshot_client_core::ClientError;
use fairshot_transport::{CloseReason, ConnectionKey, Event, Network};
use fairshot_wire::CloseCode;
use std::time::Instant;

/// Stream bytes read for one player at a time.
const READ_BYTES: usize = 16 * 1024;
/// Notices kept for an owner that does not take them; beyond that the oldest go.
const NOTICES_MAX: usize = 65_536;

impl<N: Network> ClientSet<N> {
    pub(super) fn begin(
        &mut self,
        now: Instant,
        seat: &Seat,
    ) -> Result<ConnectionKey, ConnectError> {
        let Seat { address, certificate_sha256, .. } = *seat;
        self.endpoint
            .connect(now, address, certificate_sha256)
            .map_err(|source| ConnectError { address, source })
    }

    pub(super) fn name(&mut self, connection: ConnectionKey, index: u32) {
        if self.by_connection.len() <= connection.index() {
            self.by_connection.resize(connection.index() + 1, None);
        }
        self.by_connection[connection.index()] = Some((connection, index));
    }

    pub(super) fn take_events(&mut self, now: Instant) {
        while let Some((connection, event)) = self.endpoint.poll() {
            let named = self.by_connection.get(connection.index()).copied().flatten();
            let Some((_, index)) = named.filter(|(named, _)| *named == connection) else {
                continue;
            };
            let now_us = self.micros(now);
            let Some(player) = self.players[index as usize].as_deref_mut() else { continue };
            if player.connection() != Some(connection) {
                continue;
            }
            match event {
                Event::Connected { .. } => {
                    player.hear(now);
                    player.link = Link::Open(connection);
                    self.activate_index(index);
                }
                Event::Datagram(bytes) => {
                    player.hear(now);
                    player.session.handle_datagram(&bytes, now_us);
                }
                Event::Readable => {
                    player.hear(now);
                    player.unread = true;
                    self.list_readable(index);
                }
                Event::Finished => {}
                Event::Closed(reason) => {
                    // What came just before the close is read first: it may say why.
                    self.read_stream(index);
                    let ended = Ended::from_close(reason);
                    self.lost(now, index, ended);
                }
            }
        }
    }

    pub(super) fn read_streams(&mut self) {
        let mut readable = std::mem::take(&mut self.readable);
        readable.retain(|index| self.read_stream(*index));
        readable.append(&mut self.readable);
        self.readable = readable;
    }

    /// Reads what a player's session wants; true while some is left unread.
    pub(super) fn read_stream(&mut self, index: u32) -> bool {
        loop {
            let Some(player) = self.players[index as usize].as_deref_mut() else { return false };
            let Some(connection) = player.connection().filter(|_| player.unread) else {
                player.readable_listed = false;
                return false;
            };
            if !player.session.wants_stream() {
                return true;
            }
            self.read.clear();
            player.unread = self.endpoint.read(connection, &mut self.read, READ_BYTES);
            let taken = player.session.handle_stream(&self.read);
            self.activate_index(index);
            if let Err(error) = taken {
                self.break_off(index, error);
            }
        }
    }

    pub(super) fn send_for(&mut self, index: u32) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        player.active = false;
        let (Link::Open(connection) | Link::Leaving(connection, _)) = player.link else { return };
        while let Some(bytes) = player.session.poll_stream() {
            if self.endpoint.write(connection, bytes).is_err() {
                break;
            }
        }
        if self.endpoint.datagrams_held(connection) {
            // A thin line gets fewer datagrams, each with more frames, instead of a growing queue.
            player.active = true;
            self.active.push(index);
            return;
        }
        let limit = self.endpoint.datagram_size_max(connection);
        self.datagram.clear();
        if limit > 0 && player.session.poll_datagram(limit, &mut self.datagram) {
            let datagram = Bytes::copy_from_slice(&self.datagram);
            if let Err(error) = self.endpoint.send_datagram(connection, datagram) {
                tracing::debug!(%error, "a datagram was not sent");
            }
        }
    }

    pub(super) fn serve_deadlines(&mut self, now: Instant) {
        let mut timed = std::mem::take(&mut self.timed);
        timed.retain(|index| self.serve_deadline(now, *index));
        timed.append(&mut self.timed);
        self.timed = timed;
    }

    /// Does what was due for one player; true while a deadline lies ahead.
    pub(super) fn serve_deadline(&mut self, now: Instant, index: u32) -> bool {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return false };
        match player.link {
            Link::Leaving(connection, due) if due <= now => {
                self.endpoint.close(connection, CloseCode::Goodbye.code(), b"");
                false
            }
            Link::Waiting(due) if due <= now => {
                player.restart();
                let seat = player.seat.clone();
                match self.begin(now, &seat) {
                    Ok(connection) => {
                        if let Some(player) = self.players[index as usize].as_deref_mut() {
                            player.link = Link::Connecting(connection);
                        }
                        self.name(connection, index);
                    }
                    Err(error) => {
                        tracing::debug!(%error, "cannot come back");
                        let reason = CloseReason::Refused;
                        self.end(index, Ended::Lost(reason));
                    }
                }
                false
            }
            Link::Leaving(..) | Link::Waiting(_) => true,
            Link::Connecting(_) | Link::Open(_) | Link::Ended(_) => false,
        }
    }

    pub(super) fn lost(&mut self, now: Instant, index: u32, ended: Ended) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        match player.after(now, ended.clone()) {
            Link::Ended(ended) => self.end(index, ended),
            link => {
                player.link = link;
                self.timed.push(index);
                let refused = matches!(ended, Ended::Lost(CloseReason::Refused));
                self.notify(index, Notice::Rejoining { after: ended });
                if refused {
                    self.tell_unreachable(index);
                }
            }
        }
    }

    pub(super) fn break_off(&mut self, index: u32, error: ClientError) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        if let Some(connection) = player.connection() {
            let label = error.label().as_bytes();
            self.endpoint.close(connection, CloseCode::Protocol.code(), label);
        }
        self.end(index, Ended::Broken(error));
    }

    pub(super) fn end(&mut self, index: u32, ended: Ended) {
        if let Some(player) = self.players[index as usize].as_deref_mut() {
            player.link = Link::Ended(ended.clone());
            self.notify(index, Notice::Ended(ended));
        }
    }

    pub(super) fn notify(&mut self, index: u32, notice: Notice) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.pop_front();
        }
        let key = ClientKey { index, generation: self.generations[index as usize] };
        self.notices.push_back((key, notice));
    }
}
