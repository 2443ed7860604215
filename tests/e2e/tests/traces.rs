//! Alone in its binary, since the log of a process is installed once: what a collector is sent of a join
//! through a matchmaker to a node, and of sampled ticks.

use fairshot_client::{Matchmaker, Options, Wish};
use fairshot_e2e::{Cluster, Players};
use fairshot_proto::v1;
use fairshot_telemetry::traces::traceparent_of;
use fairshot_telemetry::{LogSettings, TraceSettings, install};
use fairshot_units::Input;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// A collector that keeps what it is sent.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let spans = request.into_inner().resource_spans.into_iter();
        let spans = spans.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans);
        self.0.lock().expect("no panic before").extend(spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// On a thread of its own, as another process would be.
    fn listen() -> (Self, SocketAddr) {
        let collector = Self::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.set_nonblocking(true).expect("a listener");
        let address = listener.local_addr().expect("an address");
        let service = TraceServiceServer::new(collector.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
                let served = Server::builder().add_service(service);
                served.serve_with_incoming(TcpIncoming::from(listener)).await
            })
        });
        (collector, address)
    }

    fn spans(&self) -> Vec<Span> {
        self.0.lock().expect("no panic before").clone()
    }

    fn under(&self, parent: &Span) -> BTreeSet<String> {
        let spans = self.spans().into_iter();
        spans.filter(|span| span.parent_span_id == parent.span_id).map(|span| span.name).collect()
    }
}

#[actix_rt::test]
async fn a_join_is_one_trace_from_client_to_node_and_a_sampled_tick_has_its_stages() {
    let (collector, address) = Collector::listen();
    // The log's level is nothing to traces.
    let log = LogSettings { filter: "warn".into(), json: true };
    let traces = TraceSettings {
        otlp_endpoint: Some(format!("http://{address}")),
        service: "fairshot".into(),
        version: "0".into(),
        instance: "test".into(),
    };
    let installed = install(&log, &traces).expect("installs");
    let cluster = Cluster::open(&["a"]).await;

    let client = tracing::info_span!(parent: None, "client");
    let traceparent = traceparent_of(&client).expect("it is exported");
    let uri = format!("http://{}", cluster.join);
    let matchmaker = Matchmaker::connect(&uri, None).await.expect("a matchmaker");
    let wish = v1::JoinRequest { mode: "arena".into(), ..Default::default() };
    let seats = matchmaker.within(&traceparent).ask(Wish::Join(wish)).await.expect("a seat");
    drop(client);
    let mut players = Players::plain();
    // No traceparent of her own: the seat's goes out.
    assert!(Options::default().traceparent.is_none());
    players.sit(seats);
    let still = |_: usize, session: &mut fairshot_client_core::PlayerClient, now_us| {
        session.frame(Input::default(), false, now_us);
    };
    let soon = Duration::from_secs(20);
    players.play("she is in", soon, still, Players::all_in).await;

    let named = |name: &str| collector.spans().into_iter().find(|span| span.name == name);
    let stages = ["receive", "rooms", "send"].map(str::to_owned);
    let whole = |tick: &Span| collector.under(tick).is_superset(&BTreeSet::from(stages.clone()));
    players
        .play("the collector has both", soon, still, |_| {
            let ticks = collector.spans().into_iter().filter(|span| span.name == "tick");
            let rooms = named("room").is_some();
            named("enter").is_some() && rooms && ticks.into_iter().any(|tick| whole(&tick))
        })
        .await;

    let client = named("client").expect("the client's own span");
    let of_join: Vec<Span> =
        collector.spans().into_iter().filter(|span| span.trace_id == client.trace_id).collect();
    let one = |name: &str| {
        let found: Vec<_> = of_join.iter().filter(|span| span.name == name).collect();
        assert_eq!(
            found.len(),
            1,
            "{name} in {:?}",
            of_join.iter().map(|s| &s.name).collect::<Vec<_>>()
        );
        found[0]
    };
    let matchmaking = one("matchmaking");
    assert_eq!(matchmaking.parent_span_id, client.span_id);
    assert_eq!(one("open_room").parent_span_id, matchmaking.span_id, "asked of the node");
    assert_eq!(one("enter").parent_span_id, matchmaking.span_id, "by the traceparent of her hello");

    let room = named("room").expect("a room's tick");
    let under = collector.under(&room);
    assert!(under.contains("judge") && under.contains("deliver"), "{under:?}");
    cluster.close().await;
    drop(installed);
}
