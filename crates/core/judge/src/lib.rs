//! The rules a shot meets and the verdict it gets
