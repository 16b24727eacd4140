//! From settings to a running server: the router, and the loop that accepts connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};
use http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::auth::{Auth, Door, METADATA_PATH, authenticate, resource_metadata};
use crate::body::BodyReader;
use crate::config::{Limits, Probes, WebConfig};
use crate::error::WebError;
use crate::guard::{LocalAddress, guard};
use crate::health::{Readiness, live, ready};
use crate::host::HostRules;
use crate::limits::Load;
use crate::mcp_route::{McpRoute, mcp};
use crate::metrics::{Metrics, measure, metrics};
use crate::patience::Patience;
use crate::reply::{Reason, Refused};
use crate::sessions::Sessions;
use crate::sse::{SseRoute, messages, sse};

/// Longest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// All routes, for a server that listens on `bound`. Must be called inside a tokio runtime. When `stop` fires, streams
/// end at once and requests may run on for the grace period.
pub fn router<H: ServerHandler + Clone>(
    handler: H,
    config: WebConfig,
    bound: SocketAddr,
    probes: Probes,
    stop: CancellationToken,
) -> Result<Router, WebError> {
    if matches!(config.auth, Auth::Open) && !bound.ip().to_canonical().is_loopback() {
        return Err(WebError::OpenToAll(bound));
    }
    let rules = Arc::new(HostRules::new(bound, &config.allowed_hosts, &config.allowed_origins)?);
    let door = Arc::new(Door::new(&config.auth)?);
    let load = Arc::new(Load::new(&config.limits));
    let sessions = Sessions::new(&config.limits);
    let counted = Arc::new(Metrics::new(probes.metrics, load.clone(), sessions.clone()));
    let readiness = Arc::new(Readiness::new(probes.ready));
    let reader = BodyReader::new(config.limits.body_timeout);
    let abort = CancellationToken::new();
    tokio::spawn(tend(sessions.clone(), load.clone(), config.limits.clone(), stop.clone(), abort.clone()));

    let mut protected = Router::new().route("/metrics", get(metrics)).with_state(counted.clone());
    if config.sse {
        let (sessions, load, reader) = (sessions.clone(), load.clone(), reader.clone());
        let route = SseRoute::new(handler.clone(), sessions, load, reader, stop.clone());
        let routes = Router::new().route("/sse", get(sse::<H>)).route("/messages", post(messages::<H>));
        protected = protected.merge(routes.with_state(Arc::new(route)));
    }
    let route = McpRoute::new(handler, sessions, load, reader, stop, abort);
    let protected = protected
        .merge(Router::new().route("/mcp", any(mcp::<H>)).with_state(Arc::new(route)))
        .route_layer(from_fn_with_state(door.clone(), authenticate));
    let metadata = get(resource_metadata).with_state(door);
    Ok(Router::new()
        .route("/livez", get(live))
        .route("/readyz", get(ready).with_state(readiness))
        .route(METADATA_PATH, metadata.clone())
        .route(&format!("{METADATA_PATH}/mcp"), metadata)
        .merge(protected)
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(rules, guard))
        .layer(from_fn_with_state(counted, measure)))
}

/// Serves until `stop` fires, then lets requests finish for the grace period.
pub async fn serve<H: ServerHandler + Clone>(
    listener: TcpListener,
    handler: H,
    config: WebConfig,
    probes: Probes,
    stop: CancellationToken,
) -> Result<(), WebError> {
    let limits = config.limits.clone();
    let router = router(handler, config, listener.local_addr()?, probes, stop.clone())?;
    let places = Arc::new(Semaphore::new(limits.connections));
    let connections = TaskTracker::new();
    let abort = CancellationToken::new();
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place,
            () = stop.cancelled() => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = connect(stream, router.clone(), limits.clone(), stop.clone());
                let abort = abort.clone();
                connections.spawn(async move {
                    let _place = place;
                    abort.run_until_cancelled(connection).await;
                });
            }
            // Out of file descriptors, or a client that left while it waited: neither is a reason to give up.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    drop(listener);
    connections.close();
    // A little longer than the router gives requests, so that the last of them can be sent.
    if tokio::time::timeout(limits.grace + Duration::from_secs(1), connections.wait()).await.is_err() {
        abort.cancel();
        connections.wait().await;
    }
    Ok(())
}

async fn connect(stream: TcpStream, router: Router, limits: Limits, stop: CancellationToken) {
    let _ = stream.set_nodelay(true);
    let local = stream.local_addr().ok().map(|local| LocalAddress(local.ip()));
    let service = service_fn(move |mut request: Request<Incoming>| {
        if let Some(local) = local {
            request.extensions_mut().insert(local);
        }
        router.clone().oneshot(request)
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(Patience::new(stream, limits.write_timeout)), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Ends idle sessions while the server runs, and what is left when it stops.
async fn tend(
    sessions: Arc<Sessions>,
    load: Arc<Load>,
    limits: Limits,
    stop: CancellationToken,
    abort: CancellationToken,
) {
    let mut ticks = tokio::time::interval(sessions.sweep_interval());
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        sessions.sweep();
    }
    let _ = tokio::time::timeout(limits.grace, load.drained()).await;
    sessions.close_all();
    abort.cancel();
}

async fn no_such_path() -> Refused {
    Refused::new(StatusCode::NOT_FOUND, Reason::Path, "there is nothing here; MCP is at /mcp")
}

async fn no_such_method() -> Refused {
    Refused::invalid(StatusCode::METHOD_NOT_ALLOWED, Reason::Method, "this path does not take that method")
}
