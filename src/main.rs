//! rebalance-sim
fn main() {}
