//! Documents and changes from a few words of Markdown.

use docent_index::{
    Change, ContentHash, Facets, FileStat, LexicalQuery, NewChunk, NewDocument, NewPassage, PassageHash,
};
use docent_text::{ChunkOptions, chunks, context_line, lexical_fields, parse, passage_text, tokens};

/// A document as ingestion would make it, with string values of its front matter as facets.
pub fn document(collection: &str, path: &str, markdown: &str) -> NewDocument {
    let parsed = parse(path, markdown);
    let title = parsed.title.clone();
    let new_chunks = chunks(path, markdown, &parsed, &ChunkOptions::default()).into_iter().map(|chunk| {
        let content = &markdown[chunk.bytes.clone()];
        let fields = lexical_fields(&chunk.heading_path, content);
        let context = context_line(&title, &chunk.heading_path, path);
        let passages = chunk.passages.iter().map(|passage| {
            let text = passage_text(&context, &markdown[passage.bytes.clone()]);
            NewPassage { hash: PassageHash::of(&text), text }
        });
        NewChunk {
            passages: passages.collect(),
            chunk_id: chunk.chunk_id,
            heading_path: chunk.heading_path,
            heading_level: chunk.heading_level,
            start_line: chunk.lines.start as u32,
            end_line: chunk.lines.end as u32,
            char_count: chunk.char_count as u32,
            bytes: chunk.bytes,
            searchable: chunk.searchable,
            body_tokens: fields.body,
            heading_tokens: fields.heading,
        }
    });
    let new_chunks = new_chunks.collect();
    let headings = parsed.sections.iter().filter(|section| (1..=2).contains(&section.level));
    NewDocument {
        collection: collection.to_owned(),
        path: path.to_owned(),
        text: markdown.to_owned(),
        content_hash: ContentHash::of(markdown.as_bytes()),
        stat: FileStat {
            size: markdown.len() as u64,
            mtime_ns: 1_000_000_007,
            ctime_ns: 1_000_000_009,
            inode: u64::MAX - 1,
            settled: true,
        },
        headings: headings.map(|section| section.heading.clone()).collect(),
        facets: Facets::new(),
        chunks: new_chunks,
        title,
        uuid: None,
        details: String::new(),
        pages: Vec::new(),
    }
}

/// Puts [`document`].
pub fn put(collection: &str, path: &str, markdown: &str) -> Change {
    Change::Put(Box::new(document(collection, path, markdown)))
}

/// Deletes a document.
pub fn delete(collection: &str, path: &str) -> Change {
    Change::Delete { collection: collection.to_owned(), path: path.to_owned() }
}

/// Touches a document with a state that differs in `mtime_ns`.
pub fn touch(collection: &str, path: &str, mtime_ns: i64) -> Change {
    let stat = FileStat { size: 1, mtime_ns, ctime_ns: 3, inode: 4, settled: true };
    Change::Touch { collection: collection.to_owned(), path: path.to_owned(), stat }
}

/// The tokens of `words`, each with weight 1.
pub fn query(words: &str) -> LexicalQuery {
    LexicalQuery { terms: tokens(words).into_iter().map(|token| (token, 1.0)).collect() }
}
