//! End to end over real sockets on loopback
