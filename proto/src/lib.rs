//! The gRPC messages and services, generated from the .proto files beside this crate.

/// Package `fairshot.v1`.
#[allow(clippy::pedantic, clippy::all, missing_debug_implementations, reason = "generated")]
pub mod v1 {
    tonic::include_proto!("fairshot.v1");
}

/// Every .proto file as gRPC reflection serves it.
pub const DESCRIPTORS: &[u8] =
    include_bytes!(concat!(env!("OUT_DIR"), "/fairshot_descriptors.bin"));
