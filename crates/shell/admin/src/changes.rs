//! How a call that changes something is done: its role is checked, it is written down before and
//! after, it is done once for a request id, and it ends even where its caller goes away.

use crate::access::{Caller, Role};
use fairshot_audit::{AuditLog, Entry, Outcome};
use fairshot_cluster::control::ControlError;
use fairshot_proto::v1;
use prost::Message;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tonic::{Code, Response, Status};

/// A call that changes something, as it is written down.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub caller: Caller,
    pub method: &'static str,
    pub role: Role,
    /// The call's own words.
    pub request: serde_json::Value,
    pub dry_run: bool,
    pub request_id: String,
}

/// An answer that says where it stands in the audit log.
pub(crate) trait Audited: Message + Default + Clone + 'static {
    fn set_audit(&mut self, sequence: u64, dry_run: bool);
}

/// Who asked, and the id of the request.
type AskedKey = (Arc<str>, String);
/// The encoded answer of a call, there once the call has ended.
type SharedAnswer = Arc<OnceCell<Result<Vec<u8>, Status>>>;

/// The one door of changes. A clone shares the log and the request ids.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// `None` where no file is set: entries are then log lines only.
    audit: Option<AuditLog>,
    metrics: fairshot_telemetry::metrics::ProcessMetrics,
    asked: Arc<Mutex<BTreeMap<AskedKey, Asked>>>,
}

#[derive(Clone, Debug)]
struct Asked {
    method: &'static str,
    request: serde_json::Value,
    dry_run: bool,
    since: Instant,
    answer: SharedAnswer,
}

/// How long a request id names the same call.
const ASKED_FOR: Duration = Duration::from_secs(600);
/// Request ids kept; with more within [`ASKED_FOR`] the oldest is forgotten.
const ASKED_MAX: usize = 4_096;
const REQUEST_ID_BYTES_MAX: usize = 64;

impl Changes {
    pub(crate) fn new(
        audit: Option<AuditLog>,
        metrics: fairshot_telemetry::metrics::ProcessMetrics,
    ) -> Self {
        Self { audit, metrics, asked: Arc::default() }
    }

    pub(crate) fn audit(&self) -> Option<&AuditLog> {
        self.audit.as_ref()
    }

    /// Does `work`, unless the role is too low, the log cannot be written, or the request id says that
    /// it was done before.
    pub(crate) async fn run<R: Audited>(
        &self,
        change: Change,
        work: impl Future<Output = Result<R, ControlError>> + Send + 'static,
    ) -> Result<Response<R>, Status> {
        if change.caller.role < change.role {
            return Err(self.deny(&change).await);
        }
        if change.request_id.len() > REQUEST_ID_BYTES_MAX
            || change.request_id.bytes().any(|byte| !byte.is_ascii_graphic())
        {
            return Err(Status::invalid_argument(
                "request_id: expected up to 64 printable ASCII characters without spaces",
            ));
        }
        // In a task of its own: once begun it ends, and is written down, whoever still listens.
        let this = self.clone();
        let done = if change.request_id.is_empty() {
            tokio::spawn(async move { this.write_and_do(&change, work).await })
        } else {
            let cell = self.asked_before(&change)?;
            tokio::spawn(async move {
                let answer = cell.get_or_init(|| this.write_and_do(&change, work)).await.clone();
                if answer.is_err() {
                    this.forget(&change);
                }
                answer
            })
        };
        let bytes = done.await.map_err(|error| Status::internal(error.to_string()))??;
        let answer =
            R::decode(bytes.as_slice()).map_err(|error| Status::internal(error.to_string()))?;
        Ok(Response::new(answer))
    }

    async fn write_and_do<R: Audited>(
        &self,
        change: &Change,
        work: impl Future<Output = Result<R, ControlError>>,
    ) -> Result<Vec<u8>, Status> {
        let begun = self.write(entry(change, Outcome::Begun, String::new())).await?;
        let result = work.await;
        let (code, detail) = match &result {
            Ok(_) => (Code::Ok, String::new()),
            Err(error) => (error.code(), error.to_string()),
        };
        let ended = Outcome::Ended { of: begun, code: label(code) };
        let sequence = self.write(entry(change, ended, detail)).await.map_err(|status| {
            Status::internal(format!(
                "the call ended as {}, but that could not be written down: {}",
                label(code),
                status.message()
            ))
        })?;
        let mut answer = result?;
        answer.set_audit(sequence, change.dry_run);
        Ok(answer.encode_to_vec())
    }

    async fn deny(&self, change: &Change) -> Status {
        let status = too_low(&change.caller, change.role);
        let denied = Outcome::Denied { code: label(Code::PermissionDenied) };
        // It is denied whether or not it could be written down; a failure is counted and logged.
        let _ = self.write(entry(change, denied, status.message().to_owned())).await;
        status
    }

    async fn write(&self, entry: Entry) -> Result<u64, Status> {
        tracing::info!(
            caller = %entry.caller,
            role = %entry.role,
            peer = %entry.peer,
            method = %entry.method,
            request = %entry.request,
            dry_run = entry.dry_run,
            outcome = entry.outcome.label(),
            detail = %entry.detail,
            "audit"
        );
        let Some(audit) = &self.audit else {
            return Ok(0);
        };
        match audit.write(entry).await {
            Ok(sequence) => {
                self.metrics.audit_entries.increment(1);
                Ok(sequence)
            }
            Err(error) => {
                self.metrics.audit_failures.increment(1);
                tracing::error!(%error, "audit entry not written");
                Err(Status::unavailable(format!("nothing was done: {error}")))
            }
        }
    }

    fn asked_before(&self, change: &Change) -> Result<SharedAnswer, Status> {
        let now = Instant::now();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|_, call| now.duration_since(call.since) < ASKED_FOR);
        let key = (Arc::clone(&change.caller.name), change.request_id.clone());
        if let Some(before) = asked.get(&key) {
            let same = before.method == change.method
                && before.request == change.request
                && before.dry_run == change.dry_run;
            return if same {
                Ok(Arc::clone(&before.answer))
            } else {
                Err(Status::invalid_argument("request_id: it names another call of yours"))
            };
        }
        if asked.len() >= ASKED_MAX {
            let oldest =
                asked.iter().min_by_key(|(_, call)| call.since).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| asked.remove(&oldest));
        }
        let call = Asked {
            method: change.method,
            request: change.request.clone(),
            dry_run: change.dry_run,
            since: now,
            answer: Arc::default(),
        };
        let answer = Arc::clone(&call.answer);
        asked.insert(key, call);
        Ok(answer)
    }

    /// A call that failed may be asked again under its id.
    fn forget(&self, change: &Change) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.remove(&(Arc::clone(&change.caller.name), change.request_id.clone()));
    }
}

/// Fails where a caller's role is too low to read something.
pub(crate) fn require(caller: &Caller, role: Role) -> Result<(), Status> {
    if caller.role < role { Err(too_low(caller, role)) } else { Ok(()) }
}

fn too_low(caller: &Caller, role: Role) -> Status {
    Status::permission_denied(format!(
        "{} is a {}; this takes the role {role}",
        caller.name, caller.role
    ))
}

fn entry(change: &Change, outcome: Outcome, detail: String) -> Entry {
    Entry {
        role: change.caller.role.label().to_owned(),
        peer: change.caller.peer.clone(),
        method: change.method.to_owned(),
        request: change.request.clone(),
        request_id: change.request_id.clone(),
        dry_run: change.dry_run,
        detail,
        ..Entry::new(&change.caller.name, outcome)
    }
}

fn label(code: Code) -> String {
    crate::guard::outcome(code).label().to_owned()
}

macro_rules! audited {
    ($($answer:ty),+ $(,)?) => {
        $(impl Audited for $answer {
            fn set_audit(&mut self, sequence: u64, dry_run: bool) {
                self.audit_sequence = sequence;
                self.dry_run = dry_run;
            }
        })+
    };
}

audited!(
    v1::GiveWeaponResponse,
    v1::TakeWeaponResponse,
    v1::SetAmmoResponse,
    v1::ClearWeaponsResponse,
    v1::SetArmedResponse,
    v1::KickResponse,
    v1::BanResponse,
    v1::UnbanResponse,
    v1::CreateRoomResponse,
    v1::CloseRoomResponse,
    v1::DrainNodeResponse,
    v1::SetRuleResponse,
);
