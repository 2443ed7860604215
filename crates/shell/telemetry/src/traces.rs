//! Traces across processes: the W3C `traceparent` in and out, and which ticks get a span.

use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use std::collections::HashMap;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The length of a `traceparent`: version, trace, span and flags.
const TRACEPARENT_BYTES: usize = 55;
/// The name of the header, in gRPC as in HTTP.
pub const TRACEPARENT: &str = "traceparent";

/// Makes a span the child of what a peer sent (a gRPC header, a client's hello). Anything that is no
/// `traceparent` is ignored: a trace is a help, never a reason to turn somebody away.
pub fn continue_from(span: &Span, traceparent: &str) {
    if let Some(context) = context_of(traceparent) {
        // Fails where no trace is exported; then there is nothing to continue.
        let _ = span.set_parent(context);
    }
}

/// What to send to a peer so that its spans become children of this one; `None` where the span is not
/// exported.
#[must_use]
pub fn traceparent_of(span: &Span) -> Option<String> {
    let mut headers = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
    headers.remove(TRACEPARENT)
}

fn context_of(traceparent: &str) -> Option<Context> {
    if traceparent.len() != TRACEPARENT_BYTES {
        return None;
    }
    let headers = HashMap::from([(TRACEPARENT.to_owned(), traceparent.to_owned())]);
    let context = TraceContextPropagator::new().extract(&headers);
    context.span().span_context().is_valid().then_some(context)
}

/// A span of a sampled pass under `$within`; none where that is none, at the cost of a comparison.
///
/// It takes the time from here until its last clone is dropped, so a stage that waits needs not be entered.
#[macro_export]
macro_rules! stage {
    ($within:expr, $name:literal $(, $($fields:tt)*)?) => {
        match $within.is_disabled() {
            true => ::tracing::Span::none(),
            false => ::tracing::info_span!(parent: $within, $name $(, $($fields)*)?),
        }
    };
}

/// Says which ticks get spans: one in so many, counted per shard. A span costs about a microsecond.
#[derive(Clone, Copy, Debug)]
pub struct TickSampler {
    every: u32,
    until_next: u32,
}

impl TickSampler {
    /// One tick in `every`; none where it is 0.
    #[must_use]
    pub fn new(every: u32) -> Self {
        Self { every, until_next: 0 }
    }

    /// Whether this tick gets spans. Call it once a tick.
    pub fn take(&mut self) -> bool {
        if self.every == 0 {
            return false;
        }
        let taken = self.until_next == 0;
        self.until_next = if taken { self.every - 1 } else { self.until_next - 1 };
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_and_nonsense_is_ignored() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let context = context_of(good).expect("is one");
        assert_eq!(
            context.span().span_context().trace_id().to_string(),
            "0af7651916cd43dd8448eb211c80319c"
        );
        for nonsense in ["", "00-0-0-0", &"x".repeat(55), &"0".repeat(65_536)] {
            assert!(context_of(nonsense).is_none());
        }
    }

    #[test]
    fn one_tick_in_so_many_is_sampled() {
        let mut sampler = TickSampler::new(64);
        assert_eq!((0..640).filter(|_| sampler.take()).count(), 10);
        let mut none = TickSampler::new(0);
        assert!(!(0..640).any(|_| none.take()));
    }
}
