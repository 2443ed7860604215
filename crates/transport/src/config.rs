//! Settings of an endpoint, and the quinn configuration they become.

use crate::certificate::{Identity, Pin, PinVerifier};
use crate::congestion::SteadyConfig;
use crate::{HandshakeLimits, IdentityError};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, IdleTimeout, MtuDiscoveryConfig,
    NoneTokenStore, ServerConfig, TransportConfig, ValidationTokenConfig, VarInt,
};
use ring::hkdf;
use ring::rand::SecureRandom;
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuite, version::TLS13};
use std::sync::Arc;
use std::time::Duration;

/// The application protocol both sides must name.
pub const ALPN: &[u8] = b"fairshot/1";

/// What waits in either direction: more than a second of a room, and no more than that.
pub(crate) const DATAGRAM_BUFFER_BYTES: usize = 16 * 1024;

/// Settings of one endpoint, a server's or a client's.
#[derive(Clone, Debug)]
pub struct Settings {
    pub handshakes: HandshakeLimits,
    /// A peer silent for this long is gone. The smaller of both sides' counts.
    pub idle_timeout: Duration,
    /// A connection that sends nothing else sends a ping this often; `None` never does.
    pub keep_alive: Option<Duration>,
    /// Largest UDP payload to try: 1,200 (no discovery) to 1,452. On a thin line a probe for more
    /// fills the window for seconds, so only who needs larger datagrams should ask for them.
    pub packet_size_max: u16,
    /// Bytes of the ordered stream written by the owner and not yet handed to QUIC.
    pub stream_pending_bytes_max: usize,
    /// Bytes of the ordered stream sent and not yet acknowledged.
    pub stream_window_bytes: u32,
    /// Packets taken from the network in one [`crate::Endpoint::receive`]; the rest waits there.
    pub packets_per_receive_max: usize,
    /// How late a timer may be served so that what it asks for rides on the next packet instead.
    pub timer_slack: Duration,
    /// Seeds everything random that is no secret; for reproducible tests.
    pub seed: Option<[u8; 32]>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            handshakes: HandshakeLimits::default(),
            idle_timeout: Duration::from_secs(10),
            keep_alive: None,
            packet_size_max: 1200,
            stream_pending_bytes_max: 512 * 1024,
            stream_window_bytes: 64 * 1024,
            packets_per_receive_max: 1024,
            timer_slack: Duration::from_millis(12),
            seed: None,
        }
    }
}

impl Settings {
    /// A client's settings: it keeps its connection alive.
    #[must_use]
    pub fn client() -> Self {
        Self { keep_alive: Some(Duration::from_secs(3)), ..Self::default() }
    }

    pub(crate) fn endpoint_config(&self) -> EndpointConfig {
        let mut key = [0; 64];
        random(&mut key);
        let mut config =
            EndpointConfig::new(Arc::new(ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key)));
        config.rng_seed(self.seed);
        config
    }

    /// One packet a snapshot and one a frame: acknowledgements ride on them, windows are small.
    fn transport_config(&self) -> TransportConfig {
        let mut acknowledgements = AckFrequencyConfig::default();
        acknowledgements
            .ack_eliciting_threshold(VarInt::from_u32(16))
            .max_ack_delay(Some(Duration::from_millis(100)))
            .reordering_threshold(VarInt::from_u32(0));
        let mut config = TransportConfig::default();
        config
            .max_concurrent_bidi_streams(VarInt::from_u32(1))
            .max_concurrent_uni_streams(VarInt::from_u32(0))
            .stream_receive_window(VarInt::from_u32(self.stream_window_bytes))
            .receive_window(VarInt::from_u32(self.stream_window_bytes))
            .send_window(u64::from(self.stream_window_bytes))
            .crypto_buffer_size(8 * 1024)
            .datagram_receive_buffer_size(Some(DATAGRAM_BUFFER_BYTES))
            .datagram_send_buffer_size(DATAGRAM_BUFFER_BYTES)
            .max_idle_timeout(IdleTimeout::try_from(self.idle_timeout).ok())
            .keep_alive_interval(self.keep_alive)
            .initial_rtt(Duration::from_millis(100))
            .initial_mtu(1200)
            .min_mtu(1200)
            .ack_frequency_config(Some(acknowledgements))
            .allow_spin(false)
            .congestion_controller_factory(Arc::new(SteadyConfig))
            .mtu_discovery_config((self.packet_size_max > 1200).then(|| {
                let mut discovery = MtuDiscoveryConfig::default();
                discovery.upper_bound(self.packet_size_max.min(1452)).minimum_change(60);
                discovery
            }));
        config
    }

    pub(crate) fn server_config(&self, identity: &Identity) -> Result<ServerConfig, ConfigError> {
        let mut tls = rustls::ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())?;
        tls.alpn_protocols = vec![ALPN.to_vec()];
        // No ticket, no early data: a replayed first flight can ask for nothing.
        tls.send_tls13_tickets = 0;
        tls.max_early_data_size = 0;
        tls.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});

        let mut master = [0; 64];
        random(&mut master);
        let token_key = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&master);
        let crypto = QuicServerConfig::try_from(tls).map_err(|_| ConfigError::Suite)?;
        let mut config = ServerConfig::new(Arc::new(crypto), Arc::new(token_key));
        let mut no_tokens = ValidationTokenConfig::default();
        no_tokens.sent(0);
        config
            .transport_config(Arc::new(self.transport_config()))
            .validation_token_config(no_tokens)
            .migration(true)
            .max_incoming(self.handshakes.half_open_max)
            .incoming_buffer_size(16 * 1024)
            .incoming_buffer_size_total(1024 * 1024);
        Ok(config)
    }

    pub(crate) fn client_config(&self, pin: Pin) -> Result<ClientConfig, ConfigError> {
        let provider = provider();
        let verifier = PinVerifier { pin, algorithms: provider.signature_verification_algorithms };
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        tls.alpn_protocols = vec![ALPN.to_vec()];
        tls.resumption = rustls::client::Resumption::disabled();
        tls.enable_early_data = false;
        tls.enable_sni = false;

        let crypto = QuicClientConfig::try_from(tls).map_err(|_| ConfigError::Suite)?;
        let mut config = ClientConfig::new(Arc::new(crypto));
        config
            .transport_config(Arc::new(self.transport_config()))
            .token_store(Arc::new(NoneTokenStore));
        Ok(config)
    }
}

/// Why settings became no configuration; none of these depends on a peer.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the TLS configuration was refused")]
    Tls(#[from] rustls::Error),
    #[error("the TLS provider lacks QUIC's first cipher suite")]
    Suite,
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// ring, with AES-128-GCM first: on every server CPU it is the cheapest suite per packet.
fn provider() -> Arc<CryptoProvider> {
    let mut provider = rustls::crypto::ring::default_provider();
    provider
        .cipher_suites
        .sort_by_key(|suite| suite.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    Arc::new(provider)
}

fn random(bytes: &mut [u8]) {
    ring::rand::SystemRandom::new().fill(bytes).expect("the system gives randomness");
}
