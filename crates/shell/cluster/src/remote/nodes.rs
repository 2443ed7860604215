//! The nodes of the directory, each with a connection that is kept while the node is there.

use super::{ClusterToken, RemoteNode};
use crate::control::{ControlError, NodeControl, NodeName, NodeSet, RoomInfo, SHOWN_MAX};
use crate::directory::Directory;
use crate::host::{HostSet, RoomHost};
use async_trait::async_trait;
use fairshot_units::NodeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::timeout;
use tonic::transport::ClientTlsConfig;

/// The node of this very process, which needs no connection.
#[derive(Clone)]
pub struct OwnNode {
    pub node: NodeId,
    pub host: Arc<dyn RoomHost>,
    pub control: Arc<dyn NodeControl>,
}

impl fmt::Debug for OwnNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnNode").field("node", &self.node).finish_non_exhaustive()
    }
}

/// Every node of the directory.
pub struct RemoteNodes {
    directory: Arc<dyn Directory>,
    token: ClusterToken,
    tls: Option<ClientTlsConfig>,
    own: Option<OwnNode>,
    /// By name, with the URI it was made for.
    connected: Mutex<BTreeMap<NodeId, (String, RemoteNode)>>,
}

impl fmt::Debug for RemoteNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteNodes").finish_non_exhaustive()
    }
}

impl RemoteNodes {
    #[must_use]
    pub fn new(
        directory: Arc<dyn Directory>,
        token: ClusterToken,
        tls: Option<ClientTlsConfig>,
        own: Option<OwnNode>,
    ) -> Self {
        Self { directory, token, tls, own, connected: Mutex::default() }
    }

    fn own(&self, node: &NodeId) -> Option<&OwnNode> {
        self.own.as_ref().filter(|own| own.node == *node)
    }

    /// The node's connection, made anew where it moved; none where the directory has no such node.
    fn remote(&self, node: &NodeId) -> Option<RemoteNode> {
        let uri = self
            .directory
            .view()
            .read(|view| view.nodes.get(node).map(|record| record.control_uri.clone()));
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(uri) = uri else {
            connected.remove(node);
            return None;
        };
        if let Some((known, remote)) = connected.get(node)
            && *known == uri
        {
            return Some(remote.clone());
        }
        let name = NodeName::new(node.as_str());
        match RemoteNode::new(name, &uri, self.token.clone(), self.tls.as_ref()) {
            Ok(remote) => {
                connected.insert(node.clone(), (uri, remote.clone()));
                Some(remote)
            }
            Err(error) => {
                tracing::warn!(%node, error, "the node cannot be asked");
                None
            }
        }
    }
}

impl HostSet for RemoteNodes {
    fn host(&self, node: &NodeId) -> Option<Arc<dyn RoomHost>> {
        match self.own(node) {
            Some(own) => Some(Arc::clone(&own.host)),
            None => self.remote(node).map(|remote| Arc::new(remote) as _),
        }
    }
}

#[async_trait]
impl NodeSet for RemoteNodes {
    fn nodes(&self) -> Vec<Arc<dyn NodeControl>> {
        let mut names: Vec<NodeId> =
            self.directory.view().read(|view| view.nodes.keys().cloned().collect());
        // This process's node is there even while the directory has lost sight of it.
        if let Some(own) = &self.own
            && !names.contains(&own.node)
        {
            names.push(own.node.clone());
            names.sort();
        }
        self.connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|node, _| names.contains(node));
        let nodes = names.iter().filter_map(|node| match self.own(node) {
            Some(own) => Some(Arc::clone(&own.control)),
            None => self.remote(node).map(|remote| Arc::new(remote) as _),
        });
        nodes.collect()
    }

    async fn shown(&self, room: &RoomInfo) -> Result<(), ControlError> {
        let view = self.directory.view();
        let mut changes = view.changes();
        let shows = async {
            while !view.read(|view| view.rooms.contains_key(&room.room)) {
                // The view's cell is the directory's own, which outlives this call.
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        timeout(SHOWN_MAX, shows).await.map_err(|_| {
            ControlError::Unavailable(format!(
                "room {} runs on {}, but the directory has not shown it here for {} s: until then nobody is \
                 sent there",
                room.room,
                room.node,
                SHOWN_MAX.as_secs()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{RoomState, RuleCounts};
    use crate::directory::{LocalDirectory, NodeRecord, NodeStanding};
    use fairshot_matchmaking::{Labels, NodeOffer, RoomSummary, SeatCounts};
    use fairshot_units::{RoomId, Tick};

    fn room() -> RoomInfo {
        RoomInfo {
            room: RoomId::new("r").expect("an id"),
            mode: "arena".into(),
            node: NodeName::new("a"),
            shard: 0,
            state: RoomState::Open,
            players: 0,
            seats_reserved: 0,
            seats_max: 4,
            monsters: 0,
            tick: Tick(0),
            tick_hz: 64,
            uptime_s: 0,
            tick_time_us_p50: 0,
            tick_time_us_p99: 0,
            refused_shots_total: RuleCounts::new(),
        }
    }

    fn nodes(directory: LocalDirectory) -> RemoteNodes {
        let token = ClusterToken::new("the-token-of-this-test").expect("a token");
        RemoteNodes::new(Arc::new(directory), token, None, None)
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_that_the_directory_never_shows_is_told_so_at_the_bound() {
        let begun = tokio::time::Instant::now();
        let error = nodes(LocalDirectory::new()).shown(&room()).await.expect_err("is not there");
        assert!(matches!(&error, ControlError::Unavailable(words) if words.contains("runs on a")));
        assert_eq!(begun.elapsed(), SHOWN_MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn a_room_shows_as_soon_as_the_directory_has_it() {
        let directory = LocalDirectory::new();
        let (owner, id) = (directory.sibling(), NodeId::new("a").expect("an id"));
        let nodes = nodes(directory);
        let claimed = async {
            tokio::time::sleep(SHOWN_MAX / 4).await;
            let offer = NodeOffer {
                node: id.clone(),
                region: String::new(),
                modes: vec!["arena".into()],
                draining: false,
                shards: Vec::new(),
            };
            let record = NodeRecord {
                offer,
                control_uri: String::new(),
                version: "0".into(),
                standing: NodeStanding::default(),
            };
            owner.announce(&record).await.expect("is there");
            let summary = RoomSummary {
                room: room().room,
                mode: "arena".into(),
                region: String::new(),
                node: id.clone(),
                shard: 0,
                seats: SeatCounts::default(),
                locked: false,
                code: None,
                labels: Labels::default(),
            };
            owner.claim_room(&summary).await.expect("is claimed");
        };
        let begun = tokio::time::Instant::now();
        let info = room();
        let (shown, ()) = tokio::join!(nodes.shown(&info), claimed);
        shown.expect("shows");
        assert_eq!(begun.elapsed(), SHOWN_MAX / 4);
    }
}
