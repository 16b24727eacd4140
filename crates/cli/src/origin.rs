//! Where the collections of a team's database came from: which repository, which folder of it, and at which commit.
//!
//! It is kept with the collection, so that citations name the commit, docs health is found where there is no clone, and one
//! repository does not take the place of another that has the same name.

use std::path::{Path, PathBuf};

use docent_engine::{About, Card, git};
use docent_health::Identity;
use docent_index::Collection;

use crate::errors::CliError;
use crate::printer::Printer;

/// What stands before host and path of a remote.
const SCHEME: &str = "git+https://";

/// What is kept of the documents in `docs`.
fn card(docs: &Path) -> Card {
    let identity = Identity::around(docs);
    let Some(origin) = &identity.origin else { return Card::default() };
    let inside = docs.strip_prefix(&identity.root).unwrap_or(Path::new(""));
    Card {
        source: Some(format!("{SCHEME}{origin}")),
        folder: Some(inside.to_string_lossy().replace('\\', "/")),
        revision: git::head(docs),
        ..Card::default()
    }
}

fn kept(collection: &Collection) -> Card {
    serde_json::from_str(&collection.about).map(|about: About| about.card).unwrap_or_default()
}

/// Host and path of the repository that a collection was indexed from, and the folder inside.
fn repository(collection: &Collection) -> Option<(String, String)> {
    let card = kept(collection);
    Some((card.source?.strip_prefix(SCHEME)?.to_owned(), card.folder?))
}

/// What is kept of the documents in `docs`, which go where `name` is. Refuses to put them in the place of others that only have
/// the same name, and says when what is there is newer.
pub(crate) fn settled(
    name: &str,
    docs: &Path,
    known: &[Collection],
    printer: &Printer,
) -> Result<Card, CliError> {
    let ours = card(docs);
    let Some(there) = known.iter().find(|known| known.name == name) else { return Ok(ours) };
    let theirs = kept(there);
    let folder = docs.display().to_string();
    let other = match (&ours.source, &theirs.source) {
        (Some(ours), Some(theirs)) if ours != theirs => Some(theirs.clone()),
        (None, Some(theirs)) => Some(theirs.clone()),
        // Folders of no repository are told apart by where they lie.
        (None, None) if !there.root.is_empty() && there.root != folder => Some(there.root.clone()),
        _ => None,
    };
    if let Some(other) = other {
        return Err(CliError::problems(
            format!("`{name}` in the database is {other}, and not what is in {folder}"),
            format!(
                "`docent remove {name}` takes the other one out; a repository is called by its remote, a folder by its name"
            ),
        ));
    }
    if let Some(revision) = theirs.revision.filter(|theirs| git::is_behind(docs, theirs)) {
        printer.note(format_args!(
            "the database had `{name}` at {}, and this clone is behind it: everybody is shown the older pages now; `git pull` and index again",
            revision.get(..7).unwrap_or(&revision)
        ));
    }
    Ok(ours)
}

/// The folders of these collections in their repositories. Only one of the repositories may be here; of the others the
/// folder is no more than a name.
pub(crate) fn folders(docs: &Path, known: &[Collection]) -> Vec<(String, PathBuf)> {
    let here = Identity::around(docs);
    let name = format!("{here}/");
    let folder = |collection: &Collection| {
        let Some((origin, folder)) = repository(collection) else {
            // Indexed before it was kept where from: what is told apart by the name at least.
            let inside = collection.name.strip_prefix(&name)?;
            return Some((collection.name.clone(), here.root.join(inside)));
        };
        let root = match here.origin.as_ref() == Some(&origin) {
            true => here.root.clone(),
            false => PathBuf::from(origin),
        };
        Some((collection.name.clone(), root.join(folder)))
    };
    known.iter().filter_map(folder).collect()
}

/// The repositories of these collections, without the one around `docs`.
pub(crate) fn others(docs: &Path, known: &[Collection]) -> Vec<Identity> {
    let here = Identity::around(docs);
    let mut origins: Vec<String> = known.iter().filter_map(repository).map(|(origin, _)| origin).collect();
    origins.sort_unstable();
    origins.dedup();
    origins.retain(|origin| here.origin.as_ref() != Some(origin));
    origins.iter().filter_map(|origin| Identity::remote(origin)).collect()
}
