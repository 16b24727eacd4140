//! The stdio transport: one message a line, nothing else on stdout, an answer to every broken line.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use crate::frame::{self, MAX_FRAME_BYTES, Refusal};

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
    let lines = Lines { input, output: Arc::new(Mutex::new(output)), opened: false };
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
    /// Whether the client has made a request. Until then rmcp ends the connection over anything else.
    opened: bool,
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
        let output = Arc::clone(&self.output);
        async move { write(&output, serde_json::to_vec(&item)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = match read_line(&mut self.input).await.ok()? {
                Line::End => return None,
                Line::TooLong => Err(Refusal::new(
                    Refusal::INVALID_REQUEST,
                    format!("the message is longer than {MAX_FRAME_BYTES} bytes"),
                )),
                Line::Whole(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Line::Whole(line) => frame::read(&line),
            };
            match message {
                Ok(message) if self.opened || opens(&message) => {
                    self.opened = true;
                    return Some(message);
                }
                Ok(message @ ClientJsonRpcMessage::Request(_)) => return Some(message),
                Ok(_) => {}
                Err(refusal) => write(&self.output, refusal.to_json().to_string().into_bytes()).await.ok()?,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

/// Whether a message ends the time in which only requests are understood.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            !matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_))
        }
        _ => false,
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Mutex<W>, mut line: Vec<u8>) -> io::Result<()> {
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

/// Reads up to the next line end. A line that is too long is passed over without being kept.
async fn read_line<R: AsyncBufRead + Unpin>(input: &mut R) -> io::Result<Line> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let available = match input.fill_buf().await {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            outcome => outcome?,
        };
        if available.is_empty() {
            return Ok(match (too_long, line.is_empty()) {
                (true, _) => Line::TooLong,
                (false, true) => Line::End,
                (false, false) => Line::Whole(line),
            });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(available.len());
        too_long |= line.len() + taken > MAX_FRAME_BYTES;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(&available[..taken]);
        }
        input.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole(line) });
        }
    }
}
