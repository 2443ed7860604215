//! The nodes of the directory, each with a connection that is kept while the node is there.

use super::{ClusterToken, RemoteNode};
use crate::control::{NodeControl, NodeName, NodeSet};
use crate::directory::Directory;
use crate::host::{HostSet, RoomHost};
use fairshot_units::NodeId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
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
}
