//! Tests of the embedders through their public interface.

// Helpers of tests are tests too, but the lint only knows functions marked as such.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod hostile_text;
mod minilm_agreement;
mod minilm_quality;
mod openai_server;
mod wordpiece_reference;
