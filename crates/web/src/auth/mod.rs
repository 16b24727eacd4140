//! Who is asking: from the `Authorization` header to a [`Caller`], or to the answer that says how to get in.

mod jwks;
mod oauth;
mod signatures;
mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use docent_mcp::{Caller, Scope};
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::error::WebError;
use crate::reply::{Reason, Refused};

pub(crate) use oauth::METADATA_PATH;
pub use oauth::OAuthConfig;
use oauth::{NotAccepted, OAuth};
pub use token::Token;

/// Who may ask.
#[derive(Debug, Clone, Default)]
pub enum Auth {
    /// Anyone who reaches the server, which must listen on a loopback address.
    #[default]
    Open,
    /// Whoever has one of these.
    Required {
        /// Tokens that the operator hands out.
        tokens: Vec<Token>,
        /// Whose access tokens are accepted too.
        oauth: Option<OAuthConfig>,
    },
}

/// Knows the callers.
#[derive(Debug)]
pub(crate) enum Door {
    /// Anyone is let in.
    Open,
    /// Callers show what they have.
    Guarded {
        /// Tokens of the operator.
        tokens: Vec<Token>,
        /// Tokens of an issuer.
        oauth: Option<OAuth>,
    },
}

impl Door {
    pub(crate) fn new(auth: &Auth) -> Result<Self, WebError> {
        match auth {
            Auth::Open => Ok(Self::Open),
            Auth::Required { tokens, oauth: None } if tokens.is_empty() => Err(WebError::NoCredentials),
            Auth::Required { tokens, oauth } => {
                let oauth = oauth.as_ref().map(OAuth::new).transpose()?;
                Ok(Self::Guarded { tokens: tokens.clone(), oauth })
            }
        }
    }

    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        let Self::Guarded { tokens, oauth } = self else { return Ok(Caller::local()) };
        let secret = bearer(headers).ok_or_else(|| {
            self.unauthorized("a bearer token is needed: send it as `Authorization: Bearer TOKEN`", None)
        })?;
        if let Some(token) = tokens.iter().find(|token| token.has_secret(secret)) {
            return Ok(token.caller());
        }
        let not_valid =
            |why: &str| self.unauthorized(&format!("the token is not valid{why}"), Some("invalid_token"));
        let Some(oauth) = oauth else { return Err(not_valid("")) };
        oauth.caller(secret).await.map_err(|reason| match reason {
            NotAccepted::Invalid(why) => not_valid(&format!(": {why}")),
            NotAccepted::Unreachable => {
                Refused::busy("the token cannot be checked: its issuer does not answer", 30)
            }
        })
    }

    fn unauthorized(&self, message: &str, error: Option<&str>) -> Refused {
        Refused::new(StatusCode::UNAUTHORIZED, Reason::Token, message)
            .header(WWW_AUTHENTICATE, self.challenge(error))
    }

    /// What a client needs to get in.
    fn challenge(&self, error: Option<&str>) -> HeaderValue {
        let mut challenge = format!("Bearer realm=\"docent\", scope=\"{}\"", Scope::Read.name());
        if let Some(error) = error {
            challenge.push_str(&format!(", error=\"{error}\""));
        }
        if let Self::Guarded { oauth: Some(oauth), .. } = self {
            challenge.push_str(&format!(", resource_metadata=\"{}\"", oauth.metadata_url()));
        }
        HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"))
    }
}

/// Serves the metadata of the resource, which tells clients where to get a token.
pub(crate) async fn resource_metadata(State(door): State<Arc<Door>>) -> Response {
    match &*door {
        Door::Guarded { oauth: Some(oauth), .. } => {
            let json = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
            (json, oauth.metadata().to_string()).into_response()
        }
        _ => Refused::new(StatusCode::NOT_FOUND, Reason::Path, "this server has no OAuth issuer")
            .into_response(),
    }
}

/// Lets callers who may read through, with their name on the request.
pub(crate) async fn authenticate(
    State(door): State<Arc<Door>>,
    mut request: Request,
    next: Next,
) -> Response {
    match door.caller(request.headers()).await {
        Ok(caller) if caller.may(Scope::Read) => {
            // What comes after needs to know who asks, not the secret: it could end up in a log.
            request.headers_mut().remove(AUTHORIZATION);
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Ok(_) => {
            let message = format!("the token lacks the scope {}", Scope::Read.name());
            Refused::new(StatusCode::FORBIDDEN, Reason::Scope, message)
                .header(WWW_AUTHENTICATE, door.challenge(Some("insufficient_scope")))
                .into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

/// The bearer token of a request that has exactly one.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, secret) = value.to_str().ok()?.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty()).then_some(secret)
}
