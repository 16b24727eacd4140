//! Who embeds, and the vectors that were computed before.

use std::sync::Arc;
use std::time::Duration;

use docent_embed::{HashEmbedder, MiniLm, OpenAi, OpenAiConfig};
use docent_index::{Embedder, EmbeddingCache};
use docent_store_embedded::UserCache;

use super::Vectors;
use crate::args::Provider;
use crate::env_vars;
use crate::errors::CliError;
use crate::printer::Printer;
use crate::settings::{EmbeddingSettings, Origin, Settings};

/// Model to ask an OpenAI-compatible server for when none is named.
const DEFAULT_OPENAI_MODEL: &str = "text-embedding-3-large";
/// How long an embedding server may take while somebody waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The embedder that the settings name; `None` for search by words only. The built-in model is loaded on first use.
pub(crate) fn embedder(
    settings: &EmbeddingSettings,
    vectors: Vectors,
) -> Result<Option<Arc<dyn Embedder>>, CliError> {
    Ok(match settings.provider.value {
        Provider::MiniLm => Some(Arc::new(MiniLm::new())),
        Provider::Hash => Some(Arc::new(HashEmbedder::default())),
        Provider::None => None,
        Provider::OpenAi => {
            let openai = OpenAi::new(openai_config(settings, vectors)?)
                .map_err(|error| CliError::failed(error.message, error.hint))?;
            Some(Arc::new(openai))
        }
    })
}

/// How to ask the server. Documents go to one only when somebody said to which, or holds a key to the usual one.
pub(crate) fn openai_config(
    settings: &EmbeddingSettings,
    vectors: Vectors,
) -> Result<OpenAiConfig, CliError> {
    if settings.base_url.value.is_none() && settings.api_key.value.is_none() {
        return Err(CliError::usage(
            "the embedding provider openai has neither a server nor a key",
            "set embedding.base_url in docent.toml (e.g. http://127.0.0.1:11434/v1), or OPENAI_API_KEY",
        ));
    }
    // A project may come from anybody: its documents, questions about them and your key go nowhere because it says so.
    let of_project = match (&settings.base_url.origin, &settings.base_url.value) {
        (Origin::File(file), Some(base_url)) => Some((file, base_url)),
        _ => None,
    };
    if let Some((file, base_url)) = of_project.filter(|(_, base_url)| !is_here(base_url)) {
        return Err(CliError::usage(
            format!(
                "{} names {}, another machine, as the server to send documents to, and a project may not",
                file.display(),
                docent_sources::without_credentials(base_url)
            ),
            format!("set {} to that address if you trust it", env_vars::OPENAI_BASE_URL),
        ));
    }
    let mut config = OpenAiConfig::new(settings.model.value.as_deref().unwrap_or(DEFAULT_OPENAI_MODEL));
    if let Some(base_url) = &settings.base_url.value {
        config.base_url.clone_from(base_url);
    }
    if vectors != Vectors::Needed {
        // Somebody waits for an answer that words can give as well.
        config.max_retries = 0;
        config.timeout = config.timeout.min(PATIENCE);
    }
    config.dimensions = settings.dimensions.value;
    if of_project.is_none() {
        config.api_key.clone_from(&settings.api_key.value);
    }
    config.query_prefix.clone_from(&settings.query_prefix.value);
    config.document_prefix.clone_from(&settings.document_prefix.value);
    config.batch_size = settings.batch_size.value.unwrap_or(config.batch_size);
    config.concurrency = settings.concurrency.value.unwrap_or(config.concurrency);
    Ok(config)
}

/// Whether an address is one of this machine.
fn is_here(address: &str) -> bool {
    let uri = address.parse::<ureq::http::Uri>().ok();
    let host = uri.as_ref().and_then(|uri| uri.host()).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|host| host.is_loopback())
}

/// The vectors that the user's projects share. They only save time, so not having them is no error.
pub(crate) fn cache(settings: &Settings, printer: &Printer) -> Option<Arc<dyn EmbeddingCache>> {
    let cache = UserCache::open(&settings.cache.value.join("embeddings.sqlite"));
    if !cache.is_on() {
        printer.detail(format_args!("no shared cache of vectors in {}", settings.cache.value.display()));
        return None;
    }
    Some(Arc::new(cache))
}

#[cfg(test)]
mod tests {
    use super::is_here;

    #[test]
    fn only_addresses_of_this_machine_are_here() {
        for here in ["http://127.0.0.1:11434/v1", "http://localhost/v1", "http://[::1]:8080/v1"] {
            assert!(is_here(here), "{here}");
        }
        for away in [
            "https://api.example/v1",
            "http://127.0.0.1@evil.example/v1",
            "http://localhost.evil.example/v1",
            "x",
            "",
        ] {
            assert!(!is_here(away), "{away}");
        }
    }
}
