//! all-MiniLM-L6-v2 on this machine, with the weights inside the binary.
//!
//! Linear layers run on 8-bit integers, attention on 16-bit ones, everything else in floats. The mean cosine to the
//! vectors of the original model is 0.9991 on chunks of documentation and 0.9986 on the mixed texts of the tests, many of
//! them a few words. Vectors agree bit for bit whatever the instructions, so an index made on one machine is valid on
//! another. Nothing is downloaded and nothing is unpacked: the weights are used where they lie.

mod blob;
mod forward;
mod weights;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use docent_index::{EmbedError, Embedder, Model};
use docent_kernels::Isa;

use self::forward::Scratch;
use self::weights::Weights;
use crate::wordpiece::WordPiece;

/// Tokens that the model reads of a text; what comes after them is ignored.
pub const MAX_TOKENS: usize = 256;

/// Tokens that go through the layers together: enough to read each weight rarely, little enough to share among threads.
const GROUP_TOKENS: usize = 512;

/// Indexing is meant to stay in the background, so it does not take every core.
const DEFAULT_THREADS: usize = 2;

/// The built-in embedder.
pub struct MiniLm {
    model: Model,
    isa: Isa,
    threads: usize,
    tokeniser: OnceLock<WordPiece>,
    weights: OnceLock<Weights<'static>>,
    /// Scratch memory of threads that are not running now.
    idle: Mutex<Vec<Scratch>>,
}

impl MiniLm {
    /// The embedder with the best instructions of this machine and two threads for documents.
    pub fn new() -> MiniLm {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        MiniLm::with(Isa::detect(), cores.min(DEFAULT_THREADS))
    }

    /// The embedder with chosen instructions and number of threads (at least one) for documents.
    pub fn with(isa: Isa, threads: usize) -> MiniLm {
        MiniLm {
            model: Model {
                id: "minilm-l6-v2-int8-1".to_owned(),
                name: "all-MiniLM-L6-v2".to_owned(),
                provider: "local".to_owned(),
                dimensions: weights::HIDDEN,
            },
            isa,
            threads: threads.max(1),
            tokeniser: OnceLock::new(),
            weights: OnceLock::new(),
            idle: Mutex::new(Vec::new()),
        }
    }

    /// The instructions in use.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The token ids that the model sees of a text.
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        Ok(self.tokeniser()?.encode(text, MAX_TOKENS))
    }

    fn embed(&self, texts: &[&str], threads: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokeniser = self.tokeniser()?;
        let weights = self.weights()?;
        let encoded: Vec<Vec<u32>> = texts.iter().map(|text| tokeniser.encode(text, MAX_TOKENS)).collect();
        let groups = groups_of(&encoded, threads);
        let results: Vec<OnceLock<Vec<Vec<f32>>>> = groups.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut scratch = self.take_scratch();
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let _ = results[group.index].set(forward::embed(
                    self.isa,
                    weights,
                    group.sequences,
                    &mut scratch,
                ));
            }
            self.give_back(scratch);
        };
        std::thread::scope(|scope| {
            // The calling thread works too.
            for _ in 1..threads.min(groups.len()) {
                scope.spawn(work);
            }
            work();
        });
        Ok(results.into_iter().flat_map(|result| result.into_inner().unwrap_or_default()).collect())
    }

    fn tokeniser(&self) -> Result<&WordPiece, EmbedError> {
        if let Some(tokeniser) = self.tokeniser.get() {
            return Ok(tokeniser);
        }
        let vocabulary = self.weights()?.vocabulary;
        let tokeniser = WordPiece::new(vocabulary).ok_or_else(broken_build)?;
        Ok(self.tokeniser.get_or_init(|| tokeniser))
    }

    fn weights(&self) -> Result<&Weights<'static>, EmbedError> {
        if let Some(weights) = self.weights.get() {
            return Ok(weights);
        }
        let weights = Weights::read(blob::bytes()).ok_or_else(broken_build)?;
        Ok(self.weights.get_or_init(|| weights))
    }

    fn take_scratch(&self) -> Scratch {
        self.idle.lock().ok().and_then(|mut idle| idle.pop()).unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(scratch);
        }
    }
}

impl Default for MiniLm {
    fn default() -> Self {
        MiniLm::new()
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(texts, self.threads)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let mut vectors = self.embed(&[text], 1)?;
        vectors.pop().ok_or_else(broken_build)
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embed(texts, self.threads)
    }
}

/// Neighbouring sequences that go through the layers together.
struct Group<'a> {
    index: usize,
    sequences: &'a [Vec<u32>],
}

/// Whoever waits for a few texts is served sooner when all threads have some of them, and none has to wait for another
/// that came late.
fn groups_of(sequences: &[Vec<u32>], threads: usize) -> Vec<Group<'_>> {
    let all: usize = sequences.iter().map(Vec::len).sum();
    let share = if threads > 1 { all.div_ceil(2 * threads) } else { all };
    let mut groups = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for (index, sequence) in sequences.iter().enumerate() {
        let is_full = tokens + sequence.len() > GROUP_TOKENS || tokens + sequence.len() / 2 > share;
        if tokens > 0 && is_full {
            groups.push(Group { index: groups.len(), sequences: &sequences[start..index] });
            (start, tokens) = (index, 0);
        }
        tokens += sequence.len();
    }
    if start < sequences.len() {
        groups.push(Group { index: groups.len(), sequences: &sequences[start..] });
    }
    groups
}

fn broken_build() -> EmbedError {
    EmbedError {
        message: "the built-in model inside this program is damaged".to_owned(),
        hint: "install docent again, or build it from a clean checkout".to_owned(),
        retryable: false,
    }
}
