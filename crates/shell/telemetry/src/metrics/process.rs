//! What a process counts once: joins, admin calls, audit, logs.

use super::Metrics;
use super::catalogue as c;
use super::outcomes::{AdminOutcome, JoinOutcome};
use ::metrics::{Counter, Gauge};

/// The handles of the process.
#[derive(Clone)]
pub struct ProcessMetrics {
    /// 1 where the process is ready, 0 where it is not.
    pub ready: Gauge,
    pub seats_reserved: Gauge,
    pub audit_entries: Counter,
    pub audit_failures: Counter,
    pub log_lines_dropped: Counter,
    joins: Vec<Counter>,
    admin_calls: Vec<Counter>,
}

impl ProcessMetrics {
    /// `version` is the one label value outside the closed list, the same for the life of the process.
    #[must_use]
    pub fn new(metrics: &Metrics, version: &str) -> Self {
        metrics.gauge(&c::BUILD_INFO, &[("version", version)]).set(1.0);
        let by_reason =
            |metric, reason: &'static str| metrics.counter(metric, &[("reason", reason)]);
        Self {
            ready: metrics.gauge(&c::READY, &[]),
            seats_reserved: metrics.gauge(&c::SEATS_RESERVED, &[]),
            audit_entries: metrics.counter(&c::AUDIT_ENTRIES, &[]),
            audit_failures: metrics.counter(&c::AUDIT_FAILURES, &[]),
            log_lines_dropped: metrics.counter(&c::LOG_LINES_DROPPED, &[]),
            joins: JoinOutcome::ALL.iter().map(|o| by_reason(&c::JOINS, o.label())).collect(),
            admin_calls: AdminOutcome::ALL
                .iter()
                .map(|outcome| by_reason(&c::ADMIN_CALLS, outcome.label()))
                .collect(),
        }
    }

    pub fn join(&self, outcome: JoinOutcome) {
        self.joins[outcome as usize].increment(1);
    }

    pub fn admin_call(&self, outcome: AdminOutcome) {
        self.admin_calls[outcome as usize].increment(1);
    }
}

impl std::fmt::Debug for ProcessMetrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProcessMetrics")
    }
}
