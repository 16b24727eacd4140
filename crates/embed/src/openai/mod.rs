//! Vectors from any server that speaks the OpenAI embeddings protocol: OpenAI, Ollama, vLLM, text-embeddings-inference.
//!
//! Texts go out in batches, a few at once. Requests that may succeed later are repeated with growing waits; answers
//! are checked for number, order and length before anything is believed. All calls block.

mod answer;
mod client;
mod config;
mod retry;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use docent_index::{EmbedError, Embedder, Model};

use self::client::Client;
pub use self::config::OpenAiConfig;

/// An embedder behind HTTP.
#[derive(Debug)]
pub struct OpenAi {
    client: Client,
    model: Model,
}

impl OpenAi {
    /// An embedder with these settings. Without `dimensions` it asks the server once for a vector to learn them.
    pub fn new(config: OpenAiConfig) -> Result<OpenAi, EmbedError> {
        let client = Client::new(config);
        let dimensions = match client.config.dimensions {
            Some(dimensions) => dimensions,
            None => {
                let probe = [with_prefix(&client.config.document_prefix, "dimensions")];
                client.embed(&probe, None)?.first().map_or(0, Vec::len)
            }
        };
        Ok(Self::with(client, dimensions))
    }

    /// An embedder whose vectors are known to have this length; the server is not asked for it.
    pub fn known(config: OpenAiConfig, dimensions: usize) -> OpenAi {
        Self::with(Client::new(config), dimensions)
    }

    fn with(client: Client, dimensions: usize) -> OpenAi {
        let config = &client.config;
        let model = Model {
            id: id_of(config, dimensions),
            name: config.model.clone(),
            provider: "openai".to_owned(),
            dimensions,
        };
        OpenAi { client, model }
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let batches: Vec<&[String]> = texts.chunks(self.client.config.batch_size.max(1)).collect();
        let results: Vec<OnceLock<Result<Vec<Vec<f32>>, EmbedError>>> =
            batches.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || {
            while !failed.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(index) else { break };
                let result = self.client.embed(batch, Some(self.model.dimensions));
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                let _ = results[index].set(result);
            }
        };
        std::thread::scope(|scope| {
            // The calling thread works too.
            for _ in 1..self.client.config.concurrency.min(batches.len()) {
                scope.spawn(work);
            }
            work();
        });
        let mut vectors = Vec::with_capacity(texts.len());
        // A batch without a result was not sent because another had failed; that one's error is the one to report.
        let (finished, missing): (Vec<_>, Vec<_>) =
            results.into_iter().map(OnceLock::into_inner).partition(Option::is_some);
        for result in finished.into_iter().flatten() {
            vectors.extend(result?);
        }
        debug_assert!(missing.is_empty());
        Ok(vectors)
    }
}

impl Embedder for OpenAi {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = &self.client.config.document_prefix;
        let texts: Vec<String> = texts.iter().map(|text| with_prefix(prefix, text)).collect();
        self.embed(&texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = with_prefix(&self.client.config.query_prefix, text);
        let vectors = self.client.embed(&[text], Some(self.model.dimensions))?;
        // One text in gives one vector out: the client has checked it.
        Ok(vectors.into_iter().next().unwrap_or_default())
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = &self.client.config.query_prefix;
        let texts: Vec<String> = texts.iter().map(|text| with_prefix(prefix, text)).collect();
        self.embed(&texts)
    }
}

/// Servers refuse an empty text, and callers want a vector for each.
fn with_prefix(prefix: &str, text: &str) -> String {
    if prefix.is_empty() && text.is_empty() { " ".to_owned() } else { format!("{prefix}{text}") }
}

/// Prefixes change the vectors, so they are part of the id.
fn id_of(config: &OpenAiConfig, dimensions: usize) -> String {
    let mut id = format!("openai:{}:{dimensions}", config.model);
    if !config.query_prefix.is_empty() || !config.document_prefix.is_empty() {
        let mut hasher = blake3::Hasher::new();
        hasher.update(config.query_prefix.as_bytes()).update(&[0]).update(config.document_prefix.as_bytes());
        id.push(':');
        id.push_str(&hasher.finalize().to_hex()[..8]);
    }
    id
}
