//! `/mcp`: the Streamable HTTP transport, both eras of the protocol on one endpoint.
//!
//! rmcp speaks the transport. Before it stands a gate that reads each message once and answers what rmcp would call by
//! the wrong name or take without limit; behind it, whatever rmcp refuses in plain text becomes a JSON-RPC error.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use docent_mcp::{Caller, frame};
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use rmcp::ServerHandler;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::body::{BodyReader, declared_length};
use crate::limits::{Load, OpenEnded, Place, hold};
use crate::media::{self, EVENT_STREAM, JSON};
use crate::reply::{
    HEADER_MISMATCH, Reason, Refused, UNSUPPORTED_VERSION, id_in_use, no_session, refused_frame,
};
use crate::session_manager::{OwnedSessions, Passage};
use crate::sessions::{Kind, Seat, Sessions, Visit};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Headers that steer a request and therefore may come once only.
const SINGLE: [HeaderName; 5] = [
    SESSION_ID,
    PROTOCOL_VERSION,
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("last-event-id"),
];
/// Methods that 2026-07-28 no longer has.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
/// Refusals of rmcp are one line of text.
const MAX_REFUSAL_BYTES: usize = 16 * 1024;

/// The endpoint.
pub(crate) struct McpRoute<H> {
    service: StreamableHttpService<H, OwnedSessions>,
    versions: Vec<String>,
    sessions: Arc<Sessions>,
    load: Arc<Load>,
    reader: BodyReader,
    stop: CancellationToken,
}

impl<H: ServerHandler + Clone> McpRoute<H> {
    /// `stop` ends the streams that wait for news; `abort` ends everything.
    pub(crate) fn new(
        handler: H,
        sessions: Arc<Sessions>,
        load: Arc<Load>,
        reader: BodyReader,
        stop: CancellationToken,
        abort: CancellationToken,
    ) -> Self {
        let versions = handler.supported_protocol_versions();
        let versions = versions.iter().map(|version| version.as_str().to_owned()).collect();
        // Host and Origin were checked before, and more strictly.
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_sse_keep_alive(Some(load.keep_alive()))
            .with_cancellation_token(abort)
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(frame::MAX_FRAME_BYTES);
        let manager = Arc::new(OwnedSessions::new(sessions.clone()));
        let service = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
        Self { service, versions, sessions, load, reader, stop }
    }

    async fn post(&self, caller: Caller, mut parts: Parts, body: Body) -> Result<Response, Refused> {
        if !media::sends_json(&parts.headers) {
            let message = "the Content-Type must be application/json";
            return Err(Refused::invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, Reason::Headers, message));
        }
        if !media::accepts(&parts.headers, JSON) || !media::accepts(&parts.headers, EVENT_STREAM) {
            let message = "the Accept header must take both application/json and text/event-stream";
            return Err(Refused::invalid(StatusCode::NOT_ACCEPTABLE, Reason::Headers, message));
        }
        check_single_headers(&parts.headers)?;
        let bytes = self.reader.read(body, declared_length(&parts.headers)).await?;
        let message = frame::read(&bytes).map_err(|refusal| refuse(refusal, &bytes))?;
        let asked = Asked::of(&message);
        self.check_version(&parts.headers, &asked).map_err(|refused| refused.id(asked.id.clone()))?;
        let (place, visit, seat) =
            self.admit(&caller, &parts.headers, &asked).map_err(|refused| refused.id(asked.id.clone()))?;
        // rmcp compares these two as text.
        parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        parts.extensions.insert(place.clone());
        parts.extensions.insert(visit.clone());
        let request = Request::from_parts(parts, Body::from(bytes));
        let response = self.call(Passage::new(caller, seat), request, asked.id).await;
        Ok(self.keep(response, (place, visit), asked.listens))
    }

    /// Finds room for a message: a place, the session that it belongs to, or a seat for the one that it opens.
    fn admit(&self, caller: &Caller, headers: &HeaderMap, asked: &Asked) -> Result<Admission, Refused> {
        let place = if asked.listens { self.load.stream()? } else { self.load.request()? };
        let visit = match (self.visit(caller, headers), &asked.id) {
            (Some(visit), Value::Null) => Some(visit),
            (Some(visit), id) => Some(visit.work_on(id.to_string()).ok_or_else(|| id_in_use(id))?),
            (None, _) => None,
        };
        let opens = asked.initializes && !headers.contains_key(&SESSION_ID);
        let seat = opens.then(|| self.sessions.reserve(caller, Kind::Streamable)).transpose()?;
        Ok((place, visit.map(Arc::new), seat))
    }

    fn visit(&self, caller: &Caller, headers: &HeaderMap) -> Option<Visit> {
        self.sessions.visit(headers.get(&SESSION_ID)?.to_str().ok()?, caller)
    }

    /// The stream on which an older client waits for news.
    async fn get(&self, caller: Caller, mut parts: Parts) -> Result<Response, Refused> {
        if !media::accepts(&parts.headers, EVENT_STREAM) {
            let message = "the Accept header must take text/event-stream";
            return Err(Refused::invalid(StatusCode::NOT_ACCEPTABLE, Reason::Headers, message));
        }
        check_single_headers(&parts.headers)?;
        self.check_version(&parts.headers, &Asked::default())?;
        let place = self.load.stream()?;
        let visit = self.visit(&caller, &parts.headers);
        parts.headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        let request = Request::from_parts(parts, Body::empty());
        let response = self.call(Passage::new(caller, None), request, Value::Null).await;
        Ok(self.keep(response, (place, visit), true))
    }

    /// The end of a session.
    async fn delete(&self, caller: Caller, parts: Parts) -> Result<Response, Refused> {
        check_single_headers(&parts.headers)?;
        self.check_version(&parts.headers, &Asked::default())?;
        // rmcp closes whatever is named and says nothing about sessions that are not there.
        if parts.headers.contains_key(&SESSION_ID) && self.visit(&caller, &parts.headers).is_none() {
            return Err(no_session());
        }
        let request = Request::from_parts(parts, Body::empty());
        let response = self.call(Passage::new(caller, None), request, Value::Null).await;
        // rmcp says 202, which the Python client takes for a failure: the session is gone, not about to go.
        let ended = response.status() == StatusCode::ACCEPTED;
        Ok(if ended { StatusCode::NO_CONTENT.into_response() } else { response })
    }

    /// Holds what the request holds until its response was sent; one that waits for news ends when the server stops.
    fn keep<T: Send + 'static>(&self, mut response: Response, held: T, waits: bool) -> Response {
        let waits = waits && response.status().is_success();
        if waits {
            response.extensions_mut().insert(OpenEnded);
        }
        hold(response, held, waits.then(|| self.stop.clone()))
    }

    async fn call(&self, passage: Passage, request: Request, id: Value) -> Response {
        let session = request.headers().get(&SESSION_ID).cloned();
        let response = passage.run(self.service.handle(request)).await.map(Body::new);
        let status = response.status();
        let explained = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == JSON);
        if !(status.is_client_error() || status.is_server_error()) || explained {
            return response;
        }
        // A session that ended between two steps of rmcp shows as an internal error.
        let ended = status == StatusCode::INTERNAL_SERVER_ERROR && session.is_some();
        explain(response, ended).await.id(id).into_response()
    }

    /// A revision that is not spoken here, in the header. rmcp looks at one inside the message.
    fn check_version(&self, headers: &HeaderMap, asked: &Asked) -> Result<(), Refused> {
        let Some(version) = headers.get(PROTOCOL_VERSION) else { return Ok(()) };
        let version = String::from_utf8_lossy(version.as_bytes());
        if asked.versioned || self.versions.iter().any(|known| *known == version) {
            return Ok(());
        }
        let message = format!("the protocol version {version} is not supported");
        Err(Refused::new(StatusCode::BAD_REQUEST, Reason::Version, message)
            .code(UNSUPPORTED_VERSION)
            .data(json!({"supported": self.versions, "requested": version})))
    }
}

/// What a message holds while it is worked on, and the seat of the session that it opens.
type Admission = (Place, Option<Arc<Visit>>, Option<Seat>);

/// Serves `/mcp`.
pub(crate) async fn mcp<H: ServerHandler + Clone>(
    State(route): State<Arc<McpRoute<H>>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let result = match parts.method {
        Method::POST => route.post(caller, parts, body).await,
        Method::GET => route.get(caller, parts).await,
        Method::DELETE => route.delete(caller, parts).await,
        _ => Err(Refused::invalid(StatusCode::METHOD_NOT_ALLOWED, Reason::Method, "use POST, GET or DELETE")
            .header(ALLOW, HeaderValue::from_static("GET, POST, DELETE"))),
    };
    result.unwrap_or_else(IntoResponse::into_response)
}

/// What the gate needs to know of a message.
#[derive(Debug, Default)]
struct Asked {
    id: Value,
    initializes: bool,
    listens: bool,
    versioned: bool,
}

impl Asked {
    fn of(message: &ClientJsonRpcMessage) -> Self {
        let ClientJsonRpcMessage::Request(request) = message else { return Self::default() };
        Self {
            id: request.id.clone().into_json_value(),
            initializes: matches!(request.request, ClientRequest::InitializeRequest(_)),
            listens: matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)),
            versioned: request.request.get_meta().protocol_version().is_some(),
        }
    }
}

/// The answer to a broken frame. What looks like bad parameters may be a method that the client's revision does not have.
fn refuse(refusal: frame::Refusal, bytes: &[u8]) -> Refused {
    let removed = refusal.code == frame::Refusal::INVALID_PARAMS && asks_for_removed_method(bytes);
    let refused = refused_frame(refusal);
    if removed { refused.unknown_method() } else { refused }
}

fn asks_for_removed_method(bytes: &[u8]) -> bool {
    let message: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let version = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
        && message["method"].as_str().is_some_and(|method| REMOVED_METHODS.contains(&method))
}

fn check_single_headers(headers: &HeaderMap) -> Result<(), Refused> {
    match SINGLE.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        None => Ok(()),
        Some(name) => {
            let message = format!("there is more than one {name} header");
            Err(Refused::new(StatusCode::BAD_REQUEST, Reason::Headers, message).code(HEADER_MISMATCH))
        }
    }
}

/// Turns a refusal of rmcp in plain text into one that clients can read.
async fn explain(response: Response, session_ended: bool) -> Refused {
    let (parts, body) = response.into_parts();
    if parts.status == StatusCode::NOT_FOUND || session_ended {
        return no_session();
    }
    let text =
        Limited::new(body, MAX_REFUSAL_BYTES).collect().await.map_or(Bytes::new(), |body| body.to_bytes());
    let text = String::from_utf8_lossy(&text).into_owned();
    let reason = match parts.status {
        StatusCode::METHOD_NOT_ALLOWED => Reason::Method,
        status if status.is_server_error() => Reason::Internal,
        _ => Reason::Headers,
    };
    let refused = if parts.status.is_client_error() {
        Refused::invalid(parts.status, reason, text)
    } else {
        Refused::new(parts.status, reason, text).code(-32603)
    };
    match parts.headers.get(ALLOW) {
        Some(allow) => refused.header(ALLOW, allow.clone()),
        None => refused,
    }
}
