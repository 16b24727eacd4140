//! What the operator can watch: requests by route and status, how long they took, what was refused and why, and what is
//! open right now.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::limits::{Load, OpenEnded, hold};
use crate::reply::{Reason, Refused};
use crate::sessions::{Kind, Sessions};

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// The routes that are counted by name. Everything else is `other`, so that strangers cannot invent labels.
const ROUTES: [&str; 6] = ["/mcp", "/sse", "/messages", "/livez", "/readyz", "/metrics"];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteStatus {
    route: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Why {
    reason: &'static str,
}

/// The registry with everything in it, and the counters of this side.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RouteStatus, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
    refusals: Family<Why, Counter>,
}

impl Metrics {
    /// Adds the metrics of the HTTP side to those of the caller.
    pub(crate) fn new(mut registry: Registry, load: Arc<Load>, sessions: Arc<Sessions>) -> Self {
        let (requests, refusals) = (Family::default(), Family::default());
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> Histogram);
        let ours = registry.sub_registry_with_prefix("docent_http");
        ours.register("requests", "Requests by route and status", requests.clone());
        ours.register(
            "request_seconds",
            "Seconds from request to end of answer, streams left out",
            seconds.clone(),
        );
        ours.register("refusals", "Requests that were refused, by reason", refusals.clone());
        ours.register_collector(Box::new(Now { load, sessions }));
        Self { registry, requests, seconds, refusals }
    }
}

/// What is open right now.
#[derive(Debug)]
struct Now {
    load: Arc<Load>,
    sessions: Arc<Sessions>,
}

impl Collector for Now {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (requests, streams) = self.load.taken();
        for (name, help, value) in [
            ("requests_in_flight", "Requests being worked on", requests),
            ("streams_open", "Streams that wait for news", streams),
        ] {
            let gauge = gauge(value);
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)?;
        }
        let gauges = [("streamable", Kind::Streamable), ("sse", Kind::Sse)];
        let kinds = gauges.map(|(name, kind)| ([("kind", name)], gauge(self.sessions.count(kind))));
        let mut family = encoder.encode_descriptor(
            "sessions",
            "Open sessions by transport",
            None,
            gauge(0).metric_type(),
        )?;
        for (label, gauge) in kinds {
            gauge.encode(family.encode_family(&label)?)?;
        }
        Ok(())
    }
}

fn gauge(value: usize) -> ConstGauge<i64> {
    ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Observes how long a response took when it is dropped.
struct Timer {
    started: Instant,
    seconds: Histogram,
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.seconds.observe(self.started.elapsed().as_secs_f64());
    }
}

/// Counts and times every request.
pub(crate) async fn measure(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let route = ROUTES.into_iter().find(|route| *route == path).unwrap_or("other");
    let started = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    metrics.requests.get_or_create(&RouteStatus { route, status }).inc();
    if let Some(reason) = response.extensions().get::<Reason>() {
        metrics.refusals.get_or_create(&Why { reason: reason.name() }).inc();
    }
    if response.extensions().get::<OpenEnded>().is_some() {
        return response;
    }
    let seconds = metrics.seconds.get_or_create(&Route { route }).clone();
    hold(response, Timer { started, seconds }, None)
}

/// Serves `/metrics`.
pub(crate) async fn metrics(State(metrics): State<Arc<Metrics>>) -> Response {
    let mut text = String::new();
    if prometheus_client::encoding::text::encode(&mut text, &metrics.registry).is_err() {
        let message = "the metrics could not be written";
        return Refused::new(StatusCode::INTERNAL_SERVER_ERROR, Reason::Internal, message).into_response();
    }
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(CONTENT_TYPE, HeaderValue::from_static(content_type))], text).into_response()
}
