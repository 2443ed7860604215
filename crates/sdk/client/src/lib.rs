//! A player's client over QUIC: join, reconnect, poll from a game loop
