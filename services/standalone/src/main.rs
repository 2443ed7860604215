//! All of Fairshot in one process
fn main() {}
