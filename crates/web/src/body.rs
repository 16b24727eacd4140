//! Reads the body of a request: at most one message long, in bounded time, and never more bytes at once than the budget.
//!
//! The budget exists because bodies are read before a request counts as being worked on: a client that sends slowly
//! must not take the place of one that waits for an answer.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use docent_mcp::frame::MAX_FRAME_BYTES;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::reply::{INVALID_REQUEST, Reason, Refused};

/// Bytes that all bodies being read may take together.
const BUDGET: usize = 256 * 1024 * 1024;
/// The budget is handed out in pieces of this size.
const PIECE: usize = 64 * 1024;
/// A body that is too long is still read to this length, so that its sender gets to see the answer.
const READ_ON: usize = 4 * MAX_FRAME_BYTES;

/// Reads bodies.
#[derive(Debug, Clone)]
pub(crate) struct BodyReader {
    budget: Arc<Semaphore>,
    timeout: Duration,
}

impl BodyReader {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self { budget: Arc::new(Semaphore::new(BUDGET / PIECE)), timeout }
    }

    /// The whole body.
    pub(crate) async fn read(&self, body: Body, declared: Option<u64>) -> Result<Bytes, Refused> {
        if declared.is_some_and(|length| length > READ_ON as u64) {
            return Err(too_large());
        }
        match tokio::time::timeout(self.timeout, self.collect(body)).await {
            Ok(result) => result,
            Err(_) => Err(Refused::new(
                StatusCode::REQUEST_TIMEOUT,
                Reason::Slow,
                format!("the body did not arrive within {} seconds", self.timeout.as_secs()),
            )),
        }
    }

    async fn collect(&self, mut body: Body) -> Result<Bytes, Refused> {
        let mut held: Vec<OwnedSemaphorePermit> = Vec::new();
        let mut bytes = BytesMut::new();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                Refused::invalid(
                    StatusCode::BAD_REQUEST,
                    Reason::Frame,
                    "the body could not be read to its end",
                )
            })?;
            let Ok(data) = frame.into_data() else { continue };
            length += data.len();
            if length > READ_ON {
                break;
            }
            if length > MAX_FRAME_BYTES {
                bytes = BytesMut::new();
                held.clear();
                continue;
            }
            while held.len() * PIECE < length {
                let piece = self.budget.clone().try_acquire_owned();
                held.push(
                    piece.map_err(|_| {
                        Refused::busy("the server is busy: it is reading too many messages", 1)
                    })?,
                );
            }
            bytes.extend_from_slice(&data);
        }
        if length > MAX_FRAME_BYTES { Err(too_large()) } else { Ok(bytes.freeze()) }
    }
}

/// The length that the client says its body has.
pub(crate) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large() -> Refused {
    let message = format!("the message is longer than {MAX_FRAME_BYTES} bytes");
    Refused::new(StatusCode::PAYLOAD_TOO_LARGE, Reason::TooLarge, message).code(INVALID_REQUEST)
}
