//! The rows of a document that was handed over.

use docent_index::{ContentHash, FileStat, NewDocument};
use docent_text::{Chunk, ChunkOptions, Passage};

use super::{Reading, line, rows, turn_to_parse};

/// More headings than this of a document that was handed over are part of its text: each becomes a vector at least.
const MAX_HANDED_SECTIONS: usize = 20_000;

/// The text of a document that was handed over.
#[derive(Debug)]
pub(crate) struct Paged {
    /// The content.
    pub text: String,
    /// From which line on which page begins, in order; empty for one without pages.
    pub pages: Vec<(u32, u32)>,
    /// What is known of its source in these terms.
    pub stat: FileStat,
}

/// Makes the rows of a document that was handed over, and says what of it was read in another way than it was meant. It may
/// come from anywhere, so nothing that it says of itself decides how it is cut or what callers are offered to filter by.
pub(crate) fn handed(
    collection: &str,
    path: &str,
    given_title: Option<&str>,
    handed: Paged,
    options: &ChunkOptions,
) -> (NewDocument, Vec<String>) {
    let Paged { text, pages, stat } = handed;
    let _turn = turn_to_parse(&text);
    let parsed = docent_text::parse_bounded(path, &text, MAX_HANDED_SECTIONS);
    let is_told = |warning: &&docent_text::Warning| warning.kind == docent_text::WarningKind::ManyHeadings;
    let note = |warning: &docent_text::Warning| format!("line {}: {}", warning.line, warning.message);
    let notes = parsed.warnings.iter().filter(is_told).map(note).collect();
    let reading = Reading { hash: ContentHash::of(text.as_bytes()), text, stat };
    let page_lines: Vec<usize> = pages.iter().map(|(line, _)| *line as usize).collect();
    let page = |line: u32| {
        let after = pages.partition_point(|(start, _)| *start <= line);
        // What stands before the first mark is on the first page.
        pages.get(after.saturating_sub(1)).map_or(0, |(_, page)| *page)
    };
    let chunks = match reading.text.trim_start_matches('\u{feff}').trim().is_empty() {
        // Nothing to find, and nothing to cite.
        true => Vec::new(),
        false => {
            let chunks = docent_text::chunks_of_pages(path, &reading.text, &parsed, options, &page_lines);
            findable(chunks, &reading.text, |chunk| page(line(chunk.lines.start)))
        }
    };
    let document = rows(collection, path, given_title, reading, &parsed, chunks);
    let pages = match pages.is_empty() {
        true => Vec::new(),
        false => document.chunks.iter().map(|chunk| page(chunk.start_line)).collect(),
    };
    (NewDocument { pages, ..document }, notes)
}

/// Chunks all of which can be found, so that what is counted is what a search can show. A heading that only holds others has no
/// chunk of its own: it goes to the next one of its page, and where there is none it is found by itself.
fn findable(chunks: Vec<Chunk>, text: &str, page: impl Fn(&Chunk) -> u32) -> Vec<Chunk> {
    let mut kept = Vec::with_capacity(chunks.len());
    let mut above: Option<Chunk> = None;
    for mut chunk in chunks {
        let is_said = |chunk: &Chunk| !text.get(chunk.bytes.clone()).unwrap_or_default().trim().is_empty();
        // Blank pages say nothing, and what stands before the first heading and is not found is no text.
        if !chunk.searchable && (chunk.heading_level == 0 || !is_said(&chunk)) {
            continue;
        }
        match above.take() {
            Some(heading) if page(&heading) == page(&chunk) => {
                chunk.char_count += heading.char_count;
                chunk.bytes.start = heading.bytes.start;
                chunk.lines.start = heading.lines.start;
            }
            Some(heading) => kept.push(alone(heading)),
            None => {}
        }
        match chunk.searchable {
            true => kept.push(chunk),
            false => above = Some(chunk),
        }
    }
    kept.extend(above.map(alone));
    kept
}

/// A heading that is found by itself.
fn alone(chunk: Chunk) -> Chunk {
    let passage = Passage { section: chunk.sections.start, bytes: chunk.bytes.clone() };
    Chunk { searchable: true, passages: vec![passage], ..chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of each chunk, with its page.
    fn check(pages: &[&str], expected: &[(&str, u32)]) {
        let mut starts = Vec::new();
        let mut text = String::new();
        for (page, number) in pages.iter().zip(1..) {
            starts.push((text.matches('\n').count() as u32 + 1, number));
            text.push_str(page);
        }
        let starts = if pages.len() > 1 { starts } else { Vec::new() };
        let paged = Paged { text: text.clone(), pages: starts, stat: FileStat::default() };
        let (made, _) = handed("papers", "a.pdf", None, paged, &ChunkOptions::default());
        assert!(made.chunks.iter().all(|chunk| chunk.searchable && !chunk.passages.is_empty()));
        let page = |at: usize| made.pages.get(at).copied().unwrap_or(0);
        let chunks = made.chunks.iter().enumerate();
        let found: Vec<(&str, u32)> =
            chunks.map(|(at, chunk)| (text[chunk.bytes.clone()].trim(), page(at))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_heading_without_text_belongs_to_what_follows() {
        check(&["# A\n\ntext\n\n## B\n\nmore\n"], &[("# A\n\ntext", 0), ("## B\n\nmore", 0)]);
        check(&["# A\n\n## B\n\n### C\n\ntext\n"], &[("# A\n\n## B\n\n### C\n\ntext", 0)]);
        check(&["# A\n\n## B\n"], &[("# A\n\n## B", 0)]);
        check(&["# A\n"], &[("# A", 0)]);
    }

    #[test]
    fn a_heading_that_is_alone_on_its_page_is_found_there() {
        check(&["# A\n\n", "## B\n\ntext\n"], &[("# A", 1), ("## B\n\ntext", 2)]);
        check(&["# A\n\n", "\n\n", "## B\n\ntext\n"], &[("# A", 1), ("## B\n\ntext", 3)]);
        check(
            &["# A\n\none\n\n## B\n\n", "### C\n\ntwo\n"],
            &[("# A\n\none", 1), ("## B", 1), ("### C\n\ntwo", 2)],
        );
    }

    #[test]
    fn what_says_nothing_is_no_chunk() {
        check(&["<!-- made by a tool -->\n\n# A\n\ntext\n"], &[("# A\n\ntext", 0)]);
        check(&[" \n\n"], &[]);
        check(&["# A\n\none\n\n", "\n\n", "two\n"], &[("# A\n\none", 1), ("two", 3)]);
    }
}
