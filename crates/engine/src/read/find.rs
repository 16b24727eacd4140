//! Finds what a path or an address names, and says what is near when there is no such thing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use docent_index::{ChunkRecord, DocumentRecord, Filter, Snapshot};
use docent_text::{near, strip_part};

use super::shape::SectionText;
use super::{inner, inside_folder, normalise, section_id, some};
use crate::engine::Inner;
use crate::freshness::Verdict;
use crate::{EngineError, Source, scan};

/// Longest path or heading that an error repeats, in characters.
const MAX_SHOWN: usize = 300;
/// How many headings an error lists when none is near.
const FIRST: usize = 5;

/// What a target names.
pub(super) enum Named {
    /// A whole page.
    Page,
    /// A section, which of the page's chunks it is, and all of them.
    Section(Box<SectionText>, Range<usize>, Vec<ChunkRecord>),
}

/// What the id of a long section's first part stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// The whole section.
    Joined,
    /// That part, as a search returns it.
    Single,
}

impl Inner {
    /// Finds what `PATH` or `PATH#SECTION` names.
    pub(super) fn named(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        target: &str,
        parts: Parts,
    ) -> Result<(Named, Arc<DocumentRecord>), EngineError> {
        if let Some(document) = self.find(snapshot, collections, target)? {
            if parts == Parts::Single {
                // The first chunk of a page without headings has the path as its id.
                let chunks = snapshot.chunks_of(document.id)?;
                if let Some(at) = chunks.iter().position(|chunk| chunk.chunk_id == document.path)
                    && let Some(mut section) = self.join(&document, &[&chunks[at]])
                {
                    section.metadata.heading_path.clone_from(&chunks[at].heading_path);
                    return Ok((Named::Section(Box::new(section), at..at + 1, chunks), document));
                }
            }
            return Ok((Named::Page, document));
        }
        // A path may itself contain `#`, so every split is tried, longest path first.
        for (at, _) in target.rmatch_indices('#') {
            if let Some(document) = self.find(snapshot, collections, &target[..at])? {
                let chunks = snapshot.chunks_of(document.id)?;
                let fragment = &target[at + 1..];
                let found = self.by_fragment(&document, fragment, &chunks, parts).or_else(|missed| {
                    let text = snapshot.text(document.id)?.unwrap_or_default();
                    self.inside_chunk(&document, &text, fragment, &chunks).ok_or(missed)
                });
                let (section, parts) = found?;
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
        wanted: Parts,
    ) -> Result<(SectionText, Range<usize>), EngineError> {
        let first = pick(&document.path, fragment, chunks)?;
        let is_exact = first.chunk_id.get(document.path.len() + 1..) == Some(fragment);
        let is_part = first.chunk_id.contains("/_part-")
            || first.chunk_id.contains("#_part-")
            || (wanted == Parts::Single && is_exact);
        let belongs = |chunk: &&ChunkRecord| match is_part {
            true => chunk.id == first.id,
            false => section_id(&chunk.chunk_id) == section_id(&first.chunk_id),
        };
        let parts: Vec<&ChunkRecord> = chunks.iter().filter(belongs).collect();
        let mut section = self
            .join(document, &parts)
            .ok_or_else(|| no_section(&document.path, fragment, headings(chunks)))?;
        if wanted == Parts::Single && is_part {
            section.metadata.heading_path.clone_from(&first.heading_path);
        }
        let start = chunks.iter().position(|chunk| belongs(&chunk)).unwrap_or(0);
        let end = chunks.iter().rposition(|chunk| belongs(&chunk)).map_or(start, |last| last + 1);
        Ok((section, start..end))
    }

    /// A section that has no chunk of its own, and the chunk that it is in.
    fn inside_chunk(
        &self,
        document: &DocumentRecord,
        text: &str,
        fragment: &str,
        chunks: &[ChunkRecord],
    ) -> Option<(SectionText, Range<usize>)> {
        let slug = fragment.split('/').map(docent_text::slug).collect::<Vec<_>>().join("/");
        let record = inner::by_fragment(document, text, fragment)
            .or_else(|| inner::by_breadcrumb(document, text, fragment))
            .or_else(|| inner::by_fragment(document, text, &slug))?;
        let is_around = |chunk: &ChunkRecord| chunk.start_line <= record.start_line;
        let at = chunks.iter().rposition(is_around).unwrap_or(0);
        Some((self.join(document, &[&record])?, at..(at + 1).min(chunks.len())))
    }

    /// Reads the file that `target` may name when it has changed or is new; true when something was read. A miss may only
    /// mean that many changes wait their turn.
    pub(super) fn catch_up(&self, target: &str) -> Result<bool, EngineError> {
        let snapshot = self.store.snapshot()?;
        let mut behind = BTreeSet::new();
        let ends = target.match_indices('#').map(|(at, _)| at).chain([target.len()]);
        for path in ends.flat_map(|end| self.spellings(&target[..end])) {
            for (index, source) in self.sources.iter().enumerate() {
                let is_behind = || match snapshot.document_at(&source.collection, &path) {
                    Some(document) => self.verdict(&document) == Verdict::Changed,
                    None => true,
                };
                if source.wants(&path) && scan::stat(source, &path).is_some() && is_behind() {
                    behind.insert((index, path.clone()));
                }
            }
        }
        if behind.is_empty() {
            return Ok(false);
        }
        self.refresh(&behind)?;
        Ok(true)
    }

    /// The document at a path, however the path is written. A path that several collections have names none of them: the
    /// wrong one would be believed.
    fn find(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Result<Option<Arc<DocumentRecord>>, EngineError> {
        let mut asked: Vec<String> = snapshot.collections().into_iter().map(|known| known.name).collect();
        asked.retain(|name| collections.is_empty() || collections.contains(name));
        let in_folder = |source: &Source, path: &str| match asked.contains(&source.collection) {
            true => snapshot.document_at(&source.collection, path),
            false => None,
        };
        let absolute = |source: &Source| in_folder(source, absolute(source, given)?);
        if let Some(document) = self.sources.iter().find_map(absolute) {
            return Ok(Some(document));
        }
        for path in [given, normalise(given)] {
            let found: Vec<_> = asked.iter().filter_map(|name| snapshot.document_at(name, path)).collect();
            match found.as_slice() {
                [] => {}
                [document] => return Ok(Some(Arc::clone(document))),
                several => return Err(ambiguous(path, several)),
            }
        }
        let inside = |source: &Source| in_folder(source, inside_folder(source, given)?);
        Ok(self.sources.iter().find_map(inside))
    }

    /// The paths that `given` may stand for: absolute, with `./`, from the project's folder.
    fn spellings(&self, given: &str) -> Vec<String> {
        let absolute = |source: &Source| absolute(source, given).map(str::to_owned);
        let inside = |source: &Source| inside_folder(source, given).map(str::to_owned);
        self.sources
            .iter()
            .filter_map(absolute)
            .chain([given.to_owned(), normalise(given).to_owned()])
            .chain(self.sources.iter().filter_map(inside))
            .collect()
    }

    pub(crate) fn resolve(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Result<Arc<DocumentRecord>, EngineError> {
        let found = self.find(snapshot, collections, given)?;
        found.ok_or_else(|| self.no_page(snapshot, collections, given))
    }

    fn no_page(&self, snapshot: &dyn Snapshot, collections: &[String], given: &str) -> EngineError {
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let documents = snapshot.documents(&filter);
        let near = near(normalise(given), documents.iter().map(|document| document.path.as_str()));
        let failures = snapshot.failures().unwrap_or_default();
        let failed = failures.iter().find(|failure| failure.path == normalise(given));
        let hint = if let Some(failure) = failed {
            format!("the file is there and could not be indexed: {}", failure.reason)
        } else if near.is_empty() {
            // The message itself names the next step.
            String::new()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        EngineError::not_found(
            format!("No page found at path: {}. Use list_pages to discover available pages.", shown(given)),
            hint,
        )
    }
}

/// The path inside a source's folder that an absolute path names.
fn absolute<'a>(source: &Source, given: &'a str) -> Option<&'a str> {
    given.strip_prefix(source.root.to_str()?)?.strip_prefix('/')
}

fn ambiguous(path: &str, found: &[Arc<DocumentRecord>]) -> EngineError {
    let names: Vec<&str> = found.iter().map(|document| document.collection.as_str()).collect();
    EngineError::not_found(
        format!("{} is in {} collections", shown(path), names.len()),
        format!("name the collection: {}", names.join(", ")),
    )
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
                format!("#{} names {} sections of {path}", shown(fragment), several.len()),
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
        pick(path, &slug, chunks).map_err(|_| no_section(path, fragment, headings(chunks)))
    } else {
        Err(no_section(path, fragment, headings(chunks)))
    }
}

fn headings(chunks: &[ChunkRecord]) -> impl Iterator<Item = &str> + Clone {
    chunks.iter().map(|chunk| strip_part(&chunk.heading_path))
}

pub(super) fn no_section<'a>(
    path: &str,
    wanted: &str,
    headings: impl Iterator<Item = &'a str> + Clone,
) -> EngineError {
    let mut near = near(wanted, headings.clone());
    if near.is_empty() {
        near = headings.filter(|heading| *heading != "(root)").take(FIRST).collect();
    }
    let hint = if near.is_empty() {
        "the page has no headings; get the whole page".to_owned()
    } else {
        format!("closest headings: {}", near.join("; "))
    };
    EngineError::not_found(
        format!(
            "No section found at heading: {} in {path}. Use get_page to see available sections.",
            shown(wanted)
        ),
        hint,
    )
}

/// What was asked for, short enough to repeat.
fn shown(given: &str) -> String {
    match given.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &given[..end]),
        None => given.to_owned(),
    }
}
