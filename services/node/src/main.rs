//! A cluster's room server process
fn main() {}
