//! Who this process is to an etcd that asks: a user and a password, from which etcd makes a token that
//! rides on every call. Tokens run out and go with a restart, so a call that etcd refuses for its token
//! is made again once, with a new one.

use super::EtcdUser;
use super::client::pb;
use pb::auth_client::AuthClient;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

/// The user, and the token it has by now.
#[derive(Clone)]
pub(super) struct Login(Arc<State>);

struct State {
    user: Option<EtcdUser>,
    token: RwLock<Token>,
    /// A password costs etcd a tenth of a second: whoever waits here takes the token that came meanwhile.
    one_at_a_time: tokio::sync::Mutex<()>,
}

/// Of one login, its wait for those before it included.
const LOGIN_DEADLINE: Duration = Duration::from_secs(15);

#[derive(Clone, Default)]
struct Token {
    value: Option<MetadataValue<Ascii>>,
    /// How many there have been.
    count: u64,
}

impl Login {
    pub(super) fn new(user: Option<EtcdUser>) -> Self {
        let (token, one_at_a_time) = (RwLock::default(), tokio::sync::Mutex::default());
        Self(Arc::new(State { user, token, one_at_a_time }))
    }

    /// How many tokens there have been: what [`Login::renew`] is told to be past.
    pub(super) fn count(&self) -> u64 {
        self.token().count
    }

    /// Whether there is a user, and etcd was never asked for its token. Waiting for a refusal would not
    /// do: without a token etcd takes a caller for whom its certificate names.
    pub(super) fn is_due(&self) -> bool {
        self.0.user.is_some() && self.count() == 0
    }

    /// Whether etcd refused a call for want of a token that it takes, and there is a user to get one.
    pub(super) fn is_needed(&self, status: &Status) -> bool {
        let asks = match status.code() {
            Code::Unauthenticated => true,
            Code::PermissionDenied => self.token().value.is_none(),
            // etcd's own words: no token came, or one from before its users were changed.
            Code::InvalidArgument => {
                status.message().contains("user name is empty")
                    || status.message().contains("revision of auth store is old")
            }
            _ => false,
        };
        asks && self.0.user.is_some()
    }

    /// Gets a token, unless another call got one since there were `count`. It goes on though the call
    /// that wanted it has given up: a busy etcd would else check a password again for every attempt.
    pub(super) async fn renew(&self, channel: Channel, count: u64) -> Result<(), Status> {
        let login = self.clone();
        let renewing = tokio::spawn(async move {
            match tokio::time::timeout(LOGIN_DEADLINE, login.log_in(channel, count)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(Status::unavailable("no answer to a login in time")),
            }
        });
        renewing.await.unwrap_or_else(|_| Err(Status::unavailable("the login was cut off")))
    }

    async fn log_in(&self, channel: Channel, count: u64) -> Result<(), Status> {
        let _turn = self.0.one_at_a_time.lock().await;
        let Some(user) = self.0.user.as_ref().filter(|_| self.count() == count) else {
            return Ok(());
        };
        let request =
            pb::AuthenticateRequest { name: user.name.clone(), password: user.password.clone() };
        let value = match AuthClient::new(channel).authenticate(request).await {
            Ok(answer) => {
                let mut value = MetadataValue::try_from(answer.into_inner().token)
                    .map_err(|_| Status::internal("etcd's token is none that a header may hold"))?;
                value.set_sensitive(true);
                Some(value)
            }
            // It asks nobody who calls, for now.
            Err(status) if status.code() == Code::FailedPrecondition => None,
            Err(status) => return Err(status),
        };
        *self.0.token.write().unwrap_or_else(PoisonError::into_inner) =
            Token { value, count: count + 1 };
        Ok(())
    }

    fn token(&self) -> Token {
        self.0.token.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Interceptor for Login {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = self.token().value {
            request.metadata_mut().insert("token", token);
        }
        Ok(request)
    }
}
