//! A node with one room and one player, and switches to make it hang or go away.

use async_trait::async_trait;
use fairshot_cluster::control::{
    Ban, BanOutcome, BanSubject, CloseOutcome, CloseRoom, ControlError, CreateRoom, Drain,
    DrainOutcome, Heartbeat, InventorySlot, InventoryView, Kick, KickOutcome, ModeRules,
    NodeControl, NodeInfo, NodeName, NodeSet, PlayerInfo, RefusedShot, RoomInfo, RoomState,
    RuleKey, RuleSetting, RuleValue, ShardInfo, ShotRecord, Subscription, WeaponEntry,
    WeaponOutcome,
};
use fairshot_units::{
    EntityId, Life, MessageNumber, PlayerId, Revision, RoomId, SlotIndex, Tick, WeaponCommand,
    WeaponId,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::{Notify, broadcast};

pub struct Double {
    name: NodeName,
    player: PlayerId,
    pub state: Mutex<State>,
    pub beats: broadcast::Sender<Arc<Heartbeat>>,
    pub refusals: broadcast::Sender<Arc<RefusedShot>>,
    pub down: AtomicBool,
    pub hang: AtomicBool,
    /// Its rooms never show in the directory.
    pub hidden: AtomicBool,
    pub release: Notify,
}

#[derive(Default)]
pub struct State {
    pub revision: u16,
    pub totals: BTreeMap<WeaponId, u16>,
    pub commands: Vec<WeaponCommand>,
    pub bans: Vec<Ban>,
    pub kicked: Vec<PlayerId>,
    pub queue_is_full: bool,
    pub newest: Vec<Arc<Heartbeat>>,
    pub closed: Vec<RoomId>,
    pub drains: bool,
}

impl Double {
    pub fn new(name: &str, player: &str) -> Arc<Self> {
        Arc::new(Self {
            name: NodeName::new(name),
            player: PlayerId::new(player).expect("an id"),
            state: Mutex::default(),
            beats: broadcast::channel(8).0,
            refusals: broadcast::channel(8).0,
            down: AtomicBool::new(false),
            hang: AtomicBool::new(false),
            hidden: AtomicBool::new(false),
            release: Notify::new(),
        })
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("is not poisoned")
    }

    pub fn room(&self) -> RoomId {
        RoomId::new(&format!("room-{}", self.name)).expect("an id")
    }

    async fn reach(&self) -> Result<(), ControlError> {
        if self.hang.load(Ordering::SeqCst) {
            self.release.notified().await;
        }
        if self.down.load(Ordering::SeqCst) {
            return Err(ControlError::Unavailable("no answer".into()));
        }
        Ok(())
    }

    async fn find(&self, player: &PlayerId) -> Result<(), ControlError> {
        self.reach().await?;
        if *player == self.player { Ok(()) } else { Err(ControlError::not_found("player", player)) }
    }

    fn view(&self, state: &State) -> InventoryView {
        InventoryView {
            player: self.player.clone(),
            room: self.room(),
            mode: "arena".into(),
            life: Life(1),
            revision: Revision(state.revision),
            echoed: Revision(state.revision),
            commands_in_flight: 0,
            held: WeaponId(30),
            held_name: "AK-47".into(),
            slots: state
                .totals
                .iter()
                .map(|(weapon, total)| InventorySlot {
                    slot: SlotIndex::new(5).expect("a slot"),
                    weapon: *weapon,
                    name: "AK-47".into(),
                    total: *total,
                    clip: (*total).min(30),
                })
                .collect(),
            observed_ago_ms: Some(12),
            corrections: 0,
        }
    }

    pub fn heartbeat(&self, number: u64) -> Arc<Heartbeat> {
        Arc::new(Heartbeat {
            room: self.room(),
            mode: "arena".into(),
            node: self.name.clone(),
            shard: 0,
            number,
            last: false,
            time_unix_ms: 0,
            tick: 0,
            players: 1,
            monsters: 0,
            tick_time_us_p50: 0,
            tick_time_us_p99: 0,
            late_ticks: 0,
            dropped_ticks: 0,
            refused_shots: BTreeMap::new(),
            refused_shots_total: BTreeMap::from([("rate".into(), number)]),
            shots_judged: 0,
            shots_accepted: 0,
            hits: 0,
            unseen_death: 0,
            ledger_corrections: 0,
            slow_disconnects: 0,
            bytes_up: 0,
            bytes_down: 0,
            live_rules: vec![],
        })
    }

    pub fn refusal(&self, number: u32, rule: &str) -> Arc<RefusedShot> {
        Arc::new(RefusedShot {
            time_unix_ms: 0,
            node: self.name.clone(),
            room: self.room(),
            mode: "arena".into(),
            player: self.player.clone(),
            number: MessageNumber(number),
            weapon: WeaponId(30),
            weapon_name: "AK-47".into(),
            rule: rule.into(),
            reason: "too fast".into(),
            unseen_death: false,
            tick: Tick(1),
        })
    }
}

#[async_trait]
impl NodeControl for Double {
    fn name(&self) -> &NodeName {
        &self.name
    }

    async fn node(&self) -> Result<NodeInfo, ControlError> {
        self.reach().await?;
        Ok(NodeInfo {
            node: self.name.clone(),
            version: "0".into(),
            region: "local".into(),
            uptime_s: 1,
            modes: vec!["arena".into(), "competitive".into()],
            rooms: 1,
            rooms_max: 10,
            players: 1,
            drains_in_s: self.state().drains.then_some(60),
            shards: vec![ShardInfo {
                shard: 0,
                address: "127.0.0.1:7700".into(),
                rooms: 1,
                players: 1,
                tick_headroom: 0.9,
                late_ticks: 0,
                dropped_ticks: 0,
                slow_disconnects: 0,
            }],
        })
    }

    async fn rooms(&self) -> Result<Vec<RoomInfo>, ControlError> {
        self.reach().await?;
        Ok(vec![RoomInfo {
            room: self.room(),
            mode: "arena".into(),
            node: self.name.clone(),
            shard: 0,
            state: RoomState::Open,
            players: 1,
            seats_reserved: 0,
            seats_max: 4,
            monsters: 0,
            tick: Tick(9),
            tick_hz: 64,
            uptime_s: 1,
            tick_time_us_p50: 1,
            tick_time_us_p99: 2,
            refused_shots_total: BTreeMap::new(),
        }])
    }

    async fn players(&self, room: Option<&RoomId>) -> Result<Vec<PlayerInfo>, ControlError> {
        self.reach().await?;
        if room.is_some_and(|room| *room != self.room()) {
            return Err(ControlError::not_found("room", room.expect("is some")));
        }
        Ok(vec![PlayerInfo {
            player: self.player.clone(),
            room: self.room(),
            mode: "arena".into(),
            node: self.name.clone(),
            shard: 0,
            entity: EntityId(0),
            team: String::new(),
            life: Life(1),
            alive: true,
            held: WeaponId(30),
            held_name: "AK-47".into(),
            address: "127.0.0.1:5000".into(),
            connected_s: 3,
            round_trip_ms: 1.0,
            latency_ms: None,
            jitter_ms: None,
            shots_accepted: 0,
            shots_refused: BTreeMap::new(),
            queued_bytes: 0,
        }])
    }

    async fn weapons(&self, mode: &str) -> Result<Vec<WeaponEntry>, ControlError> {
        self.reach().await?;
        if mode != "arena" {
            return Err(ControlError::not_found("mode", mode));
        }
        let entry = |id, name: &str| WeaponEntry {
            id: WeaponId(id),
            name: name.into(),
            slot: SlotIndex::new(5).expect("a slot"),
            clip_size: 30,
        };
        Ok(vec![entry(30, "AK-47"), entry(31, "M4"), entry(34, "Sniper Rifle")])
    }

    async fn inventory(&self, player: &PlayerId) -> Result<InventoryView, ControlError> {
        self.find(player).await?;
        Ok(self.view(&self.state()))
    }

    async fn weapon_command(
        &self,
        player: &PlayerId,
        command: WeaponCommand,
        dry_run: bool,
    ) -> Result<WeaponOutcome, ControlError> {
        self.find(player).await?;
        let mut state = self.state();
        if state.queue_is_full {
            return Err(ControlError::ResourceExhausted("her command queue is full".into()));
        }
        let mut totals = state.totals.clone();
        match command {
            WeaponCommand::Give { weapon, rounds, .. } => {
                let total = totals.entry(weapon).or_default();
                *total = total.saturating_add(rounds);
            }
            WeaponCommand::Take { weapon } => drop(totals.remove(&weapon)),
            WeaponCommand::SetAmmo { weapon, total, .. } => {
                let owned = totals.get_mut(&weapon);
                *owned.ok_or(ControlError::FailedPrecondition("not owned".into()))? = total;
            }
            WeaponCommand::Clear => totals.clear(),
            WeaponCommand::SetArmed { .. } => {}
        }
        let after = State { revision: state.revision + 1, totals, ..State::default() };
        let outcome =
            WeaponOutcome { revision: Revision(after.revision), after: self.view(&after) };
        if !dry_run {
            state.revision = after.revision;
            state.totals = after.totals;
            state.commands.push(command);
        }
        Ok(outcome)
    }

    async fn kick(&self, kick: &Kick, dry_run: bool) -> Result<KickOutcome, ControlError> {
        self.find(&kick.player).await?;
        if !dry_run {
            self.state().kicked.push(kick.player.clone());
        }
        Ok(KickOutcome { player: kick.player.clone(), room: self.room(), node: self.name.clone() })
    }

    async fn ban(&self, ban: &Ban, dry_run: bool) -> Result<BanOutcome, ControlError> {
        self.reach().await?;
        if !dry_run {
            self.state().bans.push(ban.clone());
        }
        Ok(BanOutcome { ban: ban.clone(), players_kicked: vec![] })
    }

    async fn unban(&self, subject: &BanSubject, dry_run: bool) -> Result<Ban, ControlError> {
        self.reach().await?;
        let mut state = self.state();
        let index = state.bans.iter().position(|ban| ban.subject == *subject);
        let index = index.ok_or_else(|| ControlError::not_found("ban", subject))?;
        Ok(if dry_run { state.bans[index].clone() } else { state.bans.remove(index) })
    }

    async fn bans(&self) -> Result<Vec<Ban>, ControlError> {
        self.reach().await?;
        Ok(self.state().bans.clone())
    }

    async fn create_room(
        &self,
        room: &CreateRoom,
        _dry_run: bool,
    ) -> Result<RoomInfo, ControlError> {
        if self.state().drains {
            return Err(ControlError::FailedPrecondition("the node drains".into()));
        }
        let mut info = self.rooms().await?.remove(0);
        info.mode.clone_from(&room.mode);
        Ok(info)
    }

    async fn close_room(
        &self,
        close: &CloseRoom,
        dry_run: bool,
    ) -> Result<CloseOutcome, ControlError> {
        self.reach().await?;
        if close.room != self.room() {
            return Err(ControlError::not_found("room", &close.room));
        }
        if !dry_run {
            self.state().closed.push(close.room.clone());
        }
        Ok(CloseOutcome { room: close.room.clone(), node: self.name.clone(), players: 1 })
    }

    async fn drain(&self, drain: &Drain, dry_run: bool) -> Result<DrainOutcome, ControlError> {
        self.reach().await?;
        self.state().drains |= !dry_run;
        Ok(DrainOutcome {
            node: self.name.clone(),
            rooms: 1,
            players: 1,
            deadline_s: drain.deadline_s,
        })
    }

    async fn heartbeats(&self) -> Result<Subscription<Heartbeat>, ControlError> {
        self.reach().await?;
        let live = self.beats.subscribe();
        Ok(Subscription { latest: self.state().newest.clone(), live })
    }

    async fn refusals(&self) -> Result<Subscription<RefusedShot>, ControlError> {
        self.reach().await?;
        Ok(Subscription { latest: vec![], live: self.refusals.subscribe() })
    }

    async fn shots(&self, player: &PlayerId) -> Result<Vec<Arc<ShotRecord>>, ControlError> {
        self.find(player).await?;
        Ok(vec![])
    }

    async fn explain(
        &self,
        player: &PlayerId,
        number: MessageNumber,
    ) -> Result<Arc<ShotRecord>, ControlError> {
        self.find(player).await?;
        Err(ControlError::not_found("shot", number.0))
    }

    async fn rules(&self) -> Result<Vec<ModeRules>, ControlError> {
        self.reach().await?;
        Ok(vec![ModeRules { mode: "arena".into(), settings: vec![] }])
    }

    async fn set_rule(
        &self,
        mode: &str,
        key: RuleKey,
        value: Option<RuleValue>,
        _dry_run: bool,
    ) -> Result<ModeRules, ControlError> {
        self.reach().await?;
        let setting = RuleSetting { key, value, file: None, live: value.is_some() };
        Ok(ModeRules { mode: mode.into(), settings: vec![setting] })
    }
}

/// Several nodes.
pub struct Doubles(pub Vec<Arc<Double>>);

#[async_trait]
impl NodeSet for Doubles {
    fn nodes(&self) -> Vec<Arc<dyn NodeControl>> {
        self.0.iter().map(|node| Arc::clone(node) as Arc<dyn NodeControl>).collect()
    }

    async fn shown(&self, room: &RoomInfo) -> Result<(), ControlError> {
        match self.0.iter().any(|node| node.hidden.load(Ordering::SeqCst)) {
            true => Err(ControlError::Unavailable(format!("room {} is not shown", room.room))),
            false => Ok(()),
        }
    }
}
