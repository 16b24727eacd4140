//! Int8 and f32 kernels and the file map: the only crate with unsafe code.
