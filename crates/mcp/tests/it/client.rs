//! A client that speaks the protocol by hand, one message a line, so that it can also speak it badly.
//!
//! Whatever a tool answers is checked on the way: the text content is the structured content, and the structured content
//! is what the tool's output schema says.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use rmcp::ServerHandler;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::schema_check::conforms;
use crate::world::PATIENCE;

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

/// Which lifecycle the client follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize`, then plain requests.
    Legacy,
    /// Every request carries its version and capabilities.
    Modern,
}

pub(crate) struct Client {
    runtime: Handle,
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
    served: JoinHandle<io::Result<()>>,
    era: Era,
    last_id: i64,
    /// What came while something else was waited for.
    pub(crate) aside: Vec<Value>,
    schemas: Option<HashMap<String, Value>>,
}

impl Client {
    pub(crate) fn connect<H: ServerHandler>(runtime: Handle, handler: H, era: Era) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (their_input, their_output) = tokio::io::split(theirs);
        let served = runtime.spawn(docent_mcp::serve(handler, BufReader::new(their_input), their_output));
        let (output, input) = tokio::io::split(ours);
        let output = BufReader::new(output);
        Self { runtime, input, output, served, era, last_id: 1_000, aside: Vec::new(), schemas: None }
    }

    /// The handshake of the older era; gives the answer back.
    pub(crate) fn initialize(&mut self) -> Value {
        let answer = self.request("initialize", initialize_params(LEGACY));
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Sends a request and gives its result back.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params.clone());
        assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that has to be refused, and gives the error back.
    pub(crate) fn error(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params.clone());
        assert!(answer.get("result").is_none(), "{method} {params}: {answer}");
        answer["error"].clone()
    }

    /// Calls a tool and gives its structured result back.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        let [content] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
        assert_eq!(content["type"], "text");
        let text: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
        let structured = result["structuredContent"].clone();
        assert_eq!(text, structured, "the text of {tool} {arguments} differs from the structured content");
        if let Err(problem) = conforms(&self.output_schema(tool), &structured) {
            panic!("{tool} {arguments}: {problem} in {structured:#}");
        }
        structured
    }

    /// Calls a tool that has nothing to give and says so; gives the message back.
    pub(crate) fn told(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], false, "{tool} {arguments}: {result}");
        let [message, hint] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
        let (message, hint) = (message["text"].as_str().unwrap(), hint["text"].as_str().unwrap());
        // Programs compare the first text, which is the sentence of the specification and nothing else.
        assert!(message.ends_with("\".") || message.ends_with("\" not found."), "{message}");
        assert_eq!(
            result["structuredContent"],
            json!({"message": message, "hint": hint}),
            "{tool} {arguments}"
        );
        conforms(&self.output_schema(tool), &result["structuredContent"]).unwrap();
        format!("{message} {hint}")
    }

    /// Calls a tool of `library` that has to refuse, and gives the message back.
    pub(crate) fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments.clone());
        let error = answer["error"].as_str().unwrap_or_else(|| panic!("{tool} {arguments}: {answer}"));
        assert_eq!(answer, json!({"status": "error", "error": error}), "{tool} {arguments}");
        assert!(!error.contains("a bug in docent"), "{tool} {arguments}: {error}");
        error.to_owned()
    }

    /// Calls a tool and gives back the text of its answer, which counts against the agent's context.
    pub(crate) fn call_for_text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Calls a tool that has to refuse, and gives the message back.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        let [content] = result["content"].as_array().unwrap().as_slice() else { panic!("{result}") };
        content["text"].as_str().unwrap().to_owned()
    }

    /// The tools as listed, by name.
    pub(crate) fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({}))["tools"].as_array().unwrap().clone()
    }

    /// The parameters of a tool.
    pub(crate) fn parameters(&mut self, tool: &str) -> Value {
        let tools = self.tools();
        let tool = tools.iter().find(|listed| listed["name"] == tool).unwrap();
        tool["inputSchema"]["properties"].clone()
    }

    fn output_schema(&mut self, tool: &str) -> Value {
        if self.schemas.is_none() {
            let schema =
                |tool: Value| (tool["name"].as_str().unwrap().to_owned(), tool["outputSchema"].clone());
            self.schemas = Some(self.tools().into_iter().map(schema).collect());
        }
        self.schemas.as_ref().unwrap()[tool].clone()
    }

    /// Sends a request and gives the whole answer back.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(&json!(id))
    }

    /// Sends a request without waiting for its answer; gives its id back.
    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.last_id += 1;
        if self.era == Era::Modern {
            let given = params.get("_meta").cloned();
            params["_meta"] = modern_meta();
            for (key, value) in given.iter().flat_map(|meta| meta.as_object().unwrap()) {
                params["_meta"][key] = value.clone();
            }
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// Waits for the answer to a request.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        self.wait(&format!("an answer to {id}"), |message| {
            message.get("method").is_none() && message["id"] == *id
        })
    }

    /// Waits for a notification.
    pub(crate) fn notice(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method)
    }

    /// Fails if such a notification has come. Meant for after something that came later for sure.
    pub(crate) fn assert_no_notice(&self, method: &str) {
        let found = self.aside.iter().find(|message| message["method"] == method);
        assert_eq!(found, None, "{method} was not to come");
    }

    /// The notifications of a kind that have come so far.
    pub(crate) fn notices(&self, method: &str) -> Vec<&Value> {
        self.aside.iter().filter(|message| message["method"] == method).collect()
    }

    pub(crate) fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&wanted) {
            return self.aside.remove(at);
        }
        loop {
            let message = self.receive().unwrap_or_else(|why| panic!("waiting for {what}: {why}"));
            if wanted(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// The next message; the error says that the stream ended or stayed silent.
    pub(crate) fn receive(&mut self) -> Result<Value, String> {
        let (output, runtime) = (&mut self.output, &self.runtime);
        let line = runtime.block_on(async {
            let mut line = Vec::new();
            let read = tokio::time::timeout(PATIENCE, output.read_until(b'\n', &mut line)).await;
            read.map_err(|_| "nothing came".to_owned())?.map_err(|error| error.to_string())?;
            Ok::<_, String>(line)
        })?;
        if line.is_empty() {
            return Err("the server closed the stream".to_owned());
        }
        let line = String::from_utf8(line).map_err(|error| error.to_string())?;
        assert!(line.ends_with('\n'), "not a whole line: {line}");
        let message: Value = serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))?;
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Ok(message)
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// Sends any bytes and a line end.
    pub(crate) fn send_line(&mut self, bytes: &[u8]) {
        let line = [bytes, b"\n"].concat();
        self.send_bytes(&line).unwrap();
    }

    /// Sends any bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let input = &mut self.input;
        self.runtime.block_on(async {
            let sent = tokio::time::timeout(PATIENCE, input.write_all(bytes)).await;
            sent.unwrap_or_else(|_| Err(io::Error::other("the server does not read")))
        })
    }

    /// Fails unless the server answers a proper call.
    pub(crate) fn assert_alive(&mut self, after: &str) {
        let answer = self.ask("tools/call", json!({"name": "list_pages", "arguments": {}}));
        assert!(answer["result"]["structuredContent"]["pages"].is_array(), "after {after}: {answer}");
    }

    /// Ends the input, waits for the server to end, and gives back what it still had to say.
    pub(crate) fn hang_up(mut self) -> (io::Result<()>, Vec<u8>) {
        self.runtime.block_on(async {
            self.input.shutdown().await.unwrap();
            let end = async {
                let mut rest = Vec::new();
                self.output.read_to_end(&mut rest).await.unwrap();
                (self.served.await.unwrap(), rest)
            };
            tokio::time::timeout(PATIENCE, end).await.expect("the server has not ended")
        })
    }

    /// Whether anything comes within that time. Only for showing that something does come too early or at all.
    pub(crate) fn is_silent_for(&mut self, time: Duration) -> bool {
        let output = &mut self.output;
        self.runtime.block_on(async { tokio::time::timeout(time, output.fill_buf()).await.is_err() })
    }
}

pub(crate) fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    })
}

pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    })
}
