//! Who is asking: from the `Authorization` header to a [`Caller`], or to the answer that says how to get in.

mod oauth;
mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use docent_mcp::{Caller, Scope};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::error::WebError;
use crate::reply::{Reason, Refused};

pub use oauth::OAuthConfig;
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
pub(crate) struct Door {
    auth: Auth,
}

impl Door {
    pub(crate) fn new(auth: Auth) -> Result<Self, WebError> {
        if let Auth::Required { tokens, oauth: None } = &auth
            && tokens.is_empty()
        {
            return Err(WebError::NoCredentials);
        }
        Ok(Self { auth })
    }

    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, Refused> {
        let Auth::Required { tokens, .. } = &self.auth else { return Ok(Caller::local()) };
        let secret = bearer(headers).ok_or_else(|| self.unauthorized("a bearer token is needed", None))?;
        let token = tokens.iter().find(|token| token.has_secret(secret));
        let token =
            token.ok_or_else(|| self.unauthorized("the token is not valid", Some("invalid_token")))?;
        Ok(Caller {
            name: format!("token|{}", token.name()),
            scopes: token.scopes().iter().copied().collect(),
        })
    }

    fn unauthorized(&self, message: &str, error: Option<&str>) -> Refused {
        Refused::new(StatusCode::UNAUTHORIZED, Reason::Token, message)
            .header(WWW_AUTHENTICATE, self.challenge(error))
    }

    fn challenge(&self, error: Option<&str>) -> HeaderValue {
        let mut challenge = format!("Bearer realm=\"docent\", scope=\"{}\"", Scope::Read.name());
        if let Some(error) = error {
            challenge.push_str(&format!(", error=\"{error}\""));
        }
        HeaderValue::try_from(challenge).unwrap_or(HeaderValue::from_static("Bearer"))
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
