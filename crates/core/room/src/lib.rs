//! One match: a tick from inputs to outputs
