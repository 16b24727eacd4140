//! Quantisation and linear layers against plain Rust and against arithmetic in f64.

use docent_kernels::{Activation, Isa, Linear, PANEL, QuantisedRows, linear, quantise_rows};
use proptest::collection::vec;
use proptest::prelude::*;

/// A layer as it comes from a model: weights row by row.
#[derive(Debug, Clone)]
struct Layer {
    inputs: usize,
    weights: Vec<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
}

impl Layer {
    fn outputs(&self) -> usize {
        self.scales.len()
    }

    fn panels(&self) -> Vec<i8> {
        let mut panels = vec![0; self.weights.len()];
        for (index, &weight) in self.weights.iter().enumerate() {
            let (output, input) = (index / self.inputs, index % self.inputs);
            let step = (output / PANEL) * (self.inputs / 4) + input / 4;
            panels[(step * PANEL + output % PANEL) * 4 + input % 4] = weight;
        }
        panels
    }

    fn sums(&self) -> Vec<i32> {
        self.weights.chunks(self.inputs).map(|row| row.iter().map(|&w| i32::from(w)).sum()).collect()
    }
}

fn layers() -> impl Strategy<Value = (Layer, Vec<f32>)> {
    (1..=6usize, 1..=3usize, 0..=19usize).prop_flat_map(|(inputs, panels, rows)| {
        let (inputs, outputs) = (inputs * 16, panels * PANEL);
        // The extremes are where narrow sums would overflow.
        let weight = prop_oneof![4 => -127..=127i8, 1 => Just(127i8), 1 => Just(-127i8)];
        let value =
            prop_oneof![4 => -3.0..3.0f32, 1 => Just(100.0f32), 1 => Just(-100.0f32), 1 => Just(0.0f32)];
        let layer = (vec(weight, inputs * outputs), vec(0.001..0.1f32, outputs), vec(-1.0..1.0f32, outputs))
            .prop_map(move |(weights, scales, bias)| Layer { inputs, weights, scales, bias });
        (layer, vec(value, inputs * rows))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn all_instructions_give_the_same_bits((layer, rows) in layers(), gelu in any::<bool>()) {
        let activation = if gelu { Activation::Gelu } else { Activation::Identity };
        let (panels, sums) = (layer.panels(), layer.sums());
        let packed = Linear::new(layer.inputs, &panels, &layer.scales, &sums, &layer.bias).unwrap();
        let mut expected: Option<(QuantisedRows, Vec<f32>)> = None;
        for isa in Isa::available().into_iter().rev() {
            let mut codes = QuantisedRows::default();
            quantise_rows(isa, &mut rows.clone(), layer.inputs, activation, &mut codes);
            let mut out = vec![0.0; codes.len() * layer.outputs()];
            linear(isa, &packed, &codes, &mut out);
            match &expected {
                None => expected = Some((codes, out)),
                Some((expected_codes, expected_out)) => {
                    prop_assert!(expected_codes == &codes, "{isa}: other codes");
                    prop_assert!(expected_out == &out, "{isa}: other results");
                }
            }
        }
    }

    #[test]
    fn results_are_those_of_the_quantised_numbers((layer, mut rows) in layers()) {
        let (panels, sums) = (layer.panels(), layer.sums());
        let packed = Linear::new(layer.inputs, &panels, &layer.scales, &sums, &layer.bias).unwrap();
        let mut codes = QuantisedRows::default();
        quantise_rows(Isa::detect(), &mut rows, layer.inputs, Activation::Identity, &mut codes);
        let mut out = vec![0.0; codes.len() * layer.outputs()];
        linear(Isa::detect(), &packed, &codes, &mut out);
        for (index, &found) in out.iter().enumerate() {
            let (row, output) = (index / layer.outputs(), index % layer.outputs());
            let weights = &layer.weights[output * layer.inputs..][..layer.inputs];
            let products = weights.iter().enumerate().map(|(input, &weight)| {
                f64::from(codes.value(row, input)) * f64::from(weight) * f64::from(layer.scales[output])
            });
            let expected = products.sum::<f64>() + f64::from(layer.bias[output]);
            let tolerance = 1e-4 * expected.abs().max(10.0);
            prop_assert!((f64::from(found) - expected).abs() < tolerance, "{found} instead of {expected}");
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let (panels, floats, sums) = ([0i8; 16 * PANEL], [0.0f32; PANEL], [0i32; PANEL]);
    assert!(Linear::new(16, &panels, &floats, &sums, &floats).is_some());
    assert!(Linear::new(15, &panels[..15 * PANEL], &floats, &sums, &floats).is_none());
    assert!(Linear::new(16, &panels[1..], &floats, &sums, &floats).is_none());
    assert!(Linear::new(16, &panels, &floats, &sums[1..], &floats).is_none());
    assert!(Linear::new(16, &panels, &floats, &sums, &floats[1..]).is_none());
    assert!(Linear::new(0, &[], &floats, &sums, &floats).is_none());
}

#[test]
#[should_panic(expected = "as wide as the layer's inputs")]
fn rows_of_another_width_are_refused() {
    let (panels, floats, sums) = ([0i8; 16 * PANEL], [0.0f32; PANEL], [0i32; PANEL]);
    let layer = Linear::new(16, &panels, &floats, &sums, &floats).unwrap();
    let mut codes = QuantisedRows::default();
    quantise_rows(Isa::detect(), &mut [0.0; 32], 32, Activation::Identity, &mut codes);
    linear(Isa::detect(), &layer, &codes, &mut [0.0; PANEL]);
}
