//! The forward pass: token ids to unit-length vectors.
//!
//! The tokens of all sequences of a group lie one after the other, without padding. Linear layers see one tall matrix;
//! attention and pooling see one sequence at a time.

use docent_kernels::{
    Activation, Attention, Isa, Linear, QuantisedRows, add_layer_norm, add_scaled_i8, layer_norm, linear,
    normalise, quantise_rows,
};

use super::weights::{FEED_FORWARD, HEADS, HIDDEN, Layer, Weights};

/// Rows that go through a feed-forward block together: its inner matrix then stays in the second-level cache.
const FEED_FORWARD_ROWS: usize = 128;

/// Memory of a forward pass. Reuse one to avoid allocation.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    hidden: Vec<f32>,
    joint: Vec<f32>,
    context: Vec<f32>,
    update: Vec<f32>,
    inner: Vec<f32>,
    codes: QuantisedRows,
    attention: Attention,
}

/// The vectors of some sequences of token ids, each at most as long as there are positions.
pub(super) fn embed(
    isa: Isa,
    weights: &Weights<'_>,
    sequences: &[Vec<u32>],
    scratch: &mut Scratch,
) -> Vec<Vec<f32>> {
    look_up(weights, sequences, &mut scratch.hidden);
    layer_norm(isa, &mut scratch.hidden, weights.norm.weight, weights.norm.bias);
    for layer in &weights.layers {
        attention_block(isa, layer, sequences, scratch);
        feed_forward_block(isa, layer, scratch);
    }
    let mut rows = scratch.hidden.as_slice();
    sequences
        .iter()
        .map(|sequence| {
            let (own, rest) = rows.split_at(sequence.len() * HIDDEN);
            rows = rest;
            mean_of(own)
        })
        .collect()
}

/// Word embedding plus position embedding of each token.
fn look_up(weights: &Weights<'_>, sequences: &[Vec<u32>], hidden: &mut Vec<f32>) {
    hidden.clear();
    for sequence in sequences {
        for (&token, position) in sequence.iter().zip(weights.positions.chunks_exact(HIDDEN)) {
            let token = token as usize;
            let start = hidden.len();
            hidden.extend_from_slice(position);
            let word = &weights.words[token * HIDDEN..][..HIDDEN];
            add_scaled_i8(&mut hidden[start..], word, weights.word_scales[token]);
        }
    }
}

fn attention_block(isa: Isa, layer: &Layer<'_>, sequences: &[Vec<u32>], scratch: &mut Scratch) {
    let Scratch { hidden, joint, context, update, codes, attention, .. } = scratch;
    apply(isa, &layer.attention_input, hidden, Activation::Identity, codes, joint);
    context.resize(hidden.len(), 0.0);
    let mut first = 0;
    for sequence in sequences {
        let own = first * HIDDEN..(first + sequence.len()) * HIDDEN;
        attention.run(isa, HEADS, &joint[3 * own.start..3 * own.end], &mut context[own]);
        first += sequence.len();
    }
    apply(isa, &layer.attention_output, context, Activation::Identity, codes, update);
    add_layer_norm(isa, hidden, update, layer.attention_norm.weight, layer.attention_norm.bias);
}

fn feed_forward_block(isa: Isa, layer: &Layer<'_>, scratch: &mut Scratch) {
    let Scratch { hidden, update, inner, codes, .. } = scratch;
    for rows in hidden.chunks_mut(FEED_FORWARD_ROWS * HIDDEN) {
        apply(isa, &layer.up, rows, Activation::Identity, codes, inner);
        apply(isa, &layer.down, inner, Activation::Gelu, codes, update);
        add_layer_norm(isa, rows, update, layer.norm.weight, layer.norm.bias);
    }
}

/// `out = layer(activation(rows))`; the activation overwrites the rows.
fn apply(
    isa: Isa,
    layer: &Linear<'_>,
    rows: &mut [f32],
    activation: Activation,
    codes: &mut QuantisedRows,
    out: &mut Vec<f32>,
) {
    quantise_rows(isa, rows, layer.inputs(), activation, codes);
    out.resize(codes.len() * layer.outputs(), 0.0);
    linear(isa, layer, codes, out);
}

/// The mean of the rows, at unit length.
fn mean_of(rows: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; HIDDEN];
    for row in rows.chunks_exact(HIDDEN) {
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += value;
        }
    }
    normalise(&mut sum);
    sum
}

const _: () = assert!(HEADS * docent_kernels::HEAD_SIZE == HIDDEN && FEED_FORWARD == 4 * HIDDEN);
