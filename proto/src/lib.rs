//! The gRPC messages and services, generated from the .proto files beside this crate
