//! The deprecated HTTP+SSE transport of 2024-11-05: `GET /sse` opens a session and carries everything the server says,
//! `POST /messages?sessionId=…` carries what the client says.
//!
//! A session lives as long as its stream. Answers that the client does not read take no memory beyond its own: a
//! session has only so many unanswered requests, and a request counts until its answer was passed to the stream.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use docent_mcp::{Caller, frame};
use futures::{StreamExt, stream};
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcRequest, ProtocolVersion,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::sink_stream::SinkStreamTransport;
use rmcp::{ServerHandler, ServiceExt};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::{CancellationToken, PollSender};

use crate::body::{BodyReader, declared_length};
use crate::limits::{Load, OpenEnded, Place, hold};
use crate::media::{self, EVENT_STREAM};
use crate::reply::{Reason, Refused, id_in_use, no_session, refused_frame};
use crate::sessions::{Kind, Sessions, Visit};

/// Messages that wait in each direction.
const QUEUE: usize = 16;
/// Requests of one session that may be unanswered.
const UNANSWERED: usize = 16;
/// How long a message may wait for a session that takes none.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pair of endpoints.
pub(crate) struct SseRoute<H> {
    handler: H,
    sessions: Arc<Sessions>,
    load: Arc<Load>,
    reader: BodyReader,
    stop: CancellationToken,
    inboxes: Inboxes,
}

/// Where the messages of each session go.
#[derive(Debug, Clone, Default)]
struct Inboxes(Arc<Mutex<HashMap<String, Arc<Inbox>>>>);

#[derive(Debug)]
struct Inbox {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    unanswered: Mutex<HashMap<RequestId, Place>>,
    /// Whether rmcp knows which era the client speaks. Before that it takes any notification for the end.
    begun: AtomicBool,
}

impl<H: ServerHandler + Clone> SseRoute<H> {
    pub(crate) fn new(
        handler: H,
        sessions: Arc<Sessions>,
        load: Arc<Load>,
        reader: BodyReader,
        stop: CancellationToken,
    ) -> Self {
        Self { handler, sessions, load, reader, stop, inboxes: Inboxes::default() }
    }

    fn open(&self, caller: &Caller, parts: &Parts) -> Result<Response, Refused> {
        if !media::accepts(&parts.headers, EVENT_STREAM) {
            let message = "the Accept header must take text/event-stream";
            return Err(Refused::invalid(StatusCode::NOT_ACCEPTABLE, Reason::Headers, message));
        }
        let place = self.load.stream()?;
        let seat = self.sessions.reserve(caller, Kind::Sse)?;
        let id = uuid::Uuid::new_v4().to_string();
        let over = self.sessions.open(&id, seat);
        let visit = self.sessions.visit(&id, caller);
        let (messages, incoming) = mpsc::channel(QUEUE);
        let (answers, outgoing) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Inbox { messages, unanswered: Mutex::default(), begun: AtomicBool::new(false) });
        self.inboxes.lock().insert(id.clone(), inbox.clone());
        let closing = Closing {
            id,
            inboxes: self.inboxes.clone(),
            sessions: self.sessions.clone(),
            _place: place,
            _visit: visit,
        };

        let transport = SinkStreamTransport::new(PollSender::new(answers), ReceiverStream::new(incoming));
        let serving = self.handler.clone().serve_with_ct(transport, over.child_token());
        tokio::spawn(async move {
            if let Ok(running) = serving.await {
                let _ = running.waiting().await;
            }
        });
        let endpoint = format!("/messages?sessionId={}", closing.id);
        let first = stream::once(async move { Event::default().event("endpoint").data(endpoint) });
        let rest = ReceiverStream::new(outgoing).filter_map(move |message| {
            inbox.answered(&message);
            let text = serde_json::to_string(&message).ok();
            async move { text.map(|text| Event::default().event("message").data(text)) }
        });
        let events = first.chain(rest).map(Ok::<_, Infallible>);
        let comments = KeepAlive::new().interval(self.load.keep_alive());
        let mut response = Sse::new(events).keep_alive(comments).into_response();
        response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
        response.extensions_mut().insert(OpenEnded);
        Ok(hold(response, closing, Some(self.stop.clone())))
    }

    async fn message(&self, caller: Caller, mut parts: Parts, body: Body) -> Result<Response, Refused> {
        if !media::sends_json(&parts.headers) {
            let message = "the Content-Type must be application/json";
            return Err(Refused::invalid(StatusCode::UNSUPPORTED_MEDIA_TYPE, Reason::Headers, message));
        }
        let id = session_id(parts.uri.query().unwrap_or_default()).ok_or_else(|| {
            let message = "the address lacks sessionId: use the one that the stream of /sse began with";
            Refused::invalid(StatusCode::BAD_REQUEST, Reason::Session, message)
        })?;
        let _visit = self.sessions.visit(id, &caller).ok_or_else(no_session)?;
        let inbox = self.inboxes.lock().get(id).cloned().ok_or_else(no_session)?;
        let bytes = self.reader.read(body, declared_length(&parts.headers)).await?;
        let mut message = frame::read(&bytes).map_err(refused_frame)?;
        let slot = match tokio::time::timeout(PATIENCE, inbox.messages.reserve()).await {
            Ok(slot) => slot.map_err(|_| no_session())?,
            Err(_) => return Err(Refused::busy("the server is busy: the session takes no more messages", 1)),
        };
        if let ClientJsonRpcMessage::Request(request) = &message {
            let place = self.admit(&inbox, request);
            parts
                .extensions
                .insert(place.map_err(|refused| refused.id(request.id.clone().into_json_value()))?);
            if begins(&request.request, &self.handler) {
                inbox.begun.store(true, Ordering::Release);
            }
        } else if !inbox.begun.load(Ordering::Acquire) {
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        inbox.cancelled(&message);
        message.insert_extension(caller);
        message.insert_extension(parts);
        slot.send(message);
        Ok(StatusCode::ACCEPTED.into_response())
    }

    /// Finds room for a request.
    fn admit(&self, inbox: &Inbox, request: &JsonRpcRequest<ClientRequest>) -> Result<Place, Refused> {
        let listens = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
        let place = if listens { self.load.stream()? } else { self.load.request()? };
        inbox.expect(request.id.clone(), place)
    }
}

/// Serves `GET /sse`.
pub(crate) async fn sse<H: ServerHandler + Clone>(
    State(route): State<Arc<SseRoute<H>>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    route.open(&caller, &parts).unwrap_or_else(IntoResponse::into_response)
}

/// Serves `POST /messages`.
pub(crate) async fn messages<H: ServerHandler + Clone>(
    State(route): State<Arc<SseRoute<H>>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    route.message(caller, parts, body).await.unwrap_or_else(IntoResponse::into_response)
}

/// What a stream holds. When the client hangs up, the session is over.
struct Closing {
    id: String,
    inboxes: Inboxes,
    sessions: Arc<Sessions>,
    _place: Place,
    _visit: Option<Visit>,
}

impl Drop for Closing {
    fn drop(&mut self) {
        self.inboxes.lock().remove(&self.id);
        self.sessions.close(&self.id);
    }
}

impl Inboxes {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Inbox>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox {
    fn unanswered(&self) -> MutexGuard<'_, HashMap<RequestId, Place>> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request until it is answered.
    fn expect(&self, id: RequestId, place: Place) -> Result<Place, Refused> {
        let mut unanswered = self.unanswered();
        if unanswered.contains_key(&id) {
            return Err(id_in_use(&id.into_json_value()));
        }
        if unanswered.len() >= UNANSWERED {
            return Err(Refused::busy(
                format!("the session has {UNANSWERED} unanswered requests already"),
                1,
            ));
        }
        unanswered.insert(id, place.clone());
        Ok(place)
    }

    /// A request that was answered no longer counts.
    fn answered(&self, message: &ServerJsonRpcMessage) {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.unanswered().remove(id);
        }
    }

    /// Nor does one that the client has cancelled: it gets no answer.
    fn cancelled(&self, message: &ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            self.unanswered().remove(id);
        }
    }
}

/// Whether rmcp takes this request for the beginning of a conversation, and then no longer minds notifications.
fn begins(request: &ClientRequest, handler: &impl ServerHandler) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let complete = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            let version = meta.protocol_version();
            complete
                && version.is_some_and(|version| handler.supported_protocol_versions().contains(&version))
        }
    }
}

fn session_id(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("sessionId=")).filter(|id| !id.is_empty())
}
