//! English Snowball stems, with a small cache in front.
//!
//! Documentation repeats its words, and stemming costs more than all the rest of tokenising. The cache
//! is direct-mapped and keeps its strings, so the common word costs a hash and a comparison.

use std::cell::Cell;

use rust_stemmers::{Algorithm, Stemmer};

const SLOTS: usize = 4096;

thread_local! {
    /// Taken out while in use: a token callback may itself tokenise.
    static CACHE: Cell<Option<Box<Stems>>> = const { Cell::new(None) };
}

/// A stemmer with its cache.
pub(crate) struct Stems {
    stemmer: Stemmer,
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    word: String,
    stem: String,
}

impl Stems {
    /// Runs `f` with this thread's cache.
    pub(crate) fn with(f: impl FnOnce(&mut Stems)) {
        let mut stems = CACHE.take().unwrap_or_else(|| {
            Box::new(Stems {
                stemmer: Stemmer::create(Algorithm::English),
                slots: vec![Slot::default(); SLOTS],
            })
        });
        f(&mut stems);
        CACHE.set(Some(stems));
    }

    /// The stem of a lower-case ASCII word.
    pub(crate) fn stem<'a>(&'a mut self, word: &str) -> &'a str {
        let slot = &mut self.slots[slot_of(word)];
        if slot.word != word {
            let stem = self.stemmer.stem(word);
            slot.word.clear();
            slot.word.push_str(word);
            slot.stem.clear();
            slot.stem.push_str(&stem);
        }
        &slot.stem
    }
}

fn slot_of(word: &str) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)) as usize % SLOTS
}
