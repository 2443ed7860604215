//! The server's self-signed certificate and the client's pin of it.
//!
//! A seat names the SHA-256 of the one certificate its server shows, so no authority is needed and
//! none is asked: the pin is the whole of the trust, and the handshake signature proves the key.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};
use std::fmt;
use std::str::FromStr;

/// The name in every certificate and every client hello; nothing is decided by it.
pub(crate) const SERVER_NAME: &str = "fairshot";

/// A server's certificate and its private key.
pub struct Identity {
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) key: PrivateKeyDer<'static>,
}

#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    #[error("cannot make a certificate")]
    Make(#[from] rcgen::Error),
}

impl Identity {
    /// A new P-256 key and a certificate it signs itself; both live as long as this value.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn generate() -> Result<Self, IdentityError> {
        let made = rcgen::generate_simple_self_signed(vec![SERVER_NAME.to_owned()])?;
        Ok(Self {
            certificate: made.cert.into(),
            key: PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into(),
        })
    }

    /// The certificate and key themselves, for a server that is none of ours.
    #[must_use]
    pub fn into_parts(self) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        (self.certificate, self.key)
    }

    /// What a client must pin to reach this server.
    #[must_use]
    pub fn pin(&self) -> Pin {
        Pin::of(&self.certificate)
    }
}

impl Clone for Identity {
    fn clone(&self) -> Self {
        Self { certificate: self.certificate.clone(), key: self.key.clone_key() }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("pin", &self.pin()).finish_non_exhaustive()
    }
}

/// The SHA-256 of a server's certificate, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pin(pub [u8; 32]);

/// Why a text is no pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    #[error("a pin has 64 hexadecimal digits, this one has {0} characters")]
    Length(usize),
    #[error("a pin has hexadecimal digits only")]
    Digit,
}

impl Pin {
    fn of(certificate: &CertificateDer<'_>) -> Self {
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest.as_ref());
        Self(bytes)
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pin({self})")
    }
}

impl FromStr for Pin {
    type Err = PinError;
    fn from_str(text: &str) -> Result<Self, PinError> {
        if text.len() != 64 {
            return Err(PinError::Length(text.len()));
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            for digit in digits {
                let value = char::from(*digit).to_digit(16).ok_or(PinError::Digit)?;
                *byte = (*byte << 4) | u8::try_from(value).map_err(|_| PinError::Digit)?;
            }
        }
        Ok(Self(bytes))
    }
}

/// Takes the one pinned certificate and no other.
#[derive(Debug)]
pub(crate) struct PinVerifier {
    pub(crate) pin: Pin,
    pub(crate) algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for PinVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if Pin::of(end_entity) == self.pin {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("QUIC has no TLS 1.2".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_reads_back_from_its_text_and_nothing_else_is_one() {
        let pin = Identity::generate().expect("randomness").pin();
        assert_eq!(pin.to_string().parse(), Ok(pin));
        assert_eq!("ab".parse::<Pin>(), Err(PinError::Length(2)));
        assert_eq!("+1".repeat(32).parse::<Pin>(), Err(PinError::Digit));
        assert_eq!("zz".repeat(32).parse::<Pin>(), Err(PinError::Digit));
        assert_eq!("é".repeat(32).parse::<Pin>(), Err(PinError::Digit));
    }
}
