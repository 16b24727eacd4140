//! Int8 and f32 kernels, the file map and a word to the allocator: the only crate of the project with unsafe code.
//!
//! Vector instructions and memory maps cannot be had without `unsafe`, so they live here behind safe functions that
//! check every length, and all other crates forbid it. Each kernel exists once per instruction set and once in plain
//! Rust; the plain version is the definition, the others are tested against it. Integer kernels agree bit for bit on
//! every machine, and so do float kernels but for one thing: where there is no fused multiply-add, the portable version
//! rounds about one of 2^29 sums differently. An index built on one machine is therefore valid on another.
//!
//! The crate knows nothing of models, text or file formats: it computes on slices.

#![allow(unsafe_code)]

#[cfg(target_endian = "big")]
compile_error!("the kernels read pairs and quads of small integers as one larger one, first element lowest");

mod allocator;
mod attention;
mod file_map;
mod gelu;
mod isa;
mod layer_norm;
mod linear;
mod quantise;
mod scan;
mod simd;
mod vector;

pub use allocator::{give_back_memory, keep_little_memory};
pub use attention::{Attention, HEAD_SIZE, MAX_SEQUENCE};
pub use file_map::FileMap;
pub use isa::Isa;
pub use layer_norm::{add_layer_norm, layer_norm};
pub use linear::{Linear, PANEL, linear};
pub use quantise::{Activation, QuantisedRows, quantise_rows};
pub use scan::{scan_i8, scan_many_i8};
pub use vector::{add_scaled_i8, dot_f32_i8, normalise, prefetch, quantise_i8};
