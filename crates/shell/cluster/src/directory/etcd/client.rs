//! The few calls of etcd that the directory makes, each with a deadline.
//!
//! A client of our own over etcd's published API: the crates for it need a protoc at build time.

use super::super::DirectoryError;
use super::EtcdSettings;
use super::login::Login;
use pb::compare::{CompareResult, CompareTarget, TargetUnion};
use pb::kv_client::KvClient;
use pb::lease_client::LeaseClient;
use pb::request_op::Request as Op;
use pb::watch_client::WatchClient;
use pb::watch_request::RequestUnion;
use std::future::Future;
use std::time::Duration;
use tokio::time::timeout;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

#[allow(clippy::pedantic, clippy::all, missing_debug_implementations, reason = "generated")]
pub(super) mod pb {
    tonic::include_proto!("etcdserverpb");
}

/// Connected to every endpoint, as far as they answer; calls go to one that does.
#[derive(Clone)]
pub(super) struct Client {
    channel: Channel,
    login: Login,
    deadline: Duration,
}

/// Carries the login's token on every call.
type Carrier = InterceptedService<Channel, Login>;

/// A listing of all keys needs more than gRPC's 4 MiB; pages keep it far below this.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
const PAGE_KEYS: i64 = 1_000;

impl Client {
    pub(super) fn new(settings: &EtcdSettings) -> Result<Self, DirectoryError> {
        let bad = |error: &dyn std::fmt::Display| DirectoryError::Unavailable(error.to_string());
        let mut endpoints = Vec::with_capacity(settings.endpoints.len());
        for uri in &settings.endpoints {
            let mut endpoint = Endpoint::from_shared(uri.clone())
                .map_err(|error| bad(&error))?
                .connect_timeout(settings.deadline)
                // A peer that went without a word is noticed within two of these.
                .http2_keep_alive_interval(Duration::from_secs(2))
                .keep_alive_timeout(Duration::from_secs(2))
                .keep_alive_while_idle(true)
                .tcp_nodelay(true);
            if let Some(tls) = settings.tls.clone().filter(|_| uri.starts_with("https")) {
                endpoint = endpoint.tls_config(tls).map_err(|error| bad(&error))?;
            }
            endpoints.push(endpoint);
        }
        let channel = match endpoints.as_slice() {
            [one] => one.connect_lazy(),
            _ => Channel::balance_list(endpoints.into_iter()),
        };
        let login = Login::new(settings.user.clone());
        Ok(Self { channel, login, deadline: settings.deadline })
    }

    /// Every key under a prefix as it was at one revision, which is given too.
    pub(super) async fn all(
        &self,
        prefix: &str,
    ) -> Result<(Vec<pb::KeyValue>, i64), DirectoryError> {
        let mut kvs: Vec<pb::KeyValue> = Vec::new();
        let mut revision = 0;
        loop {
            let key = match kvs.last() {
                None => prefix.as_bytes().to_vec(),
                Some(last) => [last.key.as_slice(), &[0]].concat(),
            };
            let range_end = prefix_end(prefix);
            let page =
                pb::RangeRequest { key, range_end, limit: PAGE_KEYS, revision, keys_only: false };
            let page = self.range(page).await?;
            if revision == 0 {
                revision = page.header.map_or(0, |header| header.revision);
            }
            let more = page.more && !page.kvs.is_empty();
            kvs.extend(page.kvs);
            if !more {
                return Ok((kvs, revision));
            }
        }
    }

    /// Asks for a key through a quorum, so that the answer says whether there is one; gives etcd's
    /// revision.
    pub(super) async fn probe(&self, key: &str) -> Result<i64, DirectoryError> {
        let key = key.as_bytes().to_vec();
        self.range(pb::RangeRequest { key, limit: 1, keys_only: true, ..Default::default() })
            .await
            .map(|found| found.header.map_or(0, |header| header.revision))
    }

    pub(super) async fn compact(&self, prefix: &str) -> Result<(), DirectoryError> {
        let (_, revision) = self.all(prefix).await?;
        self.within(|| async move { self.kv().compact(pb::CompactionRequest { revision }).await })
            .await
            .map(|_| ())
    }

    async fn range(&self, request: pb::RangeRequest) -> Result<pb::RangeResponse, DirectoryError> {
        self.within(|| {
            let request = request.clone();
            async move { self.kv().range(request).await }
        })
        .await
    }

    pub(super) async fn txn(
        &self,
        compare: Vec<pb::Compare>,
        success: Vec<Op>,
    ) -> Result<TxnOutcome, DirectoryError> {
        self.txn_or(compare, success, Vec::new()).await
    }

    /// One transaction that does something else where its conditions do not hold.
    pub(super) async fn txn_or(
        &self,
        compare: Vec<pb::Compare>,
        success: Vec<Op>,
        failure: Vec<Op>,
    ) -> Result<TxnOutcome, DirectoryError> {
        let wrap = |op| pb::RequestOp { request: Some(op) };
        let request = pb::TxnRequest {
            compare,
            success: success.into_iter().map(wrap).collect(),
            failure: failure.into_iter().map(wrap).collect(),
        };
        let response = self
            .within(|| {
                let request = request.clone();
                async move { self.kv().txn(request).await }
            })
            .await?;
        Ok(TxnOutcome {
            succeeded: response.succeeded,
            revision: response.header.map_or(0, |header| header.revision),
            responses: response.responses,
        })
    }

    pub(super) async fn grant(&self, ttl_s: i64) -> Result<i64, DirectoryError> {
        let request = pb::LeaseGrantRequest { ttl: ttl_s, id: 0 };
        let granted =
            self.within(|| async move { self.lease().lease_grant(request).await }).await?;
        if granted.error.is_empty() {
            Ok(granted.id)
        } else {
            Err(DirectoryError::Unavailable(granted.error))
        }
    }

    pub(super) async fn revoke(&self, id: i64) -> Result<(), DirectoryError> {
        let request = pb::LeaseRevokeRequest { id };
        self.within(|| async move { self.lease().lease_revoke(request).await }).await.map(|_| ())
    }

    /// Renews a lease once; false if it is over. A stream for each renewal has nothing to rebuild.
    pub(super) async fn renew(&self, id: i64) -> Result<bool, DirectoryError> {
        let answer = self
            .within(|| async move {
                let requests = futures::stream::iter([pb::LeaseKeepAliveRequest { id }]);
                let mut answers = self.lease().lease_keep_alive(requests).await?.into_inner();
                answers.message().await.map(tonic::Response::new)
            })
            .await?;
        match answer {
            Some(answer) => Ok(answer.ttl > 0),
            None => Err(DirectoryError::Unavailable("no answer to a renewal".into())),
        }
    }

    /// Every change under a prefix from a revision on.
    pub(super) async fn watch(
        &self,
        prefix: &str,
        start_revision: i64,
    ) -> Result<Streaming<pb::WatchResponse>, DirectoryError> {
        let create = pb::WatchCreateRequest {
            key: prefix.as_bytes().to_vec(),
            range_end: prefix_end(prefix),
            start_revision,
            progress_notify: true,
        };
        let first = pb::WatchRequest { request_union: Some(RequestUnion::CreateRequest(create)) };
        self.within(|| {
            // The request side must stay open: its end would be the watch's.
            let requests = futures::StreamExt::chain(
                futures::stream::iter([first.clone()]),
                futures::stream::pending(),
            );
            let watch = WatchClient::with_interceptor(self.channel.clone(), self.login.clone());
            async move { watch.max_decoding_message_size(ANSWER_BYTES_MAX).watch(requests).await }
        })
        .await
    }

    fn kv(&self) -> KvClient<Carrier> {
        KvClient::with_interceptor(self.channel.clone(), self.login.clone())
            .max_decoding_message_size(ANSWER_BYTES_MAX)
    }

    fn lease(&self) -> LeaseClient<Carrier> {
        LeaseClient::with_interceptor(self.channel.clone(), self.login.clone())
    }

    /// One call by the deadline; made twice where etcd asks for a login first.
    async fn within<T, F>(&self, call: impl Fn() -> F) -> Result<T, DirectoryError>
    where
        F: Future<Output = Result<tonic::Response<T>, Status>>,
    {
        let logged_in = async {
            if self.login.is_due() {
                self.login.renew(self.channel.clone(), 0).await?;
            }
            let count = self.login.count();
            match call().await {
                Err(status) if self.login.is_needed(&status) => {
                    self.login.renew(self.channel.clone(), count).await?;
                    call().await
                }
                answer => answer,
            }
        };
        match timeout(self.deadline, logged_in).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) => Err(unavailable(&status)),
            Err(_) => Err(too_late()),
        }
    }
}

/// What became of a transaction.
pub(super) struct TxnOutcome {
    pub(super) succeeded: bool,
    /// The directory's revision after it; where it wrote, that of its writes.
    pub(super) revision: i64,
    pub(super) responses: Vec<pb::ResponseOp>,
}

impl TxnOutcome {
    /// The key that it read, if it is there.
    pub(super) fn found(&self) -> Option<&pb::KeyValue> {
        self.responses.iter().find_map(|op| match &op.response {
            Some(pb::response_op::Response::ResponseRange(range)) => range.kvs.first(),
            _ => None,
        })
    }
}

pub(super) fn put(key: String, value: impl Into<Vec<u8>>, lease: i64) -> Op {
    Op::RequestPut(pb::PutRequest { key: key.into_bytes(), value: value.into(), lease })
}

pub(super) fn get(key: String) -> Op {
    Op::RequestRange(pb::RangeRequest { key: key.into_bytes(), limit: 1, ..Default::default() })
}

pub(super) fn delete(key: String) -> Op {
    let (range_end, prev_kv) = (Vec::new(), true);
    Op::RequestDeleteRange(pb::DeleteRangeRequest { key: key.into_bytes(), range_end, prev_kv })
}

/// The key was created at that revision and is there since; 0: it is not there.
pub(super) fn created_at(key: String, revision: i64) -> pb::Compare {
    compare(key, CompareTarget::Create, TargetUnion::CreateRevision(revision))
}

pub(super) fn modified_at(key: String, revision: i64) -> pb::Compare {
    compare(key, CompareTarget::Mod, TargetUnion::ModRevision(revision))
}

pub(super) fn under_lease(key: String, lease: i64) -> pb::Compare {
    compare(key, CompareTarget::Lease, TargetUnion::Lease(lease))
}

fn compare(key: String, target: CompareTarget, union: TargetUnion) -> pb::Compare {
    pb::Compare {
        result: CompareResult::Equal.into(),
        target: target.into(),
        key: key.into_bytes(),
        target_union: Some(union),
    }
}

/// The first key after all that begin with the prefix, which ends in a character below 0xff.
fn prefix_end(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last = last.saturating_add(1);
    }
    end
}

fn unavailable(status: &Status) -> DirectoryError {
    DirectoryError::Unavailable(format!("{}: {}", status.code(), status.message()))
}

fn too_late() -> DirectoryError {
    DirectoryError::Unavailable("no answer in time".into())
}
