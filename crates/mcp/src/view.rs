//! What a caller sees of the server: the engine, what takes documents in, docs health and the tools, all of them limited to the
//! collections that the caller's token is for.
//!
//! This is the one place where that is decided. Tools, resources, completions and the greeting work with what they are given and
//! know nothing of it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use docent_engine::{Access, Engine, EngineError};
use docent_health::Health;
use docent_library::Library;

use crate::facets::Facets;
use crate::offer::Offer;
use crate::reach::reach;
use crate::table::ToolSpec;

/// How long it is remembered where collections lie.
const FOLDERS_KEPT: Duration = Duration::from_secs(1);

/// What some callers see of the server.
pub(crate) struct View {
    pub(crate) access: Access,
    pub(crate) engine: Arc<Engine>,
    pub(crate) library: Option<Arc<Library>>,
    pub(crate) health: Option<Arc<Health>>,
    tools: Vec<&'static ToolSpec>,
    /// The collections that the settings name; see `reach`.
    named: Arc<[String]>,
    offer: Mutex<Arc<Offer>>,
}

impl View {
    /// Everything.
    pub(crate) fn whole(
        engine: Arc<Engine>,
        library: Option<Arc<Library>>,
        health: Option<Arc<Health>>,
        tools: Vec<&'static ToolSpec>,
        named: Arc<[String]>,
    ) -> Self {
        Self { access: Access::All, engine, library, health, tools, named, offer: Mutex::default() }
    }

    /// As much of it as `access` lets through, for whoever runs the server: files of this machine can be taken in as ever.
    pub(crate) fn with_files(&self, access: &Access) -> Self {
        let engine = Arc::new(self.engine.limited(access));
        let library = self.library.as_ref().map(|library| library.over(Arc::clone(&engine)));
        let health = self.health.as_ref().map(|health| self.limited_health(health, &engine, access));
        Self {
            access: access.clone(),
            library: library.map(Arc::new),
            health: health.map(Arc::new),
            tools: self.tools.clone(),
            named: Arc::clone(&self.named),
            offer: Mutex::default(),
            engine,
        }
    }

    /// As much of it as `access` lets through, for a caller. Files of this machine belong to no collection and may be those of
    /// one that is not to be known of, so none can be taken in.
    pub(crate) fn without_files(&self, access: &Access) -> Self {
        let view = self.with_files(access);
        let library = view.library.as_ref().map(|library| Arc::new(library.without_files()));
        let tools = self.tools.iter().copied().filter(|tool| !tool.reads_files()).collect();
        Self { library, tools, ..view }
    }

    /// Docs health of files in folders of collections that may be known of. Files in no such folder belong to the repository, and
    /// are seen by who may know of the collection that has the repository's name.
    fn limited_health(&self, health: &Health, engine: &Arc<Engine>, access: &Access) -> Health {
        let folders = |engine: &Engine| -> Vec<PathBuf> {
            engine.folders().into_iter().map(|(_, folder)| folder).collect()
        };
        let seen = folders(engine);
        // Who may know of another repository than the one around the server is told of that one.
        let about: Vec<&Health> = seen.iter().filter_map(|folder| health.around(folder)).collect();
        let health = match about.iter().any(|about| std::ptr::eq(*about, health)) {
            true => health,
            false => about.first().copied().unwrap_or(health),
        };
        let root = health.identity().root.clone();
        let is_theirs = access.allows(&health.identity().to_string());
        let (part, whole) = (Arc::clone(engine), Arc::clone(&self.engine));
        let known = Mutex::new((Instant::now(), seen, folders(&whole)));
        health.limited(Arc::new(move |file: &str| {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            // Collections come and go, and this is asked of every file.
            if known.0.elapsed() > FOLDERS_KEPT {
                *known = (Instant::now(), folders(&part), folders(&whole));
            }
            let file = root.join(file);
            // A collection may lie in the folder of another: the innermost counts.
            let depth = |folders: &[PathBuf]| {
                let around = folders.iter().filter(|folder| file.starts_with(folder));
                around.map(|folder| folder.components().count()).max()
            };
            match (depth(&known.1), depth(&known.2)) {
                (None, all) => is_theirs && all.is_none(),
                (seen, all) => seen >= all,
            }
        }))
    }

    /// Whether there is more than this.
    pub(crate) fn is_limited(&self) -> bool {
        self.access != Access::All
    }

    /// The tools that can be called.
    pub(crate) fn tools(&self) -> &[&'static ToolSpec] {
        &self.tools
    }

    /// The names of the collections that are served now; none means all there are for this view.
    pub(crate) fn scope(&self) -> Result<Vec<String>, EngineError> {
        reach(&self.engine, &self.named)
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
