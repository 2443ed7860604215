//! Who changed what, and how it ended: one file per process that cannot lose or reorder an entry that
//! was acknowledged.
//!
//! A line is a JSON object whose last field is the SHA-256 of everything before it, and whose `prev`
//! is the hash of the line before: a changed, left out, added or moved line breaks the chain from there
//! on. An entry is acknowledged only after the file was synced. A line torn by a crash was never
//! acknowledged: the next start cuts it off and says so in an entry of its own.

mod chain;
mod log;
mod verify;

pub use chain::{Entry, Outcome, sha256_hex};
pub use log::{AuditError, AuditLog, OpenError};
pub use verify::{Verified, VerifyError, verify};
