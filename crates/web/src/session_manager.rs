//! rmcp's sessions under our rules.
//!
//! rmcp keeps sessions without a limit and asks its manager for one by id only. This manager wraps rmcp's own and puts
//! [`Sessions`] in front: it opens a session with the seat that the route reserved, and finds one for its owner only.
//! Who is asking travels beside the call in a task-local, because rmcp's trait has no room for it.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use docent_mcp::Caller;
use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

use crate::sessions::{Seat, Sessions};

tokio::task_local! {
    static PASSAGE: Passage;
}

/// Who is asking, and the seat of the session that they may open.
#[derive(Debug)]
pub(crate) struct Passage {
    caller: Caller,
    seat: Mutex<Option<Seat>>,
}

impl Passage {
    pub(crate) fn new(caller: Caller, seat: Option<Seat>) -> Self {
        Self { caller, seat: Mutex::new(seat) }
    }

    /// Runs a call of rmcp's service in the name of the caller.
    pub(crate) async fn run<F: Future>(self, call: F) -> F::Output {
        PASSAGE.scope(self, call).await
    }

    fn take_seat(&self) -> Option<Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// rmcp's session manager under our rules.
#[derive(Debug)]
pub(crate) struct OwnedSessions {
    sessions: Arc<Sessions>,
    inner: Arc<LocalSessionManager>,
}

impl OwnedSessions {
    pub(crate) fn new(sessions: Arc<Sessions>) -> Self {
        let mut inner = LocalSessionManager::default();
        // `Sessions` knows better when a session is idle: rmcp counts an open stream without messages as idle.
        inner.session_config.keep_alive = None;
        Self { sessions, inner: Arc::new(inner) }
    }
}

type Error = LocalSessionManagerError;

impl SessionManager for OwnedSessions {
    type Error = Error;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Error> {
        let seat = PASSAGE.try_with(Passage::take_seat).ok().flatten();
        let seat = seat.ok_or_else(|| SessionError::Io(io::Error::other("no seat was reserved")))?;
        let (id, transport) = self.inner.create_session().await?;
        let over = self.sessions.open(&id, seat);
        let (inner, ended) = (self.inner.clone(), id.clone());
        tokio::spawn(async move {
            over.cancelled().await;
            let _ = inner.close_session(&ended).await;
        });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Error> {
        let owned = PASSAGE.try_with(|passage| self.sessions.has(id, &passage.caller)).unwrap_or(false);
        Ok(owned && self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Error> {
        self.sessions.close(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Error> {
        self.inner.resume(id, last_event_id).await
    }
}
