//! Opening a room at an operator's word: checked whole, claimed in the directory, then opened.
//!
//! The claim comes first, so that no two rooms of one name ever run, and so that whoever is told of the room
//! can have players sent there at once.

use super::Node;
use super::control::{asked, unreached};
use crate::shard::{Ask, ShardHandle};
use fairshot_cluster::control::{ControlError, CreateRoom, RoomInfo, RoomState, RuleCounts};
use fairshot_cluster::directory::{DirectoryError, RoomEpoch};
use fairshot_cluster::host::{HostError, RoomSpec};
use fairshot_matchmaking::{Labels, RoomSummary, SeatCounts};
use fairshot_units::{RoomId, Tick};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long the directory has to take in a room that has just closed here, or this node itself as it starts.
const SETTLED_MAX: Duration = Duration::from_secs(1);

impl Node {
    pub(super) async fn create(
        &self,
        room: &CreateRoom,
        dry_run: bool,
    ) -> Result<RoomInfo, ControlError> {
        let file = self
            .shared
            .mode_file(&room.mode)
            .ok_or_else(|| ControlError::not_found("mode", &room.mode))?;
        if self.shared.drains_in_s().is_some() {
            return Err(ControlError::FailedPrecondition("the node drains".to_owned()));
        }
        self.directory_answers()?;
        // One at a time: what was checked still holds as the room opens.
        let _one = self.creating.lock().await;
        let until = Instant::now() + if dry_run { Duration::ZERO } else { SETTLED_MAX };
        let id = match &room.room {
            Some(id) => {
                self.check_free(id, until).await?;
                id.clone()
            }
            None => {
                let number = u64::from_le_bytes(super::random_bytes());
                RoomId::new(&format!("{}-{number:016x}", room.mode))
                    .map_err(|error| ControlError::invalid("room", error))?
            }
        };
        let shard = self.roomiest().ok_or_else(|| exhausted(&HostError::Capacity))?;
        let seats_max = file.mode.players_max;
        let would_be = RoomInfo {
            room: id.clone(),
            mode: room.mode.clone(),
            node: self.shared.name.clone(),
            shard: shard.index,
            state: RoomState::Open,
            players: 0,
            seats_reserved: 0,
            seats_max: seats_max.into(),
            monsters: file.mode.monsters.iter().map(|monster| u32::from(monster.count)).sum(),
            tick: Tick(0),
            tick_hz: file.mode.tick_hz,
            uptime_s: 0,
            tick_time_us_p50: 0,
            tick_time_us_p99: 0,
            refused_shots_total: RuleCounts::new(),
        };
        if dry_run {
            return Ok(would_be);
        }
        let summary = RoomSummary {
            room: id,
            mode: room.mode.clone(),
            region: self.shared.region.clone(),
            node: self.shared.id.clone(),
            shard: shard.index,
            seats: SeatCounts { seats_max, ..SeatCounts::default() },
            locked: false,
            code: None,
            labels: Labels::default(),
        };
        let epoch = self.claim(&summary, until).await?;
        self.open_claimed(shard, &summary, epoch, room.seed).await.map(|()| would_be)
    }

    /// The shard with the most tick time to spare of those that may have another room.
    fn roomiest(&self) -> Option<&ShardHandle> {
        let rooms = |shard: &&ShardHandle| shard.status.get().rooms.len();
        let with_room = self.shards.iter().filter(|shard| rooms(shard) < self.rooms_per_shard_max);
        with_room.min_by_key(|shard| {
            let report = shard.status.get();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a share in thousandths"
            )]
            let load = ((1.0 - report.headroom) * 1000.0) as u64;
            (load / 50, report.rooms.len())
        })
    }

    /// Whether no room of that name runs here, nor anywhere by the directory's word. A room that has just
    /// ended here is given until then to leave the directory.
    async fn check_free(&self, id: &RoomId, until: Instant) -> Result<(), ControlError> {
        if self.runs(id).await? {
            return Err(taken(id));
        }
        let directory = &self.shared.directory.0;
        let mut changes = directory.view().changes();
        loop {
            let owner = directory
                .view()
                .read(|view| view.rooms.get(id).map(|record| record.summary.node.clone()));
            match owner {
                None => return Ok(()),
                Some(owner) if owner != self.shared.id => return Err(taken(id)),
                Some(_) => {}
            }
            self.shared.poke();
            if !matches!(timeout_at(until, changes.changed()).await, Ok(Ok(()))) {
                return Err(taken(id));
            }
        }
    }

    /// Makes the room this node's in the directory. A node that starts, or lost its lease, is given until
    /// then to be there itself.
    async fn claim(&self, room: &RoomSummary, until: Instant) -> Result<RoomEpoch, ControlError> {
        let directory = &self.shared.directory.0;
        let mut changes = directory.view().changes();
        loop {
            match directory.claim_room(room).await {
                Ok(epoch) => return Ok(epoch),
                Err(DirectoryError::RoomExists(id)) => return Err(taken(&id)),
                Err(DirectoryError::NodeGone) => {
                    self.shared.poke();
                    if !matches!(timeout_at(until, changes.changed()).await, Ok(Ok(()))) {
                        return Err(unreached(DirectoryError::NodeGone));
                    }
                }
                Err(error) => return Err(unreached(error)),
            }
        }
    }

    async fn open_claimed(
        &self,
        shard: &ShardHandle,
        room: &RoomSummary,
        epoch: RoomEpoch,
        seed: Option<u64>,
    ) -> Result<(), ControlError> {
        let spec = RoomSpec {
            room: room.room.clone(),
            mode: room.mode.clone(),
            shard: shard.index,
            epoch,
            seats_max: None,
            monsters: None,
            seed,
            locked: false,
            code: None,
            labels: Labels::default(),
            empty_ttl_ms: None,
        };
        let members = Vec::new();
        let opened =
            asked(shard, |reply| Ask::OpenRoom { spec: Box::new(spec), members, reply }).await;
        let error = match opened {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => match error {
                HostError::RoomExists => taken(&room.room),
                HostError::Unavailable(words) => ControlError::Unavailable(words),
                HostError::NoMode(mode) => ControlError::not_found("mode", mode),
                other => exhausted(&other),
            },
            Err(error) => error,
        };
        // Should this fail too, the agent takes out what the node does not run.
        if let Err(error) = self.shared.directory.0.remove_room(&room.room, epoch).await {
            tracing::debug!(room = %room.room, error = error.label(), "not removed");
        }
        Err(error)
    }
}

fn taken(id: &RoomId) -> ControlError {
    ControlError::AlreadyExists { what: "room", name: id.to_string() }
}

fn exhausted(error: &HostError) -> ControlError {
    ControlError::ResourceExhausted(error.to_string())
}
