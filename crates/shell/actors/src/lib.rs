//! The actors: matchmaker, room, inventory, and the shard they live on
