//! Tokens.

use docent_mcp::Scope;
use docent_web::{Auth, Probes, WebConfig, WebError};
use tokio_util::sync::CancellationToken;

use crate::support::*;

fn server() -> Server {
    let tokens = vec![token("ann", &Scope::ALL), token("bob", &[Scope::Read]), token("none", &[])];
    Server::start(WebConfig {
        sse: true,
        auth: Auth::Required { tokens, oauth: None },
        ..WebConfig::default()
    })
}

#[test]
fn without_a_token_nothing_is_served() {
    let server = server();
    for path in ["/mcp", "/sse", "/messages", "/metrics"] {
        for method in ["GET", "POST", "DELETE"] {
            let answer = server.get(path).method(method).send();
            if answer.status != 405 {
                assert_eq!((answer.status, answer.code()), (401, 401), "{method} {path}");
                assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer "), "{answer:?}");
            }
        }
    }
}

#[test]
fn health_needs_no_token() {
    let server = server();
    assert_eq!(server.get("/livez").send().status, 200);
    assert_eq!(server.get("/readyz").send().status, 200);
    assert_eq!(server.get("/metrics").bearer(&secret("bob")).send().status, 200);
}

#[test]
fn a_wrong_token_is_refused_and_never_repeated() {
    let server = server();
    let right = secret("ann");
    for wrong in
        ["x", "ann", "", &right[1..], &format!("{right}x"), &right.to_uppercase(), "ann-0123456789abcdee"]
    {
        let answer = server.modern_call("echo").bearer(wrong).send();
        assert_eq!(answer.status, 401, "{wrong}");
        assert!(wrong.len() < 4 || !format!("{answer:?}").contains(wrong), "{answer:?}");
    }
    for header in ["", "Bearer", "Basic YW5uOmFubg==", &format!("bearer{right}"), &format!("Token {right}")] {
        assert_eq!(server.modern_call("echo").set("Authorization", header).send().status, 401, "{header}");
    }
    let twice = server.modern_call("echo").bearer(&right).header("Authorization", "Bearer x");
    assert_eq!(twice.send().status, 401);
    let answer = server.modern_call("echo").bearer("wrong-token-wrong-token").send();
    assert!(answer.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
}

#[test]
fn a_token_without_docs_read_is_told_what_it_lacks() {
    let server = server();
    let answer = server.modern_call("echo").bearer(&secret("none")).send();
    assert_eq!((answer.status, answer.code()), (403, 403));
    let challenge = answer.header("www-authenticate").unwrap();
    assert!(
        challenge.contains("error=\"insufficient_scope\"") && challenge.contains("docs:read"),
        "{challenge}"
    );
}

#[test]
fn the_handler_knows_who_asks() {
    let server = server();
    let who = |name: &str| server.modern_call("who").bearer(&secret(name)).send().tool_text();
    assert_eq!(who("ann"), "token|ann docs:read,docs:write");
    assert_eq!(who("bob"), "token|bob docs:read");
    let answer = server.modern_call("who").set("Authorization", &format!("bEaReR  {}", secret("bob"))).send();
    assert_eq!(answer.tool_text(), "token|bob docs:read");
    let open = Server::start(WebConfig::default());
    assert_eq!(open.modern_call("who").send().tool_text(), " docs:read,docs:write");
    assert_eq!(open.legacy_call(&open.session(), "who").send().tool_text(), " docs:read,docs:write");
}

#[tokio::test]
async fn an_open_server_listens_on_loopback_only() {
    let handler = Handler { seen: Default::default(), release: CancellationToken::new() };
    let make = |auth: Auth, bound: &str| {
        let config = WebConfig { auth, ..WebConfig::default() };
        let stop = CancellationToken::new();
        docent_web::router(handler.clone(), config, bound.parse().unwrap(), Probes::default(), stop)
            .map(|_| ())
    };
    for bound in ["0.0.0.0:1", "192.168.0.1:1", "[::]:1", "[2001:db8::1]:1"] {
        let error = make(Auth::Open, bound).unwrap_err();
        assert!(matches!(error, WebError::OpenToAll(_)) && error.hint().contains("token"), "{error}");
        assert!(make(Auth::Required { tokens: vec![token("a", &[])], oauth: None }, bound).is_ok());
    }
    for bound in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert!(make(Auth::Open, bound).is_ok(), "{bound}");
    }
    let empty = make(Auth::Required { tokens: vec![], oauth: None }, "127.0.0.1:1");
    assert!(matches!(empty, Err(WebError::NoCredentials)));
}
