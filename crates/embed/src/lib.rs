//! Embedders: the built-in MiniLM, hash, and OpenAI-compatible HTTP.
