//! The operators' gRPC API: authorisation and audit
