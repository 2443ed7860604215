//! What goes out, and who goes: the hand-over to the transport and the sweep for the silent.

use super::Gateway;
use crate::session::{SessionId, Stage};
use fairshot_transport::{Network, SendError};
use fairshot_wire::CloseCode;
use std::time::Instant;

impl<N: Network> Gateway<N> {
    /// Hands a session's snapshot and stream bytes to the transport; true when some must wait.
    pub(super) fn hand_over(&mut self, id: SessionId) -> bool {
        let mut handed = self.endpoint.pending_bytes(id.0);
        let Some(session) = self.sessions.get_mut(id.index()).and_then(Option::as_deref_mut) else {
            return false;
        };
        let Some(playing) = session.playing() else { return false };
        while let Some(bytes) = playing.queue.next_to_hand(handed) {
            handed += bytes.len();
            // The endpoint's own bound lies far above what is handed; a refusal means it is gone.
            if self.endpoint.write(id.0, bytes).is_err() {
                return false;
            }
        }
        if playing.snapshot.is_some()
            && !self.endpoint.datagrams_held(id.0)
            && let Some(snapshot) = playing.snapshot.take()
        {
            let size = snapshot.len();
            match self.endpoint.send_datagram(id.0, snapshot) {
                Ok(()) => {
                    playing.traffic.snapshots_down += 1;
                    playing.traffic.bytes_down += size as u64;
                    self.counters.snapshots += 1;
                    self.counters.payload_bytes_down += size as u64;
                }
                Err(SendError::TooLarge { .. }) => self.counters.snapshots_oversize += 1,
                Err(SendError::NotConnected) => return false,
            }
        }
        playing.snapshot.is_some() || !playing.queue.is_empty()
    }

    /// Closes sessions that say nothing, and reads on where a bound left stream bytes unread.
    pub(super) fn sweep(&mut self, now: Instant) {
        for id in self.session_ids() {
            let Some(session) = self.get(id) else { continue };
            let quiet = now.saturating_duration_since(session.last_heard);
            match session.stage {
                Stage::Greeting { since }
                    if now.saturating_duration_since(since) >= self.limits.hello_timeout =>
                {
                    self.close(id, CloseCode::Hello, "no hello came");
                }
                Stage::Asked { since }
                    if now.saturating_duration_since(since) >= self.limits.answer_timeout =>
                {
                    self.close(id, CloseCode::Internal, "the server did not answer in time");
                }
                Stage::Playing(_) if quiet >= self.limits.idle_timeout => {
                    self.close(id, CloseCode::Idle, "nothing was heard");
                }
                _ if session.unread => self.read_stream(now, id),
                _ => {}
            }
        }
    }
}
