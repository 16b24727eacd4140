//! What every request of a server shares: the engine, the tools on offer, and room to work in.

use std::sync::{Arc, Mutex, PoisonError};

use docent_engine::{Engine, EngineError};
use docent_health::Health;
use docent_library::Library;
use tokio::sync::Semaphore;

use crate::facets::Facets;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::offer::Offer;
use crate::prompts::Template;
use crate::reach::reach;
use crate::server::ServerOptions;
use crate::table::{Effect, ToolSpec, Toolset};
use crate::writing::Places;

/// Calls that read, and are worked on at once; more are told to come back.
const MAX_CALLS: usize = 64;

/// What clones of a server share.
pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    /// The collections that the settings name; see `reach`.
    named: Arc<[String]>,
    pub(crate) library: Option<Arc<Library>>,
    pub(crate) health: Option<Arc<Health>>,
    pub(crate) tools: Vec<&'static ToolSpec>,
    pub(crate) prompts: Vec<Template>,
    pub(crate) metrics: Metrics,
    pub(crate) calls: Semaphore,
    /// One place for each core: work that only computes is done sooner in turn than all at once.
    pub(crate) cores: Semaphore,
    /// Where calls that write wait for their turn.
    pub(crate) writing: Places,
    offer: Mutex<Arc<Offer>>,
    pub(crate) notices: Arc<Notices>,
}

impl Shared {
    /// Over `engine`; the error says which tool or toolset does not exist.
    pub(crate) fn new(engine: Arc<Engine>, options: ServerOptions) -> Result<Self, String> {
        let mut tools = options.choice.pick()?;
        let (library, health) = (options.library.as_ref(), options.health.as_ref());
        tools.retain(|tool| match tool.toolset {
            Toolset::Health => {
                health.is_some_and(|health| tool.effect == Effect::Reads || health.takes_reports())
            }
            _ => library.is_some() || tool.effect == Effect::Reads,
        });
        if tools.is_empty() {
            return Err(
                "no tool is left to offer: every chosen tool writes, and this index is only read".to_owned()
            );
        }
        Ok(Self {
            named: options.collections.into(),
            library: options.library,
            health: options.health,
            tools,
            prompts: options.prompts,
            metrics: Metrics::default(),
            calls: Semaphore::new(MAX_CALLS),
            cores: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from) + 1),
            writing: Places::default(),
            offer: Mutex::default(),
            notices: Arc::new(Notices::new()),
            engine,
        })
    }

    /// The names of the collections that are served now; none means all.
    pub(crate) fn scope(&self) -> Result<Vec<String>, EngineError> {
        reach(&self.engine, &self.named)
    }

    /// Tells everybody of changes for as long as the server lives.
    pub(crate) fn watch(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.notices).watch(Arc::clone(&self.engine), Arc::clone(&self.named))
    }

    /// The tools with the facets of the index; built again only when documents have changed.
    pub(crate) fn offer(&self) -> Result<Arc<Offer>, EngineError> {
        let generation = self.engine.content_generation()?;
        let known = self.known_offer();
        if known.facets.generation == generation && !known.facets.names.ids().is_empty() {
            return Ok(known);
        }
        let offer = Arc::new(Offer::new(&self.tools, Facets::of(&self.engine, &self.scope()?)?));
        *self.offer.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&offer);
        Ok(offer)
    }

    /// The tools with the facets of the files as they are now.
    pub(crate) fn fresh_offer(&self) -> Result<Arc<Offer>, EngineError> {
        self.engine.look_for_changes();
        self.offer()
    }

    /// The tools as they were last built.
    pub(crate) fn known_offer(&self) -> Arc<Offer> {
        Arc::clone(&self.offer.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
