//! Embedders: what turns text into vectors.
//!
//! Three implementations of [`docent_index::Embedder`]: [`MiniLm`] computes a small sentence model on this machine, with
//! its weights inside the binary; [`OpenAi`] asks any server that speaks the OpenAI embeddings protocol;
//! [`HashEmbedder`] needs no model and serves tests. Which one is used, and from which settings, is decided elsewhere;
//! environment variables are not read here.

#![forbid(unsafe_code)]

mod hash;
mod minilm;
mod openai;
mod wordpiece;

pub use hash::HashEmbedder;
pub use minilm::{MAX_TOKENS, MiniLm};
pub use openai::{OpenAi, OpenAiConfig};
pub use wordpiece::WordPiece;
