//! A real etcd as a child process, and a wire to it that can be cut.

use super::conformance::Cluster;
use fairshot_cluster::directory::{Directory, EtcdDirectory, EtcdSettings};
use std::net::TcpListener as StdListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// Names the binary; without it the tests that need one say so and pass.
const BINARY: &str = "FAIRSHOT_ETCD";

pub struct EtcdServer {
    binary: PathBuf,
    folder: tempfile::TempDir,
    pub port: u16,
    peer_port: u16,
    child: Option<Child>,
    prefixes: AtomicU32,
}

impl EtcdServer {
    /// None, with a word on stderr, where no binary is named.
    pub async fn start() -> Option<Self> {
        let Some(binary) = std::env::var_os(BINARY) else {
            eprintln!("skipped: {BINARY} names no etcd; tests/cluster/run does");
            return None;
        };
        let mut server = Self {
            binary: binary.into(),
            folder: tempfile::tempdir().expect("a folder"),
            port: free_port(),
            peer_port: free_port(),
            child: None,
            prefixes: AtomicU32::new(0),
        };
        server.run().await;
        Some(server)
    }

    /// Starts the process over what its folder holds.
    pub async fn run(&mut self) {
        let client = format!("http://127.0.0.1:{}", self.port);
        let peer = format!("http://127.0.0.1:{}", self.peer_port);
        let child = Command::new(&self.binary)
            .arg("--data-dir")
            .arg(self.folder.path().join("data"))
            .args(["--listen-client-urls", &client, "--advertise-client-urls", &client])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .args(["--initial-cluster", &format!("default={peer}"), "--log-level", "error"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("etcd starts");
        self.child = Some(child);
        for _ in 0..200 {
            if self.is_healthy().await.unwrap_or(false) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("etcd does not serve");
    }

    /// It listens before it has elected itself, and answers nothing until then.
    async fn is_healthy(&self) -> std::io::Result<bool> {
        let mut http = TcpStream::connect(("127.0.0.1", self.port)).await?;
        http.write_all(b"GET /health HTTP/1.0\r\n\r\n").await?;
        let mut answer = String::new();
        http.read_to_string(&mut answer).await?;
        Ok(answer.contains(r#""health":"true""#))
    }

    pub async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.expect("killed");
        }
    }

    /// Starts with nothing, as after the loss of its disk.
    pub async fn lose_everything(&mut self) {
        self.kill().await;
        let _ = std::fs::remove_dir_all(self.folder.path().join("data"));
        self.run().await;
    }

    pub fn settings(&self, port: u16) -> EtcdSettings {
        EtcdSettings {
            lease_ttl: Duration::from_secs(2),
            deadline: Duration::from_secs(1),
            ..EtcdSettings::new(vec![format!("http://127.0.0.1:{port}")])
        }
    }

    /// A cluster of its own within this server.
    pub fn cluster(&self) -> EtcdCluster {
        let n = self.prefixes.fetch_add(1, Ordering::Relaxed);
        EtcdCluster {
            settings: EtcdSettings { prefix: format!("/test-{n}"), ..self.settings(self.port) },
        }
    }
}

pub struct EtcdCluster {
    pub settings: EtcdSettings,
}

impl EtcdCluster {
    pub fn connect(&self) -> Arc<EtcdDirectory> {
        Arc::new(EtcdDirectory::connect(&self.settings).expect("settings"))
    }

    pub fn through(&self, port: u16) -> Arc<EtcdDirectory> {
        let endpoints = vec![format!("http://127.0.0.1:{port}")];
        let settings = EtcdSettings { endpoints, ..self.settings.clone() };
        Arc::new(EtcdDirectory::connect(&settings).expect("settings"))
    }
}

impl Cluster for EtcdCluster {
    fn handle(&self) -> Arc<dyn Directory> {
        self.connect()
    }
}

/// Carries connections to a port, until it is cut.
pub struct Wire {
    pub port: u16,
    cut: watch::Sender<bool>,
    refuses: Arc<AtomicBool>,
}

impl Wire {
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("bound");
        let own = listener.local_addr().expect("an address").port();
        let cut = watch::Sender::new(false);
        let refuses = Arc::new(AtomicBool::new(false));
        let (cuts, refusing) = (cut.clone(), Arc::clone(&refuses));
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                if refusing.load(Ordering::Relaxed) {
                    continue;
                }
                let mut cut = cuts.subscribe();
                tokio::spawn(async move {
                    let Ok(mut far) = TcpStream::connect(("127.0.0.1", port)).await else { return };
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.wait_for(|cut| *cut) => {}
                    }
                });
            }
        });
        Self { port: own, cut, refuses }
    }

    pub fn cut(&self) {
        self.refuses.store(true, Ordering::Relaxed);
        self.cut.send_replace(true);
    }

    pub fn mend(&self) {
        self.cut.send_replace(false);
        self.refuses.store(false, Ordering::Relaxed);
    }
}

fn free_port() -> u16 {
    let listener = StdListener::bind(("127.0.0.1", 0)).expect("bound");
    listener.local_addr().expect("an address").port()
}
