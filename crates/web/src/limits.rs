//! How much is worked on at once, and how long a place is taken.
//!
//! A place is held by everything that still works for the request: the response body and, through the extensions that
//! travel with the message, the handler itself. An older client that hangs up does not stop its handler, so its place
//! is free only when the handler is done.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body::Frame;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::config::Limits;
use crate::reply::Refused;

/// The places there are.
#[derive(Debug)]
pub(crate) struct Load {
    requests: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    limits: Limits,
}

/// A place that is taken until the last clone is gone.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Load {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(limits.requests)),
            streams: Arc::new(Semaphore::new(limits.streams)),
            limits: limits.clone(),
        }
    }

    /// A place for a request that is about to be worked on.
    pub(crate) fn request(&self) -> Result<Place, Refused> {
        let message = format!("the server is busy: it works on {} requests already", self.limits.requests);
        take(&self.requests).ok_or_else(|| Refused::busy(message, 1))
    }

    /// A place for a stream that waits for news.
    pub(crate) fn stream(&self) -> Result<Place, Refused> {
        let message = format!("the server is busy: {} streams are open already", self.limits.streams);
        take(&self.streams).ok_or_else(|| Refused::busy(message, 10))
    }

    /// Requests being worked on, and open streams.
    pub(crate) fn taken(&self) -> (usize, usize) {
        let taken = |all: usize, places: &Semaphore| all.saturating_sub(places.available_permits());
        (taken(self.limits.requests, &self.requests), taken(self.limits.streams, &self.streams))
    }

    /// How often a silent stream sends a comment.
    pub(crate) fn keep_alive(&self) -> Duration {
        self.limits.keep_alive
    }

    /// Waits until no request is being worked on.
    pub(crate) async fn drained(&self) {
        let all = u32::try_from(self.limits.requests).unwrap_or(u32::MAX);
        let _ = self.requests.acquire_many(all).await;
    }
}

fn take(places: &Arc<Semaphore>) -> Option<Place> {
    let permit = places.clone().try_acquire_owned().ok()?;
    Some(Place { _permit: Arc::new(permit) })
}

/// On a response: it waits for news, and how long it takes says nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenEnded;

/// Keeps `held` until the body of the response was sent or its reader is gone, and ends the body early when told to.
pub(crate) fn hold<T: Send + 'static>(
    response: Response,
    held: T,
    end: Option<CancellationToken>,
) -> Response {
    let end = end.map(|end| Box::pin(end.cancelled_owned()));
    response.map(|inner| Body::new(HeldBody { inner, held: Some(held), end }))
}

struct HeldBody<T> {
    inner: Body,
    held: Option<T>,
    end: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

// The fields are only ever reached through `&mut`, and `held` is never pinned.
impl<T> Unpin for HeldBody<T> {}

impl<T> http_body::Body for HeldBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if this.held.is_none() {
            return Poll::Ready(None);
        }
        let ended = this.end.as_mut().is_some_and(|end| end.as_mut().poll(cx).is_ready());
        let polled = if ended { Poll::Ready(None) } else { Pin::new(&mut this.inner).poll_frame(cx) };
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            this.held = None;
            this.end = None;
            this.inner = Body::empty();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        // A body that may end early must not promise a length.
        if self.end.is_some() { http_body::SizeHint::default() } else { self.inner.size_hint() }
    }
}
