//! Who may join: anybody (open, for development), or who brings a token of the studio's backend.
//!
//! Tokens are JWTs signed with HS256 or EdDSA. `jsonwebtoken` reads and checks them; the cryptography under
//! it is ring's, the one provider of this project. A token must run out (`exp`).

mod ring_jwt;

use fairshot_units::PlayerId;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::Deserialize;
use std::fmt;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Nobody in particular: matchmaking mints an id.
    Anyone,
    Player(PlayerId),
    /// The studio's backend, for players it names.
    Backend(String),
}

/// How callers are told apart.
#[derive(Debug)]
pub enum PlayerAuth {
    Open,
    Token(Box<TokenCheck>),
}

/// What a token must be.
pub struct TokenCheck {
    key: DecodingKey,
    validation: Validation,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    #[error("a bearer token is needed")]
    Missing,
    #[error("the token is not good: {0}")]
    Bad(String),
}

/// Why a key is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenKeyError {
    #[error("an HS256 secret has 32 bytes at least, this one has {0}")]
    SecretTooShort(usize),
    #[error("an EdDSA public key is 32 bytes (64 hex digits) or its PEM")]
    PublicKey,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
    // Typed here too, so that a text where a time belongs is an error and not an absence.
    #[expect(dead_code, reason = "its value is checked by the library, its type by this")]
    exp: u64,
    #[expect(dead_code, reason = "as `exp`")]
    nbf: Option<u64>,
    #[serde(default)]
    backend: bool,
}

const SECRET_BYTES_MIN: usize = 32;
const SUBJECT_BYTES_MAX: usize = 64;
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// The DER of an Ed25519 public key is this, then the 32 bytes.
const ED25519_SPKI_HEAD: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

impl PlayerAuth {
    /// Says who asks, from the `authorization` metadata.
    ///
    /// # Errors
    /// [`AuthError`].
    pub fn caller(&self, authorization: Option<&str>) -> Result<Caller, AuthError> {
        let check = match self {
            Self::Open => return Ok(Caller::Anyone),
            Self::Token(check) => check,
        };
        let token = authorization.and_then(bearer).ok_or(AuthError::Missing)?;
        check.caller(token)
    }
}

impl TokenCheck {
    /// Tokens signed with HS256 under a shared secret.
    ///
    /// # Errors
    /// If the secret is shorter than 32 bytes.
    pub fn hs256(secret: &[u8], audience: Option<&str>) -> Result<Self, TokenKeyError> {
        if secret.len() < SECRET_BYTES_MIN {
            return Err(TokenKeyError::SecretTooShort(secret.len()));
        }
        let key = DecodingKey::from_secret(secret)
            .map_err(|_| TokenKeyError::SecretTooShort(secret.len()))?;
        Ok(Self::new(key, Algorithm::HS256, audience))
    }

    /// Tokens signed with EdDSA (Ed25519); the public key as PEM, as 64 hex digits or as 32 bytes.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn eddsa(public_key: &[u8], audience: Option<&str>) -> Result<Self, TokenKeyError> {
        let raw = ed25519_public_key(public_key).ok_or(TokenKeyError::PublicKey)?;
        Ok(Self::new(DecodingKey::from_ed_der(&raw), Algorithm::EdDSA, audience))
    }

    fn new(key: DecodingKey, algorithm: Algorithm, audience: Option<&str>) -> Self {
        ring_jwt::install();
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["exp", "sub"]);
        validation.validate_nbf = true;
        validation.leeway = 30;
        match audience {
            Some(audience) => validation.set_audience(&[audience]),
            None => validation.validate_aud = false,
        }
        Self { key, validation }
    }

    fn caller(&self, token: &str) -> Result<Caller, AuthError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(AuthError::Bad(format!("it has {} bytes", token.len())));
        }
        let data = jsonwebtoken::decode::<Claims>(token, &self.key, &self.validation)
            .map_err(|error| AuthError::Bad(error.to_string()))?;
        let Claims { sub, backend, .. } = data.claims;
        if backend {
            return Ok(Caller::Backend(sub.chars().take(SUBJECT_BYTES_MAX).collect()));
        }
        PlayerId::new(&sub)
            .map(Caller::Player)
            .map_err(|error| AuthError::Bad(format!("its sub is no player id: {error}")))
    }
}

impl fmt::Debug for TokenCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenCheck").field("validation", &self.validation).finish_non_exhaustive()
    }
}

fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn ed25519_public_key(text: &[u8]) -> Option<[u8; 32]> {
    if let Ok(raw) = text.try_into() {
        return Some(raw);
    }
    let text = std::str::from_utf8(text).ok()?.trim();
    if text.len() == 64 {
        let digits = (0..32).map(|i| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok());
        return digits.collect::<Option<Vec<u8>>>()?.try_into().ok();
    }
    let body: String = text
        .strip_prefix("-----BEGIN PUBLIC KEY-----")?
        .strip_suffix("-----END PUBLIC KEY-----")?
        .split_whitespace()
        .collect();
    let der = ring_jwt::base64_standard(&body)?;
    der.strip_prefix(&ED25519_SPKI_HEAD)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{EncodingKey, Header, encode};
    use serde_json::json;
    use std::time::{SystemTime, UNIX_EPOCH};

    const SECRET: &[u8] = b"a secret of thirty-two bytes or more";

    fn in_seconds(s: i64) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        i64::try_from(now).expect("small") + s
    }

    fn check(claims: serde_json::Value) -> Result<Caller, AuthError> {
        let auth = PlayerAuth::Token(Box::new(TokenCheck::hs256(SECRET, None).expect("a key")));
        let key = EncodingKey::from_secret(SECRET).expect("a key");
        let token = encode(&Header::new(Algorithm::HS256), &claims, &key).expect("a token");
        auth.caller(Some(&format!("Bearer {token}")))
    }

    #[test]
    fn a_players_and_a_backends_token_are_told_apart() {
        let player = check(json!({ "sub": "steam:7", "exp": in_seconds(60) }));
        assert_eq!(player, Ok(Caller::Player(PlayerId::new("steam:7").expect("an id"))));
        let backend = check(json!({ "sub": "lobby", "exp": in_seconds(60), "backend": true }));
        assert_eq!(backend, Ok(Caller::Backend("lobby".into())));
    }

    #[test]
    fn a_token_over_not_begun_or_without_an_end_is_refused() {
        assert!(check(json!({ "sub": "a", "exp": in_seconds(-60) })).is_err());
        assert!(check(json!({ "sub": "a" })).is_err());
        assert!(
            check(json!({ "sub": "a", "exp": in_seconds(60), "nbf": in_seconds(90) })).is_err()
        );
        assert!(check(json!({ "sub": "a", "exp": in_seconds(60), "nbf": "never" })).is_err());
        assert!(check(json!({ "sub": "a\nb", "exp": in_seconds(60) })).is_err());
    }

    #[test]
    fn an_eddsa_token_opens_and_one_of_another_key_or_algorithm_does_not() {
        use ring::signature::{Ed25519KeyPair, KeyPair};
        let pair = Ed25519KeyPair::from_seed_unchecked(&[5; 32]).expect("a key");
        let signed = |pair: &Ed25519KeyPair| {
            let head = ring_jwt::base64_url(br#"{"alg":"EdDSA","typ":"JWT"}"#);
            let claims = json!({ "sub": "a", "exp": in_seconds(60) }).to_string();
            let message = format!("{head}.{}", ring_jwt::base64_url(claims.as_bytes()));
            let signature = ring_jwt::base64_url(pair.sign(message.as_bytes()).as_ref());
            format!("Bearer {message}.{signature}")
        };
        let check = TokenCheck::eddsa(pair.public_key().as_ref(), None).expect("a key");
        let auth = PlayerAuth::Token(Box::new(check));
        assert!(auth.caller(Some(&signed(&pair))).is_ok());
        let other = Ed25519KeyPair::from_seed_unchecked(&[6; 32]).expect("a key");
        assert!(auth.caller(Some(&signed(&other))).is_err());
        let claims = json!({ "sub": "a", "exp": in_seconds(60) });
        let key = EncodingKey::from_secret(pair.public_key().as_ref()).expect("a key");
        let confused = encode(&Header::new(Algorithm::HS256), &claims, &key).expect("a token");
        assert!(auth.caller(Some(&format!("Bearer {confused}"))).is_err());
        assert_eq!(auth.caller(None), Err(AuthError::Missing));
    }

    #[test]
    fn a_public_key_is_read_from_pem_hex_or_bytes() {
        let pem = "-----BEGIN PUBLIC KEY-----\n\
                   MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                   -----END PUBLIC KEY-----\n";
        let hex = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
        let from_pem = ed25519_public_key(pem.as_bytes()).expect("a key");
        assert_eq!(ed25519_public_key(hex.as_bytes()), Some(from_pem));
        assert_eq!(ed25519_public_key(&from_pem), Some(from_pem));
        assert!(
            ed25519_public_key(b"-----BEGIN PUBLIC KEY-----\n!-----END PUBLIC KEY-----").is_none()
        );
        assert!(TokenCheck::hs256(b"short", None).is_err());
    }
}
