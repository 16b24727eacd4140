//! `/mcp`: the Streamable HTTP transport, both eras of the protocol on one endpoint.
//!
//! rmcp speaks the transport. Before it stands a gate that reads each message once and answers what rmcp would call by
//! the wrong name or take without limit; behind it, whatever rmcp refuses in plain text becomes a JSON-RPC error.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use docent_mcp::{Caller, frame};
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::body::{BodyReader, declared_length};
use crate::gate::{Asked, PROTOCOL_VERSION, SESSION_ID, check_single_headers, explain, refuse, session_id};
use crate::limits::{Load, OpenEnded, Place, hold};
use crate::media::{self, EVENT_STREAM, JSON};
use crate::reply::{Reason, Refused, UNSUPPORTED_VERSION, id_in_use, no_session};
use crate::session_manager::{OwnedSessions, Passage};
use crate::sessions::{Kind, Seat, Sessions, Visit};

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
        let message = frame::read(&bytes).map_err(refuse)?;
        let asked = Asked::of(&message);
        self.check_version(&parts.headers, &asked).map_err(|refused| refused.id(asked.id.clone()))?;
        let (place, visit, seat) =
            self.admit(&caller, &parts.headers, &asked).map_err(|refused| refused.id(asked.id.clone()))?;
        // rmcp compares these two as text.
        parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        let held = Held { _place: place, _visit: visit.map(Arc::new) };
        parts.extensions.insert(held.clone());
        let request = Request::from_parts(parts, Body::from(bytes));
        let response = self.call(caller, seat, request, asked.id).await;
        Ok(self.keep(response, held, asked.listens))
    }

    /// Finds room for a message: a place, the session that it belongs to, or a seat for the one that it opens. Notices
    /// and answers need no place: they are what ends requests, and must get through when there are too many.
    fn admit(&self, caller: &Caller, headers: &HeaderMap, asked: &Asked) -> Result<Admission, Refused> {
        let visit = self.visit(caller, headers);
        if asked.id.is_null() {
            return Ok((None, visit, None));
        }
        let place = if asked.listens { self.load.stream()? } else { self.load.request()? };
        let working = |visit: Visit| visit.work_on(asked.id.to_string()).ok_or_else(|| id_in_use(&asked.id));
        let visit = visit.map(working).transpose()?;
        let opens = asked.initializes && !headers.contains_key(&SESSION_ID);
        let seat = opens.then(|| self.sessions.reserve(caller, Kind::Streamable)).transpose()?;
        Ok((Some(place), visit, seat))
    }

    fn visit(&self, caller: &Caller, headers: &HeaderMap) -> Option<Visit> {
        self.sessions.visit(session_id(headers)?, caller)
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
        let response = self.call(caller, None, request, Value::Null).await;
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
        let response = self.call(caller, None, request, Value::Null).await;
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

    /// Hands a request on to rmcp, and makes sense of its refusals.
    async fn call(&self, caller: Caller, seat: Option<Seat>, request: Request, id: Value) -> Response {
        let session = session_id(request.headers()).map(str::to_owned);
        let passage = Passage::new(caller.clone(), seat);
        let response = passage.run(self.service.handle(request)).await.map(Body::new);
        let status = response.status();
        let explained = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == JSON);
        if !(status.is_client_error() || status.is_server_error()) || explained {
            return response;
        }
        // A session that ended between two steps of rmcp shows as an internal error.
        let gone = session.is_some_and(|session| !self.sessions.has(&session, &caller));
        let ended = status == StatusCode::INTERNAL_SERVER_ERROR && gone;
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

/// A place, the session that a message belongs to, and a seat for the one that it opens.
type Admission = (Option<Place>, Option<Visit>, Option<Seat>);

/// What a message holds while it is worked on.
#[derive(Debug, Clone)]
struct Held {
    _place: Option<Place>,
    _visit: Option<Arc<Visit>>,
}

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
