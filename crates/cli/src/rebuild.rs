//! `--rebuild`: forget what is indexed of a folder, so that the run that follows reads everything.
//!
//! Other collections of the same index stay. A damaged index needs nothing here: opening it sets the damage aside. An
//! index of a newer docent is refused, as everywhere.

use docent_index::Store;
use docent_store_embedded::{EmbeddedStore, OpenOptions};

use crate::errors::CliError;
use crate::settings::Settings;
use crate::wiring;

/// Drops the documents of the settings' folder from the index.
pub(crate) fn drop_documents(settings: &Settings) -> Result<(), CliError> {
    let index = &settings.index.value;
    wiring::check_docs(settings)?;
    if !index.is_dir() {
        return Ok(());
    }
    let store = EmbeddedStore::open(index, OpenOptions::default())?;
    let root = settings.docs.value.display().to_string();
    for collection in store.snapshot()?.collections() {
        if collection.root == root {
            store.remove_collection(&collection.name)?;
        }
    }
    Ok(())
}
