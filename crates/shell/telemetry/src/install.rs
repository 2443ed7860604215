//! The process' log and its traces, installed once in `main`.

use crate::log_limit::LogLimit;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider,
};
use std::io;
use std::time::Duration;
use tokio::runtime::Runtime;
use tracing::Metadata;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{EnvFilter, FilterExt, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

#[derive(Clone, Debug)]
pub struct LogSettings {
    /// As tracing's filter takes it: `info`, or `info,fairshot_judge=debug`.
    pub filter: String,
    /// One JSON object a line instead of text.
    pub json: bool,
}

#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// An OTLP collector (gRPC), `http://HOST:PORT`; `None` exports nothing.
    pub otlp_endpoint: Option<String>,
    /// Names the process to the collector.
    pub service: String,
    pub version: String,
    /// The node's name in its cluster.
    pub instance: String,
}

#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("log filter `{filter}`: {reason}")]
    Filter { filter: String, reason: String },
    #[error("traces to {endpoint}: {reason}")]
    Traces { endpoint: String, reason: String },
    #[error("a log is installed already")]
    Twice,
    #[error("a thread for logs or traces: {0}")]
    Thread(#[from] io::Error),
}

/// Keep it until the process ends: dropping it writes the last lines and sends the last spans, for two
/// seconds at the most.
#[derive(Debug)]
pub struct Installed {
    limit: LogLimit,
    not_written: ErrorCounter,
    not_written_said: usize,
    traces: Option<(SdkTracerProvider, Runtime)>,
    _log: WorkerGuard,
}

/// A log's line of code may log this often; R14 wants four refusals of each of a room's players.
const LINES_BURST: u32 = 1_000;
const LINES_PER_SECOND: u32 = 100;
/// Lines waiting for a slow reader of standard error; behind them lines are left out and counted.
const LINES_WAITING_MAX: usize = 8_192;
/// Spans waiting for a slow collector; behind them spans are left out.
const SPANS_WAITING_MAX: usize = 2_048;
const EXPORT_TIMEOUT: Duration = Duration::from_secs(3);
const LAST_SPANS_TIMEOUT: Duration = Duration::from_secs(2);

/// Installs the log (to standard error) and, where an endpoint is set, traces.
///
/// # Errors
/// [`InstallError`]; a collector that does not answer is none: its spans are left out.
pub fn install(log: &LogSettings, traces: &TraceSettings) -> Result<Installed, InstallError> {
    let filter = EnvFilter::builder().parse(&log.filter).map_err(|error| InstallError::Filter {
        filter: log.filter.clone(),
        reason: error.to_string(),
    })?;
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(LINES_WAITING_MAX)
        .lossy(true)
        .thread_name("log")
        .finish(io::stderr());
    let not_written = writer.error_counter();
    let limit = LogLimit::new(LINES_BURST, LINES_PER_SECOND);
    let lines = lines(writer, log.json).with_filter(filter.and(limit.clone()));
    let exported = match &traces.otlp_endpoint {
        Some(endpoint) => Some(export_to(endpoint, traces)?),
        None => None,
    };
    // What the exporter itself does makes no spans, or it would have no end. How much is logged is
    // nothing to traces.
    let exports = |metadata: &Metadata<'_>| {
        !["h2", "hyper", "tonic", "tower", "opentelemetry"]
            .iter()
            .any(|target| metadata.target().starts_with(target))
    };
    let spans = exported.as_ref().map(|(tracer, _, _)| {
        let exports = filter_fn(exports).with_max_level_hint(LevelFilter::INFO);
        tracing_opentelemetry::layer().with_tracer(tracer.clone()).with_filter(exports)
    });
    let installed = Registry::default().with(lines).with(spans).try_init();
    installed.map_err(|_| InstallError::Twice)?;
    Ok(Installed {
        limit,
        not_written,
        not_written_said: 0,
        traces: exported.map(|(_, provider, runtime)| (provider, runtime)),
        _log: guard,
    })
}

impl Installed {
    /// What counts the lines left out by the rate limit.
    #[must_use]
    pub fn log_limit(&self) -> LogLimit {
        self.limit.clone()
    }

    /// Log lines lost since this was last asked, because standard error was read too slowly.
    pub fn take_not_written(&mut self) -> usize {
        let all = self.not_written.dropped_lines();
        let since = all.saturating_sub(self.not_written_said);
        self.not_written_said = all;
        since
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if let Some((provider, runtime)) = self.traces.take() {
            // A collector that hangs keeps the process two seconds and no longer.
            let _ = provider.shutdown_with_timeout(LAST_SPANS_TIMEOUT);
            runtime.shutdown_background();
        }
    }
}

fn lines<S>(writer: NonBlocking, json: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let layer = fmt::layer().with_writer(writer).with_ansi(false);
    if json { layer.json().flatten_event(true).boxed() } else { layer.boxed() }
}

/// The exporter lives on a runtime of its own: what waits for a collector waits there.
fn export_to(
    endpoint: &str,
    settings: &TraceSettings,
) -> Result<(SdkTracer, SdkTracerProvider, Runtime), InstallError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("otlp")
        .enable_all()
        .build()?;
    let exporter = {
        let _entered = runtime.enter();
        let builder = SpanExporter::builder().with_tonic();
        builder.with_endpoint(endpoint).with_timeout(EXPORT_TIMEOUT).build()
    };
    let exporter = exporter.map_err(|error| InstallError::Traces {
        endpoint: endpoint.to_owned(),
        reason: error.to_string(),
    })?;
    let queue = BatchConfigBuilder::default()
        .with_max_queue_size(SPANS_WAITING_MAX)
        .with_max_export_batch_size(512)
        .with_scheduled_delay(Duration::from_secs(1))
        .build();
    let resource = Resource::builder_empty()
        .with_service_name(settings.service.clone())
        .with_attribute(KeyValue::new("service.version", settings.version.clone()))
        .with_attribute(KeyValue::new("service.instance.id", settings.instance.clone()))
        .build();
    let provider = SdkTracerProvider::builder()
        .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(queue).build())
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
        .with_resource(resource)
        .build();
    Ok((provider.tracer("fairshot"), provider, runtime))
}
