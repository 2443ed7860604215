//! A process's settings: file, environment and flags, checked before anything binds
