//! The pages of a package on their way into the folder: safe names, bounds, one hash for all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{Context, Fetched, Outcome, SourceError};

/// Pages of one package.
const MAX_PAGES: usize = 50_000;
/// Longer names of files are cut.
const MAX_NAME: usize = 120;
/// Notes of one kind would bury the rest.
const MAX_NOTES: usize = 20;

/// Pages by their paths below the folder.
#[derive(Debug, Default)]
pub(super) struct Pages {
    texts: BTreeMap<String, String>,
    /// Pages that are in the folder already.
    written: BTreeSet<String>,
    notes: Vec<String>,
    more_notes: usize,
}

impl Pages {
    /// Adds a page; one that has its path already gets a number.
    pub(super) fn add(&mut self, path: &str, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if self.len() >= MAX_PAGES {
            self.note(format!("{path} was left out: there are {MAX_PAGES} pages already"));
            return;
        }
        let path = safe_path(path);
        let stem = path.strip_suffix(".md").unwrap_or(&path).to_owned();
        let mut free = path;
        let mut number = 2;
        while self.texts.contains_key(&free) || self.written.contains(&free) {
            free = format!("{stem}-{number}.md");
            number += 1;
        }
        self.texts.insert(free, text);
    }

    /// Adds something that a person should know.
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        } else {
            self.more_notes += 1;
        }
    }

    /// What a person should know.
    pub(super) fn notes(&self) -> Vec<String> {
        let more = (self.more_notes > 0).then(|| format!("… and {} more", self.more_notes));
        self.notes.iter().cloned().chain(more).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len() + self.written.len()
    }

    /// A hash of all paths and texts.
    pub(super) fn revision(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in self.texts.iter().flat_map(|(path, text)| [path, text]) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// Writes what is not written yet below `into`.
    pub(super) fn write(&mut self, context: &Context<'_>, into: &Path) -> Result<(), SourceError> {
        while let Some((path, text)) = self.texts.pop_first() {
            stop_if_cancelled(context)?;
            write_page(into, &path, &text)?;
            self.written.insert(path);
        }
        Ok(())
    }

    /// Writes the pages, with what is said of them, unless they are those that are known.
    pub(super) fn hand_over(
        mut self,
        said: Fetched,
        context: &Context<'_>,
        into: &Path,
    ) -> Result<Outcome, SourceError> {
        let revision = self.revision();
        if context.known_revision == Some(revision.as_str()) {
            return Ok(Outcome::Unchanged);
        }
        self.write(context, into)?;
        let (root, notes) = (into.to_owned(), self.notes());
        Ok(Outcome::Fetched(Box::new(Fetched { root, notes, revision: Some(revision), ..said })))
    }
}

/// The error of a fetch that was stopped.
pub(super) fn stop_if_cancelled(context: &Context<'_>) -> Result<(), SourceError> {
    if (context.is_cancelled)() {
        return Err(SourceError::failed("fetching was stopped", "start it again to fetch the rest"));
    }
    Ok(())
}

/// Writes one page; its path was made by [`safe_path`].
fn write_page(into: &Path, path: &str, text: &str) -> Result<(), SourceError> {
    let target: PathBuf = into.join(path);
    let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(&target, text)).map_err(|error| {
        SourceError::failed(
            format!("cannot write {}: {error}", target.display()),
            "check that the disk is not full and that the folder may be written",
        )
    })
}

/// A path of plain names that every file system takes, ending in `.md`.
pub(super) fn safe_path(path: &str) -> String {
    let parts: Vec<String> =
        path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).map(safe_name).collect();
    let path = if parts.is_empty() { "page".to_owned() } else { parts.join("/") };
    let stem = ["md", "markdown"].iter().find_map(|ending| strip_ending(&path, ending));
    format!("{}.md", stem.unwrap_or(&path))
}

fn strip_ending<'a>(path: &'a str, ending: &str) -> Option<&'a str> {
    let (stem, found) = path.rsplit_once('.')?;
    (found.eq_ignore_ascii_case(ending) && !stem.is_empty() && !stem.ends_with('/')).then_some(stem)
}

fn safe_name(name: &str) -> String {
    let plain = |char: char| {
        let is_plain =
            char.is_alphanumeric() || matches!(char, '.' | '-' | '_' | '+' | '@' | ' ' | '(' | ')' | ',');
        if is_plain { char } else { '_' }
    };
    let name: String = name.chars().take(MAX_NAME).map(plain).collect();
    // A name that begins with a dot is hidden, and would not be indexed.
    match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => name,
    }
}
