//! What every request of a server shares: what each caller sees, and room to work in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use docent_engine::{Access, Engine};
use tokio::sync::Semaphore;

use crate::caller::Caller;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::prompts::Template;
use crate::server::ServerOptions;
use crate::table::{Effect, ToolSpec, Toolset};
use crate::view::View;
use crate::writing::Places;

/// Calls that read, and are worked on at once; more are told to come back.
const MAX_CALLS: usize = 64;

/// Views that are kept; when there are more, all are made again.
const MAX_VIEWS: usize = 64;

/// What clones of a server share.
pub(crate) struct Shared {
    /// What callers see who may see everything.
    pub(crate) whole: Arc<View>,
    /// What the others see.
    views: Mutex<HashMap<Access, Arc<View>>>,
    /// The collections that the settings name; see `reach`.
    named: Arc<[String]>,
    pub(crate) tools: Vec<&'static ToolSpec>,
    pub(crate) prompts: Vec<Template>,
    pub(crate) metrics: Metrics,
    pub(crate) calls: Semaphore,
    /// One place for each core: work that only computes is done sooner in turn than all at once.
    pub(crate) cores: Semaphore,
    /// Where calls that write wait for their turn.
    pub(crate) writing: Places,
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
        let named: Arc<[String]> = options.collections.into();
        let mut whole =
            View::whole(engine, options.library, options.health, tools.clone(), Arc::clone(&named));
        if let Some(only) = &options.only {
            whole = whole.with_files(only);
        }
        Ok(Self {
            whole: Arc::new(whole),
            views: Mutex::default(),
            named,
            tools,
            prompts: options.prompts,
            metrics: Metrics::default(),
            calls: Semaphore::new(MAX_CALLS),
            cores: Semaphore::new(std::thread::available_parallelism().map_or(2, usize::from) + 1),
            writing: Places::default(),
            notices: Arc::new(Notices::new()),
        })
    }

    /// What a caller sees.
    pub(crate) fn view(&self, caller: &Caller) -> Arc<View> {
        if caller.access == Access::All {
            return Arc::clone(&self.whole);
        }
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if views.len() >= MAX_VIEWS && !views.contains_key(&caller.access) {
            views.clear();
        }
        let make = || Arc::new(self.whole.without_files(&caller.access));
        Arc::clone(views.entry(caller.access.clone()).or_insert_with(make))
    }

    /// Tells everybody of changes for as long as the server lives.
    pub(crate) fn watch(&self) -> impl Future<Output = ()> + Send + 'static {
        Arc::clone(&self.notices).watch(Arc::clone(&self.whole.engine), Arc::clone(&self.named))
    }
}
