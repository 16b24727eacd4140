//! Linear layers with int8 weights: `out = x · Wᵀ + bias`.
//!
//! Weights are quantised per output and stored in the one layout that every instruction set reads in place, so a
//! model file is used as it lies: panels of 48 outputs, `[outputs / 48][inputs / 4][48][4]`. Four inputs of one output
//! lie together, which is what int8 dot-product instructions consume; 48 outputs are three 64-byte vectors, and with
//! eight rows of input they fill 24 of 32 registers with sums.
//!
//! The sums are exact integers, and the step back to floats uses the same roundings everywhere, so all instruction
//! sets give the same floats bit for bit.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512_vnni;
#[cfg(target_arch = "x86_64")]
mod avx_vnni;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "aarch64")]
mod neon_dot;
mod portable;

use crate::isa::{Isa, Kind};
use crate::quantise::QuantisedRows;

/// Outputs that are stored, and computed, together.
pub const PANEL: usize = 48;

/// Bytes of one step of a panel: four inputs of each output.
const STEP: usize = PANEL * 4;

/// The weights of a linear layer, borrowed from wherever they lie.
#[derive(Debug, Clone, Copy)]
pub struct Linear<'a> {
    inputs: usize,
    panels: &'a [i8],
    scales: &'a [f32],
    sums: &'a [i32],
    bias: &'a [f32],
}

impl<'a> Linear<'a> {
    /// A layer from `inputs` floats to as many as there are `scales`; `None` if the sizes do not fit together.
    ///
    /// Inputs come in sixteens and outputs in panels. `sums` are the sums of each output's quantised weights.
    pub fn new(
        inputs: usize,
        panels: &'a [i8],
        scales: &'a [f32],
        sums: &'a [i32],
        bias: &'a [f32],
    ) -> Option<Linear<'a>> {
        let outputs = scales.len();
        let fits = inputs > 0
            && inputs.is_multiple_of(16)
            && outputs.is_multiple_of(PANEL)
            && panels.len() == inputs.checked_mul(outputs)?
            && sums.len() == outputs
            && bias.len() == outputs;
        fits.then_some(Linear { inputs, panels, scales, sums, bias })
    }

    /// Floats in an input row.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Floats in an output row.
    pub fn outputs(&self) -> usize {
        self.scales.len()
    }

    fn panel(&self, index: usize) -> Panel<'a> {
        let outputs = index * PANEL..(index + 1) * PANEL;
        Panel {
            weights: &self.panels[index * PANEL * self.inputs..][..PANEL * self.inputs],
            scales: &self.scales[outputs.clone()],
            sums: &self.sums[outputs.clone()],
            bias: &self.bias[outputs],
        }
    }
}

/// Multiplies quantised rows with the layer's weights, into rows of floats.
///
/// # Panics
/// If the rows have another width than the layer's inputs, or `out` is not one output row for each of them.
pub fn linear(isa: Isa, layer: &Linear<'_>, rows: &QuantisedRows, out: &mut [f32]) {
    assert_eq!(rows.width, layer.inputs, "rows must be as wide as the layer's inputs");
    assert_eq!(out.len(), rows.len() * layer.outputs(), "one output row for each input row");
    assert_eq!(rows.codes.len(), rows.len() * rows.width);
    assert_eq!(rows.zero_points.len(), rows.len());
    for index in 0..layer.outputs() / PANEL {
        let mut block = Block {
            panel: layer.panel(index),
            rows,
            first: 0,
            out,
            stride: layer.outputs(),
            column: index * PANEL,
        };
        while block.first < rows.len() {
            block.first += match isa.0 {
                // SAFETY: an `Isa` exists only on machines that have its instructions.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512Vnni => unsafe { avx512_vnni::multiply(&mut block) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Kind::AvxVnni => unsafe { avx_vnni::multiply(&mut block) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2::multiply(&mut block) },
                // SAFETY: as above.
                #[cfg(target_arch = "aarch64")]
                Kind::NeonDot => unsafe { neon_dot::multiply(&mut block) },
                // SAFETY: as above.
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => unsafe { neon::multiply(&mut block) },
                Kind::Portable => portable::multiply(&mut block),
            };
        }
    }
}

/// The weights of 48 outputs.
#[derive(Clone, Copy)]
struct Panel<'a> {
    weights: &'a [i8],
    scales: &'a [f32],
    sums: &'a [i32],
    bias: &'a [f32],
}

/// A panel and the rows from `first` on. Kernels compute as many rows as suits them and say how many that were.
struct Block<'a> {
    panel: Panel<'a>,
    rows: &'a QuantisedRows,
    first: usize,
    out: &'a mut [f32],
    stride: usize,
    column: usize,
}

impl Block<'_> {
    /// Rows still to compute.
    fn remaining(&self) -> usize {
        self.rows.len() - self.first
    }

    /// The codes of the row `offset` rows after the first.
    #[inline(always)]
    fn codes(&self, offset: usize) -> &[u8] {
        &self.rows.codes[(self.first + offset) * self.rows.width..][..self.rows.width]
    }

    /// Turns exact sums of `code * weight` of one row into floats, for the outputs from `column` of the panel on.
    #[inline(always)]
    fn finish(&mut self, offset: usize, column: usize, sums: &[i32]) {
        let row = self.first + offset;
        let (scale, zero_point) = (self.rows.scales[row], self.rows.zero_points[row]);
        let outputs = column..column + sums.len();
        let out = &mut self.out[row * self.stride + self.column + column..][..sums.len()];
        let weights = self.panel.scales[outputs.clone()].iter().zip(&self.panel.sums[outputs.clone()]);
        for (((out, &sum), (&weight_scale, &weight_sum)), &bias) in
            out.iter_mut().zip(sums).zip(weights).zip(&self.panel.bias[outputs])
        {
            *out = (sum - zero_point * weight_sum) as f32 * (weight_scale * scale) + bias;
        }
    }
}
