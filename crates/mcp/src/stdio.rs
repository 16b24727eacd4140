//! The stdio transport: one message a line, nothing else on stdout, an answer to every broken line.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, GetMeta, JsonRpcNotification, JsonRpcRequest, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::frame::{self, MAX_FRAME_BYTES, Refusal};

/// Time for requests that were cancelled at the end to come to theirs.
const SETTLE: Duration = Duration::from_millis(50);

/// Serves one client on stdin and stdout until stdin ends.
pub async fn serve_stdio<H: ServerHandler>(handler: H) -> io::Result<()> {
    serve(handler, BufReader::with_capacity(64 * 1024, tokio::io::stdin()), tokio::io::stdout()).await
}

/// Serves one client on any pair of streams until the input ends.
pub async fn serve<H, R, W>(handler: H, input: R, output: W) -> io::Result<()>
where
    H: ServerHandler,
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = Lines {
        input,
        output: Arc::new(Mutex::new(output)),
        opened: false,
        line: Vec::new(),
        too_long: false,
        refusing: None,
        open: OpenIds::default(),
        listening: Vec::new(),
        cancelled: false,
    };
    match handler.serve(lines).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // The client went away before it said anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

struct Lines<R, W> {
    input: R,
    output: Arc<Mutex<W>>,
    /// Whether the client has opened a session. Until then rmcp ends the connection over anything but a request.
    opened: bool,
    /// What has come of a line. rmcp drops `receive` whenever something else happens first; nothing may be lost with it.
    line: Vec<u8>,
    /// Whether the line has grown too long and is passed over.
    too_long: bool,
    /// A refusal that is being written, for the same reason.
    refusing: Option<JoinHandle<io::Result<()>>>,
    /// Requests that wait for their answer.
    open: OpenIds,
    /// Requests that end only when they are cancelled. rmcp would wait for them after the input has ended.
    listening: Vec<RequestId>,
    /// Whether some of these were cancelled because the input has ended.
    cancelled: bool,
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.open.close(&item);
        let output = Arc::clone(&self.output);
        async move { write(output, serde_json::to_vec(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.finish_refusing().await.ok()?;
            let message = match self.read_line().await.ok()? {
                Line::End => match self.listening.pop() {
                    Some(id) => {
                        self.cancelled = true;
                        return Some(cancelled(id));
                    }
                    None if self.cancelled => {
                        // rmcp stops passing on what handlers send as soon as this ends, and they would wait for that.
                        tokio::time::sleep(SETTLE).await;
                        return None;
                    }
                    None => return None,
                },
                Line::TooLong => Err(Refusal::new(
                    Refusal::INVALID_REQUEST,
                    format!("the message is longer than {MAX_FRAME_BYTES} bytes"),
                )),
                Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Line::Whole(line) => frame::read(&line).and_then(|message| self.open.check(message)),
            };
            match message {
                Ok(message) if self.opened || opens(&message) => {
                    self.opened = true;
                    self.note(&message);
                    return Some(message);
                }
                Ok(message @ ClientJsonRpcMessage::Request(_)) => return Some(message),
                // Nobody waits for an answer to a notification, however wrong it is.
                Err(Refusal { id: None, code: Refusal::INVALID_PARAMS, .. }) | Ok(_) => {}
                Err(refusal) => {
                    let line = refusal.to_json().to_string().into_bytes();
                    self.refusing = Some(tokio::spawn(write(Arc::clone(&self.output), line)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.finish_refusing().await?;
        self.output.lock().await.shutdown().await
    }
}

impl<R: AsyncBufRead + Unpin, W> Lines<R, W> {
    /// Keeps count of who listens.
    fn note(&mut self, message: &ClientJsonRpcMessage) {
        match message {
            ClientJsonRpcMessage::Request(JsonRpcRequest {
                id,
                request: ClientRequest::SubscriptionsListenRequest(_),
                ..
            }) => self.listening.push(id.clone()),
            ClientJsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => self.listening.retain(|id| Some(id) != cancelled.params.request_id.as_ref()),
            _ => {}
        }
    }

    async fn finish_refusing(&mut self) -> io::Result<()> {
        let Some(writing) = &mut self.refusing else { return Ok(()) };
        let written = writing.await;
        self.refusing = None;
        written.map_err(io::Error::other)?
    }

    /// Reads up to the next line end. A line that is too long is passed over without being kept.
    async fn read_line(&mut self) -> io::Result<Line> {
        loop {
            let available = match self.input.fill_buf().await {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                outcome => outcome?,
            };
            let ended = available.is_empty();
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.unwrap_or(available.len());
            self.too_long |= self.line.len() + taken > MAX_FRAME_BYTES;
            if self.too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(end.map_or(taken, |end| end + 1));
            if ended || end.is_some() {
                let line = std::mem::take(&mut self.line);
                return Ok(match (std::mem::take(&mut self.too_long), ended && line.is_empty()) {
                    (true, _) => Line::TooLong,
                    (false, true) => Line::End,
                    (false, false) => Line::Whole(line),
                });
            }
        }
    }
}

/// Ids of requests that wait for their answer. Two requests of one id would get one answer between them.
#[derive(Default)]
struct OpenIds(HashSet<RequestId>);

impl OpenIds {
    fn check(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        if let ClientJsonRpcMessage::Request(request) = &message
            && !self.0.insert(request.id.clone())
        {
            return Err(Refusal {
                id: Some(request.id.clone()),
                code: Refusal::INVALID_REQUEST,
                message: "a request of this id is still being answered".to_owned(),
            });
        }
        if let ClientJsonRpcMessage::Notification(JsonRpcNotification {
            notification: ClientNotification::CancelledNotification(cancelled),
            ..
        }) = &message
            && let Some(id) = &cancelled.params.request_id
        {
            // It gets no answer any more.
            self.0.remove(id);
        }
        Ok(message)
    }

    fn close(&mut self, answer: &TxJsonRpcMessage<RoleServer>) {
        match answer {
            ServerJsonRpcMessage::Response(response) => self.0.remove(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| self.0.remove(id)),
            _ => false,
        };
    }
}

/// What a client says that no longer waits for a request.
fn cancelled(id: RequestId) -> ClientJsonRpcMessage {
    let params = CancelledNotificationParam::new(Some(id), None);
    let notification = ClientNotification::CancelledNotification(CancelledNotification::new(params));
    ClientJsonRpcMessage::notification(notification)
}

/// Whether a message opens a session: it says hello, or brings all that a request has to bring without that.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    let meta = request.request.get_meta();
    let version = meta.protocol_version();
    match request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(output: Arc<Mutex<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
    End,
}
