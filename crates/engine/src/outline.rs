//! The sections of a page as it was written, whatever chunks it was cut into. For measuring and drafting.

use crate::{Engine, EngineError};

/// A page and its sections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Path inside the collection.
    pub file_path: String,
    /// Title of the page.
    pub title: String,
    /// In document order.
    pub sections: Vec<OutlineSection>,
    /// The whole text, byte for byte as indexed.
    pub text: String,
}

/// What one heading owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSection {
    /// The part of a chunk id after `#`; empty in a document without headings.
    pub id: String,
    /// The heading's plain text; empty for the text before the first heading.
    pub heading: String,
    /// The id that the author gave the heading.
    pub anchor: Option<String>,
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line before the next heading, inclusive.
    pub end_line: u32,
    /// Last line of its last subsection, inclusive.
    pub subtree_end_line: u32,
    /// Whether there is anything to read between its heading and the next.
    pub has_body: bool,
}

impl Engine {
    /// The sections of the page at `path`, spelled as for [`Engine::page`].
    pub fn outline(&self, collections: &[String], path: &str) -> Result<Outline, EngineError> {
        let page = self.page(collections, path)?;
        let parsed = docent_text::parse(&page.file_path, &page.text);
        let lines = docent_text::LineIndex::new(&page.text);
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        let sections: Vec<OutlineSection> = parsed
            .sections
            .iter()
            .map(|section| OutlineSection {
                id: section.id.clone(),
                heading: section.heading.clone(),
                anchor: section.anchor.clone(),
                level: section.level,
                start_line: number(section.lines.start),
                end_line: number(section.lines.end),
                subtree_end_line: number(lines.range(&(section.bytes.start..section.subtree_end)).end),
                has_body: section.has_body,
            })
            .collect();
        Ok(Outline { file_path: page.file_path, title: page.title, sections, text: page.text })
    }
}
