//! What one shard counts: its ticks, its datagrams, its queues.

use super::Metrics;
use super::catalogue as c;
use super::outcomes::SessionEnd;
use ::metrics::{Counter, Gauge, Histogram};

/// The handles of one shard. Durations are in seconds.
#[derive(Clone)]
pub struct ShardMetrics {
    /// One pass of the shard's timer: all its due rooms.
    pub tick_duration: Histogram,
    /// How long after it was due a tick began.
    pub tick_lateness: Histogram,
    /// Stages of a pass: taking datagrams in, ticking rooms, sending out.
    pub stage_receive: Histogram,
    pub stage_rooms: Histogram,
    pub stage_send: Histogram,
    pub ticks: Counter,
    /// Begun over 1 ms late.
    pub ticks_late: Counter,
    pub ticks_dropped: Counter,
    pub sessions: Gauge,
    /// Payload bytes and datagrams from and to players.
    pub bytes_up: Counter,
    pub bytes_down: Counter,
    pub datagrams_up: Counter,
    pub datagrams_down: Counter,
    pub malformed: Counter,
    pub handshakes: Counter,
    /// Datagrams, handshakes or joins turned away by a rate limit.
    pub rate_limited: Counter,
    pub slow_disconnects: Counter,
    /// Room inputs waiting for the next tick, summed over the shard's rooms.
    pub inbox_depth: Gauge,
    pub inbox_overflows: Counter,
    /// Event bytes queued and not acknowledged, summed over sessions.
    pub event_queue_bytes: Gauge,
    /// Weapon commands queued and not sent, summed over sessions.
    pub command_queue_depth: Gauge,
    ended: Vec<Counter>,
}

impl ShardMetrics {
    #[must_use]
    pub fn new(metrics: &Metrics, shard: u16) -> Self {
        let shard = shard.to_string();
        let labels = [("shard", shard.as_str())];
        let counter = |metric| metrics.counter(metric, &labels);
        let gauge = |metric| metrics.gauge(metric, &labels);
        let histogram = |metric| metrics.histogram(metric, &labels);
        Self {
            tick_duration: histogram(&c::TICK_DURATION),
            tick_lateness: histogram(&c::TICK_LATENESS),
            stage_receive: histogram(&c::TICK_RECEIVE),
            stage_rooms: histogram(&c::TICK_ROOMS),
            stage_send: histogram(&c::TICK_SEND),
            ticks: counter(&c::TICKS),
            ticks_late: counter(&c::TICKS_LATE),
            ticks_dropped: counter(&c::TICKS_DROPPED),
            sessions: gauge(&c::SESSIONS),
            bytes_up: counter(&c::BYTES_UP),
            bytes_down: counter(&c::BYTES_DOWN),
            datagrams_up: counter(&c::DATAGRAMS_UP),
            datagrams_down: counter(&c::DATAGRAMS_DOWN),
            malformed: counter(&c::MALFORMED),
            handshakes: counter(&c::HANDSHAKES),
            rate_limited: counter(&c::RATE_LIMITED),
            slow_disconnects: counter(&c::SLOW_DISCONNECTS),
            inbox_depth: gauge(&c::INBOX_DEPTH),
            inbox_overflows: counter(&c::INBOX_OVERFLOWS),
            event_queue_bytes: gauge(&c::EVENT_QUEUE_BYTES),
            command_queue_depth: gauge(&c::COMMAND_QUEUE_DEPTH),
            ended: SessionEnd::ALL
                .iter()
                .map(|end| {
                    let labels = [("shard", shard.as_str()), ("reason", end.label())];
                    metrics.counter(&c::SESSIONS_ENDED, &labels)
                })
                .collect(),
        }
    }

    /// Counts the end of a session; a slow one also among the slow disconnects.
    pub fn session_ended(&self, end: SessionEnd) {
        self.ended[end as usize].increment(1);
        if end == SessionEnd::Slow {
            self.slow_disconnects.increment(1);
        }
    }
}

impl std::fmt::Debug for ShardMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShardMetrics")
    }
}
