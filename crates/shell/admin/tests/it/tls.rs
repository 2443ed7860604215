//! Certificates: the server's, and a client's in a token's place.

use crate::double::{Double, Doubles};
use crate::fixture::{Served, Setup, VIEWER, with};
use fairshot_admin::access::sha256_hex;
use fairshot_admin::{Access, AdminOptions, CallRate, ServeError, Tls, TlsFiles, serve};
use fairshot_proto::v1;
use fairshot_proto::v1::admin_client::AdminClient;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tonic::Code;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

struct Keys {
    ca: String,
    server: (String, String),
    client: (String, String),
    client_sha256: String,
}

fn keys() -> Keys {
    let mut params = CertificateParams::new(vec![]).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca =
        CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a CA");
    let issue = |name: &str| {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        (params.signed_by(&key, &ca).expect("is signed"), key)
    };
    let (server, server_key) = issue("localhost");
    let (client, client_key) = issue("alice-laptop");
    Keys {
        ca: ca.pem(),
        server: (server.pem(), server_key.serialize_pem()),
        client_sha256: sha256_hex(client.der()),
        client: (client.pem(), client_key.serialize_pem()),
    }
}

impl Keys {
    /// As files of this folder, in the place of those before.
    fn write(&self, folder: &Path) -> TlsFiles {
        let write = |name: &str, text: &str| {
            let (path, new) = (folder.join(name), folder.join("new"));
            std::fs::write(&new, text).expect("writes");
            std::fs::rename(new, &path).expect("renames");
            path
        };
        TlsFiles {
            certificate: write("cert.pem", &self.server.0),
            key: write("key.pem", &self.server.1),
            client_ca: Some(write("ca.pem", &self.ca)),
        }
    }
}

async fn connect(served: &Served, keys: &Keys, with_client: bool) -> AdminClient<Channel> {
    try_connect(served, keys, with_client).await.expect("connects")
}

async fn try_connect(
    served: &Served,
    keys: &Keys,
    with_client: bool,
) -> Result<AdminClient<Channel>, tonic::transport::Error> {
    let mut tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(&keys.ca))
        .domain_name("localhost");
    if with_client {
        tls = tls.identity(Identity::from_pem(&keys.client.0, &keys.client.1));
    }
    let endpoint =
        Endpoint::from_shared(format!("https://{}", served.address)).expect("an address");
    Ok(AdminClient::new(endpoint.tls_config(tls)?.connect().await?))
}

#[tokio::test]
async fn a_client_certificate_stands_for_a_token_and_has_its_own_role() {
    let keys = keys();
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup {
        tls: Some(Tls::from_files(keys.write(folder.path())).expect("good files")),
        more_access: format!(
            "[[certificates]]\nname = \"alice-laptop\"\nrole = \"admin\"\nsha256 = \"{}\"\n",
            keys.client_sha256
        ),
        ..Setup::default()
    };
    let served = setup.serve().await;
    let mut alice = connect(&served, &keys, true).await;
    let audit = alice.list_audit(v1::ListAuditRequest::default()).await;
    audit.expect("an admin reads the audit log");
    let mut nobody = connect(&served, &keys, false).await;
    let refused = nobody.list_nodes(v1::ListNodesRequest {}).await.expect_err("has shown nothing");
    assert_eq!(refused.code(), Code::Unauthenticated);
    nobody.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("a token does as well");
}

#[tokio::test]
async fn certificates_are_rotated_without_a_restart_and_a_bad_one_changes_nothing() {
    let (first, second, third) = (keys(), keys(), keys());
    let folder = tempfile::tempdir().expect("a folder");
    let tls = Tls::from_files(first.write(folder.path())).expect("good files");
    let served = Setup { tls: Some(tls), ..Setup::default() }.serve().await;
    let mut early = connect(&served, &first, false).await;
    early.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("the first pair");
    second.write(folder.path());
    shown(&served, &second, &[&first]).await;
    // A certificate that is none, and after it a pair that is one: the second stays in force in between.
    std::fs::write(folder.path().join("cert.pem"), "nonsense").expect("writes");
    std::fs::remove_file(folder.path().join("key.pem")).expect("removes");
    connect(&served, &second, false).await;
    third.write(folder.path());
    shown(&served, &third, &[&second]).await;
    early.list_nodes(with(VIEWER, v1::ListNodesRequest {})).await.expect("its connection goes on");
}

/// Waits until the server shows that certificate; until then it shows one of those before.
async fn shown(served: &Served, keys: &Keys, before: &[&Keys]) {
    let until = Instant::now() + Duration::from_secs(10);
    while try_connect(served, keys, false).await.is_err() {
        let mut old = 0;
        for keys in before {
            old += usize::from(try_connect(served, keys, false).await.is_ok());
        }
        // It may have changed between the two looks.
        assert!(
            old == 1 || try_connect(served, keys, false).await.is_ok(),
            "no certificate at all"
        );
        assert!(Instant::now() < until, "the certificate is not read again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for keys in before {
        try_connect(served, keys, false).await.expect_err("the old one is gone");
    }
}

#[tokio::test]
async fn off_loopback_nothing_is_served_without_tokens_and_tls() {
    let listener = TcpListener::bind("0.0.0.0:0").await.expect("binds");
    let options = AdminOptions {
        access: Access::open_on_loopback(),
        tls: None,
        audit: None,
        rate: CallRate::default(),
        deadline: Duration::from_secs(1),
    };
    let served = serve(
        listener,
        Arc::new(Doubles(vec![Double::new("local", "alice")])),
        options,
        Health::new(Instant::now()),
        ProcessMetrics::new(&Metrics::new(), "0"),
        std::future::pending(),
    );
    assert!(matches!(served.await, Err(ServeError::Exposed(_))));
}
