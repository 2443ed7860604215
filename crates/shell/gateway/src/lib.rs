//! Player sessions over QUIC: tickets, queues with bounds, close codes
