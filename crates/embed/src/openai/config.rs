//! What an OpenAI-compatible embedder needs to know.

use std::fmt;
use std::time::Duration;

/// Settings of [`super::OpenAi`]. Start from [`OpenAiConfig::new`] and change what differs.
#[derive(Clone)]
pub struct OpenAiConfig {
    /// Where the API lives; `/embeddings` is appended. `http://localhost:11434/v1` for Ollama.
    pub base_url: String,
    /// The model's name as the server knows it.
    pub model: String,
    /// Length of the vectors to ask for. `None` takes what the model gives, learnt with one call.
    pub dimensions: Option<usize>,
    /// Sent as a bearer token. Never printed.
    pub api_key: Option<String>,
    /// Where the key comes from, for the hint when it is refused.
    pub api_key_variable: String,
    /// Put before each query; some models were trained with one.
    pub query_prefix: String,
    /// Put before each document.
    pub document_prefix: String,
    /// Texts in a request.
    pub batch_size: usize,
    /// Requests at once.
    pub concurrency: usize,
    /// For one request, from connecting to the last byte.
    pub timeout: Duration,
    /// How often a request is repeated after the first failure.
    pub max_retries: u32,
    /// Wait before the first repetition; doubled for each further one.
    pub retry_delay: Duration,
}

impl OpenAiConfig {
    /// The usual settings for a model at api.openai.com, without a key.
    pub fn new(model: impl Into<String>) -> OpenAiConfig {
        OpenAiConfig {
            base_url: "https://api.openai.com/v1".to_owned(),
            model: model.into(),
            dimensions: None,
            api_key: None,
            api_key_variable: "OPENAI_API_KEY".to_owned(),
            query_prefix: String::new(),
            document_prefix: String::new(),
            batch_size: 64,
            concurrency: 4,
            timeout: Duration::from_secs(60),
            max_retries: 5,
            retry_delay: Duration::from_millis(500),
        }
    }

    /// The address that requests go to.
    pub(super) fn endpoint(&self) -> String {
        format!("{}/embeddings", self.base_url.trim_end_matches('/'))
    }

    /// The same address for people: without a user name and password.
    pub(super) fn shown_endpoint(&self) -> String {
        let endpoint = self.endpoint();
        let Some((scheme, rest)) = endpoint.split_once("://") else { return endpoint };
        let host_end = rest.find('/').unwrap_or(rest.len());
        match rest[..host_end].rfind('@') {
            Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
            None => endpoint,
        }
    }

    /// Text that may come from the server, safe to show: without the key, on one line, not too long.
    pub(super) fn shown(&self, text: &str) -> String {
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(key) = self.api_key.as_deref().filter(|key| !key.is_empty()) {
            text = text.replace(key, "***");
        }
        match text.char_indices().nth(300) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

impl fmt::Debug for OpenAiConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiConfig")
            .field("endpoint", &self.shown_endpoint())
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .field("api_key", &self.api_key.as_ref().map(|_| "***"))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let mut config = OpenAiConfig::new("m");
        config.api_key = Some("sk-secret".to_owned());
        config.base_url = "http://user:pass@host:80/v1/".to_owned();
        assert_eq!(config.shown_endpoint(), "http://host:80/v1/embeddings");
        assert_eq!(config.shown("bad key sk-secret\n given"), "bad key *** given");
        let debug = format!("{config:?}");
        assert!(!debug.contains("secret") && !debug.contains("pass"), "{debug}");
    }
}
