//! Answers that refuse: one shape for every route.
//!
//! The body is a JSON-RPC error whatever the route, because the client is an MCP client. Where neither JSON-RPC nor MCP
//! has a code, the code is the HTTP status: codes of our own must stay out of the range that JSON-RPC reserves.

use axum::response::{IntoResponse, Response};
use docent_mcp::frame;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::{Value, json};

/// Why something was refused: a label of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    Host,
    Origin,
    Token,
    Scope,
    Frame,
    TooLarge,
    Slow,
    Headers,
    Version,
    Session,
    Busy,
    Method,
    Path,
    Internal,
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Origin => "origin",
            Self::Token => "token",
            Self::Scope => "scope",
            Self::Frame => "frame",
            Self::TooLarge => "too_large",
            Self::Slow => "slow",
            Self::Headers => "headers",
            Self::Version => "version",
            Self::Session => "session",
            Self::Busy => "busy",
            Self::Method => "method",
            Self::Path => "path",
            Self::Internal => "internal",
        }
    }
}

/// A request that is not served.
#[derive(Debug)]
pub(crate) struct Refused(Box<Refusal>);

#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    reason: Reason,
    code: i32,
    message: String,
    id: Value,
    data: Option<Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// JSON-RPC: not a request.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: no such method.
const METHOD_NOT_FOUND: i32 = -32601;
/// JSON-RPC: our fault.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// MCP: headers and body disagree.
pub(crate) const HEADER_MISMATCH: i32 = -32020;
/// MCP: a revision that is not spoken here.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

impl Refused {
    /// With the HTTP status as the code.
    pub(crate) fn new(status: StatusCode, reason: Reason, message: impl Into<String>) -> Self {
        let code = i32::from(status.as_u16());
        let (message, id, data, headers) = (message.into(), Value::Null, None, Vec::new());
        Self(Box::new(Refusal { status, reason, code, message, id, data, headers }))
    }

    /// A request that breaks the protocol.
    pub(crate) fn invalid(status: StatusCode, reason: Reason, message: impl Into<String>) -> Self {
        Self::new(status, reason, message).code(INVALID_REQUEST)
    }

    /// More than the server takes on at once; worth another try in `seconds`.
    pub(crate) fn busy(message: impl Into<String>, seconds: u16) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::Busy, message).header(RETRY_AFTER, seconds.into())
    }

    /// The same refusal, for a method that does not exist in the client's revision.
    pub(crate) fn unknown_method(mut self) -> Self {
        self.0.status = StatusCode::NOT_FOUND;
        self.0.code = METHOD_NOT_FOUND;
        self.0.message = "the method does not exist in this revision of the protocol".to_owned();
        self
    }

    pub(crate) fn code(mut self, code: i32) -> Self {
        self.0.code = code;
        self
    }

    pub(crate) fn id(mut self, id: Value) -> Self {
        self.0.id = id;
        self
    }

    pub(crate) fn data(mut self, data: Value) -> Self {
        self.0.data = Some(data);
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }
}

/// Answers to two requests of one id could not be told apart.
pub(crate) fn id_in_use(id: &Value) -> Refused {
    let message = format!("a request with the id {id} is being worked on in this session");
    Refused::invalid(StatusCode::BAD_REQUEST, Reason::Frame, message)
}

/// The session is gone, or was never there, or is somebody else's.
pub(crate) fn no_session() -> Refused {
    let message = "there is no such session: it may have expired; start a new one with initialize";
    Refused::new(StatusCode::NOT_FOUND, Reason::Session, message)
}

/// The answer to a broken frame.
pub(crate) fn refused_frame(refusal: frame::Refusal) -> Refused {
    let id = refusal.id.map_or(Value::Null, |id| id.into_json_value());
    Refused::new(StatusCode::BAD_REQUEST, Reason::Frame, refusal.message).code(refusal.code).id(id)
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let refusal = *self.0;
        let mut error = json!({"code": refusal.code, "message": refusal.message});
        if let Some(data) = refusal.data {
            error["data"] = data;
        }
        let body = json!({"jsonrpc": "2.0", "id": refusal.id, "error": error}).to_string();
        let mut response = (refusal.status, body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.headers_mut().extend(refusal.headers);
        response.extensions_mut().insert(refusal.reason);
        response
    }
}
