//! Access tokens of an OAuth issuer: JWTs that are checked with the issuer's public keys, and the metadata (RFC 9728)
//! that tells clients where to get one.

use std::sync::Arc;

use docent_mcp::{Caller, Scope};
use http::Uri;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Value, json};

use super::jwks::{Jwks, NoKey, is_trustworthy};
use super::signatures;
use crate::error::WebError;

/// Where clients look for the metadata of a server at the root of its host.
pub(crate) const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";
/// Seconds by which the clocks of issuer and server may differ.
const LEEWAY: u64 = 60;
const INCOMPLETE: &str = "it lacks one of exp, iss, aud and sub";

/// Whose access tokens are accepted.
#[derive(Debug, Clone)]
pub struct OAuthConfig {
    /// The issuer, exactly as its tokens name it in `iss`: `https://login.example.com`.
    pub issuer: String,
    /// The URL of the MCP endpoint, which tokens must name in `aud`: `https://docs.example.com/mcp`.
    pub resource: String,
    /// Where the issuer's keys are. `None`: where its metadata says.
    pub jwks_url: Option<String>,
}

/// Checks access tokens.
#[derive(Debug)]
pub(crate) struct OAuth {
    issuer: String,
    resource: String,
    metadata_url: String,
    keys: Arc<Jwks>,
}

/// Why a token is not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotAccepted {
    /// The token is no good; what to tell its bearer.
    Invalid(&'static str),
    /// It cannot be checked now.
    Unreachable,
}

impl OAuth {
    pub(crate) fn new(config: &OAuthConfig) -> Result<Self, WebError> {
        check_url("the issuer", &config.issuer)?;
        check_url("the resource", &config.resource)?;
        if let Some(url) = &config.jwks_url {
            check_url("the address of the keys", url)?;
        }
        signatures::install();
        Ok(Self {
            issuer: config.issuer.clone(),
            resource: config.resource.clone(),
            metadata_url: metadata_url(&config.resource),
            keys: Arc::new(Jwks::new(&config.issuer, config.jwks_url.as_deref())),
        })
    }

    /// Where the metadata of the resource is.
    pub(crate) fn metadata_url(&self) -> &str {
        &self.metadata_url
    }

    /// The metadata of the resource.
    pub(crate) fn metadata(&self) -> Value {
        json!({
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": Scope::ALL.map(Scope::name),
            "bearer_methods_supported": ["header"],
            "resource_name": "docent",
        })
    }

    /// Who the token was issued to.
    pub(crate) async fn caller(&self, token: &str) -> Result<Caller, NotAccepted> {
        let header = decode_header(token).map_err(|_| NotAccepted::Invalid("it is not a signed JWT"))?;
        if !matches!(header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA) {
            return Err(NotAccepted::Invalid("its algorithm is not RS256, ES256 or EdDSA"));
        }
        if header.crit.is_some() {
            return Err(NotAccepted::Invalid("it has critical extensions"));
        }
        let key = self.keys.key(header.kid.as_deref(), header.alg).await.map_err(|reason| match reason {
            NoKey::Unknown => NotAccepted::Invalid("its issuer does not know its key"),
            NoKey::Unreachable => NotAccepted::Unreachable,
        })?;
        let mut validation = Validation::new(header.alg);
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.resource]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let claims = decode::<Claims>(token, &key, &validation).map_err(|error| explain(&error))?.claims;
        let scopes: Vec<String> =
            [claims.scope, claims.scp].into_iter().flatten().flat_map(Scopes::into_names).collect();
        let subject =
            claims.sub.filter(|subject| !subject.is_empty()).ok_or(NotAccepted::Invalid(INCOMPLETE))?;
        let name = format!("{}|{subject}", self.issuer);
        Ok(Caller::with_scopes(&name, scopes.iter().map(String::as_str)))
    }
}

#[derive(Debug, Deserialize)]
struct Claims {
    /// One text, never a list: which of several issuers would have vouched for the token?
    #[serde(rename = "iss")]
    _issuer: Option<String>,
    sub: Option<String>,
    scope: Option<Scopes>,
    scp: Option<Scopes>,
}

/// Scopes come as one text with spaces or as a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scopes {
    Text(String),
    List(Vec<String>),
}

impl Scopes {
    fn into_names(self) -> Vec<String> {
        match self {
            Self::Text(text) => text.split(' ').map(str::to_owned).collect(),
            Self::List(list) => list,
        }
    }
}

fn explain(error: &jsonwebtoken::errors::Error) -> NotAccepted {
    use jsonwebtoken::errors::ErrorKind;
    NotAccepted::Invalid(match error.kind() {
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "it is not valid yet",
        ErrorKind::InvalidIssuer => "it comes from another issuer",
        ErrorKind::InvalidAudience => "it was issued for another resource",
        ErrorKind::MissingRequiredClaim(_) => INCOMPLETE,
        _ => "its signature or its form is wrong",
    })
}

fn check_url(what: &'static str, url: &str) -> Result<(), WebError> {
    let bad = |why| Err(WebError::BadUrl { what, url: url.to_owned(), why });
    if url.contains('#') {
        return bad("it has a fragment");
    }
    if !is_trustworthy(url) {
        return bad("it is not an https address");
    }
    Ok(())
}

/// RFC 9728: the well-known path goes between the host and the path of the resource.
fn metadata_url(resource: &str) -> String {
    let uri: Uri = resource.parse().unwrap_or_default();
    let (scheme, authority) =
        (uri.scheme_str().unwrap_or("https"), uri.authority().map_or("", |host| host.as_str()));
    format!("{scheme}://{authority}{METADATA_PATH}{}", uri.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_where_the_rfc_says() {
        for (resource, url) in [
            (
                "https://docs.example.com/mcp",
                "https://docs.example.com/.well-known/oauth-protected-resource/mcp",
            ),
            ("https://docs.example.com", "https://docs.example.com/.well-known/oauth-protected-resource"),
            ("http://localhost:1/a/mcp", "http://localhost:1/.well-known/oauth-protected-resource/a/mcp"),
        ] {
            assert_eq!(metadata_url(resource), url);
        }
    }

    #[test]
    fn issuers_are_asked_over_tls_unless_they_are_on_this_machine() {
        for url in ["https://login.example.com", "http://localhost:9/realm", "http://127.0.0.1:9"] {
            assert!(check_url("x", url).is_ok(), "{url}");
        }
        for url in
            ["", "login.example.com", "http://login.example.com", "ftp://x", "https://u:p@x", "https://x/#a"]
        {
            assert!(check_url("x", url).is_err(), "{url}");
        }
    }
}
