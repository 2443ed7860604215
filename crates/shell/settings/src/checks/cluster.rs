//! The cluster's settings: what must stand beside what, and that keys and certificates are such.

use super::Reader;
use crate::error::Fault;
use crate::settings::{Cluster, ClusterTls, EtcdTls, EtcdUser, TlsFiles};
use crate::value::Value;
use std::path::Path;
use std::time::Duration;

pub(super) fn cluster(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<Cluster> {
    let etcd_tls = etcd_tls(reader, faults);
    let etcd_user = etcd_user(reader, faults);
    let tls = tls(reader, faults);
    let control_address = reader.socket("cluster.control_address");
    let scheme = if tls.is_some() { "https" } else { "http" };
    let control_url = reader
        .text("cluster.control_url")
        .unwrap_or_else(|| format!("{scheme}://{control_address}"));
    if !control_url.starts_with(&format!("{scheme}://")) {
        let expected = match tls {
            Some(_) => "https://, with cluster.tls_cert_file",
            None => "http://, or cluster.tls_cert_file beside https://",
        };
        faults.push(reader.fault("cluster.control_url", expected, control_url.clone()));
    }
    let Some((Value::Texts(etcd_endpoints), _)) = reader.values.get("cluster.etcd_endpoints")
    else {
        return None;
    };
    Some(Cluster {
        etcd_endpoints: etcd_endpoints.clone(),
        etcd_tls,
        etcd_user,
        node_id: reader.text("cluster.node_id"),
        region: reader.text("cluster.region").unwrap_or_default(),
        token_file: reader.path("cluster.token_file"),
        tls,
        control_address,
        control_url,
        lease: Duration::from_secs(reader.seconds("cluster.lease_s").as_secs().max(2)),
        labels: match reader.values.get("cluster.labels") {
            Some((Value::Pairs(labels), _)) => labels.clone(),
            _ => Vec::new(),
        },
    })
}

/// An authority goes with https, and a certificate of this process with both.
fn etcd_tls(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<EtcdTls> {
    let https = match reader.values.get("cluster.etcd_endpoints") {
        Some((Value::Texts(texts), _)) => texts.iter().any(|text| text.starts_with("https://")),
        _ => false,
    };
    let ca_file = reader.path("cluster.etcd_ca_file");
    let identity = identity(reader, "cluster.etcd_cert_file", "cluster.etcd_key_file", faults);
    if https && ca_file.is_none() {
        let expected = "cluster.etcd_ca_file beside https://";
        faults.push(reader.fault("cluster.etcd_endpoints", expected, "none".to_owned()));
    }
    for key in ["cluster.etcd_ca_file", "cluster.etcd_cert_file"] {
        if !https && reader.path(key).is_some() {
            let found = "none".to_owned();
            faults.push(reader.fault(key, "an https:// endpoint beside it", found));
        }
    }
    check_pem(reader, "cluster.etcd_ca_file", CERTIFICATE, faults);
    Some(EtcdTls { ca_file: ca_file?, identity })
}

fn etcd_user(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<EtcdUser> {
    let name = reader.text("cluster.etcd_user");
    let password_file = reader.path("cluster.etcd_password_file");
    if name.is_some() != password_file.is_some() {
        let (said, missing) = if name.is_some() {
            ("cluster.etcd_user", "cluster.etcd_password_file")
        } else {
            ("cluster.etcd_password_file", "cluster.etcd_user")
        };
        faults.push(reader.fault(said, &format!("{missing} beside it"), "none".to_owned()));
    }
    if let Some(path) = &password_file
        && read(path).trim().is_empty()
    {
        let key = "cluster.etcd_password_file";
        faults.push(reader.fault(key, "a password", "an empty file".to_owned()));
    }
    let (name, password_file) = name.zip(password_file)?;
    Some(EtcdUser { name, password_file })
}

/// Processes of a cluster show each other certificates of one authority, so all three go together.
fn tls(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<ClusterTls> {
    let identity = identity(reader, "cluster.tls_cert_file", "cluster.tls_key_file", faults);
    let ca_file = reader.path("cluster.tls_ca_file");
    if identity.is_some() != ca_file.is_some() {
        let (said, missing) = if ca_file.is_some() {
            ("cluster.tls_ca_file", "cluster.tls_cert_file and cluster.tls_key_file")
        } else {
            ("cluster.tls_cert_file", "cluster.tls_ca_file")
        };
        faults.push(reader.fault(said, &format!("{missing} beside it"), "none".to_owned()));
    }
    let name = reader.text("cluster.tls_name");
    if name.is_some() && identity.is_none() {
        let expected = "cluster.tls_cert_file beside it";
        faults.push(reader.fault("cluster.tls_name", expected, "none".to_owned()));
    }
    check_pem(reader, "cluster.tls_ca_file", CERTIFICATE, faults);
    Some(ClusterTls { identity: identity?, ca_file: ca_file?, name })
}

/// A certificate and its key, both or neither.
fn identity(
    reader: &Reader<'_>,
    cert: &str,
    key: &str,
    faults: &mut Vec<Fault>,
) -> Option<TlsFiles> {
    let (cert_file, key_file) = (reader.path(cert), reader.path(key));
    if cert_file.is_some() != key_file.is_some() {
        let (said, missing) = if cert_file.is_some() { (cert, key) } else { (key, cert) };
        faults.push(reader.fault(said, &format!("{missing} beside it"), "none".to_owned()));
    }
    check_pem(reader, cert, CERTIFICATE, faults);
    check_pem(reader, key, KEY, faults);
    let (cert_file, key_file) = cert_file.zip(key_file)?;
    Some(TlsFiles { cert_file, key_file })
}

const CERTIFICATE: (&str, &str) = ("a PEM certificate", "BEGIN CERTIFICATE");
const KEY: (&str, &str) = ("a PEM private key", "PRIVATE KEY");

fn check_pem(reader: &Reader<'_>, key: &str, (what, mark): (&str, &str), faults: &mut Vec<Fault>) {
    let Some(path) = reader.path(key) else { return };
    if !read(&path).contains(mark) {
        faults.push(reader.fault(key, what, format!("{} without one", path.display())));
    }
}

/// That it can be read was checked with its setting.
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
