//! A node in another process, over gRPC: the same two traits that a node in this one implements.
//!
//! [`NodeService`] answers on the node's side, [`RemoteNode`] asks on the other, [`RemoteNodes`] keeps one
//! for each node of the directory. Both sides share the cluster's token; a caller without it is
//! nobody's business here.

mod ask;
mod control;
mod feed;
mod host;
mod nodes;
mod serve;

pub use nodes::{OwnNode, RemoteNodes};
pub use serve::NodeService;

use crate::control::NodeName;
use ask::TokenCarrier;
use fairshot_proto::v1::node_client::NodeClient;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

/// The secret that processes of one cluster know each other by; 16 bytes at least.
#[derive(Clone, PartialEq, Eq)]
pub struct ClusterToken(Arc<str>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cluster token has 16 to 512 visible ASCII characters")]
pub struct ClusterTokenError;

impl ClusterToken {
    /// # Errors
    /// If it is shorter than 16 characters, longer than 512, or holds anything but visible ASCII.
    pub fn new(text: &str) -> Result<Self, ClusterTokenError> {
        let text = text.trim();
        let fits = (16..=512).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        fits.then(|| Self(Arc::from(text))).ok_or(ClusterTokenError)
    }
}

impl fmt::Debug for ClusterToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClusterToken(..)")
    }
}

/// Asks one node.
#[derive(Clone)]
pub struct RemoteNode {
    name: NodeName,
    client: NodeClient<InterceptedService<Channel, TokenCarrier>>,
}

impl fmt::Debug for RemoteNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteNode").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Until a connection stands.
const CONNECT_DEADLINE: Duration = Duration::from_secs(1);
/// Of each call that is no stream.
const CALL_DEADLINE: Duration = Duration::from_secs(2);
/// A room with many players and all their kept shots.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

impl RemoteNode {
    /// Connects when first asked.
    ///
    /// # Errors
    /// What is wrong with the URI or the TLS settings.
    pub fn new(
        name: NodeName,
        uri: &str,
        token: ClusterToken,
        tls: Option<&ClientTlsConfig>,
    ) -> Result<Self, String> {
        let mut endpoint = Endpoint::from_shared(uri.to_owned())
            .map_err(|error| format!("{uri}: {error}"))?
            .connect_timeout(CONNECT_DEADLINE)
            .http2_keep_alive_interval(Duration::from_secs(5))
            .keep_alive_timeout(Duration::from_secs(2))
            .tcp_nodelay(true);
        if let Some(tls) = tls.filter(|_| uri.starts_with("https")) {
            endpoint = endpoint.tls_config(tls.clone()).map_err(|error| error.to_string())?;
        }
        let carrier = TokenCarrier::new(&token)?;
        let client = NodeClient::with_interceptor(endpoint.connect_lazy(), carrier)
            .max_decoding_message_size(ANSWER_BYTES_MAX);
        Ok(Self { name, client })
    }
}
