//! Access tokens of an issuer that runs here, with keys made for the test.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use docent_mcp::Scope;
use docent_web::{Auth, OAuthConfig, WebConfig};
use http::StatusCode;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

use crate::support::*;

const RESOURCE: &str = "https://docs.example.com/mcp";

/// The three kinds of keys, in the set under the ids `rsa`, `ec` and `ed`.
struct Keys {
    rsa: RsaKeyPair,
    ec: EcdsaKeyPair,
    ed: Ed25519KeyPair,
}

impl Keys {
    fn new() -> Self {
        let random = SystemRandom::new();
        let ec = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        Self {
            // ring makes no RSA keys. This one was made for this test and opens nothing.
            rsa: RsaKeyPair::from_pkcs8(include_bytes!("rsa-key-for-tests.der")).unwrap(),
            ec: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, ec.as_ref(), &random).unwrap(),
            ed: Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap(),
        }
    }

    fn rsa_public(&self) -> PublicKeyComponents<Vec<u8>> {
        self.rsa.public().into()
    }

    fn set(&self) -> Value {
        let point = self.ec.public_key().as_ref();
        let PublicKeyComponents { n, e } = self.rsa_public();
        json!({"keys": [
            {"kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256", "n": BASE64URL.encode(&n), "e": BASE64URL.encode(&e)},
            {"kty": "EC", "kid": "ec", "crv": "P-256", "x": BASE64URL.encode(&point[1..33]), "y": BASE64URL.encode(&point[33..])},
            {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": BASE64URL.encode(self.ed.public_key().as_ref())},
            {"kty": "RSA", "kid": "sealing", "use": "enc", "n": BASE64URL.encode(&n), "e": BASE64URL.encode(&e)},
            {"kty": "oct", "kid": "shared", "k": BASE64URL.encode(b"a secret that is in the set")},
            {"kty": "unheard of", "kid": "odd"},
        ]})
    }

    fn sign(&self, header: &Value, claims: &Value) -> String {
        let random = SystemRandom::new();
        let message = message(header, claims);
        let bytes = message.as_bytes();
        let signature = match header["alg"].as_str().unwrap_or_default() {
            "RS256" => {
                let mut signature = vec![0; self.rsa.public().modulus_len()];
                self.rsa.sign(&RSA_PKCS1_SHA256, &random, bytes, &mut signature).unwrap();
                signature
            }
            "ES256" => self.ec.sign(&random, bytes).unwrap().as_ref().to_vec(),
            "EdDSA" => self.ed.sign(bytes).as_ref().to_vec(),
            _ => Vec::new(),
        };
        format!("{message}.{}", BASE64URL.encode(signature))
    }
}

fn message(header: &Value, claims: &Value) -> String {
    format!("{}.{}", BASE64URL.encode(header.to_string()), BASE64URL.encode(claims.to_string()))
}

/// An issuer that can be switched off.
struct Issuer {
    url: String,
    keys: Keys,
    up: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    /// `metadata` says what the issuer calls itself, given its URL.
    fn start(path: &'static str, named: fn(&str) -> String) -> Self {
        let keys = Keys::new();
        let up = Arc::new(AtomicBool::new(true));
        let asked = Arc::new(AtomicUsize::new(0));
        let set = Arc::new(Mutex::new(keys.set()));
        let (tell, told) = std::sync::mpsc::channel();
        let (switch, counter) = (up.clone(), asked.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                let url = format!("http://{}", listener.local_addr().unwrap());
                tell.send(url.clone()).unwrap();
                let metadata = json!({"issuer": named(&url), "jwks_uri": format!("{url}/keys")}).to_string();
                let answer = move |text: String| {
                    let up = switch.load(Ordering::SeqCst);
                    async move { if up { Ok(text) } else { Err(StatusCode::BAD_GATEWAY) } }
                };
                let keys = answer.clone();
                let router = Router::new().route(path, get(move || answer(metadata))).route(
                    "/keys",
                    get(move || {
                        counter.fetch_add(1, Ordering::SeqCst);
                        keys(set.lock().unwrap().to_string())
                    }),
                );
                axum::serve(listener, router).await.unwrap();
            });
        });
        Self { url: told.recv().unwrap(), keys, up, asked }
    }

    fn plain() -> Self {
        Self::start("/.well-known/oauth-authorization-server", str::to_owned)
    }

    fn server(&self) -> Server {
        self.server_with(None)
    }

    fn server_with(&self, jwks_url: Option<String>) -> Server {
        let oauth = OAuthConfig { issuer: self.url.clone(), resource: RESOURCE.to_owned(), jwks_url };
        let auth = Auth::Required { tokens: vec![token("ann", &Scope::ALL)], oauth: Some(oauth) };
        Server::start(WebConfig { auth, sse: true, ..WebConfig::default() })
    }

    fn claims(&self) -> Value {
        json!({"iss": self.url, "aud": RESOURCE, "sub": "carla", "exp": now() + 300, "scope": "openid docs:read"})
    }

    fn token(&self, claims: &Value) -> String {
        self.keys.sign(&json!({"alg": "ES256", "kid": "ec"}), claims)
    }
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64
}

/// The issuer's token with some claims changed; `null` removes one.
fn changed(issuer: &Issuer, changes: Value) -> Value {
    let mut claims = issuer.claims();
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(name);
        }
    }
    claims
}

fn refused(server: &Server, token: &str, why: &str) {
    let answer = server.modern_call("who").bearer(token).send();
    assert_eq!(answer.status, 401, "{why}: {answer:?}");
    assert!(answer.text().contains(why), "{why}: {}", answer.text());
    assert!(answer.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
    assert!(!answer.text().contains(token), "the token is repeated");
}

#[test]
fn tokens_of_all_three_algorithms_are_accepted() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    for (algorithm, id) in [("RS256", "rsa"), ("ES256", "ec"), ("EdDSA", "ed")] {
        let token =
            issuer.keys.sign(&json!({"alg": algorithm, "kid": id, "typ": "at+jwt"}), &issuer.claims());
        let answer = server.modern_call("who").bearer(&token).send();
        assert_eq!(answer.tool_text(), format!("{}|carla docs:read", issuer.url), "{algorithm}: {answer:?}");
    }
    let without_id = issuer.keys.sign(&json!({"alg": "ES256"}), &issuer.claims());
    assert_eq!(server.modern_call("who").bearer(&without_id).send().status, 200);
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1, "the keys are fetched once");
}

#[test]
fn tokens_of_the_operator_work_beside_those_of_the_issuer() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    assert_eq!(
        server.modern_call("who").bearer(&secret("ann")).send().tool_text(),
        "token|ann docs:read,docs:write"
    );
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 0);
    refused(&server, "neither-a-token-nor-a-jwt", "it is not a signed JWT");
}

#[test]
fn scopes_come_as_text_or_list() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let who = |changes| {
        let answer = server.modern_call("who").bearer(&issuer.token(&changed(&issuer, changes))).send();
        (answer.status, answer.tool_text().rsplit(' ').next().unwrap_or_default().to_owned())
    };
    assert_eq!(who(json!({"scope": "docs:write docs:read"})), (200, "docs:read,docs:write".into()));
    assert_eq!(who(json!({"scope": null, "scp": ["docs:read", "x"]})), (200, "docs:read".into()));
    assert_eq!(who(json!({"scope": null, "scp": "docs:read"})), (200, "docs:read".into()));
    assert_eq!(who(json!({"scope": null})).0, 403);
    assert_eq!(who(json!({"scope": "docs:write"})).0, 403);
    assert_eq!(who(json!({"scope": "docs:readx"})).0, 403);
}

#[test]
fn a_scope_may_limit_a_token_to_collections() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let token = |scope: &str| issuer.token(&changed(&issuer, json!({"scope": scope})));
    let who = |scope: &str| server.modern_call("who").bearer(&token(scope)).send().tool_text();
    let carla = format!("{}|carla", issuer.url);
    assert_eq!(who("docs:read"), format!("{carla} docs:read"));
    assert_eq!(who("docs:read collection:acme/*"), format!("{carla}|acme/* docs:read only"));
    assert_eq!(who("collection:b openid docs:read collection:a"), format!("{carla}|a|b docs:read only"));
    // A limit without a name is a limit all the same.
    assert_eq!(who("docs:read collection:"), format!("{carla} docs:read only"));
    // What was begun with one token does not go on with one that sees less, or more.
    let begun = server.initialize().bearer(&token("docs:read")).send();
    let session = begun.header("mcp-session-id").unwrap().to_owned();
    let status = |scope: &str| server.legacy_call(&session, "who").bearer(&token(scope)).send().status;
    assert_eq!((status("docs:read"), status("docs:read collection:a")), (200, 404));
}

#[test]
fn times_are_checked_with_a_minute_of_leeway() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let status =
        |changes| server.modern_call("who").bearer(&issuer.token(&changed(&issuer, changes))).send().status;
    assert_eq!(status(json!({"exp": now() - 30})), 200);
    assert_eq!(status(json!({"nbf": now() + 30})), 200);
    refused(&server, &issuer.token(&changed(&issuer, json!({"exp": now() - 120}))), "it has expired");
    refused(&server, &issuer.token(&changed(&issuer, json!({"nbf": now() + 120}))), "it is not valid yet");
    for strange in [json!("soon"), json!(-1), json!({}), json!(null)] {
        assert_eq!(status(json!({"exp": strange})), 401, "{strange}");
    }
}

#[test]
fn a_token_for_another_resource_is_refused() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    for aud in [
        json!("https://docs.example.com"),
        json!("https://docs.example.com/mcp/"),
        json!(["a", "b"]),
        json!(""),
    ] {
        refused(&server, &issuer.token(&changed(&issuer, json!({"aud": aud}))), "another resource");
    }
    refused(&server, &issuer.token(&changed(&issuer, json!({"aud": null}))), "it lacks one of");
    let several = issuer.token(&changed(&issuer, json!({"aud": ["x", RESOURCE]})));
    assert_eq!(server.modern_call("who").bearer(&several).send().status, 200);
}

#[test]
fn a_token_of_another_issuer_is_refused() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    for iss in ["https://evil.example.com", &format!("{}/", issuer.url), ""] {
        refused(&server, &issuer.token(&changed(&issuer, json!({"iss": iss}))), "another issuer");
    }
    refused(&server, &issuer.token(&changed(&issuer, json!({"iss": null}))), "it lacks one of");
    for sub in [json!(null), json!("")] {
        refused(&server, &issuer.token(&changed(&issuer, json!({"sub": sub}))), "it lacks one of");
    }
    let other = Issuer::plain();
    refused(&server, &other.token(&issuer.claims()), "its signature or its form is wrong");
}

#[test]
fn unsigned_and_shared_secret_tokens_are_refused() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let claims = issuer.claims();
    for algorithm in ["none", "None", "NONE", ""] {
        let unsigned = format!("{}.", message(&json!({"alg": algorithm, "kid": "ec"}), &claims));
        refused(&server, &unsigned, "the token is not valid");
    }
    // The public key as the secret: what a careless check would take for the right one.
    let set = issuer.keys.set();
    for (id, secret) in [
        ("rsa", issuer.keys.rsa_public().n),
        ("ec", issuer.keys.ec.public_key().as_ref().to_vec()),
        ("ed", issuer.keys.ed.public_key().as_ref().to_vec()),
        ("rsa", set["keys"][0].to_string().into_bytes()),
        ("shared", b"a secret that is in the set".to_vec()),
    ] {
        let message = message(&json!({"alg": "HS256", "kid": id}), &claims);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret), message.as_bytes());
        refused(&server, &format!("{message}.{}", BASE64URL.encode(tag)), "its algorithm is not");
    }
}

#[test]
fn broken_tokens_are_refused() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let good = issuer.token(&issuer.claims());
    assert_eq!(server.modern_call("who").bearer(&good).send().status, 200);
    let parts: Vec<&str> = good.split('.').collect();
    let other = BASE64URL.encode(changed(&issuer, json!({"sub": "mallory"})).to_string());
    for broken in [
        format!("{}.{}.{}", parts[0], other, parts[2]),
        format!("{}.{}.", parts[0], parts[1]),
        format!("{}.{}", parts[0], parts[1]),
        format!("{good}.{}", parts[2]),
        format!("{}.{}.{}", parts[2], parts[1], parts[0]),
        "..".to_owned(),
        ".".repeat(1000),
        format!("{}x", good),
        issuer.keys.sign(&json!({"alg": "ES256", "kid": "ec", "crit": ["b64"]}), &issuer.claims()),
        issuer.keys.sign(&json!({"alg": "ES256", "kid": "rsa"}), &issuer.claims()),
        issuer.keys.sign(&json!({"alg": "RS256", "kid": "sealing"}), &issuer.claims()),
        issuer.keys.sign(&json!({"alg": "RS384", "kid": "rsa"}), &issuer.claims()),
        issuer.keys.sign(&json!({"kid": "ec"}), &issuer.claims()),
        issuer.keys.sign(&json!({"alg": "ES256", "kid": "ec"}), &json!("no object")),
        issuer.keys.sign(&json!({"alg": "ES256", "kid": "ec"}), &json!({"sub": 7})),
    ] {
        refused(&server, &broken, "the token is not valid");
    }
}

#[test]
fn a_token_with_any_letter_changed_is_refused() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let good = issuer.token(&issuer.claims());
    for at in 0..good.len() {
        let other = if &good[at..=at] == "A" { "B" } else { "A" };
        let changed = format!("{}{other}{}", &good[..at], &good[at + 1..]);
        assert_eq!(server.modern_call("who").bearer(&changed).send().status, 401, "{changed}");
    }
    assert_eq!(server.modern_call("who").bearer(&good).send().status, 200);
}

#[test]
fn an_unknown_key_is_refused_and_the_issuer_is_not_pestered() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    assert_eq!(server.modern_call("who").bearer(&issuer.token(&issuer.claims())).send().status, 200);
    for id in ["a", "b", "../keys", "http://evil.example.com"] {
        let token =
            issuer.keys.sign(&json!({"alg": "ES256", "kid": id, "jku": "http://evil"}), &issuer.claims());
        refused(&server, &token, "its issuer does not know its key");
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn an_issuer_that_is_down_is_not_the_callers_fault() {
    let issuer = Issuer::plain();
    issuer.up.store(false, Ordering::SeqCst);
    let server = issuer.server();
    let answer = server.modern_call("who").bearer(&issuer.token(&issuer.claims())).send();
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("30")), "{answer:?}");
    assert_eq!(server.modern_call("who").bearer(&secret("ann")).send().status, 200);
}

#[test]
fn known_keys_work_while_the_issuer_is_down() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let token = issuer.token(&issuer.claims());
    assert_eq!(server.modern_call("who").bearer(&token).send().status, 200);
    issuer.up.store(false, Ordering::SeqCst);
    assert_eq!(server.modern_call("who").bearer(&token).send().status, 200);
}

#[test]
fn the_keys_are_found_where_either_standard_puts_them() {
    let issuer = Issuer::start("/.well-known/openid-configuration", str::to_owned);
    assert_eq!(issuer.server().modern_call("who").bearer(&issuer.token(&issuer.claims())).send().status, 200);
    let silent = Issuer::start("/nowhere", str::to_owned);
    let token = silent.token(&silent.claims());
    assert_eq!(silent.server().modern_call("who").bearer(&token).send().status, 503);
    let told = silent.server_with(Some(format!("{}/keys", silent.url)));
    assert_eq!(told.modern_call("who").bearer(&token).send().status, 200);
}

#[test]
fn metadata_of_another_issuer_is_not_believed() {
    let issuer =
        Issuer::start("/.well-known/oauth-authorization-server", |_| "https://evil.example.com".to_owned());
    let server = issuer.server();
    assert_eq!(server.modern_call("who").bearer(&issuer.token(&issuer.claims())).send().status, 503);
}

#[test]
fn clients_learn_where_to_get_a_token() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let answer = server.modern_call("who").send();
    let url = "https://docs.example.com/.well-known/oauth-protected-resource/mcp";
    let challenge = answer.header("www-authenticate").unwrap();
    assert_eq!(answer.status, 401);
    assert!(challenge.contains(&format!("resource_metadata=\"{url}\"")), "{challenge}");
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let answer = server.get(path).send();
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        let metadata = answer.json();
        assert_eq!(metadata["resource"], RESOURCE);
        assert_eq!(metadata["authorization_servers"], json!([issuer.url]));
        assert_eq!(metadata["scopes_supported"], json!(["docs:read", "docs:write"]));
        assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
    }
    let open = Server::start(WebConfig::default());
    assert_eq!(open.get("/.well-known/oauth-protected-resource").send().status, 404);
}

#[test]
fn sessions_belong_to_the_subject_of_the_token() {
    let issuer = Issuer::plain();
    let server = issuer.server();
    let carla = issuer.token(&issuer.claims());
    let dan = issuer.token(&changed(&issuer, json!({"sub": "dan"})));
    let answer = server.initialize().bearer(&carla).send();
    let session = answer.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(server.legacy_call(&session, "who").bearer(&dan).send().status, 404);
    let renewed = issuer.token(&changed(&issuer, json!({"exp": now() + 999})));
    assert_eq!(server.legacy_call(&session, "who").bearer(&renewed).send().status, 200);
}
