//! Certificates: the server's, and a client's in a token's place.

use crate::double::{Double, Doubles};
use crate::fixture::{Served, Setup, VIEWER, with};
use fairshot_admin::access::sha256_hex;
use fairshot_admin::{Access, AdminOptions, CallRate, ServeError, TlsPem, serve};
use fairshot_proto::v1;
use fairshot_proto::v1::admin_client::AdminClient;
use fairshot_telemetry::health::Health;
use fairshot_telemetry::metrics::{Metrics, ProcessMetrics};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
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

async fn connect(served: &Served, keys: &Keys, with_client: bool) -> AdminClient<Channel> {
    let mut tls = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(&keys.ca))
        .domain_name("localhost");
    if with_client {
        tls = tls.identity(Identity::from_pem(&keys.client.0, &keys.client.1));
    }
    let endpoint =
        Endpoint::from_shared(format!("https://{}", served.address)).expect("an address");
    let channel = endpoint.tls_config(tls).expect("a configuration").connect().await;
    AdminClient::new(channel.expect("connects"))
}

#[tokio::test]
async fn a_client_certificate_stands_for_a_token_and_has_its_own_role() {
    let keys = keys();
    let setup = Setup {
        tls: Some(TlsPem {
            certificate: keys.server.0.clone(),
            key: keys.server.1.clone(),
            client_ca: Some(keys.ca.clone()),
        }),
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
