//! What the gate before rmcp looks at, and how refusals of rmcp are put.
//!
//! rmcp answers some broken requests with the wrong status or in plain text. The gate answers those that it can tell
//! apart from the headers and the message; what is left is explained afterwards.

use axum::response::Response;
use bytes::Bytes;
use docent_mcp::frame;
use http::header::ALLOW;
use http::{HeaderMap, HeaderName, StatusCode};
use http_body_util::{BodyExt, Limited};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta};
use serde_json::Value;

use crate::reply::{HEADER_MISMATCH, INTERNAL_ERROR, Reason, Refused, no_session, refused_frame};

/// The session that a request belongs to.
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// The revision that a client speaks.
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// Headers that steer a request and therefore may come once only.
const SINGLE: [HeaderName; 5] = [
    SESSION_ID,
    PROTOCOL_VERSION,
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("last-event-id"),
];
/// Refusals of rmcp are one line of text.
const MAX_REFUSAL_BYTES: usize = 16 * 1024;

/// What the gate needs to know of a message.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// `null` where no answer is wanted.
    pub(crate) id: Value,
    pub(crate) initializes: bool,
    pub(crate) listens: bool,
    /// Whether it names its revision itself.
    pub(crate) versioned: bool,
}

impl Asked {
    pub(crate) fn of(message: &ClientJsonRpcMessage) -> Self {
        let ClientJsonRpcMessage::Request(request) = message else { return Self::default() };
        Self {
            id: request.id.clone().into_json_value(),
            initializes: matches!(request.request, ClientRequest::InitializeRequest(_)),
            listens: matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)),
            versioned: request.request.get_meta().protocol_version().is_some(),
        }
    }
}

/// The answer to a broken frame.
pub(crate) fn refuse(refusal: frame::Refusal) -> Refused {
    let unknown = refusal.code == frame::Refusal::METHOD_NOT_FOUND;
    let refused = refused_frame(refusal);
    if unknown { refused.unknown_method() } else { refused }
}

/// The session that the headers name.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(&SESSION_ID)?.to_str().ok()
}

/// Refuses requests whose headers could be read in two ways.
pub(crate) fn check_single_headers(headers: &HeaderMap) -> Result<(), Refused> {
    match SINGLE.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        None => Ok(()),
        Some(name) => {
            let message = format!("there is more than one {name} header");
            Err(Refused::new(StatusCode::BAD_REQUEST, Reason::Headers, message).code(HEADER_MISMATCH))
        }
    }
}

/// Turns a refusal of rmcp in plain text into one that clients can read.
pub(crate) async fn explain(response: Response, session_ended: bool) -> Refused {
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
        Refused::new(parts.status, reason, text).code(INTERNAL_ERROR)
    };
    match parts.headers.get(ALLOW) {
        Some(allow) => refused.header(ALLOW, allow.clone()),
        None => refused,
    }
}
