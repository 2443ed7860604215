//! Who may call: tokens and client certificates, their names and roles.
//!
//! The file holds SHA-256 hashes only, so whoever reads it can call nothing. It is read again as it
//! changes: a token is rotated by adding the new one, moving callers over, and taking the old one out.
//! A file that cannot be used is told once in the log, and looked at again as it changes.
//!
//! ```toml
//! [[tokens]]
//! name = "deploy"
//! role = "operator"
//! sha256 = "5e88...d8"              # of the token, in hex
//! expires_unix_s = 1800000000       # may be left out
//!
//! [[certificates]]
//! name = "alice-laptop"
//! role = "admin"
//! sha256 = "9f86...08"              # of the certificate's DER, in hex
//! ```

pub use fairshot_audit::sha256_hex;

use ring::digest::{SHA256, digest};
use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// What a caller may do; each includes the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Reads.
    Viewer,
    /// Commands weapons, kicks, opens and closes rooms.
    Operator,
    /// Bans, drains, changes rules, reads the audit log.
    Admin,
}

impl Role {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// Somebody let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub name: Arc<str>,
    pub role: Role,
    /// `host:port`; empty where the connection does not say.
    pub peer: String,
}

/// What a caller shows.
#[derive(Debug, Default)]
pub struct Credentials<'a> {
    pub token: Option<&'a str>,
    /// DER of the client certificate, checked by TLS against the client authority.
    pub certificate: Option<&'a [u8]>,
    pub loopback: bool,
}

/// Who may call. Held by the guard; a clone reads the same file.
#[derive(Clone, Debug)]
pub struct Access(Arc<Inner>);

#[derive(Debug)]
enum Inner {
    /// Development: anybody on loopback is an admin.
    OpenOnLoopback,
    File(Mutex<Loaded>),
}

#[derive(Debug)]
struct Loaded {
    path: PathBuf,
    stamp: Option<(SystemTime, u64)>,
    looked: Instant,
    entries: Arc<Vec<Listed>>,
}

#[derive(Debug)]
struct Listed {
    name: Arc<str>,
    role: Role,
    is_certificate: bool,
    sha256: [u8; 32],
    expires_unix_s: Option<u64>,
}

/// Why a file of tokens is none.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error("{path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}: {reason}")]
    Parse { path: PathBuf, reason: String },
}

/// How often the file's time stamp is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Hashes compare against at most so many entries.
const ENTRIES_MAX: usize = 1_000;

impl Access {
    /// Anybody on loopback, as an admin. For development only.
    #[must_use]
    pub fn open_on_loopback() -> Self {
        Self(Arc::new(Inner::OpenOnLoopback))
    }

    /// Those a file lists.
    ///
    /// # Errors
    /// [`AccessError`] says what is wrong with the file. Later changes that are wrong are logged and
    /// the entries before them stay.
    pub fn from_file(path: &Path) -> Result<Self, AccessError> {
        let stamp = stamp(path);
        let entries = Arc::new(read(path)?);
        let looked = Instant::now();
        Ok(Self(Arc::new(Inner::File(Mutex::new(Loaded {
            path: path.to_owned(),
            stamp,
            looked,
            entries,
        })))))
    }

    /// Whether a token or a certificate is asked for.
    #[must_use]
    pub fn asks(&self) -> bool {
        matches!(self.0.as_ref(), Inner::File(_))
    }

    /// Reads the file again where it changed, so that what is wrong with it is told before somebody calls.
    pub(crate) fn look(&self) {
        if let Inner::File(loaded) = self.0.as_ref() {
            let _ = current(loaded);
        }
    }

    /// The caller of that name, or `None`. Takes the same time whatever is wrong with a token.
    #[must_use]
    pub fn admit(&self, shown: &Credentials<'_>, peer: String) -> Option<Caller> {
        match self.0.as_ref() {
            Inner::OpenOnLoopback => {
                shown.loopback.then(|| Caller { name: Arc::from("local"), role: Role::Admin, peer })
            }
            Inner::File(loaded) => {
                let entries = current(loaded);
                let now_unix_s = now_unix_s();
                let by_token = shown
                    .token
                    .and_then(|token| find(&entries, false, token.as_bytes(), now_unix_s));
                let found = by_token.or_else(|| {
                    shown.certificate.and_then(|der| find(&entries, true, der, now_unix_s))
                })?;
                Some(Caller { name: Arc::clone(&found.name), role: found.role, peer })
            }
        }
    }
}

/// Compares with every entry, and each whole: how long it takes tells nothing of the hashes.
fn find<'a>(
    entries: &'a [Listed],
    is_certificate: bool,
    secret: &[u8],
    now_unix_s: u64,
) -> Option<&'a Listed> {
    let hash = digest(&SHA256, secret);
    let mut found = u32::MAX;
    for (index, entry) in (0_u32..).zip(entries) {
        let usable = entry.is_certificate == is_certificate
            && entry.expires_unix_s.is_none_or(|end| now_unix_s < end);
        let same = entry.sha256.ct_eq(hash.as_ref()) & Choice::from(u8::from(usable));
        found.conditional_assign(&index, same);
    }
    entries.get(usize::try_from(found).ok()?)
}

fn current(loaded: &Mutex<Loaded>) -> Arc<Vec<Listed>> {
    let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.looked.elapsed() >= LOOK_EVERY {
        loaded.looked = Instant::now();
        let stamp = stamp(&loaded.path);
        if stamp != loaded.stamp {
            // Half-written, perhaps: the rest of it will change the stamp again.
            loaded.stamp = stamp;
            match read(&loaded.path) {
                Ok(entries) => {
                    tracing::info!(path = %loaded.path.display(), entries = entries.len(), "tokens read again");
                    loaded.entries = Arc::new(entries);
                }
                Err(error) => tracing::error!(%error, "tokens not read again, those before stay"),
            }
        }
    }
    Arc::clone(&loaded.entries)
}

pub(crate) fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    tokens: Vec<FileEntry>,
    #[serde(default)]
    certificates: Vec<FileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileEntry {
    name: String,
    role: Role,
    sha256: String,
    expires_unix_s: Option<u64>,
}

fn read(path: &Path) -> Result<Vec<Listed>, AccessError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| AccessError::Read { path: path.to_owned(), source })?;
    parse(&text).map_err(|reason| AccessError::Parse { path: path.to_owned(), reason })
}

fn parse(text: &str) -> Result<Vec<Listed>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let tokens = file.tokens.into_iter().map(|entry| listed(entry, false));
    let certificates = file.certificates.into_iter().map(|entry| listed(entry, true));
    let entries = tokens.chain(certificates).collect::<Result<Vec<_>, _>>()?;
    match entries.len() {
        0 => Err("lists nobody: expected [[tokens]] or [[certificates]]".into()),
        len if len > ENTRIES_MAX => Err(format!("lists {len}, at most {ENTRIES_MAX} fit")),
        _ => Ok(entries),
    }
}

fn listed(entry: FileEntry, is_certificate: bool) -> Result<Listed, String> {
    let name_fits = (1..=64).contains(&entry.name.len())
        && entry.name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:@".contains(c));
    if !name_fits {
        return Err(format!("name {:?}: expected 1 to 64 of A-Z a-z 0-9 _ - . : @", entry.name));
    }
    let sha256 = unhex(&entry.sha256)
        .ok_or_else(|| format!("sha256 of {}: expected 64 hex digits", entry.name))?;
    Ok(Listed {
        name: Arc::from(entry.name),
        role: entry.role,
        is_certificate,
        sha256,
        expires_unix_s: entry.expires_unix_s,
    })
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn now_unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(entries: &[(&str, &str, &str)]) -> String {
        entries
            .iter()
            .map(|(name, role, token)| {
                let sha256 = sha256_hex(token.as_bytes());
                format!("[[tokens]]\nname = \"{name}\"\nrole = \"{role}\"\nsha256 = \"{sha256}\"\n")
            })
            .collect()
    }

    fn admit(access: &Access, token: &str) -> Option<(String, Role)> {
        let shown = Credentials { token: Some(token), ..Credentials::default() };
        access.admit(&shown, String::new()).map(|caller| (caller.name.to_string(), caller.role))
    }

    #[test]
    fn a_token_has_a_name_and_a_role_and_a_wrong_one_has_neither() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.toml");
        let text = file(&[("ci", "operator", "s3cret"), ("wall", "viewer", "look")]);
        std::fs::write(&path, text).expect("writes");
        let access = Access::from_file(&path).expect("reads");
        assert_eq!(admit(&access, "s3cret"), Some(("ci".into(), Role::Operator)));
        assert_eq!(admit(&access, "look"), Some(("wall".into(), Role::Viewer)));
        for wrong in ["", "s3cre", "s3cret ", "S3cret"] {
            assert_eq!(admit(&access, wrong), None, "{wrong}");
        }
        let shown = Credentials { loopback: true, ..Credentials::default() };
        assert_eq!(access.admit(&shown, String::new()), None, "loopback is no token");
    }

    #[test]
    fn a_token_is_rotated_without_a_restart_and_a_broken_file_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.toml");
        std::fs::write(&path, file(&[("ci", "operator", "old")])).expect("writes");
        let access = Access::from_file(&path).expect("reads");
        let look_again = || {
            let Inner::File(loaded) = access.0.as_ref() else { panic!("a file") };
            let mut loaded = loaded.lock().expect("is not poisoned");
            loaded.looked = Instant::now().checked_sub(LOOK_EVERY).expect("a while ago");
        };
        std::fs::write(&path, "[[tokens]]\nname = ").expect("writes");
        look_again();
        assert!(admit(&access, "old").is_some());
        std::fs::write(&path, file(&[("ci", "operator", "new-one")])).expect("writes");
        look_again();
        assert!(admit(&access, "old").is_none());
        assert!(admit(&access, "new-one").is_some());
    }

    #[test]
    fn an_expired_token_and_a_certificate_in_a_token_s_place_are_nobody() {
        let hash = sha256_hex(b"x");
        let entries = parse(&format!(
            "[[tokens]]\nname = \"a\"\nrole = \"admin\"\nsha256 = \"{hash}\"\nexpires_unix_s = 100\n"
        ))
        .expect("parses");
        assert!(find(&entries, false, b"x", 99).is_some());
        assert!(find(&entries, false, b"x", 100).is_none());
        assert!(find(&entries, true, b"x", 99).is_none());
    }

    #[test]
    fn a_wrong_file_says_what_is_wrong() {
        for (text, words) in [
            ("", "lists nobody"),
            ("[[tokens]]\nname = \"a\"\nrole = \"root\"\nsha256 = \"00\"\n", "viewer"),
            ("[[tokens]]\nname = \"a\"\nrole = \"admin\"\nsha256 = \"00\"\n", "64 hex digits"),
            ("[[tokens]]\nname = \"a\"\nrole = \"admin\"\nsha265 = \"00\"\n", "sha265"),
            ("[[tokens]]\nname = \"a b\"\nrole = \"admin\"\nsha256 = \"00\"\n", "name \"a b\""),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn open_development_lets_loopback_in_and_nobody_else() {
        let access = Access::open_on_loopback();
        assert!(admit(&access, "anything").is_none());
        let shown = Credentials { loopback: true, ..Credentials::default() };
        let local = access.admit(&shown, "127.0.0.1:9".into()).expect("is let in");
        assert_eq!(local.role, Role::Admin);
    }
}
