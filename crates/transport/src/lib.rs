//! QUIC driven in batches: quinn's sans-IO half over one UDP socket, stepped by its owner
