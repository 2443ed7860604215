//! The lease that a node's keys hang on: taken once, renewed for as long as the process lives, given
//! up only when etcd itself says that it is over.

use super::client::Client;
use crate::directory::{DirectoryError, NodeLease};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// This process's lease, if it holds one.
#[derive(Clone)]
pub(super) struct OwnLease {
    client: Client,
    ttl: Duration,
    held: Arc<Mutex<Option<NodeLease>>>,
    renewal: Arc<Mutex<Option<Abort>>>,
}

struct Abort(JoinHandle<()>);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// After a renewal that got no answer.
const RETRY: Duration = Duration::from_millis(500);

impl OwnLease {
    pub(super) fn new(client: Client, ttl: Duration) -> Self {
        Self { client, ttl, held: Arc::default(), renewal: Arc::default() }
    }

    pub(super) fn held(&self) -> Option<NodeLease> {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lease held, or a new one that is renewed from now on.
    pub(super) async fn take(&self) -> Result<NodeLease, DirectoryError> {
        if let Some(lease) = self.held() {
            return Ok(lease);
        }
        let ttl_s = i64::try_from(self.ttl.as_secs()).unwrap_or(i64::MAX).max(2);
        let lease = NodeLease(self.client.grant(ttl_s).await?);
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(lease);
        let renewal = tokio::spawn(renew_for_ever(
            self.client.clone(),
            self.ttl,
            lease,
            Arc::clone(&self.held),
        ));
        *self.renewal.lock().unwrap_or_else(PoisonError::into_inner) = Some(Abort(renewal));
        Ok(lease)
    }

    /// Gives it back, and with it every key that hangs on it.
    pub(super) async fn give_back(&self) -> Result<(), DirectoryError> {
        self.renewal.lock().unwrap_or_else(PoisonError::into_inner).take();
        let lease = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        match lease {
            Some(NodeLease(id)) => self.client.revoke(id).await,
            None => Ok(()),
        }
    }
}

/// Ends when etcd says that the lease is over; a panic under it begins again.
async fn renew_for_ever(
    client: Client,
    ttl: Duration,
    lease: NodeLease,
    held: Arc<Mutex<Option<NodeLease>>>,
) {
    loop {
        let renewal = AssertUnwindSafe(client.renew(lease.0)).catch_unwind().await;
        match renewal {
            Ok(Ok(true)) => sleep(ttl / 3).await,
            Ok(Ok(false)) => {
                tracing::warn!("the node's lease is over; it takes a new one");
                forget(&held, lease);
                return;
            }
            Ok(Err(error)) => {
                tracing::warn!(error = %error, "the node's lease was not renewed");
                sleep(RETRY).await;
            }
            Err(_) => sleep(RETRY).await,
        }
    }
}

fn forget(held: &Mutex<Option<NodeLease>>, lease: NodeLease) {
    let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
    if *held == Some(lease) {
        *held = None;
    }
}
