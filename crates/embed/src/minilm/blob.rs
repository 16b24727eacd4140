//! The bytes of the model, inside the binary and aligned for vector loads.

/// Forces the alignment of what it holds.
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

static MODEL: &Aligned<[u8]> = &Aligned(*include_bytes!("../../model/minilm-l6-v2-int8.bin"));

/// The model file, as `tools/make_model_blob.py` writes it.
pub(super) fn bytes() -> &'static [u8] {
    &MODEL.0
}
