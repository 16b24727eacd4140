//! From bytes to a message, or to the error that the sender gets back.
//!
//! Every transport reads its frames here, before rmcp sees them: rmcp drops broken JSON without a word on stdio and
//! calls bad parameters of a known method an unknown method. Each frame gets an answer with the code that JSON-RPC and MCP
//! name, and the connection lives on.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, RequestId};
use serde_json::{Map, Value, json};

/// Longest message that is accepted, in bytes.
pub const MAX_FRAME_BYTES: usize = 4 * 1024 * 1024;

/// Longest `initialize`, in bytes.
const MAX_HELLO_BYTES: usize = 64 * 1024;

/// Methods of requests that some revision of the protocol defines and that we serve.
const KNOWN_METHODS: &[&str] = &[
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tools/call",
    "tools/list",
];

/// Those of them that 2026-07-28 has no more.
const REMOVED_METHODS: &[&str] =
    &["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// Why a frame is not a message: an error to send back.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// Id of the request, where one could be read.
    pub id: Option<RequestId>,
    /// JSON-RPC error code.
    pub code: i32,
    /// What is wrong.
    pub message: String,
}

impl Refusal {
    /// Not JSON.
    pub const PARSE: i32 = -32700;
    /// JSON, but not a request.
    pub const INVALID_REQUEST: i32 = -32600;
    /// A request for something that there is not.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// A request whose parameters do not fit its method.
    pub const INVALID_PARAMS: i32 = -32602;

    /// A refusal of a frame whose id could not be read.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { id: None, code, message: message.into() }
    }

    /// The error response.
    pub fn to_json(&self) -> Value {
        let id = self.id.as_ref().map_or(Value::Null, |id| id.clone().into_json_value());
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": self.code, "message": self.message}})
    }
}

/// Reads one frame.
pub fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    if bytes.len() > MAX_FRAME_BYTES {
        return Err(Refusal::new(
            Refusal::INVALID_REQUEST,
            format!("the message has {} bytes and the limit is {MAX_FRAME_BYTES}", bytes.len()),
        ));
    }
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Refusal::new(Refusal::PARSE, format!("Parse error: {error}")))?;
    let object = match value {
        Value::Object(object) => object,
        Value::Array(_) => {
            return Err(Refusal::new(
                Refusal::INVALID_REQUEST,
                "batches are not supported: send one message",
            ));
        }
        _ => return Err(Refusal::new(Refusal::INVALID_REQUEST, "a message is a JSON object")),
    };
    let id = read_id(&object)?;
    let refuse = |code, message: String| Refusal { id: id.clone(), code, message };
    check(&object).map_err(|(code, message)| refuse(code, message))?;
    let method = object.get("method").and_then(Value::as_str).map(str::to_owned);
    if method.as_deref() == Some("initialize") && bytes.len() > MAX_HELLO_BYTES {
        // It is kept for as long as the session.
        let message = format!("initialize has {} bytes and the limit is {MAX_HELLO_BYTES}", bytes.len());
        return Err(refuse(Refusal::INVALID_PARAMS, message));
    }
    let message: ClientJsonRpcMessage = serde_json::from_value(Value::Object(object)).map_err(|error| {
        refuse(Refusal::INVALID_REQUEST, format!("not a message of the protocol: {error}"))
    })?;
    if let (ClientJsonRpcMessage::Request(request), Some(method)) = (&message, &method)
        && matches!(request.request, ClientRequest::CustomRequest(_))
        && KNOWN_METHODS.contains(&method.as_str())
    {
        if REMOVED_METHODS.contains(&method.as_str()) && is_newer(&request.request) {
            return Err(refuse(Refusal::METHOD_NOT_FOUND, format!("Method not found: {method}")));
        }
        return Err(refuse(
            Refusal::INVALID_PARAMS,
            format!("the parameters of {method} are missing or have the wrong type"),
        ));
    }
    Ok(message)
}

/// Whether a request says of itself that it belongs to 2026-07-28 or later.
fn is_newer(request: &ClientRequest) -> bool {
    request.get_meta().protocol_version().is_some_and(|version| version.as_str() >= "2026-07-28")
}

fn read_id(object: &Map<String, Value>) -> Result<Option<RequestId>, Refusal> {
    match object.get("id") {
        None => Ok(None),
        Some(Value::String(id)) => Ok(Some(RequestId::String(id.as_str().into()))),
        Some(Value::Number(id)) if id.is_i64() => Ok(id.as_i64().map(RequestId::Number)),
        // An error response to something of ours that could not be read.
        Some(Value::Null) if object.contains_key("error") => Ok(None),
        Some(_) => Err(Refusal::new(Refusal::INVALID_REQUEST, "an id is a string or an integer")),
    }
}

fn check(object: &Map<String, Value>) -> Result<(), (i32, String)> {
    let invalid = |message: &str| Err((Refusal::INVALID_REQUEST, message.to_owned()));
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid("jsonrpc must be \"2.0\"");
    }
    match object.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return invalid("method must be a string"),
        None if object.contains_key("result") || object.contains_key("error") => return Ok(()),
        None => return invalid("method is missing"),
    }
    match object.get("params") {
        None => Ok(()),
        // rmcp drops the parameters of a list that it cannot read, and with them the page that was asked for.
        Some(Value::Object(params)) => match params.get("cursor") {
            None | Some(Value::String(_) | Value::Null) => Ok(()),
            Some(_) => Err((Refusal::INVALID_PARAMS, "cursor must be a string".to_owned())),
        },
        Some(_) => Err((Refusal::INVALID_PARAMS, "params must be an object".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(frame: &str, code: i32) {
        let refusal = read(frame.as_bytes()).unwrap_err();
        assert_eq!(refusal.code, code, "{frame}: {}", refusal.message);
    }

    #[test]
    fn broken_json_is_a_parse_error() {
        for frame in ["", "{", "nope", "{\"jsonrpc\":\"2.0\",", "\u{feff}{}", "{'a':1}"] {
            check(frame, -32700);
        }
        assert_eq!(read(b"\xff\xfe{}").unwrap_err().code, -32700);
        check(&"[".repeat(100_000), -32700);
    }

    #[test]
    fn json_that_is_no_request_is_invalid() {
        for frame in [
            "1",
            "\"ping\"",
            "null",
            "[]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "{}",
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        ] {
            check(frame, -32600);
        }
    }

    #[test]
    fn known_methods_with_wrong_parameters_are_invalid_params() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#,
        ] {
            check(frame, -32602);
        }
    }

    #[test]
    fn what_the_newer_revision_has_removed_is_not_found_there() {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{{meta}}}}}"#),
            -32601,
        );
        check(r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{}}"#, -32602);
    }

    #[test]
    fn the_id_comes_back_with_the_refusal() {
        let refusal = read(br#"{"jsonrpc":"2.0","id":"a","method":"tools/call"}"#).unwrap_err();
        assert_eq!(refusal.to_json()["id"], "a");
        assert_eq!(read(b"{").unwrap_err().to_json()["id"], Value::Null);
    }

    #[test]
    fn messages_are_read() {
        for frame in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such/method"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert!(read(frame.as_bytes()).is_ok(), "{frame}");
        }
    }

    #[test]
    fn a_giant_frame_is_refused() {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(MAX_FRAME_BYTES));
        check(&frame, -32600);
    }
}
