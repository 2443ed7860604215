//! Who may come in: players at matchmaking, operators at the admin API. Built from files the settings
//! name; whatever is wrong with one is said before anything binds.

use crate::startup::PROCESS_FAILED;
use fairshot_admin::access::Access;
use fairshot_admin::audit::AuditLog;
use fairshot_admin::{AdminOptions, CallRate, Tls, TlsError, TlsFiles};
use fairshot_cluster::auth::{PlayerAuth, TokenCheck};
use fairshot_settings::{Admin, EXIT_USAGE, Join, JoinAuth};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a file that guards a door is none.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    #[error("{}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("join.jwt_key_file: {}: {reason}", .path.display())]
    Key { path: PathBuf, reason: String },
    #[error("admin.tokens_file")]
    Access(#[from] fairshot_admin::access::AccessError),
    #[error("admin.tls_cert_file, admin.tls_key_file, admin.client_ca_file")]
    Tls(#[from] TlsError),
    #[error("the audit log: {0}")]
    Audit(String),
}

impl DoorError {
    /// A file that is wrong is a fault of the settings that name it; an audit log that is broken, or
    /// another process', is not.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Read { .. } | Self::Key { .. } | Self::Access(_) | Self::Tls(_) => EXIT_USAGE,
            Self::Audit(_) => PROCESS_FAILED,
        }
    }
}

/// An admin call, or the first answer of a stream, takes no longer.
const ADMIN_DEADLINE: Duration = Duration::from_secs(10);

/// Who may join, by the settings.
///
/// # Errors
/// [`DoorError`] names the file.
pub fn player_auth(join: &Join) -> Result<PlayerAuth, DoorError> {
    match &join.auth {
        JoinAuth::Open => Ok(PlayerAuth::Open),
        JoinAuth::Jwt { key_file } => {
            let key = read(key_file)?;
            // A public key says so in its PEM; all else is a shared secret.
            let check = if key.contains("BEGIN PUBLIC KEY") {
                TokenCheck::eddsa(key.as_bytes(), None)
            } else {
                TokenCheck::hs256(key.trim().as_bytes(), None)
            };
            let check = check.map_err(|error| DoorError::Key {
                path: key_file.clone(),
                reason: error.to_string(),
            })?;
            Ok(PlayerAuth::Token(Box::new(check)))
        }
    }
}

/// How the admin API is guarded, by the settings. `process` names this process in the audit log.
///
/// # Errors
/// [`DoorError`] names the file.
pub fn admin_options(admin: &Admin, process: &str) -> Result<AdminOptions, DoorError> {
    let access = match &admin.tokens_file {
        None => Access::open_on_loopback(),
        Some(path) => Access::from_file(path)?,
    };
    let tls = admin.tls.as_ref().map(|files| {
        Tls::from_files(TlsFiles {
            certificate: files.cert_file.clone(),
            key: files.key_file.clone(),
            client_ca: admin.client_ca_file.clone(),
        })
    });
    let tls = tls.transpose()?;
    let audit = match &admin.audit_file {
        None => None,
        Some(path) => Some(
            AuditLog::open(path, process).map_err(|error| DoorError::Audit(error.to_string()))?,
        ),
    };
    Ok(AdminOptions { access, tls, audit, rate: CallRate::default(), deadline: ADMIN_DEADLINE })
}

pub(crate) fn read(path: impl AsRef<Path>) -> Result<String, DoorError> {
    let path = path.as_ref();
    std::fs::read_to_string(path)
        .map_err(|source| DoorError::Read { path: path.to_owned(), source })
}
