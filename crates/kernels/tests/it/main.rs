//! Every kernel gives the same bits with all instructions of this machine as in plain Rust.

// Helpers of tests are tests too, but the lint only knows functions marked as such.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod float_kernels;
mod linear_layer;
mod vector_scan;
