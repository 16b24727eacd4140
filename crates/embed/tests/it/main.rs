//! Tests of the embedders through their public interface.

mod hostile_text;
mod minilm_agreement;
mod minilm_quality;
mod openai_server;
mod wordpiece_reference;
