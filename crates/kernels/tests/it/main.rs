//! Every kernel gives the same bits with all instructions of this machine as in plain Rust.

mod float_kernels;
mod linear_layer;
mod vector_scan;
