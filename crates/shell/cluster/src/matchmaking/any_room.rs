//! A seat in whatever room of a mode has one: in the fullest that fits, or in a new one. A crowd that
//! comes at once is spread over the rooms before any of them is asked, so that nobody waits for the
//! answers that others get.

use super::hints::Asking;
use super::{JoinRequest, Joined, Matchmaking, MatchmakingError, NewRoom, member_count};
use crate::host::HostError;
use fairshot_matchmaking::{RoomFilter, RoomSummary, join_order};
use fairshot_units::RoomId;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

/// A room about to be asked for seats.
struct Claim<'m> {
    room: RoomSummary,
    asking: Asking<'m>,
}

/// Turns at the gate before a room is opened whatever the others have.
const TURNS_MAX: usize = 8;

impl Matchmaking {
    pub(super) async fn join_mode(
        &self,
        mode: &str,
        request: &JoinRequest,
    ) -> Result<Joined, MatchmakingError> {
        self.check_directory()?;
        let filter = RoomFilter {
            mode: Some(mode.to_owned()),
            region: request.region.clone(),
            free_seats_min: member_count(&request.members),
            labels: request.labels.clone(),
        };
        if let Some(joined) = self.join_any(&filter, request, None).await? {
            return Ok(joined);
        }
        self.check_mode(mode)?;
        let gate = self.gate(mode);
        let mut turn = gate.lock().await;
        for _ in 0..TURNS_MAX {
            // Whoever held the gate before may have opened just the right room. Its seats are asked for
            // by all who wait, each for one that no other asks for.
            let Some(claim) = self.claim(&filter, request, &BTreeSet::new()) else { break };
            drop(turn);
            if let Some(joined) = self.join_any(&filter, request, Some(claim)).await? {
                return Ok(joined);
            }
            turn = gate.lock().await;
        }
        self.open(&NewRoom {
            mode,
            region: request.region.as_deref(),
            labels: &request.labels,
            code: None,
            seats_max: None,
            monsters: None,
            seed: None,
            locked: false,
            empty_ttl_ms: Some(self.settings.empty_ttl_ms),
            members: &request.members,
        })
        .await
    }

    /// Asks the rooms that are there, the claimed one and then the fullest first.
    async fn join_any(
        &self,
        filter: &RoomFilter,
        request: &JoinRequest,
        mut claimed: Option<Claim<'_>>,
    ) -> Result<Option<Joined>, MatchmakingError> {
        let mut tried = BTreeSet::new();
        for _ in 0..self.settings.asks_max {
            let claim = claimed.take().or_else(|| self.claim(filter, request, &tried));
            let Some(Claim { room, asking }) = claim else { break };
            let promised = self.reserve(&room, &request.members).await;
            drop(asking);
            match promised {
                Ok(promised) => return self.joined(room, promised).map(Some),
                // The next room may have what this one has not.
                Err(HostError::Party) => return Err(MatchmakingError::from_host(HostError::Party)),
                Err(error) => {
                    tracing::debug!(room = %room.room, error = error.label(), "no seat");
                    tried.insert(room.room);
                }
            }
        }
        Ok(None)
    }

    /// The room to ask next, its seats counted as asked for; none where no room fits.
    fn claim(
        &self,
        filter: &RoomFilter,
        request: &JoinRequest,
        tried: &BTreeSet<RoomId>,
    ) -> Option<Claim<'_>> {
        self.directory.view().read(|view| {
            let hinted: Vec<RoomSummary> = view
                .rooms
                .values()
                .filter(|record| !tried.contains(&record.summary.room))
                .filter(|record| {
                    view.nodes.get(&record.summary.node).is_some_and(|n| !n.offer.draining)
                })
                .filter(|record| !self.hints.is_avoided(&record.summary.node))
                .map(|record| self.hints.apply(&record.summary))
                .collect();
            let room = (*join_order(hinted.iter(), filter).first()?).clone();
            let asking = self.hints.ask(&room.room, member_count(&request.members));
            Some(Claim { room, asking })
        })
    }

    /// Modes are those of nodes (`check_mode`), so there are few gates.
    fn gate(&self, mode: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(gates.entry(mode.to_owned()).or_default())
    }
}
