//! The directory in etcd.
//!
//! | key | value | hangs on |
//! |---|---|---|
//! | `nodes/NODE` | the node's offer | its lease |
//! | `placements/NODE` | nothing; its revision counts the placements | the node's lease |
//! | `rooms/ROOM` | what the room is and whose; its create revision is the epoch | the node's lease |
//! | `seats/ROOM` | how full it is | the node's lease |
//! | `bans/SUBJECT` | the ban | a lease as long as the ban |
//! | `rules/MODE/KEY` | a rule setting changed live | nothing |

mod apply;
mod client;
mod follow;
mod keys;
mod lease;
mod login;

use super::{
    Directory, DirectoryError, NodeLease, NodeRecord, RoomEpoch, RoomRecord, RoomStatus, ViewCell,
    ViewState, ban_from_json, ban_to_json, rule_value_to_json,
};
use crate::control::{Ban, BanSubject, RuleKey, RuleValue};
use apply::unsigned;
use async_trait::async_trait;
use client::pb::KeyValue;
use client::pb::response_op::Response;
use client::{Client, created_at, delete, get, modified_at, put, under_lease};
use fairshot_matchmaking::RoomSummary;
use fairshot_units::{NodeId, RoomId};
use keys::{Key, Keys};
use lease::OwnLease;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinHandle;
use tonic::transport::ClientTlsConfig;

/// How etcd is reached.
#[derive(Clone, Debug)]
pub struct EtcdSettings {
    /// `http://host:port` or `https://host:port`, one at least.
    pub endpoints: Vec<String>,
    /// Used for the endpoints with https.
    pub tls: Option<ClientTlsConfig>,
    /// Where etcd asks who calls.
    pub user: Option<EtcdUser>,
    /// Clusters that share an etcd differ in this.
    pub prefix: String,
    /// A node that is silent for this long is gone, and its rooms with it; whole seconds, 2 at least.
    pub lease_ttl: Duration,
    /// Of each call.
    pub deadline: Duration,
}

/// A user of etcd; it needs to read and write under the prefix.
#[derive(Clone)]
pub struct EtcdUser {
    pub name: String,
    pub password: String,
}

impl fmt::Debug for EtcdUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdUser").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EtcdSettings {
    #[must_use]
    pub fn new(endpoints: Vec<String>) -> Self {
        Self {
            endpoints,
            tls: None,
            user: None,
            prefix: "/fairshot".into(),
            lease_ttl: Duration::from_secs(10),
            deadline: Duration::from_secs(2),
        }
    }
}

/// This process's connection to the directory. Dropped, it stops renewing its node's lease.
pub struct EtcdDirectory {
    client: Client,
    keys: Keys,
    shared: Arc<Shared>,
    lease: OwnLease,
    /// The node as it was last told, and under which lease.
    told: Mutex<Option<(NodeRecord, NodeLease)>>,
    following: JoinHandle<()>,
}

/// What the follower writes and everybody reads.
struct Shared {
    view: ViewCell,
    /// The revision that the view has.
    applied: AtomicI64,
}

impl fmt::Debug for EtcdDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdDirectory").field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl Drop for EtcdDirectory {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl EtcdDirectory {
    /// Begins to follow the directory on the current tokio runtime; it need not answer yet.
    ///
    /// # Errors
    /// If an endpoint is no URI.
    pub fn connect(settings: &EtcdSettings) -> Result<Self, DirectoryError> {
        let client = Client::new(settings)?;
        let keys = Keys::new(&settings.prefix);
        let shared =
            Arc::new(Shared { view: ViewCell::new(ViewState::Empty), applied: AtomicI64::new(0) });
        let following =
            tokio::spawn(follow::follow(client.clone(), keys.clone(), Arc::clone(&shared)));
        let lease = OwnLease::new(client.clone(), settings.lease_ttl);
        Ok(Self { client, keys, shared, lease, told: Mutex::default(), following })
    }

    /// Has etcd forget every value that was overwritten up to now, as its operators do on a timer.
    ///
    /// # Errors
    /// [`DirectoryError::Unavailable`].
    pub async fn compact(&self) -> Result<(), DirectoryError> {
        self.client.compact(self.keys.prefix()).await
    }

    fn key(&self, key: &Key) -> String {
        self.keys.of(key)
    }

    fn told(&self) -> Option<(NodeRecord, NodeLease)> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_told(&self, told: Option<(NodeRecord, NodeLease)>) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }

    /// Shows a room that this process just wrote without waiting for the watch to tell, unless the
    /// view is past that already.
    fn show(&self, room: &RoomSummary, revision: i64, placed: bool) {
        let epoch = RoomEpoch(unsigned(revision));
        self.shared.view.write(|view| {
            if self.shared.applied.load(Ordering::Relaxed) >= revision {
                return;
            }
            view.rooms.insert(room.room.clone(), RoomRecord { summary: room.clone(), epoch });
            if placed && let Some(node) = view.nodes.get_mut(&room.node) {
                node.standing.placements = unsigned(revision);
            }
        });
    }

    /// Which of the conditions of a placement did not hold, as far as the view can tell.
    fn why_not_placed(&self, room: &RoomSummary) -> DirectoryError {
        self.shared.view.read(|view| {
            if view.rooms.contains_key(&room.room) {
                DirectoryError::RoomExists(room.room.clone())
            } else if !view.nodes.contains_key(&room.node) {
                DirectoryError::NodeGone
            } else {
                DirectoryError::PlacementRaced
            }
        })
    }

    fn own_lease(&self, node: Option<&NodeId>) -> Result<(NodeId, NodeLease), DirectoryError> {
        let (record, lease) = self.told().ok_or(DirectoryError::NodeGone)?;
        let right = node.is_none_or(|node| record.offer.node == *node);
        if right && self.lease.held() == Some(lease) {
            Ok((record.offer.node, lease))
        } else {
            Err(DirectoryError::NodeGone)
        }
    }

    /// The first word under a new lease: the node's name must be free.
    async fn enter(&self, record: &NodeRecord, lease: NodeLease) -> Result<(), DirectoryError> {
        let node = &record.offer.node;
        let name = self.key(&Key::Node(node.clone()));
        let placements = self.key(&Key::Placements(node.clone()));
        let outcome = self
            .client
            .txn(
                vec![created_at(name.clone(), 0)],
                vec![put(name, json(record), lease.0), put(placements, "", lease.0)],
            )
            .await?;
        if outcome.succeeded {
            return Ok(());
        }
        // Another process of that name, or this one before it was killed: its lease runs out first.
        Err(DirectoryError::Unavailable(format!("the node name {node} is in use")))
    }
}

#[async_trait]
impl Directory for EtcdDirectory {
    fn view(&self) -> &ViewCell {
        &self.shared.view
    }

    async fn announce(&self, node: &NodeRecord) -> Result<NodeLease, DirectoryError> {
        let lease = self.lease.take().await?;
        match self.told() {
            Some((told, under)) if under == lease => {
                if told == *node {
                    return Ok(lease);
                }
                let name = self.key(&Key::Node(node.offer.node.clone()));
                let outcome = self
                    .client
                    .txn(
                        vec![under_lease(name.clone(), lease.0)],
                        vec![put(name, json(node), lease.0)],
                    )
                    .await?;
                if !outcome.succeeded {
                    // The node's key is gone though its lease may hold: what is left goes with it.
                    if let Err(error) = self.lease.give_back().await {
                        tracing::debug!(error = error.label(), "the lease runs out by itself");
                    }
                    return Err(DirectoryError::NodeGone);
                }
            }
            _ => self.enter(node, lease).await?,
        }
        self.set_told(Some((node.clone(), lease)));
        Ok(lease)
    }

    async fn withdraw(&self) -> Result<(), DirectoryError> {
        self.set_told(None);
        self.lease.give_back().await
    }

    async fn place_room(
        &self,
        room: &RoomSummary,
        placements_seen: u64,
    ) -> Result<RoomEpoch, DirectoryError> {
        let seen = i64::try_from(placements_seen).unwrap_or(i64::MAX);
        let lease = self
            .shared
            .view
            .read(|view| view.nodes.get(&room.node).map(|record| record.standing.lease));
        let lease = lease.ok_or(DirectoryError::NodeGone)?;
        let name = self.key(&Key::Room(room.room.clone()));
        let node = self.key(&Key::Node(room.node.clone()));
        let placements = self.key(&Key::Placements(room.node.clone()));
        let outcome = self
            .client
            .txn(
                vec![
                    created_at(name.clone(), 0),
                    under_lease(node, lease.0),
                    modified_at(placements.clone(), seen),
                ],
                vec![put(name, json(room), lease.0), put(placements, "", lease.0)],
            )
            .await?;
        if !outcome.succeeded {
            return Err(self.why_not_placed(room));
        }
        self.show(room, outcome.revision, true);
        Ok(RoomEpoch(unsigned(outcome.revision)))
    }

    async fn claim_room(&self, room: &RoomSummary) -> Result<RoomEpoch, DirectoryError> {
        let (_, lease) = self.own_lease(Some(&room.node))?;
        let name = self.key(&Key::Room(room.room.clone()));
        let node = self.key(&Key::Node(room.node.clone()));
        let outcome = self
            .client
            .txn_or(
                vec![created_at(name.clone(), 0), under_lease(node, lease.0)],
                vec![put(name.clone(), json(room), lease.0)],
                vec![get(name)],
            )
            .await?;
        if outcome.succeeded {
            self.show(room, outcome.revision, false);
            return Ok(RoomEpoch(unsigned(outcome.revision)));
        }
        // Under this process's own lease it is this node's: an earlier claim was made and its answer lost.
        match outcome.found() {
            Some(kv) if kv.lease == lease.0 => Ok(RoomEpoch(unsigned(kv.create_revision))),
            Some(kv) if owner(kv).as_ref() == Some(&room.node) => Err(DirectoryError::Unavailable(
                "an earlier lease of this node runs out first".into(),
            )),
            Some(_) => Err(DirectoryError::RoomExists(room.room.clone())),
            None => Err(DirectoryError::NodeGone),
        }
    }

    async fn update_room(
        &self,
        room: &RoomId,
        epoch: RoomEpoch,
        status: &RoomStatus,
    ) -> Result<(), DirectoryError> {
        let (own, lease) = self.own_lease(None)?;
        let name = self.key(&Key::Room(room.clone()));
        let seats = self.key(&Key::Seats(room.clone()));
        let node = self.key(&Key::Node(own));
        let outcome = self
            .client
            .txn_or(
                vec![created_at(name, signed(epoch))],
                vec![put(seats, json(status), lease.0)],
                vec![get(node)],
            )
            .await?;
        if outcome.succeeded {
            return Ok(());
        }
        // Without the node's own key the whole lease is gone (it ran out, or etcd lost its disk), not
        // this one room to another owner.
        match outcome.found() {
            Some(kv) if kv.lease == lease.0 => Err(DirectoryError::Fenced(room.clone())),
            _ => Err(DirectoryError::NodeGone),
        }
    }

    async fn remove_room(&self, room: &RoomId, epoch: RoomEpoch) -> Result<(), DirectoryError> {
        let name = self.key(&Key::Room(room.clone()));
        let seats = self.key(&Key::Seats(room.clone()));
        let outcome = self
            .client
            .txn(vec![created_at(name.clone(), signed(epoch))], vec![delete(name), delete(seats)])
            .await?;
        if !outcome.succeeded {
            return Err(DirectoryError::Fenced(room.clone()));
        }
        self.shared.view.write(|view| {
            if view.rooms.get(room).is_some_and(|record| record.epoch == epoch) {
                view.rooms.remove(room);
            }
        });
        Ok(())
    }

    async fn put_ban(&self, ban: &Ban) -> Result<(), DirectoryError> {
        let now_unix_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        let lease = match ban.expires_unix_s.map(|end| end.saturating_sub(now_unix_s)) {
            None => 0,
            Some(left_s) if left_s > BAN_LEASE_S_MAX => 0,
            Some(left_s) => self.client.grant(i64::try_from(left_s).unwrap_or(1).max(1)).await?,
        };
        let key = self.key(&Key::Ban(ban.subject.clone()));
        self.client.txn(Vec::new(), vec![put(key, ban_to_json(ban), lease)]).await?;
        Ok(())
    }

    async fn remove_ban(&self, subject: &BanSubject) -> Result<Ban, DirectoryError> {
        let key = self.key(&Key::Ban(subject.clone()));
        let outcome = self.client.txn(Vec::new(), vec![delete(key)]).await?;
        let removed = outcome.responses.into_iter().find_map(|op| match op.response {
            Some(Response::ResponseDeleteRange(deleted)) => deleted.prev_kvs.into_iter().next(),
            _ => None,
        });
        removed.and_then(|kv| ban_from_json(&kv.value)).ok_or(DirectoryError::NotFound)
    }

    async fn put_rule(
        &self,
        mode: &str,
        key: &RuleKey,
        value: Option<RuleValue>,
    ) -> Result<(), DirectoryError> {
        let key = self.key(&Key::Rule(mode.to_owned(), key.clone()));
        let op = match value {
            Some(value) => put(key, rule_value_to_json(value), 0),
            None => delete(key),
        };
        self.client.txn(Vec::new(), vec![op]).await?;
        Ok(())
    }
}

/// Whose room a key says it is.
fn owner(kv: &KeyValue) -> Option<NodeId> {
    serde_json::from_slice::<RoomSummary>(&kv.value).ok().map(|room| room.node)
}

/// A ban longer than a year hangs on no lease; readers look at its end anyway.
const BAN_LEASE_S_MAX: u64 = 365 * 24 * 3_600;

/// Our own types always have a JSON form.
fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn signed(epoch: RoomEpoch) -> i64 {
    i64::try_from(epoch.0).unwrap_or(i64::MAX)
}
