//! One embeddings request: send, repeat when that may help, and say clearly what went wrong when it does not.

use std::time::Duration;

use docent_index::EmbedError;
use serde::Serialize;
use ureq::Agent;

use super::answer::{Answer, Misfit};
use super::config::OpenAiConfig;
use super::retry;

/// Answers beyond this are refused: 2048 texts of 4096 dimensions as JSON text are about 170 MB.
const LARGEST_ANSWER: u64 = 256 << 20;
/// Of an error answer only the beginning is read.
const LARGEST_ERROR: u64 = 64 << 10;

/// Sends requests to one server.
#[derive(Debug)]
pub(super) struct Client {
    agent: Agent,
    pub(super) config: OpenAiConfig,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

/// A failed attempt, and how long the server wants to be left alone.
struct Failure {
    error: EmbedError,
    wait: Option<Duration>,
}

impl Client {
    pub(super) fn new(config: OpenAiConfig) -> Client {
        let agent = Agent::config_builder()
            .timeout_global(Some(config.timeout))
            .http_status_as_error(false)
            // Following a redirect would turn the request into one without a body.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build()
            .new_agent();
        Client { agent, config }
    }

    /// The vectors of some texts, checked against `dimensions` if they are known.
    pub(super) fn embed(
        &self,
        texts: &[String],
        dimensions: Option<usize>,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut repetition = 0;
        loop {
            let Failure { error, wait } = match self.attempt(texts, dimensions) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            if !error.retryable || repetition >= self.config.max_retries {
                return Err(error);
            }
            std::thread::sleep(retry::delay(self.config.retry_delay, repetition, wait, retry::random()));
            repetition += 1;
        }
    }

    fn attempt(&self, texts: &[String], dimensions: Option<usize>) -> Result<Vec<Vec<f32>>, Failure> {
        let config = &self.config;
        let request = Request {
            model: &config.model,
            input: texts,
            encoding_format: "float",
            dimensions: config.dimensions,
        };
        let mut builder = self.agent.post(config.endpoint());
        if let Some(key) = &config.api_key {
            builder = builder.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = builder.send_json(&request).map_err(|error| self.transport(&error))?;
        let status = response.status().as_u16();
        let body = response.body_mut().with_config();
        if status != 200 {
            let text = body.limit(LARGEST_ERROR).lossy_utf8(true).read_to_string().unwrap_or_default();
            let wait = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
            return Err(Failure { error: self.refused(status, &text), wait: retry::asked_delay(wait) });
        }
        let answer: Answer =
            body.limit(LARGEST_ANSWER).read_json().map_err(|error| self.transport(&error))?;
        answer.vectors(texts.len(), dimensions).map_err(|misfit| self.misfit(&misfit).into())
    }

    /// Nothing, or nothing usable, came back.
    fn transport(&self, error: &ureq::Error) -> Failure {
        let config = &self.config;
        let (reason, retryable) = match error {
            ureq::Error::Timeout(_) => (format!("no answer within {:?}", config.timeout), true),
            ureq::Error::Json(error) => (format!("the answer is not an embeddings answer: {error}"), false),
            ureq::Error::BodyExceedsLimit(limit) => {
                (format!("the answer is larger than {limit} bytes"), false)
            }
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => (error.to_string(), false),
            _ => (error.to_string(), true),
        };
        let hint = if retryable {
            "check that the server runs and that base_url is right"
        } else {
            "check that base_url is the root of an OpenAI-compatible API, usually ending in /v1"
        };
        self.error(format!("embedding at {} failed: {reason}", config.shown_endpoint()), hint, retryable)
            .into()
    }

    /// The server answered with an error.
    fn refused(&self, status: u16, text: &str) -> EmbedError {
        let config = &self.config;
        let said = message_in(text);
        let mut message = format!("{} answered {status}", config.shown_endpoint());
        if !said.is_empty() {
            message.push_str(": ");
            message.push_str(&said);
        }
        let variable = &config.api_key_variable;
        let lower = said.to_lowercase();
        let hint = match status {
            401 | 403 if config.api_key.is_some() => {
                format!("the API key was refused: check the value of {variable}")
            }
            401 | 403 => format!("the server wants an API key: set {variable}"),
            _ if lower.contains("model") && (status == 404 || lower.contains("not found")) => {
                format!("check the name of the model, \"{}\"; for Ollama, pull it first", config.model)
            }
            404 | 405 => "check base_url: it is the root of the API, usually ending in /v1".to_owned(),
            300..=399 => "the server redirects: set base_url to where it points".to_owned(),
            413 => "use a smaller batch_size or shorter passages".to_owned(),
            429 => "the server limits requests: lower concurrency, or wait and try again".to_owned(),
            400 if lower.contains("dimension") => {
                "this model may not let dimensions be chosen: leave dimensions unset".to_owned()
            }
            500..=599 => "the server has a problem: try again later".to_owned(),
            _ => "check the model and the settings of this embedder".to_owned(),
        };
        self.error(message, &hint, matches!(status, 408 | 429 | 500..=599))
    }

    /// The answer does not belong to the request.
    fn misfit(&self, misfit: &Misfit) -> EmbedError {
        let server = self.config.shown_endpoint();
        let model = &self.config.model;
        let (message, hint) = match misfit {
            Misfit::Count { expected, found } => (
                format!("{server} gave {found} vectors for {expected} texts"),
                "the server may not support batches: set batch_size to 1".to_owned(),
            ),
            Misfit::Order => (
                format!("{server} gave vectors with wrong positions"),
                "the server may not support batches: set batch_size to 1".to_owned(),
            ),
            Misfit::Dimensions { expected, found } => (
                format!("{model} gave a vector of {found} dimensions instead of {expected}"),
                format!("set dimensions to {found}, or leave it unset, and index again"),
            ),
            Misfit::NoDirection => (
                format!("{model} gave a vector without direction (zeros or not a number)"),
                "check the server: the model may be damaged or not an embedding model".to_owned(),
            ),
        };
        self.error(message, &hint, false)
    }

    fn error(&self, message: String, hint: &str, retryable: bool) -> EmbedError {
        EmbedError { message: self.config.shown(&message), hint: hint.to_owned(), retryable }
    }
}

impl From<EmbedError> for Failure {
    fn from(error: EmbedError) -> Failure {
        Failure { error, wait: None }
    }
}

/// What the server says in its error answer: `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}` or text.
fn message_in(text: &str) -> String {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else {
        return text.trim().to_owned();
    };
    let places = [&value["error"]["message"], &value["error"], &value["message"], &value["detail"]];
    places.into_iter().find_map(|place| place.as_str()).unwrap_or(text.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_the_server_says() {
        assert_eq!(message_in(r#"{"error":{"message":"no","code":1}}"#), "no");
        assert_eq!(message_in(r#"{"error":"model not found"}"#), "model not found");
        assert_eq!(message_in(r#"{"message":"gone"}"#), "gone");
        assert_eq!(message_in("  Bad Gateway\n"), "Bad Gateway");
        assert_eq!(message_in(""), "");
    }
}
