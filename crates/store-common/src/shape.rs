//! What a document must be like to be kept, and when it is the same as before.

use docent_index::{NewDocument, PassageHash};

use crate::keys;

/// Bytes in a piece of a document's text. Texts are kept in pieces so that a chunk of a very long document is read
/// without reading the whole.
pub const PIECE: usize = 64 << 10;

/// Whether a document can be kept; the error says why not.
pub fn check_shape(document: &NewDocument) -> Result<(), String> {
    let chunks = &document.chunks;
    let wrong = |what: &str| Err(format!("{}: {what}", document.path));
    if chunks.len() > keys::MAX_CHUNKS || document.text.len() / PIECE >= keys::MAX_CHUNKS {
        return wrong("too long for one document");
    }
    if chunks.iter().any(|chunk| chunk.passages.len() > keys::MAX_PASSAGES) {
        return wrong("a chunk has too many passages");
    }
    if !document.pages.is_empty() && document.pages.len() != chunks.len() {
        return wrong("some chunks have a page and some have none");
    }
    if chunks.iter().any(|chunk| document.text.get(chunk.bytes.clone()).is_none()) {
        return wrong("a chunk lies outside the text");
    }
    Ok(())
}

/// Hash of everything that is derived from the file, so that equal hashes mean: nothing to do.
pub fn fingerprint(document: &NewDocument) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(&document.content_hash.0);
    part(document.title.as_bytes());
    part(&(document.text.len() as u64).to_le_bytes());
    part(&(document.headings.len() as u64).to_le_bytes());
    document.headings.iter().for_each(|heading| part(heading.as_bytes()));
    part(&(document.facets.len() as u64).to_le_bytes());
    for (key, value) in &document.facets {
        part(key.as_bytes());
        part(value.as_bytes());
    }
    for chunk in &document.chunks {
        part(chunk.chunk_id.as_bytes());
        part(chunk.heading_path.as_bytes());
        for number in [
            u64::from(chunk.heading_level),
            u64::from(chunk.start_line),
            u64::from(chunk.end_line),
            u64::from(chunk.char_count),
            chunk.bytes.start as u64,
            chunk.bytes.end as u64,
            u64::from(chunk.searchable),
            chunk.passages.len() as u64,
        ] {
            part(&number.to_le_bytes());
        }
        part(chunk.body_tokens.as_bytes());
        part(chunk.heading_tokens.as_bytes());
        for passage in &chunk.passages {
            let PassageHash(hash) = &passage.hash;
            part(hash);
        }
    }
    // Only where there are any: documents of before have the fingerprint that they had.
    if !document.details.is_empty() || !document.pages.is_empty() {
        part(document.details.as_bytes());
        document.pages.iter().for_each(|page| part(&page.to_le_bytes()));
    }
    hasher.finalize().as_bytes()[..16].to_vec()
}
