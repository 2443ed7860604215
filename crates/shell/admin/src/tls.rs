//! The API's certificate, and the authorities of clients' certificates: read again as their files change.
//!
//! Connections that are open keep what they began with. What cannot be used changes nothing: it is told once
//! in the log, and looked at again as the files change.

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;

/// Where the PEM texts are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// Authorities whose client certificates are taken; who they are is said by the file of tokens.
    pub client_ca: Option<PathBuf>,
}

/// What is wrong with one of them.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{path}: {source}")]
    Pem { path: PathBuf, source: pem::Error },
    #[error("{path}: it holds no certificate")]
    Empty { path: PathBuf },
    #[error("{path}: {source}")]
    Authority { path: PathBuf, source: rustls::Error },
    #[error("{path}: {source}")]
    Verifier { path: PathBuf, source: rustls::server::VerifierBuilderError },
    /// The two do not fit each other, or the key is of a kind that is not taken.
    #[error("{certificate} and {key}: {source}")]
    Pair { certificate: PathBuf, key: PathBuf, source: rustls::Error },
}

/// The certificate in force. A clone is the same one.
#[derive(Clone)]
pub struct Tls(Arc<Inner>);

struct Inner {
    files: TlsFiles,
    state: Mutex<State>,
}

struct State {
    /// Of the files as they were last looked at.
    stamps: Stamps,
    config: Arc<ServerConfig>,
}

type Stamps = [Option<(SystemTime, u64)>; 3];

/// Handshakes under way; whoever comes then waits in the listener's backlog.
const HANDSHAKES_MAX: usize = 128;
const HANDSHAKE_DEADLINE: Duration = Duration::from_secs(10);
/// After a connection that could not be taken, for want of a file descriptor as a rule.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tls").field(&self.0.files).finish()
    }
}

impl Tls {
    /// # Errors
    /// [`TlsError`] names the file.
    pub fn from_files(files: TlsFiles) -> Result<Self, TlsError> {
        let stamps = stamps(&files);
        let config = read(&files)?;
        Ok(Self(Arc::new(Inner { files, state: Mutex::new(State { stamps, config }) })))
    }

    /// Reads the files again where they changed.
    pub(crate) fn look(&self) {
        let files = &self.0.files;
        let stamps = stamps(files);
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if stamps == state.stamps {
            return;
        }
        // Half of a pair, perhaps: the other half will change the stamps again.
        state.stamps = stamps;
        match read(files) {
            Ok(config) => {
                tracing::info!(certificate = %files.certificate.display(), "the admin API's certificate was read again");
                state.config = config;
            }
            Err(error) => {
                tracing::error!(%error, "the admin API's certificate was not read again, the one before stays");
            }
        }
    }

    fn acceptor(&self) -> TlsAcceptor {
        let state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&state.config))
    }

    /// Connections that have shown who they are, until nobody takes them any more.
    pub(crate) fn incoming(
        self,
        listener: TcpListener,
    ) -> ReceiverStream<std::io::Result<TlsStream<TcpStream>>> {
        let (to, connections) = mpsc::channel(1);
        tokio::spawn(async move {
            let handshakes = Arc::new(Semaphore::new(HANDSHAKES_MAX));
            tokio::select! {
                () = to.closed() => {}
                () = self.accept(&listener, &handshakes, &to) => {}
            }
        });
        ReceiverStream::new(connections)
    }

    async fn accept(
        &self,
        listener: &TcpListener,
        handshakes: &Arc<Semaphore>,
        to: &mpsc::Sender<std::io::Result<TlsStream<TcpStream>>>,
    ) {
        while let Ok(permit) = Arc::clone(handshakes).acquire_owned().await {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "an admin connection could not be taken");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                    continue;
                }
            };
            let (acceptor, to) = (self.acceptor(), to.clone());
            tokio::spawn(async move {
                let _permit = permit;
                let shown = async {
                    stream.set_nodelay(true)?;
                    acceptor.accept(stream).await
                };
                match timeout(HANDSHAKE_DEADLINE, shown).await {
                    // A server that has stopped takes no more.
                    Ok(Ok(stream)) => drop(to.send(Ok(stream)).await),
                    Ok(Err(error)) => tracing::debug!(%peer, %error, "no TLS handshake"),
                    Err(_) => tracing::debug!(%peer, "no TLS handshake in time"),
                }
            });
        }
    }
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(&files.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|source| TlsError::Pem { path: files.key.clone(), source })?;
    let pair = |source| TlsError::Pair {
        certificate: files.certificate.clone(),
        key: files.key.clone(),
        source,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(pair)?;
    let builder = match &files.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots
                    .add(authority)
                    .map_err(|source| TlsError::Authority { path: path.clone(), source })?;
            }
            // Optional, since a token does as well; the guard lets nobody in without one of the two.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .allow_unauthenticated()
                .build()
                .map_err(|source| TlsError::Verifier { path: path.clone(), source })?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(pair)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let failed = |source| TlsError::Pem { path: path.to_owned(), source };
    let all = CertificateDer::pem_file_iter(path).map_err(failed)?;
    let all = all.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    if all.is_empty() {
        return Err(TlsError::Empty { path: path.to_owned() });
    }
    Ok(all)
}

fn stamps(files: &TlsFiles) -> Stamps {
    [Some(&files.certificate), Some(&files.key), files.client_ca.as_ref()]
        .map(|path| path.and_then(|path| crate::access::stamp(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair};
    use std::fs;

    fn pair() -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        (params.self_signed(&key).expect("is signed").pem(), key.serialize_pem())
    }

    #[test]
    fn a_new_pair_is_taken_and_what_is_none_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = TlsFiles {
            certificate: folder.path().join("cert.pem"),
            key: folder.path().join("key.pem"),
            client_ca: None,
        };
        let write = |(certificate, key): (&str, &str)| {
            fs::write(&files.certificate, certificate).expect("writes");
            fs::write(&files.key, key).expect("writes");
        };
        let (first, second, third) = (pair(), pair(), pair());
        write((&first.0, &first.1));
        let tls = Tls::from_files(files.clone()).expect("a pair");
        let in_force = || Arc::clone(&tls.0.state.lock().expect("is not poisoned").config);
        let before = in_force();
        tls.look();
        assert!(Arc::ptr_eq(&before, &in_force()), "nothing changed");
        for wrong in [
            (second.0.as_str(), first.1.as_str()),
            ("", second.1.as_str()),
            ("-----BEGIN CERTIFICATE-----\nnonsense", second.1.as_str()),
            (second.0.as_str(), "no key at all"),
        ] {
            write(wrong);
            tls.look();
            assert!(Arc::ptr_eq(&before, &in_force()), "{wrong:?}");
        }
        fs::remove_file(&files.key).expect("removes");
        tls.look();
        assert!(Arc::ptr_eq(&before, &in_force()), "without a key");
        write((&third.0, &third.1));
        tls.look();
        assert!(!Arc::ptr_eq(&before, &in_force()), "the new pair");
    }

    #[test]
    fn a_start_with_wrong_files_names_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let (certificate, key) = pair();
        fs::write(path("cert.pem"), certificate).expect("writes");
        fs::write(path("key.pem"), key).expect("writes");
        fs::write(path("other.pem"), pair().1).expect("writes");
        fs::write(path("empty.pem"), "").expect("writes");
        let error = |certificate: &str, key: &str, ca: Option<&str>| {
            let files = TlsFiles {
                certificate: path(certificate),
                key: path(key),
                client_ca: ca.map(path),
            };
            Tls::from_files(files).expect_err("is wrong").to_string()
        };
        assert!(error("empty.pem", "key.pem", None).contains("empty.pem: it holds no certificate"));
        assert!(error("none.pem", "key.pem", None).contains("none.pem"));
        assert!(error("cert.pem", "empty.pem", None).contains("empty.pem"));
        assert!(error("cert.pem", "other.pem", None).contains("other.pem"));
        assert!(error("cert.pem", "key.pem", Some("key.pem")).contains("key.pem"));
    }
}
