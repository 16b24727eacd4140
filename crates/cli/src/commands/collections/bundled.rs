//! The vectors that come with a bundle go to the passages of that bundle, in this index, and nowhere else.
//!
//! Whoever wrote the bundle may be wrong or mean ill, so a few of its passages are embedded here and compared. Vectors that
//! do not belong to their texts are left out, and the documents are embedded as if none had come.

use std::collections::HashMap;

use docent_engine::Engine;
use docent_index::{Embedder, Pending, PendingPassage, QuantisedVector, Store};
use docent_sources::BundledVectors;

use crate::errors::CliError;
use crate::printer::{Printer, clean};

/// Passages taken from the store at a time.
const BATCH: usize = 4096;
/// Passages that are embedded to see whether the vectors are what they should be.
const SAMPLES: usize = 8;
/// How near a vector must be to the one that is made here; the same model gives the same bytes.
const NEAR: f32 = 0.98;

/// Gives the passages of a collection their vectors. How many were taken.
pub(super) fn take(
    engine: &Engine,
    store: &dyn Store,
    collection: &str,
    bundled: &BundledVectors,
    printer: &Printer,
) -> Result<usize, CliError> {
    let Some(embedder) = engine.embedder() else { return Ok(0) };
    let model = embedder.model();
    let why_not = if model.id != bundled.model {
        Some(format!("they are of {}, and this index uses {}", clean(&bundled.model), model.id))
    } else if bundled.vectors.iter().any(|(_, vector)| vector.values.len() != model.dimensions) {
        Some("their length is not that of the model".to_owned())
    } else {
        None
    };
    if let Some(why_not) = why_not {
        tell(printer, collection, &why_not);
        return Ok(0);
    }
    let known: HashMap<[u8; 16], &QuantisedVector> =
        bundled.vectors.iter().map(|(hash, vector)| (hash.0, vector)).collect();
    let names = [collection.to_owned()];
    let (mut taken, mut after) = (0, None);
    loop {
        let asked = Pending { collections: Some(&names), after };
        let pending = store.pending_in(model, asked, BATCH)?;
        let Some(last) = pending.last() else { return Ok(taken) };
        after = Some(last.id);
        let ours = |passage: &PendingPassage| Some((passage.id, (*known.get(&passage.hash.0)?).clone()));
        let vectors: Vec<_> = pending.iter().filter_map(ours).collect();
        if taken == 0 && !are_right(embedder, &pending, &known) {
            tell(printer, collection, "they do not belong to its texts");
            return Ok(0);
        }
        store.put_vectors(model, &vectors)?;
        taken += vectors.len();
    }
}

fn tell(printer: &Printer, collection: &str, why_not: &str) {
    printer.note(format_args!(
        "{}: the vectors of the bundle are not used: {why_not}; its documents are embedded here",
        clean(collection)
    ));
}

/// Compares some vectors, spread over all, with those that are made here.
fn are_right(
    embedder: &dyn Embedder,
    pending: &[PendingPassage],
    known: &HashMap<[u8; 16], &QuantisedVector>,
) -> bool {
    let with_vector: Vec<_> =
        pending.iter().filter_map(|passage| Some((passage, *known.get(&passage.hash.0)?))).collect();
    let step = with_vector.len().div_ceil(SAMPLES).max(1);
    let samples: Vec<_> = with_vector.into_iter().step_by(step).collect();
    let texts: Vec<&str> = samples.iter().map(|(passage, _)| passage.text.as_str()).collect();
    // A server that cannot be reached now is no reason to do without: what is wrong harms this collection alone.
    let Ok(made) = embedder.embed_documents(&texts) else { return true };
    let is_near = |(made, (_, given)): (&Vec<f32>, &(&PendingPassage, &QuantisedVector))| {
        let given = given.to_f32();
        let product: f32 = made.iter().zip(&given).map(|(a, b)| a * b).sum();
        // A text without words has no direction.
        let is_blank = |vector: &[f32]| vector.iter().all(|value| *value == 0.0);
        product >= NEAR || (is_blank(made) && is_blank(&given))
    };
    made.iter().zip(&samples).all(is_near)
}
