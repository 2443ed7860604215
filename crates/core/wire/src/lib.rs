//! The players' wire: total decoding, snapshot deltas
