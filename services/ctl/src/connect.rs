//! The connection to the admin API, and what is shown to it.

use crate::args::Reach;
use crate::context::{self, Context};
use crate::error::Failure;
use fairshot_proto::v1::admin_client::AdminClient;
use std::path::Path;
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

pub(crate) type Client = AdminClient<InterceptedService<Channel, Bearer>>;

const ADDRESS_DEFAULT: &str = "127.0.0.1:7601";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds the token to each call.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    token: Option<MetadataValue<Ascii>>,
    timeout: Duration,
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.token {
            request.metadata_mut().insert("authorization", token.clone());
        }
        request.set_timeout(self.timeout);
        Ok(request)
    }
}

/// Connects as the flags, the environment and the context say.
pub(crate) async fn connect(reach: &Reach) -> Result<Client, Failure> {
    let context = laid_over(reach)?;
    let address = context.address.as_deref().unwrap_or(ADDRESS_DEFAULT);
    if !is_host_and_port(address) {
        return Err(Failure::Usage(format!("`{address}` is no HOST:PORT")));
    }
    let tls = tls(&context)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
        .map_err(|_| Failure::Usage(format!("`{address}` is no HOST:PORT")))?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    let token = context.token_file.as_deref().map(token).transpose()?;
    if token.is_some() && tls.is_none() && !is_loopback(address) {
        return Err(Failure::Usage(format!(
            "the token would travel to {address} in the clear: say --tls"
        )));
    }
    if let Some(tls) = tls {
        endpoint = endpoint.tls_config(tls).map_err(|error| Failure::Usage(chain(&error)))?;
    }
    let channel = endpoint.connect().await.map_err(|error| Failure::Unreached {
        address: address.to_owned(),
        reason: chain(&error),
    })?;
    let bearer = Bearer { token, timeout: reach.timeout };
    Ok(AdminClient::with_interceptor(channel, bearer).max_decoding_message_size(64 << 20))
}

/// The context with the flags and the environment over it.
fn laid_over(reach: &Reach) -> Result<Context, Failure> {
    let contexts = match context::path() {
        Some(path) => context::load(&path)?,
        None => context::Contexts::default(),
    };
    let context = contexts.pick(reach.context.as_deref())?;
    Ok(Context {
        address: reach.address.clone().or(context.address),
        token_file: reach.token_file.clone().or(context.token_file),
        tls: reach.tls || context.tls,
        ca_file: reach.ca_file.clone().or(context.ca_file),
        server_name: reach.server_name.clone().or(context.server_name),
        cert_file: reach.cert_file.clone().or(context.cert_file),
        key_file: reach.key_file.clone().or(context.key_file),
    })
}

fn tls(context: &Context) -> Result<Option<ClientTlsConfig>, Failure> {
    if !context.tls && context.ca_file.is_none() && context.cert_file.is_none() {
        return Ok(None);
    }
    let mut tls = ClientTlsConfig::new();
    match &context.ca_file {
        Some(path) => tls = tls.ca_certificate(Certificate::from_pem(read(path)?)),
        None => {
            return Err(Failure::Usage("TLS needs --ca-file: the authority of the server".into()));
        }
    }
    if let Some(name) = &context.server_name {
        tls = tls.domain_name(name);
    }
    if let (Some(cert), Some(key)) = (&context.cert_file, &context.key_file) {
        tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
    }
    Ok(Some(tls))
}

fn token(path: &Path) -> Result<MetadataValue<Ascii>, Failure> {
    let text = read(path)?;
    // The token itself never stands in an error.
    let odd = |_| Failure::Usage(format!("{}: holds no token", path.display()));
    let mut value: MetadataValue<Ascii> = format!("Bearer {}", text.trim()).parse().map_err(odd)?;
    value.set_sensitive(true);
    Ok(value)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

fn is_host_and_port(address: &str) -> bool {
    address.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// An error with what caused it, once each.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !words.contains(&next) {
            words = format!("{words}: {next}");
        }
        cause = error.source();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_known_by_name_and_number() {
        for address in ["127.0.0.1:7601", "localhost:1", "[::1]:7601", "127.9.9.9:1"] {
            assert!(is_loopback(address), "{address}");
        }
        for address in ["10.0.0.1:7601", "admin.example:7601", "[2001:db8::1]:1"] {
            assert!(!is_loopback(address), "{address}");
        }
    }

    #[test]
    fn an_address_has_a_host_and_a_port_and_no_scheme() {
        for good in ["127.0.0.1:7601", "localhost:1", "[::1]:7601", "admin.example:65535"] {
            assert!(is_host_and_port(good), "{good}");
        }
        for bad in ["localhost", ":7601", "h:", "h:0", "h:65536", "http://h:1", "h:1/x", ""] {
            assert!(!is_host_and_port(bad), "{bad}");
        }
    }
}
