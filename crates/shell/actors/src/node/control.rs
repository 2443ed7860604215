//! The node as operators steer it.

use super::Node;
use crate::readback::{unix_ms, weapon_entries};
use crate::shard::{Ask, Expelled, ShardHandle};
use async_trait::async_trait;
use fairshot_cluster::control::{
    Ban, BanOutcome, BanSubject, CloseOutcome, CloseRoom, ControlError, CreateRoom, Drain,
    DrainOutcome, Heartbeat, InventoryView, Kick, KickOutcome, ModeRules, NodeControl, NodeInfo,
    NodeName, PlayerInfo, RefusedShot, RoomInfo, RoomState, RuleKey, RuleValue, ShardInfo,
    ShotRecord, Subscription, WeaponEntry, WeaponOutcome, lay_over, settings_of,
};
use fairshot_cluster::directory::{DirectoryError, ViewState};
use fairshot_telemetry::metrics::{CommandOutcome, RoomEnd};
use fairshot_units::{MessageNumber, PlayerId, RoomId, WeaponCommand};
use fairshot_wire::CloseCode;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

impl Node {
    /// Asks every shard the same, in order.
    async fn ask_all<T>(
        &self,
        ask: impl Fn(oneshot::Sender<T>) -> Ask,
    ) -> Result<Vec<T>, ControlError> {
        let mut answers = Vec::with_capacity(self.shards.len());
        for shard in self.shards.iter() {
            answers.push(asked(shard, &ask).await?);
        }
        Ok(answers)
    }

    /// The shard a player is on, and her room.
    async fn shard_of(&self, player: &PlayerId) -> Result<(&ShardHandle, RoomId), ControlError> {
        for shard in self.shards.iter() {
            let found = asked(shard, |reply| Ask::Find { player: player.clone(), reply }).await?;
            if let Some(room) = found {
                return Ok((shard, room));
            }
        }
        Err(ControlError::not_found("player", player))
    }

    /// Whether the room is here now: what shards report by themselves is older.
    pub(super) async fn runs(&self, room: &RoomId) -> Result<bool, ControlError> {
        let here = self.ask_all(|reply| Ask::Runs { room: room.clone(), reply }).await?;
        Ok(here.contains(&true))
    }

    pub(super) async fn expel(
        &self,
        who: &Expelled,
        code: CloseCode,
        reason: &str,
        dry_run: bool,
    ) -> Result<Vec<(PlayerId, RoomId)>, ControlError> {
        let expelled = self
            .ask_all(|reply| Ask::Expel {
                who: who.clone(),
                code,
                reason: reason.to_owned(),
                dry_run,
                reply,
            })
            .await?;
        Ok(expelled.into_iter().flatten().collect())
    }

    /// Lays the directory's rule settings over a mode and tells the rooms of it.
    pub async fn take_rules(&self, mode: &str, live: &BTreeMap<RuleKey, RuleValue>) {
        match self.shared.lay_rules(mode, live) {
            Ok(true) => {
                let live_rules: Vec<_> =
                    live.iter().map(|(key, value)| format!("{key}={value}")).collect();
                for shard in self.shards.iter() {
                    let told =
                        Ask::RulesChanged { mode: mode.to_owned(), live_rules: live_rules.clone() };
                    if shard.asks.send(told).await.is_err() {
                        tracing::warn!(
                            shard = shard.index,
                            mode,
                            "a shard was not told of its rules"
                        );
                    }
                }
            }
            Ok(false) => {}
            Err(error) => tracing::warn!(mode, %error, "live rule settings do not fit the mode"),
        }
    }

    pub(super) fn live_rules(&self, mode: &str) -> BTreeMap<RuleKey, RuleValue> {
        self.shared.directory.0.view().read(|view| view.rules_of(mode))
    }

    fn mode_rules(&self, mode: &str) -> Result<ModeRules, ControlError> {
        let file =
            self.shared.mode_file(mode).ok_or_else(|| ControlError::not_found("mode", mode))?;
        Ok(settings_of(&file.mode, &self.live_rules(mode)))
    }

    /// What a dry run finds out of the directory without a write: whether it was heard of lately.
    pub(super) fn directory_answers(&self) -> Result<(), ControlError> {
        match self.shared.directory.0.view().state() {
            ViewState::Live => Ok(()),
            ViewState::Empty | ViewState::Stale { .. } => {
                Err(ControlError::Unavailable("the directory does not answer".to_owned()))
            }
        }
    }

    fn count_command(&self, mode: &str, outcome: &Result<WeaponOutcome, ControlError>) {
        let outcome = match outcome {
            Ok(_) => CommandOutcome::Committed,
            Err(ControlError::ResourceExhausted(_)) => CommandOutcome::QueueFull,
            Err(_) => CommandOutcome::NotApplicable,
        };
        self.shared.mode_metrics(mode).command(outcome);
    }
}

pub(super) async fn asked<T>(
    shard: &ShardHandle,
    ask: impl FnOnce(oneshot::Sender<T>) -> Ask,
) -> Result<T, ControlError> {
    Node::ask_shard(shard, ask).await.map_err(ControlError::Unavailable)
}

#[async_trait]
impl NodeControl for Node {
    fn name(&self) -> &NodeName {
        &self.shared.name
    }

    async fn node(&self) -> Result<NodeInfo, ControlError> {
        let shards: Vec<ShardInfo> = self
            .shards
            .iter()
            .map(|shard| {
                let report = shard.status.get();
                ShardInfo {
                    shard: shard.index,
                    address: SocketAddr::new(self.advertise, shard.bound.port()).to_string(),
                    rooms: u32::try_from(report.rooms.len()).unwrap_or(u32::MAX),
                    players: report.players,
                    tick_headroom: report.headroom,
                    late_ticks: report.late_ticks,
                    dropped_ticks: report.dropped_ticks,
                    slow_disconnects: report.slow_disconnects,
                }
            })
            .collect();
        let rooms_max = self.rooms_per_shard_max.saturating_mul(self.shards.len());
        Ok(NodeInfo {
            node: self.shared.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            region: self.shared.region.clone(),
            uptime_s: self.clock.now_s(),
            modes: self.shared.mode_names(),
            rooms: shards.iter().map(|shard| shard.rooms).sum(),
            rooms_max: u32::try_from(rooms_max).unwrap_or(u32::MAX),
            players: shards.iter().map(|shard| shard.players).sum(),
            drains_in_s: self.shared.drains_in_s(),
            shards,
        })
    }

    async fn rooms(&self) -> Result<Vec<RoomInfo>, ControlError> {
        let mut rooms: Vec<RoomInfo> =
            self.ask_all(|reply| Ask::Rooms { reply }).await?.into_iter().flatten().collect();
        if self.shared.drains_in_s().is_some() {
            for room in &mut rooms {
                room.state = RoomState::Draining;
            }
        }
        rooms.sort_by(|a, b| a.room.cmp(&b.room));
        Ok(rooms)
    }

    async fn players(&self, room: Option<&RoomId>) -> Result<Vec<PlayerInfo>, ControlError> {
        if let Some(room) = room
            && !self.runs(room).await?
        {
            return Err(ControlError::not_found("room", room));
        }
        let asked = self.ask_all(|reply| Ask::Players { room: room.cloned(), reply }).await?;
        let mut players: Vec<PlayerInfo> = asked.into_iter().flatten().collect();
        players.sort_by(|a, b| a.player.cmp(&b.player));
        Ok(players)
    }

    async fn weapons(&self, mode: &str) -> Result<Vec<WeaponEntry>, ControlError> {
        let file =
            self.shared.mode_file(mode).ok_or_else(|| ControlError::not_found("mode", mode))?;
        Ok(weapon_entries(&file.mode))
    }

    async fn inventory(&self, player: &PlayerId) -> Result<InventoryView, ControlError> {
        let (shard, _) = self.shard_of(player).await?;
        asked(shard, |reply| Ask::Inventory { player: player.clone(), reply }).await?
    }

    async fn weapon_command(
        &self,
        player: &PlayerId,
        command: WeaponCommand,
        dry_run: bool,
    ) -> Result<WeaponOutcome, ControlError> {
        let (shard, room) = self.shard_of(player).await?;
        let outcome =
            asked(shard, |reply| Ask::Weapon { player: player.clone(), command, dry_run, reply })
                .await?;
        if !dry_run {
            let running = shard.status.get().rooms;
            if let Some(room) = running.iter().find(|running| running.summary.room == room) {
                self.count_command(&room.summary.mode, &outcome);
            }
        }
        outcome
    }

    async fn kick(&self, kick: &Kick, dry_run: bool) -> Result<KickOutcome, ControlError> {
        let who = Expelled::Player(kick.player.clone());
        let expelled = self.expel(&who, CloseCode::Kicked, &kick.reason, dry_run).await?;
        match expelled.into_iter().next() {
            None => Err(ControlError::not_found("player", &kick.player)),
            Some((player, room)) => {
                Ok(KickOutcome { player, room, node: self.shared.name.clone() })
            }
        }
    }

    async fn ban(&self, ban: &Ban, dry_run: bool) -> Result<BanOutcome, ControlError> {
        if dry_run {
            self.directory_answers()?;
        } else {
            self.shared.directory.0.put_ban(ban).await.map_err(unreached)?;
        }
        let who = Expelled::Banned(ban.subject.clone());
        let expelled = self.expel(&who, CloseCode::Banned, &ban.reason, dry_run).await?;
        let players_kicked = expelled.into_iter().map(|(player, _)| player).collect();
        Ok(BanOutcome { ban: ban.clone(), players_kicked })
    }

    async fn unban(&self, subject: &BanSubject, dry_run: bool) -> Result<Ban, ControlError> {
        let directory = &self.shared.directory.0;
        if dry_run {
            self.directory_answers()?;
            return directory
                .view()
                .read(|view| view.bans.get(subject).cloned())
                .ok_or_else(|| ControlError::not_found("ban", subject));
        }
        directory.remove_ban(subject).await.map_err(|error| match error {
            DirectoryError::NotFound => ControlError::not_found("ban", subject),
            other => unreached(other),
        })
    }

    async fn bans(&self) -> Result<Vec<Ban>, ControlError> {
        let now_unix_s = unix_ms() / 1000;
        Ok(self.shared.directory.0.view().read(|view| {
            view.bans.values().filter(|ban| !ban.is_over(now_unix_s)).cloned().collect()
        }))
    }

    async fn create_room(
        &self,
        room: &CreateRoom,
        dry_run: bool,
    ) -> Result<RoomInfo, ControlError> {
        self.create(room, dry_run).await
    }

    async fn close_room(
        &self,
        close: &CloseRoom,
        dry_run: bool,
    ) -> Result<CloseOutcome, ControlError> {
        if dry_run {
            let players = self.players(Some(&close.room)).await?.len();
            return Ok(CloseOutcome {
                room: close.room.clone(),
                node: self.shared.name.clone(),
                players: u32::try_from(players).unwrap_or(u32::MAX),
            });
        }
        let closed = self
            .ask_all(|reply| Ask::CloseRoom {
                room: close.room.clone(),
                code: CloseCode::RoomClosed,
                reason: close.reason.clone(),
                end: RoomEnd::Closed,
                reply,
            })
            .await?;
        match closed.into_iter().flatten().next() {
            None => Err(ControlError::not_found("room", &close.room)),
            Some(players) => Ok(CloseOutcome {
                room: close.room.clone(),
                node: self.shared.name.clone(),
                players,
            }),
        }
    }

    async fn drain(&self, drain: &Drain, dry_run: bool) -> Result<DrainOutcome, ControlError> {
        if !dry_run {
            self.shared.drain(Duration::from_secs(drain.deadline_s));
        }
        Ok(DrainOutcome {
            node: self.shared.name.clone(),
            rooms: u32::try_from(self.rooms_running()).unwrap_or(u32::MAX),
            players: self.players_connected(),
            deadline_s: drain.deadline_s,
        })
    }

    async fn heartbeats(&self) -> Result<Subscription<Heartbeat>, ControlError> {
        Ok(self.feeds.heartbeats())
    }

    async fn refusals(&self) -> Result<Subscription<RefusedShot>, ControlError> {
        Ok(self.feeds.refusals())
    }

    async fn shots(&self, player: &PlayerId) -> Result<Vec<Arc<ShotRecord>>, ControlError> {
        let kept = self
            .ask_all(|reply| Ask::Shots { player: player.clone(), number: None, reply })
            .await?;
        let records: Vec<_> = kept.into_iter().flatten().map(Arc::new).collect();
        if records.is_empty() {
            // Nothing kept is an answer only of a player who is here.
            self.shard_of(player).await?;
        }
        Ok(records)
    }

    async fn explain(
        &self,
        player: &PlayerId,
        number: MessageNumber,
    ) -> Result<Arc<ShotRecord>, ControlError> {
        let kept = self
            .ask_all(|reply| Ask::Shots { player: player.clone(), number: Some(number), reply })
            .await?;
        match kept.into_iter().flatten().next() {
            Some(record) => Ok(Arc::new(record)),
            None => {
                let known = self.shard_of(player).await.map(|_| ());
                Err(known.err().unwrap_or(ControlError::not_found("shot", number.0)))
            }
        }
    }

    async fn rules(&self) -> Result<Vec<ModeRules>, ControlError> {
        self.shared.mode_names().iter().map(|mode| self.mode_rules(mode)).collect()
    }

    async fn set_rule(
        &self,
        mode: &str,
        key: RuleKey,
        value: Option<RuleValue>,
        dry_run: bool,
    ) -> Result<ModeRules, ControlError> {
        let file =
            self.shared.mode_file(mode).ok_or_else(|| ControlError::not_found("mode", mode))?;
        let mut live = self.live_rules(mode);
        match value {
            Some(value) => live.insert(key.clone(), value),
            None => live.remove(&key),
        };
        // Checked whole before anything is kept.
        lay_over(&file.mode, &live).map_err(|error| ControlError::invalid("value", error))?;
        if dry_run {
            self.directory_answers()?;
        } else {
            self.shared.directory.0.put_rule(mode, &key, value).await.map_err(unreached)?;
            self.take_rules(mode, &live).await;
        }
        Ok(settings_of(&file.mode, &live))
    }
}

pub(super) fn unreached(error: DirectoryError) -> ControlError {
    ControlError::Unavailable(error.to_string())
}
