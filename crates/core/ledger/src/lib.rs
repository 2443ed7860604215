//! One player's server-owned inventory and its client mirror
