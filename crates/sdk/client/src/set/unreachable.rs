//! A server that says nothing: told early, so that a game can ask its matchmaker where to go on.

use super::{ClientKey, ClientSet, ConnectError, Notice};
use crate::Seat;
use fairshot_transport::Network;
use fairshot_wire::CloseCode;
use std::time::{Duration, Instant};

/// A server sends many snapshots a second and answers a handshake at once: one that has said nothing for
/// so long is gone, or cannot be reached from here.
pub const SILENCE_MAX: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl<N: Network> ClientSet<N> {
    /// Gives a player another seat: a new session on the node that seat names, without a goodbye to the one
    /// before. Of a player that was removed nothing is done.
    ///
    /// # Errors
    /// [`ConnectError`] when the address can never be reached; she stays as she was.
    pub fn take_seat(
        &mut self,
        now: Instant,
        key: ClientKey,
        seat: Seat,
    ) -> Result<(), ConnectError> {
        if self.get(key).is_none() {
            return Ok(());
        }
        let connection = self.begin(now, &seat)?;
        self.name(connection, key.index);
        let Some(player) = self.get_mut(key) else { return Ok(()) };
        let before = player.connection();
        player.move_to(now, seat, connection);
        if let Some(before) = before {
            self.endpoint.close(before, CloseCode::Goodbye.code(), b"");
        }
        Ok(())
    }

    pub(super) fn look_for_silence(&mut self, now: Instant) {
        if now < self.silence_due {
            return;
        }
        self.silence_due = now + LOOK_EVERY;
        for index in 0..u32::try_from(self.players.len()).unwrap_or(u32::MAX) {
            let player = self.players[index as usize].as_deref();
            if player.is_some_and(|player| player.is_unanswered(now, SILENCE_MAX)) {
                self.tell_unreachable(index);
            }
        }
    }

    /// Once, until the server is heard of again.
    pub(super) fn tell_unreachable(&mut self, index: u32) {
        let Some(player) = self.players[index as usize].as_deref_mut() else { return };
        if !std::mem::replace(&mut player.told_unreachable, true) {
            self.notify(index, Notice::Unreachable);
        }
    }
}
