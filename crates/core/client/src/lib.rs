//! What a player's client knows: prediction, interpolation, view step, hit markers; no socket
