//! Connections to the database: a small runtime of the store's own that drives them, and a pool.
//!
//! Whatever waits for the server has a limit, so that an outage is an error within seconds and not a hang.

use std::future::Future;
use std::thread;
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Client, Hook, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime as PoolRuntime, Timeouts,
};
use docent_index::StoreError;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address;
use crate::attend::attended;
use crate::fault::{Fault, Outcome};
use crate::presence::Presence;
use crate::wait::block_on;

/// A connection that is encrypted, or not.
pub(crate) type Connection =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// How long the whole catalogue is waited for.
pub(crate) const CATALOGUE: Duration = Duration::from_secs(120);

/// How often a read is tried again where no connection can be made, or one broke.
const MORE_ATTEMPTS: usize = 3;
/// What the threads that drive connections get to notice which others were ended as well.
const NOTICING: Duration = Duration::from_millis(10);

/// Names mean what the server defines: whoever may make functions in another schema must not have them called here.
const OWN_NAMES: &str = "SET search_path = pg_catalog, pg_temp";

/// The way to the database.
pub(crate) struct Link {
    /// Taken when the link ends.
    runtime: Option<Runtime>,
    pool: Pool,
    way: Way,
    /// How long a connection, and a question that costs nothing, is waited for.
    outage: Duration,
    /// The address without its password.
    pub(crate) place: String,
    /// Why a file of passwords was not used.
    remark: Option<String>,
    presence: Presence,
}

/// How a connection is made that is not the pool's.
#[derive(Clone)]
pub(crate) struct Way {
    config: Config,
    tls: MakeRustlsConnect,
}

impl Way {
    /// A connection that somebody has to drive, and that ends when its client is dropped.
    pub(crate) async fn connect(&self) -> Outcome<(tokio_postgres::Client, Connection)> {
        Ok(self.config.connect(self.tls.clone()).await?)
    }
}

impl Link {
    /// Prepares connections; none is made yet.
    pub(crate) fn new(url: &str, connections: usize, outage: Duration) -> Result<Self, String> {
        Self::with(url, connections, outage, statement_limit(outage), "")
    }

    /// As [`Link::new`], for connections that read unless a transaction says otherwise, with another limit on statements.
    pub(crate) fn reading(
        url: &str,
        connections: usize,
        outage: Duration,
        statement: Duration,
    ) -> Result<Self, String> {
        Self::with(url, connections, outage, statement, "; SET default_transaction_read_only = on")
    }

    fn with(
        url: &str,
        connections: usize,
        outage: Duration,
        statement: Duration,
        also: &str,
    ) -> Result<Self, String> {
        let (mut config, encryption, remark) = address::read_with_password(url)?;
        let tls = encryption.connector()?;
        config.connect_timeout(outage).keepalives_idle(Duration::from_secs(10)).tcp_user_timeout(statement);
        if config.get_application_name().is_none() {
            config.application_name("docent");
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("docent-postgres")
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config.clone(), tls.clone(), recycling);
        // Compiling a statement takes longer than any of ours runs, and estimates of lookups one by one invite it.
        let settings =
            format!("{OWN_NAMES}; SET statement_timeout = {}; SET jit = off{also}", statement.as_millis());
        let timeouts = Timeouts { wait: Some(outage), create: Some(outage), recycle: Some(outage) };
        let pool = Pool::builder(manager)
            .max_size(connections)
            .timeouts(timeouts)
            .runtime(PoolRuntime::Tokio1)
            .post_create(Hook::async_fn(move |client, _| {
                let settings = settings.clone();
                Box::pin(async move {
                    client.batch_execute(&settings).await.map_err(deadpool_postgres::HookError::Backend)
                })
            }))
            .build()
            .map_err(|error| error.to_string())?;
        let place = address::place(&config);
        Ok(Self {
            runtime: Some(runtime),
            pool,
            way: Way { config, tls },
            outage,
            place,
            remark,
            presence: Presence::default(),
        })
    }

    /// Whether the server was there when it was last asked for, and who is told when that changes.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// The error for the caller.
    pub(crate) fn told(&self, fault: Fault) -> StoreError {
        match (fault.at(&self.place), &self.remark) {
            (StoreError::Refused { place, detail }, Some(remark)) => {
                StoreError::Refused { place, detail: format!("{detail}; {remark}") }
            }
            (error, _) => error,
        }
    }

    pub(crate) fn pool(&self) -> Pool {
        self.pool.clone()
    }

    /// How to connect beside the pool.
    pub(crate) fn way(&self) -> Way {
        self.way.clone()
    }

    /// Does something beside what callers wait for, for as long as the link is there.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }

    /// How long a question that costs nothing is waited for.
    pub(crate) fn trifle(&self) -> Duration {
        self.outage
    }

    /// How long a search is waited for: a little longer than the server goes on with a statement.
    pub(crate) fn search(&self) -> Duration {
        statement_limit(self.outage) + Duration::from_secs(2)
    }

    /// Lifts the limit on statements of a connection, or sets it again.
    pub(crate) fn limit(&self, is_limited: bool) -> String {
        let limit = if is_limited { statement_limit(self.outage).as_millis() } else { 0 };
        format!("SET statement_timeout = {limit}")
    }

    /// Waits for `work`.
    pub(crate) fn wait<F: Future>(&self, work: F) -> F::Output {
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        block_on(work)
    }

    /// Waits for `work` for as long as the server is there. Who writes has more to lose than time, and a server that is busy
    /// beyond measure may be silent for a while: it is given up after about eight seconds.
    pub(crate) fn attend<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let done = self.wait(async { self.settled(attended(self, 4, work).await) });
        self.presence.note(&self.place, &done);
        done
    }

    /// Waits for `work`, and not longer than this.
    pub(crate) fn wait_for<T>(&self, limit: Duration, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.wait(async {
            let done = tokio::time::timeout(limit, attended(self, 1, work)).await;
            let late = |_| Err(Fault::Unreachable(format!("no answer within {limit:?}")));
            self.settled(done.unwrap_or_else(late))
        })
    }

    /// Where one connection does not answer or was ended, the others that wait in the pool probably do not, either.
    fn settled<T>(&self, done: Outcome<T>) -> Outcome<T> {
        if done.as_ref().is_err_and(Fault::is_cut_off) {
            self.pool.retain(|_, _| false);
        }
        done
    }

    /// A connection.
    pub(crate) async fn client(&self) -> Outcome<Client> {
        Ok(self.pool.get().await?)
    }

    /// A connection that answers, for who cannot begin anew when it turns out to be gone.
    pub(crate) async fn sound_client(&self) -> Outcome<Client> {
        loop {
            let client = self.client().await?;
            match tokio::time::timeout(self.outage / 2, client.batch_execute("")).await {
                Ok(Ok(())) => return Ok(client),
                // The pool takes it out when it is given back; a new connection says what is wrong.
                Ok(Err(_)) => drop(client),
                Err(_) => {
                    drop(client);
                    self.pool.retain(|_, _| false);
                }
            }
        }
    }

    /// Reads within a time. A connection that was lost meanwhile is no reason to fail: it is tried again, more than once,
    /// because the next one may come from somebody who did not notice yet that it was lost, too. So is one that does not
    /// answer a trifle: the way through some network may have forgotten it.
    pub(crate) fn read<T, F: Future<Output = Outcome<T>>>(
        &self,
        limit: Duration,
        work: impl Fn() -> F,
    ) -> Outcome<T> {
        let is_trifle = limit <= self.outage;
        let each = if is_trifle { limit / 2 } else { limit };
        let begun = Instant::now();
        let mut done = self.wait_for(each, work());
        let mut failures = 0;
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let is_worth_it = match &done {
                // Whoever ends connections is there, so nothing but the time speaks against another one.
                Err(Fault::Postgres(error)) if Fault::from_is_ended(error) => {
                    thread::sleep(NOTICING.min(left));
                    true
                }
                Err(Fault::Postgres(error)) => {
                    failures += 1;
                    Fault::from_is_cut_off(error) && failures <= MORE_ATTEMPTS
                }
                Err(Fault::Unreachable(_)) => {
                    failures += 1;
                    is_trifle && failures == 1
                }
                _ => false,
            };
            if !is_worth_it || left.is_zero() {
                break;
            }
            done = self.wait_for(if is_trifle { each.min(left) } else { each }, work());
        }
        self.presence.note(&self.place, &done);
        done.map_err(Fault::while_reading)
    }

    /// A connection that belongs to nobody else and ends when its client is dropped.
    pub(crate) async fn own_client(&self) -> Outcome<tokio_postgres::Client> {
        let (client, connection) = self.way.connect().await?;
        tokio::spawn(connection);
        client.batch_execute(OWN_NAMES).await?;
        Ok(client)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Waiting for its threads is forbidden on threads of another runtime.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The longest that a statement of a search may take on the server; writers lift it.
fn statement_limit(outage: Duration) -> Duration {
    outage + Duration::from_secs(3)
}
