//! `--rebuild`: read every file again and build what is derived anew.
//!
//! Nothing is dropped first: searches go on answering from what is there until the new is complete. Other collections of
//! the same index stay. Damage to the record needs nothing here: opening it sets the damage aside. An index of a newer
//! docent is refused, as everywhere.

use std::sync::Arc;

use docent_index::{Collection, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

use crate::database;
use crate::errors::CliError;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::wiring;

/// Makes the run that follows read everything, and fills the lexical index anew.
pub(crate) fn start_anew(settings: &Settings, printer: &Printer) -> Result<(), CliError> {
    let index = &settings.index.value;
    wiring::check_docs(settings)?;
    if !settings.has_index() {
        return Ok(());
    }
    let store: Arc<dyn Store> = match settings.postgres() {
        Some(url) => database::open(url, settings, printer)?,
        None => {
            let store = EmbeddedStore::open(index, OpenOptions::default())?;
            store.rebuild_lexical()?;
            Arc::new(store)
        }
    };
    let known = store.snapshot()?.collections();
    let (root, name) = (settings.docs.value.display().to_string(), wiring::collection_name(settings, &known));
    for collection in known {
        // In a database it may have been read from another clone last.
        if collection.root == root || (settings.postgres().is_some() && collection.name == name) {
            // Cut by no rules that exist, so every document has to be read and cut again.
            store.distrust(&collection.name)?;
            store.put_collection(&Collection { cut: String::new(), ..collection })?;
        }
    }
    Ok(())
}
