//! The issuer's public keys: where they are, and a copy of them.
//!
//! The copy is renewed when a token names a key that is not in it, and when it has grown old; never more often than
//! every half minute, whatever tokens strangers send. An issuer that is down costs nothing but news: the copy stays.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::Uri;
use jsonwebtoken::jwk::{Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Shortest time between two fetches.
const PAUSE: Duration = Duration::from_secs(30);
/// A copy older than this is renewed beside the request that noticed.
const OLD: Duration = Duration::from_secs(15 * 60);
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_BYTES: u64 = 1024 * 1024;

/// The keys of one issuer.
#[derive(Debug)]
pub(super) struct Jwks {
    source: Source,
    copy: RwLock<Option<Copy>>,
    last_fetch: Mutex<Option<Instant>>,
}

#[derive(Debug, Clone)]
struct Source {
    issuer: String,
    jwks_url: Option<String>,
}

#[derive(Debug, Clone)]
struct Copy {
    keys: Arc<Vec<Key>>,
    fetched: Instant,
}

#[derive(Debug)]
struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    public: DecodingKey,
}

/// Why there is no key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// The issuer has no such key.
    Unknown,
    /// The issuer could not be asked, and there is no copy either.
    Unreachable,
}

impl Jwks {
    pub(super) fn new(issuer: &str, jwks_url: Option<&str>) -> Self {
        let source = Source { issuer: issuer.to_owned(), jwks_url: jwks_url.map(str::to_owned) };
        Self { source, copy: RwLock::new(None), last_fetch: Mutex::new(None) }
    }

    /// The key that a token names. A token that names none gets the only one there is, if there is only one.
    pub(super) async fn key(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, NoKey> {
        if let Some(copy) = self.copy()
            && let Some(key) = find(&copy.keys, id, algorithm)
        {
            if copy.fetched.elapsed() > OLD {
                let this = self.clone();
                tokio::spawn(async move { this.renew().await });
            }
            return Ok(key);
        }
        self.renew().await;
        let copy = self.copy().ok_or(NoKey::Unreachable)?;
        find(&copy.keys, id, algorithm).ok_or(NoKey::Unknown)
    }

    /// Fetches the keys, unless that was done a moment ago. Those who come meanwhile wait and find the result.
    async fn renew(&self) {
        let mut last_fetch = self.last_fetch.lock().await;
        if last_fetch.is_some_and(|last| last.elapsed() < PAUSE) {
            return;
        }
        let source = self.source.clone();
        let fetched = tokio::task::spawn_blocking(move || source.fetch()).await;
        *last_fetch = Some(Instant::now());
        if let Ok(Some(keys)) = fetched {
            let copy = Copy { keys: Arc::new(keys), fetched: Instant::now() };
            *self.copy.write().unwrap_or_else(PoisonError::into_inner) = Some(copy);
        }
    }

    fn copy(&self) -> Option<Copy> {
        self.copy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn find(keys: &[Key], id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut fitting = keys.iter().filter(|key| key.algorithm == algorithm);
    let key = match id {
        Some(id) => fitting.find(|key| key.id.as_deref() == Some(id))?,
        None => {
            let only = fitting.next()?;
            fitting.next().is_none().then_some(only)?
        }
    };
    Some(key.public.clone())
}

impl Source {
    fn fetch(&self) -> Option<Vec<Key>> {
        let deadline = Instant::now() + FETCH_TIMEOUT;
        let url = self.jwks_url.clone().or_else(|| self.discover(deadline))?;
        let set: JwkSet = get(&url, deadline)?;
        Some(set.keys.into_iter().filter_map(read_key).collect())
    }

    /// Asks the issuer's metadata, in the places where OAuth and OpenID Connect put it.
    fn discover(&self, deadline: Instant) -> Option<String> {
        let issuer = self.issuer.trim_end_matches('/');
        let uri: Uri = issuer.parse().ok()?;
        let (origin, path) =
            (format!("{}://{}", uri.scheme_str()?, uri.authority()?), uri.path().trim_end_matches('/'));
        let mut places = vec![
            format!("{origin}/.well-known/oauth-authorization-server{path}"),
            format!("{origin}/.well-known/openid-configuration{path}"),
        ];
        if !path.is_empty() {
            places.push(format!("{issuer}/.well-known/openid-configuration"));
            places.push(format!("{issuer}/.well-known/oauth-authorization-server"));
        }
        let mut metadata = places.iter().filter_map(|place| get::<Metadata>(place, deadline));
        // Metadata that speaks for another issuer must not bring in its keys.
        let own = metadata.find(|metadata| metadata.issuer == self.issuer)?;
        is_trustworthy(&own.jwks_uri).then_some(own.jwks_uri)
    }
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

/// A key that we can use; the set may hold others, which are passed over.
fn read_key(value: Value) -> Option<Key> {
    let jwk: Jwk = serde_json::from_value(value).ok()?;
    if jwk.common.public_key_use.as_ref().is_some_and(|used| *used != PublicKeyUse::Signature) {
        return None;
    }
    let public = DecodingKey::from_jwk(&jwk).ok()?;
    let (algorithm, named) = match public.family() {
        AlgorithmFamily::Rsa => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmFamily::Ec => (Algorithm::ES256, KeyAlgorithm::ES256),
        AlgorithmFamily::Ed => (Algorithm::EdDSA, KeyAlgorithm::EdDSA),
        AlgorithmFamily::Hmac => return None,
    };
    let fits = jwk.common.key_algorithm.is_none_or(|algorithm| algorithm == named);
    fits.then_some(Key { id: jwk.common.key_id, algorithm, public })
}

/// Whether keys may be fetched from there: over TLS, or from this machine.
pub(super) fn is_trustworthy(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let Some(authority) = uri.authority() else { return false };
    match uri.scheme_str() {
        Some("https") => !authority.as_str().contains('@'),
        Some("http") => {
            crate::host::Authority::parse(authority.as_str()).is_some_and(|host| host.is_loopback())
        }
        _ => false,
    }
}

fn get<T: DeserializeOwned>(url: &str, deadline: Instant) -> Option<T> {
    let left = deadline.checked_duration_since(Instant::now())?;
    let mut config = ureq::Agent::config_builder().timeout_global(Some(left)).max_redirects(0);
    if url.starts_with("http:") {
        config = config.proxy(None);
    }
    let agent: ureq::Agent = config.build().into();
    let mut response = agent.get(url).header("Accept", "application/json").call().ok()?;
    let bytes = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec().ok()?;
    (response.status() == 200).then(|| serde_json::from_slice(&bytes).ok())?
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Answers every request with one key, whose id is the number of the request, and so many blanks.
    fn issuer(blanks: usize) -> (String, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/keys", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let id = counter.fetch_add(1, Ordering::SeqCst) + 1;
                let blanks = " ".repeat(blanks);
                let body = format!(
                    r#"{blanks}{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"{id}","x":"AAAA"}}]}}"#
                );
                let head =
                    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        (url, asked)
    }

    #[tokio::test(start_paused = true)]
    async fn new_keys_are_fetched_at_most_every_half_minute() {
        let (url, asked) = issuer(0);
        let keys = Arc::new(Jwks::new("http://localhost", Some(&url)));
        let ask = async |id| keys.key(Some(id), Algorithm::EdDSA).await.map(|_| ());
        assert_eq!(ask("1").await, Ok(()));
        assert_eq!(ask("2").await, Err(NoKey::Unknown));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        tokio::time::advance(PAUSE).await;
        assert_eq!(ask("2").await, Ok(()));
        assert_eq!(ask("1").await, Err(NoKey::Unknown), "a key that the issuer has withdrawn is gone");
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        tokio::time::advance(OLD + PAUSE).await;
        assert_eq!(ask("2").await, Ok(()), "an old copy serves while it is renewed");
    }

    #[tokio::test(start_paused = true)]
    async fn the_copy_stays_when_the_issuer_is_gone() {
        let (url, _) = issuer(0);
        let mut keys = Jwks::new("http://localhost", Some(&url));
        keys.renew().await;
        keys.source.jwks_url = Some("http://127.0.0.1:1/keys".to_owned());
        let keys = Arc::new(keys);
        tokio::time::advance(OLD + PAUSE).await;
        assert_eq!(keys.key(Some("2"), Algorithm::EdDSA).await.map(|_| ()), Err(NoKey::Unknown));
        assert!(keys.key(Some("1"), Algorithm::EdDSA).await.is_ok());
    }

    #[tokio::test]
    async fn a_set_of_keys_has_at_most_a_mebibyte() {
        for (blanks, known) in [(1000, true), (1024 * 1024, false)] {
            let keys = Arc::new(Jwks::new("http://localhost", Some(&issuer(blanks).0)));
            assert_eq!(keys.key(Some("1"), Algorithm::EdDSA).await.is_ok(), known, "{blanks}");
        }
    }

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        assert!(is_trustworthy("https://x.example.com/keys"));
        assert!(is_trustworthy("http://[::1]:80/keys"));
        for url in
            ["http://x.example.com/keys", "http://localhost.evil.com", "file:///etc/passwd", "/keys", ""]
        {
            assert!(!is_trustworthy(url), "{url}");
        }
    }
}
