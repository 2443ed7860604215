//! Joining: which room a player is sent to, and where a new one opens.
//!
//! [`Matchmaking`] holds no seat and no room: it reads the directory's view, asks the shards that own
//! the rooms for seats, and places new rooms by transaction. Any number of replicas may do so at once,
//! and one that dies leaves nothing behind but reservations that run out where they are kept.
//!
//! **How to embed it.** Every method takes `&self` and may run many times at once: put it in an `Arc`.
//! An actor clones the `Arc` into the future of its response; a gRPC service calls it directly. It
//! needs a tokio runtime with time, and spawns nothing.

mod any_room;
mod error;
mod hints;
mod request;
mod seater;

pub use error::MatchmakingError;
pub use request::{CreateRequest, JoinRequest, Joined, RoomPage, Target};
pub use seater::Seater;

use crate::directory::{Directory, DirectoryError, RoomRecord, ViewState};
use crate::host::{HostError, HostSet, Promised, RoomHost, RoomSpec};
use fairshot_matchmaking::{
    Caps, Labels, Placement, RoomCode, RoomFilter, RoomSummary, SeatCounts, place,
};
use fairshot_units::{NodeId, PlayerId, RoomId};
use hints::Hints;
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bounds of matchmaking.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchmakingSettings {
    pub caps: Caps,
    /// Rooms asked for seats before a new one is opened, 1 to 64.
    pub asks_max: usize,
    /// Attempts to place a new room, 1 to 16.
    pub places_max: usize,
    /// Members of one party, 1 to 64.
    pub party_max: usize,
    /// A matchmade room is retired once it has been empty this long, in milliseconds.
    pub empty_ttl_ms: u64,
}

impl Default for MatchmakingSettings {
    fn default() -> Self {
        Self { caps: Caps::default(), asks_max: 8, places_max: 5, party_max: 16, empty_ttl_ms: 0 }
    }
}

/// Sends players to rooms.
pub struct Matchmaking {
    directory: Arc<dyn Directory>,
    hosts: Arc<dyn HostSet>,
    settings: MatchmakingSettings,
    hints: Hints,
    /// One new room of a mode at a time, so that a crowd fills the room its first member opens.
    gates: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    random: SystemRandom,
}

impl fmt::Debug for Matchmaking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matchmaking").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A room to be opened, before it has a name and a place.
struct NewRoom<'a> {
    mode: &'a str,
    region: Option<&'a str>,
    labels: &'a Labels,
    code: Option<RoomCode>,
    seats_max: Option<u16>,
    monsters: Option<u16>,
    seed: Option<u64>,
    locked: bool,
    empty_ttl_ms: Option<u64>,
    members: &'a [PlayerId],
}

impl Matchmaking {
    #[must_use]
    pub fn new(
        directory: Arc<dyn Directory>,
        hosts: Arc<dyn HostSet>,
        settings: MatchmakingSettings,
    ) -> Self {
        Self {
            directory,
            hosts,
            settings,
            hints: Hints::default(),
            gates: Mutex::default(),
            random: SystemRandom::new(),
        }
    }

    /// A seat for every member: in a room that is there or in a new one, or in exactly the room asked
    /// for.
    ///
    /// # Errors
    /// [`MatchmakingError`]; nobody has a seat then, or one that runs out by itself.
    pub async fn join(&self, request: &JoinRequest) -> Result<Joined, MatchmakingError> {
        self.check(&request.members, request.address)?;
        match &request.target {
            Target::Mode(mode) => self.join_mode(mode, request).await,
            Target::Room { room, code } => {
                let record = self.directory.view().read(|view| view.rooms.get(room).cloned());
                let record = record
                    .filter(|found| found.summary.code.is_none() || found.summary.code == *code)
                    .ok_or_else(|| MatchmakingError::not_found("room", room))?;
                self.join_room(&record, &request.members).await
            }
            Target::Code(code) => {
                let record = self.directory.view().read(|view| view.room_of_code(*code).cloned());
                let record =
                    record.ok_or_else(|| MatchmakingError::not_found("room code", code))?;
                self.join_room(&record, &request.members).await
            }
        }
    }

    /// A new room, with a seat for every member; with no member it stays empty for `empty_ttl_ms`.
    ///
    /// # Errors
    /// [`MatchmakingError`].
    pub async fn create(&self, request: &CreateRequest) -> Result<Joined, MatchmakingError> {
        if !request.members.is_empty() {
            self.check(&request.members, request.address)?;
        }
        self.check_directory()?;
        let code = if request.private { Some(self.fresh_code()?) } else { None };
        self.open(&NewRoom {
            mode: &request.mode,
            region: request.region.as_deref(),
            labels: &request.labels,
            code,
            seats_max: request.seats_max,
            monsters: request.monsters,
            seed: request.seed,
            locked: request.locked,
            empty_ttl_ms: request.empty_ttl_ms.or(Some(self.settings.empty_ttl_ms)),
            members: &request.members,
        })
        .await
    }

    /// Public rooms that pass the filter, by room id, from after `after` on.
    #[must_use]
    pub fn list(&self, filter: &RoomFilter, after: Option<&RoomId>, page_size: usize) -> RoomPage {
        self.directory.view().read(|view| {
            let mut page = RoomPage::default();
            for record in view.rooms.values() {
                let summary = self.hints.apply(&record.summary);
                if !filter.matches(&summary) {
                    continue;
                }
                page.total += 1;
                if after.is_some_and(|after| summary.room <= *after) {
                    continue;
                }
                if page.rooms.len() < page_size {
                    page.rooms.push(summary);
                } else {
                    page.more = true;
                }
            }
            page
        })
    }

    /// Gives back the seat that an unused ticket stands for; false if it stands for none any more.
    ///
    /// # Errors
    /// [`MatchmakingError::Unavailable`] where the room's node does not answer.
    pub async fn release(&self, room: &RoomId, ticket: &[u8]) -> Result<bool, MatchmakingError> {
        let record = self.directory.view().read(|view| view.rooms.get(room).cloned());
        let Some(record) = record else { return Ok(false) };
        let summary = &record.summary;
        let host = self.host(&summary.node).map_err(MatchmakingError::from_host)?;
        let released = host.release(summary.shard, room, ticket).await;
        self.hints.forget(room);
        released.map_err(MatchmakingError::from_host)
    }

    /// An id for a player who brings none.
    ///
    /// # Errors
    /// [`MatchmakingError::Unavailable`] where the system gives no randomness.
    pub fn mint_player(&self) -> Result<PlayerId, MatchmakingError> {
        let id = format!("p-{:016x}", u64::from_le_bytes(self.random()?));
        PlayerId::new(&id).map_err(|error| MatchmakingError::invalid("player", error))
    }

    /// How many modes and nodes it knows, for readiness.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.check_directory().is_ok()
    }

    async fn join_room(
        &self,
        record: &RoomRecord,
        members: &[PlayerId],
    ) -> Result<Joined, MatchmakingError> {
        self.check_directory()?;
        let promised = self.reserve(&record.summary, members).await;
        let promised = promised.map_err(MatchmakingError::from_host)?;
        self.joined(record.summary.clone(), promised)
    }

    async fn reserve(
        &self,
        room: &RoomSummary,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        let promised = self.host(&room.node)?.reserve(room.shard, &room.room, members).await;
        match &promised {
            Ok(promised) => self.hints.note(&room.room, promised.counts),
            Err(HostError::Unavailable(_)) => self.hints.avoid(&room.node),
            // Whatever the view says of that room, no seat is to be had there for now.
            Err(HostError::Full | HostError::NoRoom | HostError::Draining) => {
                self.hints.note(&room.room, SeatCounts::default());
            }
            Err(_) => {}
        }
        promised
    }

    /// Places a room, opens it on its node, and takes it out again if that fails.
    async fn open(&self, new: &NewRoom<'_>) -> Result<Joined, MatchmakingError> {
        let mut last = MatchmakingError::Unavailable("no node opened the room".into());
        for _ in 0..self.settings.places_max {
            let (place, placements_seen, region) = self.choose_place(new)?;
            let summary = self.summary(new, place, region)?;
            let epoch = match self.directory.place_room(&summary, placements_seen).await {
                Ok(epoch) => epoch,
                Err(error @ (DirectoryError::PlacementRaced | DirectoryError::NodeGone)) => {
                    last = MatchmakingError::from_directory(error);
                    self.settle().await;
                    continue;
                }
                Err(error) => return Err(MatchmakingError::from_directory(error)),
            };
            let spec = RoomSpec {
                room: summary.room.clone(),
                mode: summary.mode.clone(),
                shard: summary.shard,
                epoch,
                seats_max: new.seats_max,
                monsters: new.monsters,
                seed: new.seed,
                locked: new.locked,
                code: new.code,
                labels: new.labels.clone(),
                empty_ttl_ms: new.empty_ttl_ms,
            };
            let opened = match self.host(&summary.node) {
                Ok(host) => host.open_room(&spec, new.members).await,
                Err(error) => Err(error),
            };
            match opened {
                Ok(promised) => {
                    self.hints.note(&summary.room, promised.counts);
                    return self.joined(summary, promised);
                }
                Err(error) => {
                    // Should this fail too, the node takes out what it does not run.
                    if let Err(error) = self.directory.remove_room(&summary.room, epoch).await {
                        tracing::debug!(room = %summary.room, error = error.label(), "not removed");
                    }
                    match error {
                        HostError::Unavailable(_) => self.hints.avoid(&summary.node),
                        HostError::Draining | HostError::Capacity => {
                            self.hints.avoid(&summary.node)
                        }
                        error => return Err(MatchmakingError::from_host(error)),
                    }
                    last = MatchmakingError::from_host(error);
                }
            }
        }
        Err(last)
    }

    fn choose_place(
        &self,
        new: &NewRoom<'_>,
    ) -> Result<(Placement, u64, String), MatchmakingError> {
        self.directory.view().read(|view| {
            let mut offers = view.offers();
            // A node that just failed is asked again only if there is no other.
            if offers.iter().any(|offer| !self.hints.is_avoided(&offer.node)) {
                offers.retain(|offer| !self.hints.is_avoided(&offer.node));
            }
            let seats = new.seats_max.unwrap_or_default().max(member_count(new.members));
            let placed = place(&offers, &self.settings.caps, new.mode, new.region, seats)
                .map_err(|source| MatchmakingError::NoPlace { source })?;
            let record = view.nodes.get(&placed.node);
            let placements = record.map_or(0, |record| record.standing.placements);
            let region = record.map(|record| record.offer.region.clone()).unwrap_or_default();
            Ok((placed, placements, region))
        })
    }

    fn summary(
        &self,
        new: &NewRoom<'_>,
        place: Placement,
        region: String,
    ) -> Result<RoomSummary, MatchmakingError> {
        let name = format!("r-{:016x}", u64::from_le_bytes(self.random()?));
        let room = RoomId::new(&name).map_err(|error| MatchmakingError::invalid("room", error))?;
        // Until its node tells, nobody else is sent there: it shows no free seat.
        let members = member_count(new.members);
        Ok(RoomSummary {
            room,
            mode: new.mode.to_owned(),
            region,
            node: place.node,
            shard: place.shard,
            seats: SeatCounts { reserved: members, seats_max: members, ..Default::default() },
            locked: new.locked,
            code: new.code,
            labels: new.labels.clone(),
        })
    }

    fn joined(&self, room: RoomSummary, promised: Promised) -> Result<Joined, MatchmakingError> {
        let offer = self.directory.view().read(|view| {
            let record = view.nodes.get(&room.node)?;
            record.offer.shards.iter().find(|shard| shard.shard == room.shard).cloned()
        });
        let shard =
            offer.ok_or_else(|| MatchmakingError::Unavailable("the room's node is gone".into()))?;
        Ok(Joined {
            room: room.room,
            mode: room.mode,
            code: room.code,
            node: room.node,
            shard: room.shard,
            address: shard.address,
            certificate_sha256: shard.certificate_sha256,
            seats: promised.seats,
        })
    }

    fn host(&self, node: &NodeId) -> Result<Arc<dyn RoomHost>, HostError> {
        self.hosts
            .host(node)
            .ok_or_else(|| HostError::Unavailable(format!("node {node} is not known")))
    }

    /// A view that just lost a race needs the winner's change before the next attempt.
    async fn settle(&self) {
        let mut changes = self.directory.view().changes();
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), changes.changed()).await;
    }

    fn check(&self, members: &[PlayerId], address: Option<IpAddr>) -> Result<(), MatchmakingError> {
        if members.is_empty() || members.len() > self.settings.party_max {
            let reason = format!("a party has 1 to {} members", self.settings.party_max);
            return Err(MatchmakingError::invalid("party", reason));
        }
        let now_unix_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        self.directory.view().read(|view| {
            members.iter().try_for_each(|player| {
                view.ban_of(player, address, now_unix_s).map_or(Ok(()), |ban| {
                    let (player, reason) = (player.clone(), ban.reason.clone());
                    Err(MatchmakingError::Banned { player, reason })
                })
            })
        })
    }

    /// Nobody is sent anywhere on old news: bans, owners and loads may all have changed.
    fn check_directory(&self) -> Result<(), MatchmakingError> {
        match self.directory.view().state() {
            ViewState::Live => Ok(()),
            ViewState::Empty => Err(MatchmakingError::Unavailable("not read yet".into())),
            ViewState::Stale { .. } => {
                Err(MatchmakingError::Unavailable("the directory does not answer".into()))
            }
        }
    }

    fn check_mode(&self, mode: &str) -> Result<(), MatchmakingError> {
        let (nodes, known) = self.directory.view().read(|view| {
            let mut offers = view.nodes.values().map(|record| &record.offer);
            (view.nodes.len(), offers.any(|offer| offer.modes.iter().any(|m| m == mode)))
        });
        match (nodes, known) {
            (_, true) => Ok(()),
            (0, false) => Err(MatchmakingError::Unavailable("no node is up".into())),
            _ => Err(MatchmakingError::not_found("mode", mode)),
        }
    }

    fn fresh_code(&self) -> Result<RoomCode, MatchmakingError> {
        for _ in 0..8 {
            let code = RoomCode::from_random(u32::from_le_bytes(self.random()?));
            if self.directory.view().read(|view| view.room_of_code(code).is_none()) {
                return Ok(code);
            }
        }
        Err(MatchmakingError::Unavailable("no free room code was found".into()))
    }

    fn random<const N: usize>(&self) -> Result<[u8; N], MatchmakingError> {
        let mut bytes = [0; N];
        self.random
            .fill(&mut bytes)
            .map_err(|_| MatchmakingError::Unavailable("the system gives no randomness".into()))?;
        Ok(bytes)
    }
}

/// Parties are a few dozen at most.
fn member_count(members: &[PlayerId]) -> u16 {
    u16::try_from(members.len()).unwrap_or(u16::MAX)
}
