//! How a process reaches etcd and the cluster's other processes, from the files that its settings name.

use super::ClusterError;
use crate::doors::read;
use fairshot_cluster::directory::{EtcdSettings, EtcdUser};
use fairshot_cluster::remote::ClusterToken;
use fairshot_settings::{Cluster, TlsFiles};
use std::path::Path;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig};

/// The secret that the cluster's processes know each other by.
pub(super) fn token(file: &Path) -> Result<ClusterToken, ClusterError> {
    ClusterToken::new(&read(file)?).map_err(|error| ClusterError::TokenText {
        path: file.to_owned(),
        reason: error.to_string(),
    })
}

pub(super) fn etcd(cluster: &Cluster) -> Result<EtcdSettings, ClusterError> {
    let tls = match &cluster.etcd_tls {
        None => None,
        Some(files) => {
            let ca = Certificate::from_pem(read(&files.ca_file)?);
            let config = ClientTlsConfig::new().ca_certificate(ca);
            Some(match &files.identity {
                Some(identity) => config.identity(pem(identity)?),
                None => config,
            })
        }
    };
    let user = match &cluster.etcd_user {
        None => None,
        Some(user) => Some(EtcdUser {
            name: user.name.clone(),
            password: read(&user.password_file)?.trim().to_owned(),
        }),
    };
    let lease_ttl = cluster.lease;
    Ok(EtcdSettings { tls, user, lease_ttl, ..EtcdSettings::new(cluster.etcd_endpoints.clone()) })
}

/// How this process calls nodes; `None` in plain text.
pub(super) fn peers(cluster: &Cluster) -> Result<Option<ClientTlsConfig>, ClusterError> {
    let Some(tls) = &cluster.tls else { return Ok(None) };
    let mut config = ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(read(&tls.ca_file)?))
        .identity(pem(&tls.identity)?);
    if let Some(name) = &tls.name {
        config = config.domain_name(name.clone());
    }
    // What is wrong with it is said now, not at the first call.
    Endpoint::from_static("https://localhost").tls_config(config.clone())?;
    Ok(Some(config))
}

/// What nodes answer the cluster's others with: nobody without a certificate of its authority is let in.
pub(super) fn server(cluster: &Cluster) -> Result<Server, ClusterError> {
    let server = Server::builder().max_concurrent_streams(1_024);
    let Some(tls) = &cluster.tls else { return Ok(server) };
    let config = ServerTlsConfig::new()
        .identity(pem(&tls.identity)?)
        .client_ca_root(Certificate::from_pem(read(&tls.ca_file)?));
    Ok(server.tls_config(config)?)
}

fn pem(files: &TlsFiles) -> Result<Identity, ClusterError> {
    Ok(Identity::from_pem(read(&files.cert_file)?, read(&files.key_file)?))
}
