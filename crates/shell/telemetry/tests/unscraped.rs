//! Alone in its binary, since it reads the memory of the process.

use fairshot_telemetry::metrics::{Metrics, ShardMetrics};
use std::time::Instant;

fn resident_bytes() -> u64 {
    let page = Metrics::new().render();
    let line = page.lines().find(|line| line.starts_with("process_resident_memory_bytes "));
    let value = line.and_then(|line| line.split(' ').nth(1)).expect("the process' memory");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole bytes")]
    let bytes = value.parse::<f64>().expect("a number") as u64;
    bytes
}

#[test]
fn r22_ten_minutes_without_a_scrape_pile_nothing_up() {
    let metrics = Metrics::new();
    let shard = ShardMetrics::new(&metrics, 0);
    let mut after_two_minutes = 0;
    // 8 rooms at 64 Hz in virtual time, with the upkeep that the process runs every 5 s.
    for second in 1..=600 {
        for _ in 0..8 * 64 {
            shard.tick_duration.record(0.0002);
            shard.tick_lateness.record(0.00002);
            shard.stage_receive.record(0.00001);
            shard.stage_rooms.record(0.0001);
            shard.stage_send.record(0.00005);
        }
        if second % 5 == 0 {
            metrics.run_upkeep();
        }
        if second == 120 {
            after_two_minutes = resident_bytes();
        }
    }
    let grown = resident_bytes().saturating_sub(after_two_minutes);
    assert!(grown < 8 << 20, "{grown} bytes");
    let begun = Instant::now();
    let page = metrics.render();
    assert!(begun.elapsed().as_secs() < 1);
    assert!(page.contains("fairshot_tick_duration_seconds_count{shard=\"0\"} 307200"));
}
