//! Finds what a path or an address names, and says what is near when there is no such thing.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use docent_index::{ChunkRecord, DocumentRecord, Filter, Snapshot};
use docent_text::strip_part;

use super::shape::SectionText;
use super::{inside_folder, normalise, some};
use crate::engine::Inner;
use crate::{EngineError, Source};

/// How many near names an error lists.
const NEAR: usize = 5;

/// What a target names.
pub(super) enum Named {
    /// A whole page.
    Page,
    /// A section, which of the page's chunks it is, and all of them.
    Section(Box<SectionText>, Range<usize>, Vec<ChunkRecord>),
}

impl Inner {
    /// Finds what `PATH` or `PATH#SECTION` names.
    pub(super) fn named(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        target: &str,
    ) -> Result<(Named, Arc<DocumentRecord>), EngineError> {
        if let Some(document) = self.find(snapshot, collections, target) {
            return Ok((Named::Page, document));
        }
        // A path may itself contain `#`, so every split is tried, longest path first.
        for (at, _) in target.rmatch_indices('#') {
            if let Some(document) = self.find(snapshot, collections, &target[..at]) {
                let chunks = snapshot.chunks_of(document.id)?;
                let (section, parts) = self.by_fragment(&document, &target[at + 1..], &chunks)?;
                return Ok((Named::Section(Box::new(section), parts, chunks), document));
            }
        }
        let path = target.split('#').next().unwrap_or(target);
        Err(self.no_page(snapshot, collections, path))
    }

    fn by_fragment(
        &self,
        document: &DocumentRecord,
        fragment: &str,
        chunks: &[ChunkRecord],
    ) -> Result<(SectionText, Range<usize>), EngineError> {
        let first = pick(&document.path, fragment, chunks)?;
        let breadcrumb = strip_part(&first.heading_path);
        let is_part = first.chunk_id.contains("/_part-") || first.chunk_id.contains("#_part-");
        let belongs = |chunk: &&ChunkRecord| match is_part {
            true => chunk.id == first.id,
            false => strip_part(&chunk.heading_path) == breadcrumb,
        };
        let parts: Vec<&ChunkRecord> = chunks.iter().filter(belongs).collect();
        let section =
            self.join(document, &parts).ok_or_else(|| no_section(&document.path, fragment, chunks))?;
        let start = chunks.iter().position(|chunk| belongs(&chunk)).unwrap_or(0);
        let end = chunks.iter().rposition(|chunk| belongs(&chunk)).map_or(start, |last| last + 1);
        Ok((section, start..end))
    }

    /// The document at a path, however the path is written.
    fn find(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Option<Arc<DocumentRecord>> {
        let absolute = |source: &Source| {
            let inside = given.strip_prefix(source.root.to_str()?)?.strip_prefix('/')?;
            Some(inside.to_owned())
        };
        let inside = |source: &Source| inside_folder(source, given).map(str::to_owned);
        let wanted: Vec<String> = self
            .sources
            .iter()
            .filter_map(absolute)
            .chain([given.to_owned(), normalise(given).to_owned()])
            .chain(self.sources.iter().filter_map(inside))
            .collect();
        let known = snapshot.collections();
        let asked = known
            .iter()
            .map(|collection| &collection.name)
            .filter(|name| collections.is_empty() || collections.contains(name));
        asked.into_iter().find_map(|name| wanted.iter().find_map(|path| snapshot.document_at(name, path)))
    }

    pub(super) fn resolve(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Result<Arc<DocumentRecord>, EngineError> {
        self.find(snapshot, collections, given).ok_or_else(|| self.no_page(snapshot, collections, given))
    }

    fn no_page(&self, snapshot: &dyn Snapshot, collections: &[String], given: &str) -> EngineError {
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let documents = snapshot.documents(&filter);
        let near = near(normalise(given), documents.iter().map(|document| document.path.as_str()));
        let hint = if near.is_empty() {
            // The message itself names the next step.
            String::new()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        EngineError::not_found(
            format!("No page found at path: {given}. Use list_pages to discover available pages."),
            hint,
        )
    }
}

/// The chunk that a fragment names: its id, a tail of its id that only one chunk has, or its heading path.
fn pick<'a>(path: &str, fragment: &str, chunks: &'a [ChunkRecord]) -> Result<&'a ChunkRecord, EngineError> {
    let id = |chunk: &'a ChunkRecord| chunk.chunk_id.get(path.len() + 1..).unwrap_or("");
    if let Some(chunk) = chunks.iter().find(|chunk| id(chunk) == fragment) {
        return Ok(chunk);
    }
    let tail = format!("/{fragment}");
    let tails: Vec<&ChunkRecord> = chunks.iter().filter(|chunk| id(chunk).ends_with(&tail)).collect();
    match tails.as_slice() {
        [chunk] => return Ok(chunk),
        [] => {}
        several => {
            let candidates: Vec<&str> = several.iter().map(|chunk| chunk.chunk_id.as_str()).collect();
            return Err(EngineError::not_found(
                format!("#{fragment} names {} sections of {path}", several.len()),
                format!("use one of: {}", candidates.join(", ")),
            ));
        }
    }
    let by_heading = |chunk: &&ChunkRecord| strip_part(&chunk.heading_path) == fragment;
    if let Some(chunk) = chunks.iter().find(by_heading) {
        return Ok(chunk);
    }
    // What a person types after reading the heading: its words, not its slug.
    let slug = fragment.split('/').map(docent_text::slug).collect::<Vec<_>>().join("/");
    if slug != fragment {
        pick(path, &slug, chunks).map_err(|_| no_section(path, fragment, chunks))
    } else {
        Err(no_section(path, fragment, chunks))
    }
}

pub(super) fn no_section(path: &str, wanted: &str, chunks: &[ChunkRecord]) -> EngineError {
    let headings = || chunks.iter().map(|chunk| strip_part(&chunk.heading_path));
    let mut near = near(wanted, headings());
    if near.is_empty() {
        near = headings().filter(|heading| *heading != "(root)").take(NEAR).collect();
    }
    let hint = if near.is_empty() {
        "the page has no headings; get the whole page".to_owned()
    } else {
        format!("closest headings: {}", near.join("; "))
    };
    EngineError::not_found(
        format!("No section found at heading: {wanted} in {path}. Use get_page to see available sections."),
        hint,
    )
}

/// The names that share most letter pairs with `wanted`.
fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = pairs(wanted);
    let mut scored: Vec<(f32, &str)> = names.map(|name| (overlap(&wanted, &pairs(name)), name)).collect();
    scored.retain(|(score, _)| *score > 0.2);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(NEAR).map(|(_, name)| name).collect()
}

fn pairs(name: &str) -> HashSet<(char, char)> {
    let letters: Vec<char> = name.to_lowercase().chars().take(256).collect();
    letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn overlap(a: &HashSet<(char, char)>, b: &HashSet<(char, char)>) -> f32 {
    let shared = a.intersection(b).count() as f32;
    2.0 * shared / (a.len() + b.len()).max(1) as f32
}
