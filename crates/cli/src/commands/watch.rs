//! `docent watch`: keep the index up to date and say what happened, until Ctrl-C.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use docent_engine::Cancel;
use docent_index::{DocumentId, Filter, Generation};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::WatchArgs;
use crate::errors::{CliError, Exit};
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::{Opened, Vectors};
use crate::{sync, wiring};

/// How soon a change is shown after it was applied.
const POLL: Duration = Duration::from_millis(50);
/// How often problems of the background are asked for.
const ASK_FOR_TROUBLE: Duration = Duration::from_secs(15);

pub(super) fn run(
    args: &WatchArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let opened = wiring::open_own(settings, Vectors::Wanted, printer)?;
    if let Some(exit) = sync::before_answer(&opened.engine, printer, cancel)? {
        return Ok(exit);
    }
    let teller = Teller { printer, json: args.json };
    let mut seen = Seen::new(&opened)?;
    if let Err(error) = opened.engine.start_background() {
        printer.note(format_args!("{} ({})", error.message, error.hint));
    }
    teller.tell(
        json!({ "event": "ready", "documents": seen.documents.len(), "docs": settings.docs.value.display().to_string() }),
        &format!("watching {} ({}), Ctrl-C stops", settings.docs.value.display(), counted(seen.documents.len(), "page")),
    )?;
    let mut asked = Instant::now();
    let mut told = Vec::new();
    while !cancel.is_cancelled() {
        thread::sleep(POLL);
        seen.tell_changes(&opened, &teller)?;
        if asked.elapsed() >= ASK_FOR_TROUBLE {
            asked = Instant::now();
            let trouble = opened.engine.status()?.degraded;
            for reason in trouble.iter().filter(|reason| !told.contains(*reason)) {
                printer.note(reason);
            }
            told = trouble;
        }
    }
    teller.tell(json!({ "event": "stopped" }), "stopped; the index is up to date to this point")?;
    // Waiting for the background would make Ctrl-C feel dead, and the index is whole at any moment.
    std::mem::forget(opened);
    Ok(Exit::Fine)
}

struct Teller<'a> {
    printer: &'a Printer,
    json: bool,
}

impl Teller<'_> {
    fn tell(&self, event: Value, text: &str) -> Result<(), CliError> {
        if self.json { self.printer.json_line(&event) } else { self.printer.view(&format!("{text}\n")) }
    }
}

/// What was shown last.
struct Seen {
    generation: Generation,
    documents: BTreeMap<String, DocumentId>,
    pending: usize,
}

impl Seen {
    fn new(opened: &Opened) -> Result<Self, CliError> {
        let snapshot = opened.engine.snapshot()?;
        let model = opened.engine.embedder().map(|embedder| embedder.model());
        let counts = snapshot.counts(model, &Filter::default());
        let filter = Filter { collections: Some(opened.collections.clone()), ..Filter::default() };
        let documents =
            snapshot.documents(&filter).iter().map(|document| (document.path.clone(), document.id)).collect();
        // Without a model nothing is ever pending.
        let pending = if model.is_some() { counts.passages.saturating_sub(counts.embedded) } else { 0 };
        Ok(Self { generation: snapshot.generation(), documents, pending })
    }

    fn tell_changes(&mut self, opened: &Opened, teller: &Teller<'_>) -> Result<(), CliError> {
        if opened.engine.snapshot()?.generation() == self.generation {
            return Ok(());
        }
        let now = Self::new(opened)?;
        let event =
            |what: &str, path: &str| json!({ "event": what, "path": path, "generation": now.generation.0 });
        for path in self.documents.keys().filter(|path| !now.documents.contains_key(*path)) {
            teller.tell(event("removed", path), &format!("{} {}", "removed".red(), clean(path)))?;
        }
        for (path, id) in &now.documents {
            match self.documents.get(path) {
                None => {
                    teller.tell(event("added", path), &format!("{}   {}", "added".green(), clean(path)))?
                }
                Some(old) if old != id => {
                    teller.tell(event("changed", path), &format!("{} {}", "changed".cyan(), clean(path)))?;
                }
                Some(_) => {}
            }
        }
        if now.pending == 0 && self.pending > 0 {
            let event =
                json!({ "event": "embedded", "passages": self.pending, "generation": now.generation.0 });
            teller.tell(event, &format!("{}", "all passages have vectors".dimmed()))?;
        }
        *self = now;
        Ok(())
    }
}
