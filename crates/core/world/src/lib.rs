//! Arena, movement, pose history and rewind, zones, projectiles
