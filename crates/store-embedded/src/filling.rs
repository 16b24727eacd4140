//! Writers of both lexical indexes, while something goes in. Nobody sees it before the commit, and without one it is gone.

use docent_index::NewDocument;
use docent_store_common::DocumentTokens;
use tantivy::{IndexWriter, Term};

use crate::collections::Follower;
use crate::fault::Outcome;
use crate::lexical::{self, Lexical, Part};
use crate::rows::State;

pub(crate) const SMALL_ARENA: usize = 15_000_000;
const LARGE_ARENA: usize = 64_000_000;
/// Documents in a batch that is worth a large arena.
const LARGE_BATCH: usize = 100;

/// Both indexes, open for writing. The caller holds the write lock.
pub(crate) struct Filling {
    chunks: (Part, IndexWriter),
    pages: (Part, IndexWriter),
    chunks_written: usize,
    pages_written: usize,
}

impl Filling {
    /// Opens writers for about this many documents.
    pub(crate) fn begin(chunks: Part, pages: Part, documents: usize) -> Outcome<Self> {
        let arena = if documents >= LARGE_BATCH { LARGE_ARENA } else { SMALL_ARENA };
        let (chunk_writer, page_writer) = (chunks.writer(arena)?, pages.writer(arena)?);
        let (chunks, pages) = ((chunks, chunk_writer), (pages, page_writer));
        Ok(Self { chunks, pages, chunks_written: 0, pages_written: 0 })
    }

    pub(crate) fn clear(&mut self) -> Outcome<()> {
        for (_, writer) in [&mut self.chunks, &mut self.pages] {
            writer.delete_all_documents()?;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: u64) {
        for (part, writer) in [&mut self.chunks, &mut self.pages] {
            writer.delete_term(Term::from_field_u64(part.fields.document, id));
        }
    }

    pub(crate) fn add(&mut self, id: u64, tokens: &DocumentTokens<'_>) -> Outcome<()> {
        let (part, writer) = &mut self.chunks;
        for entry in lexical::chunk_entries(part.fields, tokens) {
            writer.add_document(entry)?;
        }
        let (part, writer) = &mut self.pages;
        writer.add_document(lexical::page_entry(part.fields, id, tokens))?;
        self.chunks_written += tokens.chunks.len();
        self.pages_written += 1;
        Ok(())
    }

    /// Shows everything to readers, as the documents of the record at `state`.
    pub(crate) fn commit(mut self, state: &State) -> Outcome<()> {
        let payload = lexical::payload(&state.uuid, state.documents_generation);
        for (_, writer) in [&mut self.chunks, &mut self.pages] {
            let mut prepared = writer.prepare_commit()?;
            prepared.set_payload(&payload);
            prepared.commit()?;
        }
        lexical::tidy(&self.chunks.0.index, &mut self.chunks.1, self.chunks_written)?;
        lexical::tidy(&self.pages.0.index, &mut self.pages.1, self.pages_written)
    }
}

/// Takes documents into the lexical indexes while a transaction writes them to the record, so that little is left to do
/// between the two commits. Begins with the first document; the indexes reflect the record at that time.
pub(crate) struct Alongside<'a> {
    lexical: &'a Lexical,
    before: State,
    filling: Option<Filling>,
}

impl<'a> Alongside<'a> {
    /// `before` is the record before the transaction, which the indexes reflect.
    pub(crate) fn new(lexical: &'a Lexical, before: State) -> Self {
        Self { lexical, before, filling: None }
    }

    /// The record's transaction is committed, with this outcome.
    pub(crate) fn commit(self, after: &State) -> Outcome<()> {
        self.filling.map_or(Ok(()), |filling| filling.commit(after))
    }

    fn filling(&mut self) -> Outcome<&mut Filling> {
        let filling = match self.filling.take() {
            Some(filling) => filling,
            None => self.lexical.fill(&self.before, LARGE_BATCH)?,
        };
        Ok(self.filling.insert(filling))
    }
}

impl Follower for Alongside<'_> {
    fn added(&mut self, id: u64, document: &NewDocument) -> Outcome<()> {
        self.filling()?.add(id, &DocumentTokens::given(id, document))
    }

    fn removed(&mut self, id: u64) -> Outcome<()> {
        self.filling()?.remove(id);
        Ok(())
    }
}
