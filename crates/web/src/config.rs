//! What the caller decides: who may ask, under which names the server answers, and how much it takes on at once.

use std::sync::Arc;
use std::time::Duration;

use prometheus_client::registry::Registry;

use crate::auth::Auth;

/// Settings of the HTTP side.
#[derive(Debug, Clone, Default)]
pub struct WebConfig {
    /// Hosts the server answers for beside the loopback names and the bound address: `docs.example.com` (on the bound
    /// port or none), `docs.example.com:8443`, `docs.example.com:*`.
    pub allowed_hosts: Vec<String>,
    /// Web origins that may call beside those of the allowed hosts: `https://app.example.com`, `http://10.0.0.7:*`.
    pub allowed_origins: Vec<String>,
    /// Also serve the deprecated pair `GET /sse` and `POST /messages`.
    pub sse: bool,
    /// Who may ask.
    pub auth: Auth,
    /// How much is taken on at once.
    pub limits: Limits,
}

/// How much the server takes on at once. What is over a limit is told so and may try again.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests being worked on.
    pub requests: usize,
    /// Open streams that wait for news: `GET /mcp`, `subscriptions/listen`, `GET /sse`.
    pub streams: usize,
    /// Sessions of clients that speak 2025-11-25 or older, on `/mcp` and `/sse` together.
    pub sessions: usize,
    /// TCP connections; more of them wait to be accepted.
    pub connections: usize,
    /// How long a session without a request or an open stream is kept.
    pub session_idle: Duration,
    /// How long a new session may wait for its second message. Guards the seats against clients that never come back.
    pub session_start: Duration,
    /// How long a client may take to send the head of a request; also how long an idle connection is kept.
    pub head_timeout: Duration,
    /// How long a client may take to send the body of a request.
    pub body_timeout: Duration,
    /// How long a client may leave a response unread before its connection is closed.
    pub write_timeout: Duration,
    /// How often a stream that has nothing to say sends a comment, so that nothing on the way closes it.
    pub keep_alive: Duration,
    /// How long requests may run on after the server was told to stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests: 64,
            streams: 512,
            sessions: 256,
            connections: 1024,
            session_idle: Duration::from_secs(30 * 60),
            session_start: Duration::from_secs(60),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(60),
            keep_alive: Duration::from_secs(15),
            grace: Duration::from_secs(5),
        }
    }
}

/// What the health routes look at.
pub struct Probes {
    /// Whether calls can be answered; the reason when not.
    pub ready: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// The caller's metrics; those of the HTTP side are added to them.
    pub metrics: Registry,
}

impl Default for Probes {
    fn default() -> Self {
        Self { ready: Arc::new(|| Ok(())), metrics: Registry::default() }
    }
}

impl std::fmt::Debug for Probes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Probes").finish_non_exhaustive()
    }
}
