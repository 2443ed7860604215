//! ring's HMAC and Ed25519 under `jsonwebtoken`, so that one provider signs and checks everything.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use ring::hmac;
use ring::signature::{ED25519, UnparsedPublicKey};
use signature::{Signer, Verifier};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory,
    verifier_factory,
    // Only reached for JWKs, which are not read here.
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ring the provider of this process. Where one is installed already, that one stays.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

pub(super) fn base64_standard(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
pub(super) fn base64_url(bytes: &[u8]) -> String {
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

struct Hs256(hmac::Key);
struct EdDsa(Vec<u8>);

fn signer_factory(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

fn verifier_factory(
    algorithm: &Algorithm,
    key: &DecodingKey,
) -> Result<Box<dyn JwtVerifier>, Error> {
    let bytes = key.try_get_as_bytes()?;
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256(hmac::Key::new(hmac::HMAC_SHA256, bytes)))),
        Algorithm::EdDSA => Ok(Box::new(EdDsa(bytes.to_vec()))),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(hmac::sign(&self.0, message).as_ref().to_vec())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], tag: &Vec<u8>) -> Result<(), signature::Error> {
        hmac::verify(&self.0, message, tag).map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl Verifier<Vec<u8>> for EdDsa {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        UnparsedPublicKey::new(&ED25519, &self.0)
            .verify(message, signature)
            .map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for EdDsa {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
