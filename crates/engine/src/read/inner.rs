//! Sections inside of a chunk.
//!
//! A strategy may keep deeper headings together with the one above, so that they have no chunk of their own. They can
//! be read all the same, by id, by anchor or by breadcrumb: the page's text is parsed when somebody asks.

use docent_index::{ChunkRecord, DocumentRecord};
use docent_text::Section;

/// The section that a fragment of an address names: its id, its anchor, or a tail of its id that only one has.
pub(super) fn by_fragment(document: &DocumentRecord, text: &str, fragment: &str) -> Option<ChunkRecord> {
    let parsed = docent_text::parse(&document.path, text);
    let named = |section: &&Section| section.id == fragment || section.anchor.as_deref() == Some(fragment);
    let tail = format!("/{fragment}");
    let found = parsed.sections.iter().find(named).or_else(|| {
        let mut tails = parsed.sections.iter().filter(|section| section.id.ends_with(&tail));
        tails.next().filter(|_| tails.next().is_none())
    })?;
    Some(record(document, text, found))
}

/// The section with this breadcrumb.
pub(super) fn by_breadcrumb(document: &DocumentRecord, text: &str, breadcrumb: &str) -> Option<ChunkRecord> {
    let parsed = docent_text::parse(&document.path, text);
    let found = parsed.sections.iter().find(|section| section.breadcrumb == breadcrumb)?;
    Some(record(document, text, found))
}

/// The breadcrumbs of a page, for those who missed one.
pub(super) fn breadcrumbs(document: &DocumentRecord, text: &str) -> Vec<String> {
    let parsed = docent_text::parse(&document.path, text);
    parsed.sections.into_iter().map(|section| section.breadcrumb).collect()
}

/// The section with all that is below it, in the shape of a chunk.
fn record(document: &DocumentRecord, text: &str, section: &Section) -> ChunkRecord {
    let bytes = section.bytes.start..section.subtree_end.max(section.bytes.end);
    let lines = docent_text::LineIndex::new(text).range(&bytes);
    let content = text.get(bytes).unwrap_or_default();
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    ChunkRecord {
        id: docent_index::ChunkId(0),
        document: document.id,
        ordinal: 0,
        chunk_id: format!("{}#{}", document.path, section.id),
        heading_path: section.breadcrumb.clone(),
        heading_level: section.level,
        start_line: number(lines.start),
        end_line: number(lines.end),
        char_count: number(content.chars().count()),
        content: content.to_owned(),
    }
}
