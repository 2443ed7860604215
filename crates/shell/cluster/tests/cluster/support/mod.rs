//! A node without sockets: real seats, no rooms behind them.

pub mod conformance;
pub mod etcd;

use async_trait::async_trait;
use fairshot_cluster::agent::{NodeSource, RunningRoom};
use fairshot_cluster::directory::NodeRecord;
use fairshot_cluster::host::{HostError, HostSet, Promised, RoomHost, RoomSpec};
use fairshot_matchmaking::{NodeOffer, Nonce, RoomSummary, SeatRules, ShardOffer, ShardSeats};
use fairshot_units::{NodeId, PlayerId, RoomId};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::time::Instant;

pub const SEATS: u16 = 4;

pub struct FakeNode {
    pub node: NodeId,
    pub answers: AtomicBool,
    pub draining: AtomicBool,
    began: Instant,
    nonces: AtomicU64,
    state: Mutex<State>,
}

struct State {
    seats: ShardSeats,
    rooms: BTreeMap<RoomId, RoomSpec>,
    retired: Vec<RoomId>,
}

impl FakeNode {
    pub fn new(name: &str) -> Arc<Self> {
        let node = NodeId::new(name).expect("an id");
        let seats = ShardSeats::new(node.clone(), 0, &[4; 32], 1_024);
        Arc::new(Self {
            node,
            answers: AtomicBool::new(true),
            draining: AtomicBool::new(false),
            began: Instant::now(),
            nonces: AtomicU64::new(0),
            state: Mutex::new(State { seats, rooms: BTreeMap::new(), retired: Vec::new() }),
        })
    }

    /// What the shard's own clock would do once in a while.
    pub fn poll(&self) {
        let now_ms = self.now_ms();
        let mut state = self.state.lock().expect("not poisoned");
        for event in state.seats.poll(now_ms) {
            if let fairshot_matchmaking::SeatEvent::RoomEmpty { room } = event {
                state.rooms.remove(&room);
            }
        }
    }

    pub fn retired(&self) -> Vec<RoomId> {
        self.state.lock().expect("not poisoned").retired.clone()
    }

    pub fn room_count(&self) -> usize {
        self.state.lock().expect("not poisoned").rooms.len()
    }

    pub fn promised(&self) -> u16 {
        let state = self.state.lock().expect("not poisoned");
        state.seats.rooms().map(|(_, book)| book.counts().reserved).sum()
    }

    /// Most seats that any room has promised or given away, over what it has.
    pub fn is_oversold(&self) -> bool {
        let state = self.state.lock().expect("not poisoned");
        state.seats.rooms().any(|(_, book)| {
            let counts = book.counts();
            counts.reserved + counts.taken + counts.held > counts.seats_max
        })
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).expect("small")
    }

    fn reserve_in(
        &self,
        state: &mut State,
        room: &RoomId,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        let nonce = || {
            let n = self.nonces.fetch_add(1, Ordering::Relaxed);
            Nonce(u128::from(n).to_le_bytes())
        };
        let party: Vec<_> = members.iter().map(|player| (player.clone(), nonce())).collect();
        let seats = if party.is_empty() {
            Vec::new()
        } else {
            state.seats.reserve(room, &party, self.now_ms())?
        };
        let counts = state.seats.counts(room).ok_or(HostError::NoRoom)?;
        Ok(Promised { seats, counts })
    }

    fn answer(&self) -> Result<(), HostError> {
        if self.answers.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(HostError::Unavailable("down".into()))
        }
    }
}

#[async_trait]
impl RoomHost for FakeNode {
    async fn open_room(
        &self,
        spec: &RoomSpec,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        tokio::task::yield_now().await;
        self.answer()?;
        let mut state = self.state.lock().expect("not poisoned");
        if state.rooms.get(&spec.room).is_none_or(|known| known.epoch != spec.epoch) {
            let rules = SeatRules::new(spec.seats_max.unwrap_or(SEATS), 0);
            state.seats.open(&spec.room, rules, spec.empty_ttl_ms, self.now_ms())?;
            state.rooms.insert(spec.room.clone(), spec.clone());
        }
        let promised = self.reserve_in(&mut state, &spec.room, members)?;
        state.seats.set_locked(&spec.room, spec.locked);
        Ok(promised)
    }

    async fn reserve(
        &self,
        _shard: u16,
        room: &RoomId,
        members: &[PlayerId],
    ) -> Result<Promised, HostError> {
        tokio::task::yield_now().await;
        self.answer()?;
        self.reserve_in(&mut self.state.lock().expect("not poisoned"), room, members)
    }

    async fn release(&self, _shard: u16, _room: &RoomId, ticket: &[u8]) -> Result<bool, HostError> {
        self.answer()?;
        let now_ms = self.now_ms();
        Ok(self.state.lock().expect("not poisoned").seats.release(ticket, now_ms))
    }
}

#[async_trait]
impl NodeSource for FakeNode {
    fn record(&self) -> NodeRecord {
        NodeRecord {
            offer: NodeOffer {
                node: self.node.clone(),
                region: "eu".into(),
                modes: vec!["arena".into(), "duel".into()],
                draining: self.draining.load(Ordering::Relaxed),
                shards: vec![ShardOffer {
                    shard: 0,
                    address: format!("{}:7", self.node),
                    certificate_sha256: [7; 32],
                    rooms: 0,
                    rooms_measured: 0,
                    players: 0,
                    headroom: 0.9,
                }],
            },
            control_uri: String::new(),
            version: "test".into(),
            standing: Default::default(),
        }
    }

    fn rooms(&self) -> Vec<RunningRoom> {
        let state = self.state.lock().expect("not poisoned");
        let running = state.rooms.values().map(|spec| RunningRoom {
            summary: RoomSummary {
                room: spec.room.clone(),
                mode: spec.mode.clone(),
                region: "eu".into(),
                node: self.node.clone(),
                shard: 0,
                seats: state.seats.counts(&spec.room).unwrap_or_default(),
                locked: state.seats.book(&spec.room).is_some_and(|book| book.is_locked()),
                code: spec.code,
                labels: spec.labels.clone(),
            },
            epoch: spec.epoch,
        });
        running.collect()
    }

    async fn retire(&self, room: &RoomId) {
        let mut state = self.state.lock().expect("not poisoned");
        state.rooms.remove(room);
        state.seats.close(room);
        state.retired.push(room.clone());
    }
}

/// Nodes by name.
#[derive(Default)]
pub struct FakeNodes(pub BTreeMap<NodeId, Arc<FakeNode>>);

impl FakeNodes {
    pub fn of(nodes: &[Arc<FakeNode>]) -> Arc<Self> {
        Arc::new(Self(nodes.iter().map(|node| (node.node.clone(), Arc::clone(node))).collect()))
    }
}

impl HostSet for FakeNodes {
    fn host(&self, node: &NodeId) -> Option<Arc<dyn RoomHost>> {
        self.0.get(node).map(|node| Arc::clone(node) as Arc<dyn RoomHost>)
    }
}

pub fn players(names: &[&str]) -> Vec<PlayerId> {
    names.iter().map(|name| PlayerId::new(name).expect("an id")).collect()
}
