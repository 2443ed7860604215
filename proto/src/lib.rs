//! The gRPC messages and services, generated from the .proto files beside this crate.

/// Package `fairshot.v1`.
#[allow(clippy::pedantic, clippy::all, missing_debug_implementations, reason = "generated")]
pub mod v1 {
    tonic::include_proto!("fairshot.v1");
}

/// Every .proto file as gRPC reflection serves it.
pub const DESCRIPTORS: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/fairshot_descriptors.bin"));

/// Enumerations by name in JSON: a number tells a reader nothing.
mod names {
    use crate::v1::{RoomState, RuleOutcome};
    use serde::Serializer;

    pub(crate) fn room_state<S: Serializer>(state: &i32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match RoomState::try_from(*state) {
            Ok(RoomState::Open) => "open",
            Ok(RoomState::Draining) => "draining",
            Ok(RoomState::Closing) => "closing",
            Ok(RoomState::Unspecified) | Err(_) => "unknown",
        })
    }

    pub(crate) fn rule_outcome<S: Serializer>(outcome: &i32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match RuleOutcome::try_from(*outcome) {
            Ok(RuleOutcome::Passed) => "passed",
            Ok(RuleOutcome::Moved) => "moved",
            Ok(RuleOutcome::Refused) => "refused",
            Ok(RuleOutcome::Off) => "off",
            Ok(RuleOutcome::NotReached) => "notReached",
            Ok(RuleOutcome::Unspecified) | Err(_) => "unknown",
        })
    }
}
