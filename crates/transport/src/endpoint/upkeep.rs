//! What each connection is owed in a step: its timers, its business with the endpoint, its turn to send.

use super::Endpoint;
use bytes::Bytes;
use quinn_proto::ConnectionHandle;
use std::time::{Duration, Instant};

/// How long a connection that only received waits for a packet to ride on: over one snapshot.
const LAZY_FOR: Duration = Duration::from_millis(40);

impl Endpoint {
    pub(super) fn serve_timers(&mut self, now: Instant) {
        if self.timeouts_from.is_none_or(|from| from > now) {
            return;
        }
        let mut from = None;
        for index in 0..self.timeouts.len() {
            let Some(timeout) = self.timeouts[index] else { continue };
            if timeout > now {
                from = Some(from.map_or(timeout, |from: Instant| from.min(timeout)));
                continue;
            }
            if let Some(connection) = self.connections[index].as_deref_mut() {
                connection.quinn.handle_timeout(now);
                connection.urgent = true;
                self.timeouts[index] = None;
                self.touch(u32::try_from(index).unwrap_or(u32::MAX));
            }
        }
        self.timeouts_from = from;
    }

    pub(super) fn drop_late_handshakes(&mut self, now: Instant) {
        while let Some(&(deadline, key)) = self.half_open.front() {
            let under_way = self.get(key).is_some_and(|c| !c.connected && !c.over);
            if under_way && deadline > now {
                return;
            }
            self.half_open.pop_front();
            if under_way && let Some(connection) = self.get_mut(key) {
                connection.over = true;
                connection.quinn.close(now, 0u32.into(), Bytes::new());
                self.counters.handshakes_timed_out += 1;
                self.half_open_count -= 1;
                self.touch(key.index);
            }
        }
    }

    /// Looks at every touched connection: events out, endpoint business done, timers noted.
    pub(super) fn collect(&mut self, now: Instant) {
        while let Some(index) = self.touched.pop() {
            let Some(connection) = self.connections[index as usize].as_deref_mut() else {
                continue;
            };
            connection.touched = false;
            let (was_connected, was_over) = (connection.connected, connection.over);
            let events_before = self.events.len();
            connection.collect(&mut self.events);
            let server = connection.quinn.side().is_server();
            let now_connected = connection.connected && !was_connected;
            let ended = connection.over && !was_over;
            if now_connected {
                self.counters.handshakes_done += 1;
            }
            if server && (now_connected || (ended && !was_connected)) {
                self.half_open_count = self.half_open_count.saturating_sub(1);
            }
            if server && ended && !connection.connected {
                // The owner never heard of it.
                self.events.truncate(events_before);
            }
            if was_connected && !connection.over && !connection.urgent {
                if !connection.stirred && connection.lazy_until.is_none() {
                    connection.lazy_until = Some(now + LAZY_FOR);
                    self.lazy.push_back((now + LAZY_FOR, connection.key));
                }
            } else {
                self.stir(index);
            }
            self.settle(index);
        }
    }

    pub(super) fn stir_overdue(&mut self, now: Instant) {
        while let Some(&(due, key)) = self.lazy.front() {
            // An entry whose connection has sent since, and waits anew or not at all, is stale.
            let waits = self.get(key).is_some_and(|connection| connection.lazy_until == Some(due));
            if waits && due > now {
                return;
            }
            self.lazy.pop_front();
            if waits {
                self.stir(key.index);
            }
        }
    }

    /// Has every connection send whose datagrams were held back too long.
    pub(super) fn stir_held(&mut self, now: Instant) {
        let mut held = std::mem::take(&mut self.held);
        held.retain(|key| {
            let Some(connection) = self.get_mut(*key) else { return false };
            // Where something went meanwhile, its flush noted anew whether anything is held.
            let due = connection.held_until;
            if due.is_some_and(|due| due > now) {
                return true;
            }
            connection.held_listed = false;
            if due.is_some() {
                connection.held_until = None;
                connection.overdue = true;
                self.stir(key.index);
            }
            false
        });
        self.held = held;
    }

    /// Does a connection's business with the endpoint and notes when it wants the time next.
    pub(super) fn settle(&mut self, index: u32) {
        let at = index as usize;
        let Some(connection) = self.connections[at].as_deref_mut() else { return };
        while let Some(event) = connection.quinn.poll_endpoint_events() {
            let drained = event.is_drained();
            let answer = self.quinn.handle_event(ConnectionHandle(at), event);
            if drained {
                self.connections[at] = None;
                self.timeouts[at] = None;
                return;
            }
            if let Some(answer) = answer {
                connection.quinn.handle_event(answer);
            }
        }
        // An established connection's timers wait for its next packet a little while.
        let slack = if connection.connected { self.settings.timer_slack } else { Duration::ZERO };
        let timeout = connection.quinn.poll_timeout().map(|timeout| timeout + slack);
        self.timeouts[at] = timeout;
        if let Some(timeout) = timeout {
            let from = self.timeouts_from.map_or(timeout, |from| from.min(timeout));
            self.timeouts_from = Some(from);
        }
    }

    pub(super) fn touch(&mut self, index: u32) {
        if let Some(connection) = self.connections[index as usize].as_deref_mut()
            && !connection.touched
        {
            connection.touched = true;
            self.touched.push(index);
        }
    }

    pub(super) fn stir(&mut self, index: u32) {
        if let Some(connection) = self.connections[index as usize].as_deref_mut()
            && !connection.stirred
        {
            connection.stirred = true;
            self.stirred.push(index);
        }
    }
}
