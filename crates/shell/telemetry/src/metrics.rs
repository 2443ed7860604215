//! Prometheus metrics through handles that are made once and then cost nanoseconds.
//!
//! No global recorder and no macros: a [`Metrics`] is made at start and given to whoever counts, so a
//! test has its own. Each metric is declared once in [`catalogue`], with its labels; labels are `mode`,
//! `rule`, `shard`, and `reason` where the reasons are a closed list in code. Never a player or a room:
//! those make series without end.

pub mod catalogue;
mod mode;
mod outcomes;
mod process;
mod shard;

pub use mode::{ModeMetrics, PlayerHere, RoomOpen};
pub use outcomes::{AdminOutcome, CommandOutcome, JoinOutcome, RoomEnd, SessionEnd};
pub use process::ProcessMetrics;
pub use shard::ShardMetrics;

use ::metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Label, Level, Metadata, Recorder, SharedString,
};
use catalogue::{ALL, Kind, Metric};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};
use std::fmt;
use std::sync::Arc;

/// Every metric of this process. A clone is the same metrics.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
    page: PrometheusHandle,
    process: Arc<metrics_process::Collector>,
}

impl Metrics {
    #[must_use]
    pub fn new() -> Self {
        let mut builder = PrometheusBuilder::new();
        for metric in ALL {
            if let Kind::Histogram(buckets) = metric.kind {
                // The one way to fail is an empty list of buckets; the catalogue has none.
                builder = match builder
                    .set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)
                {
                    Ok(builder) => builder,
                    Err(_) => PrometheusBuilder::new(),
                };
            }
        }
        let recorder = Arc::new(builder.build_recorder());
        for metric in ALL {
            let help = SharedString::const_str(metric.help);
            let name = KeyName::from_const_str(metric.name);
            match metric.kind {
                Kind::Counter => recorder.describe_counter(name, None, help),
                Kind::Gauge => recorder.describe_gauge(name, None, help),
                Kind::Histogram(_) => recorder.describe_histogram(name, None, help),
            }
        }
        let page = recorder.handle();
        Self { recorder, page, process: Arc::new(metrics_process::Collector::default()) }
    }

    /// The page a scrape reads, in Prometheus' text format.
    #[must_use]
    pub fn render(&self) -> String {
        ::metrics::with_local_recorder(self.recorder.as_ref(), || self.process.collect());
        self.page.render()
    }

    /// Folds the samples of histograms into their buckets. Call it every few seconds: without it
    /// samples pile up for as long as nobody scrapes.
    pub fn run_upkeep(&self) {
        self.page.run_upkeep();
    }

    fn counter(&self, metric: &'static Metric, labels: &[(&'static str, &str)]) -> Counter {
        self.recorder.register_counter(&key(metric, labels), &METADATA)
    }

    fn gauge(&self, metric: &'static Metric, labels: &[(&'static str, &str)]) -> Gauge {
        self.recorder.register_gauge(&key(metric, labels), &METADATA)
    }

    fn histogram(&self, metric: &'static Metric, labels: &[(&'static str, &str)]) -> Histogram {
        self.recorder.register_histogram(&key(metric, labels), &METADATA)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

static METADATA: Metadata<'static> = Metadata::new("fairshot", Level::INFO, None);

fn key(metric: &'static Metric, labels: &[(&'static str, &str)]) -> Key {
    debug_assert!(
        labels.iter().map(|(name, _)| *name).eq(metric.labels.iter().copied()),
        "{} is declared with the labels {:?}",
        metric.name,
        metric.labels
    );
    let labels: Vec<Label> =
        labels.iter().map(|(name, value)| Label::new(*name, (*value).to_owned())).collect();
    Key::from_parts(metric.name, labels)
}
