//! A cluster's matchmaker process
fn main() {}
