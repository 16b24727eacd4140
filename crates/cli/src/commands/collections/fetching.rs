//! Brings a listed collection into the index: a folder is read where it is, everything else is fetched first.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use docent_authoring::Manifest;
use docent_engine::{Cancel, Card, CatalogueEntry, Freshness, IngestReport, Outcome, Source};
use docent_index::Filter;
use docent_sources::{Context, Fetched};
use serde::Serialize;

use super::bundled;
use crate::collections::Listed;
use crate::errors::{CliError, plain_io};
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::wiring::{self, Opened, Vectors};

/// What a killed run left behind is removed after this long.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// What became of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It was not here before.
    Added,
    /// Its documents or what is known of it changed.
    Changed,
    /// Everything was as it should be.
    Unchanged,
    /// The run was stopped; what was there before is as it was.
    Stopped,
}

/// A collection after it was brought here.
#[derive(Debug, Serialize)]
pub(super) struct Brought {
    pub(super) name: String,
    pub(super) state: State,
    /// Where it comes from.
    pub(super) source: String,
    pub(super) version: Option<String>,
    pub(super) description: Option<String>,
    /// What was fetched: a commit, or a hash.
    pub(super) revision: Option<String>,
    /// Documents and chunks in the index.
    pub(super) documents: usize,
    pub(super) chunks: usize,
    /// What was done with the documents.
    #[serde(flatten)]
    pub(super) report: IngestReport,
    /// Vectors that came along.
    pub(super) vectors_fetched: usize,
}

/// An index that collections are brought into.
pub(super) struct Desk<'a> {
    pub(super) opened: Opened,
    settings: &'a Settings,
    printer: &'a Printer,
    cancel: &'a Cancel,
}

impl<'a> Desk<'a> {
    /// Opens the index of the settings.
    pub(super) fn open(
        settings: &'a Settings,
        vectors: Vectors,
        printer: &'a Printer,
        cancel: &'a Cancel,
    ) -> Result<Self, CliError> {
        let store = wiring::open_store(settings, printer)?;
        let (sources, names) = (Vec::new(), Vec::new());
        let opened =
            wiring::open_engine(settings, store, sources, names, vectors, Freshness::Synced, printer)?;
        Ok(Self { opened, settings, printer, cancel })
    }

    /// Brings one collection in line with its source. `force` fetches again what has not changed.
    pub(super) fn bring(&self, listed: &Listed, force: bool) -> Result<Brought, CliError> {
        self.refuse_library(&listed.name)?;
        let before = self.entry(&listed.name)?;
        let (report, vectors_fetched) = match listed.live_source() {
            Some(source) => (Some(self.read_in_place(source?)?), 0),
            None => match self.fetch(listed, before.as_ref().filter(|_| !force))? {
                Some((report, vectors)) => (Some(report), vectors),
                None => (None, 0),
            },
        };
        let is_unchanged =
            |report: &IngestReport| report.added + report.changed + report.deleted == 0 && !report.cancelled;
        let state = match (&before, &report) {
            (_, Some(report)) if report.cancelled => State::Stopped,
            (None, _) => State::Added,
            (Some(_), None) => State::Unchanged,
            (Some(_), Some(report)) if is_unchanged(report) => State::Unchanged,
            (Some(_), Some(_)) => State::Changed,
        };
        let after = self.entry(&listed.name)?;
        let (documents, chunks) = after.as_ref().map_or((0, 0), |entry| (entry.documents, entry.chunks));
        let card = after.map(|entry| entry.card).unwrap_or_default();
        Ok(Brought {
            name: listed.name.clone(),
            state,
            source: listed.source(),
            version: card.version.or_else(|| listed.named_version()),
            description: card.description,
            revision: card.revision,
            documents,
            chunks,
            report: report.unwrap_or_else(|| all_unchanged(documents)),
            vectors_fetched,
        })
    }

    /// Gives every passage of these collections its vector. False when it was stopped.
    pub(super) fn embed<'b>(&self, brought: impl IntoIterator<Item = &'b Brought>) -> Result<bool, CliError> {
        let engine = &self.opened.engine;
        let names: Vec<String> = brought.into_iter().map(|brought| brought.name.clone()).collect();
        let Some(embedder) = engine.embedder().filter(|_| !names.is_empty()) else { return Ok(true) };
        let only = Filter { collections: Some(names.clone()), ..Filter::default() };
        let before = engine.snapshot()?.counts(Some(embedder.model()), &only);
        if before.embedded == before.passages {
            return Ok(true);
        }
        let progress = Progress::new(self.printer);
        let outcome = engine.embed_in(&names, None, &progress, self.cancel);
        drop(progress);
        Ok(outcome? == Outcome::Complete)
    }

    pub(super) fn entry(&self, name: &str) -> Result<Option<CatalogueEntry>, CliError> {
        let names = [name.to_owned()];
        Ok(self.opened.engine.catalogue(&names)?.into_iter().next())
    }

    /// Whether documents of a library of this name are lost and could not be put back.
    pub(super) fn has_lost(&self, name: &str) -> bool {
        self.opened.engine.unrestored().iter().any(|lost| lost.library == name)
    }

    /// What was handed over cannot be had again, so nothing takes its name.
    pub(super) fn refuse_library(&self, name: &str) -> Result<(), CliError> {
        if !self.opened.engine.libraries()?.iter().any(|library| library == name) {
            return Ok(());
        }
        Err(CliError::usage(
            format!("there is a library `{name}` already"),
            format!(
                "choose another name; `docent ingest --library {name} FILE` adds documents to the library"
            ),
        ))
    }

    fn read_in_place(&self, source: Source) -> Result<IngestReport, CliError> {
        let store = Arc::clone(&self.opened.store);
        let names = vec![source.collection.clone()];
        let opened = wiring::open_engine(
            self.settings,
            store,
            vec![source],
            names,
            Vectors::Unused,
            Freshness::Synced,
            self.printer,
        )?;
        let reports = crate::sync::bring_up_to_date(&opened.engine, None, self.printer, self.cancel)?;
        Ok(reports.into_iter().next().unwrap_or_default())
    }

    /// `None` when the source still has what is indexed.
    fn fetch(
        &self,
        listed: &Listed,
        before: Option<&CatalogueEntry>,
    ) -> Result<Option<(IngestReport, usize)>, CliError> {
        let source = listed.source();
        let is_same =
            |card: &&Card| card.source.as_ref() == Some(&source) && card.rules == Some(listed.fingerprint());
        let known = before.filter(|entry| entry.documents > 0).map(|entry| &entry.card).filter(is_same);
        let folder = self.scratch()?;
        let cache = self.settings.cache.value.join("sources");
        let context = Context {
            cache: &cache,
            project: self.settings.project.as_deref(),
            known_revision: known.and_then(|card| card.revision.as_deref()),
            expected_hash: listed.section.hash.as_deref(),
            is_cancelled: &|| self.cancel.is_cancelled(),
        };
        let fetched = match docent_sources::fetch(listed.spec()?, &context, folder.path()) {
            Ok(docent_sources::Outcome::Unchanged) => return Ok(None),
            Ok(docent_sources::Outcome::Fetched(fetched)) => *fetched,
            Err(_) if self.cancel.is_cancelled() => return Ok(Some((stopped(), 0))),
            Err(error) => return Err(error.into()),
        };
        for note in &fetched.notes {
            self.printer.note(format_args!("{}: {}", listed.name, clean(note)));
        }
        let documents = self.source_of(listed, &fetched, source)?;
        let progress = Progress::new(self.printer);
        let report = self.opened.engine.replace(&documents, &progress, self.cancel)?;
        let vectors = match &fetched.vectors {
            Some(bundled) if !report.cancelled => {
                let (engine, store) = (&self.opened.engine, &*self.opened.store);
                bundled::take(engine, store, &listed.name, bundled, self.printer)?
            }
            _ => 0,
        };
        Ok(Some((report, vectors)))
    }

    fn source_of(&self, listed: &Listed, fetched: &Fetched, source: String) -> Result<Source, CliError> {
        let mut rules = listed.rules();
        if listed.section.include.is_empty() && !fetched.include.is_empty() {
            rules.include.clone_from(&fetched.include);
        }
        let said = &mut rules.card;
        said.description = said.description.take().or_else(|| fetched.description.clone());
        said.version = said.version.take().or_else(|| fetched.version.clone());
        said.source = Some(source);
        said.revision.clone_from(&fetched.revision);
        said.rules = Some(listed.fingerprint());
        said.synced_ms = Some(now_ms());
        said.metadata.clone_from(&fetched.metadata);
        if !fetched.metadata.is_empty() {
            let metadata = serde_json::json!({ "metadata": fetched.metadata });
            let (manifest, findings) = Manifest::from_value(&metadata);
            for finding in findings {
                self.printer.note(format_args!("{}: {}", listed.name, clean(&finding.message)));
            }
            rules.manifest = manifest;
        }
        Ok(Source::new(&listed.name, &fetched.root, &rules)?)
    }

    /// An empty folder that goes when it is no longer needed.
    fn scratch(&self) -> Result<tempfile::TempDir, CliError> {
        let place = self.settings.cache.value.join("fetching");
        let made = std::fs::create_dir_all(&place).and_then(|()| {
            clear_abandoned(&place);
            tempfile::tempdir_in(&place)
        });
        made.map_err(|error| {
            CliError::failed(
                format!("cannot make a folder in {}: {}", place.display(), plain_io(&error)),
                "name a folder that you may write to with DOCENT_CACHE_DIR",
            )
        })
    }
}

impl Brought {
    /// What happened, in one line.
    pub(super) fn line(&self) -> String {
        let name = clean(&self.name);
        let sizes = format!("{}, {}", counted(self.documents, "document"), counted(self.chunks, "chunk"));
        match self.state {
            State::Added => format!("Added {name}: {sizes}"),
            State::Changed => {
                format!("Synced {name}: {sizes} ({})", crate::sync::changes(&self.report).join(", "))
            }
            State::Unchanged => format!("{name} is up to date: {sizes}"),
            State::Stopped => format!("{name}: stopped; it is as it was"),
        }
    }
}

fn stopped() -> IngestReport {
    let mut report = IngestReport::default();
    report.cancelled = true;
    report
}

fn all_unchanged(documents: usize) -> IngestReport {
    let mut report = IngestReport::default();
    (report.files, report.unchanged) = (documents, documents);
    report
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn clear_abandoned(place: &PathBuf) {
    let Ok(entries) = std::fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        if age.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age > ABANDONED) {
            // Only in the way; the next run tries again.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
