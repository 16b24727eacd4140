//! The first thing every request meets: is it for this server, and may the page that sent it call?
//!
//! Also speaks CORS, and only to origins that passed: a page that may not call learns nothing from headers.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::host::{Authority, HostRules};
use crate::reply::{Reason, Refused};

/// The address of ours that a connection came in on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalAddress(pub(crate) IpAddr);

/// Headers that a page may send.
const REQUEST_HEADERS: &str = "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, \
                               mcp-protocol-version, mcp-session-id";
/// Headers that a page may read.
const RESPONSE_HEADERS: &str = "mcp-session-id, retry-after, www-authenticate";
/// Parameters of tools may travel in headers whose names start like this.
const PARAMETER_PREFIX: &str = "mcp-param-";

/// Refuses requests for other hosts and from other origins.
pub(crate) async fn guard(State(rules): State<Arc<HostRules>>, request: Request, next: Next) -> Response {
    let local = request.extensions().get::<LocalAddress>().map(|local| local.0);
    if let Err(refused) = check_host(&rules, &request, local) {
        return refused.into_response();
    }
    let origin = match check_origin(&rules, request.headers(), local) {
        Ok(origin) => origin,
        Err(refused) => return refused.into_response(),
    };
    let preflight = request.method() == Method::OPTIONS
        && origin.is_some()
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight { answer_preflight(request.headers()) } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(RESPONSE_HEADERS));
    }
    response
}

/// The `Host` header, and the target too where it is a whole URL: a proxy may have looked at either.
fn check_host(rules: &HostRules, request: &Request, local: Option<IpAddr>) -> Result<(), Refused> {
    let bad = |message| Refused::invalid(StatusCode::BAD_REQUEST, Reason::Host, message);
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next().ok_or_else(|| bad("the Host header is missing"))?;
    if hosts.next().is_some() {
        return Err(bad("there is more than one Host header"));
    }
    let host = host.to_str().ok().and_then(Authority::parse);
    let host = host.ok_or_else(|| bad("the Host header is not a host with an optional port"))?;
    let mut named = vec![host];
    if let Some(scheme) = request.uri().scheme_str()
        && scheme != "http"
        && scheme != "https"
    {
        return Err(bad("the target of the request is neither a path nor an http URL"));
    }
    if let Some(target) = request.uri().authority() {
        named.push(
            Authority::parse(target.as_str())
                .ok_or_else(|| bad("the target of the request has a bad host"))?,
        );
    }
    if named.iter().all(|authority| rules.answers_for(authority, local)) {
        return Ok(());
    }
    Err(Refused::new(
        StatusCode::MISDIRECTED_REQUEST,
        Reason::Host,
        "this server does not answer for that Host; its operator can add it to the allowed hosts",
    ))
}

fn check_origin(
    rules: &HostRules,
    headers: &HeaderMap,
    local: Option<IpAddr>,
) -> Result<Option<HeaderValue>, Refused> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let Some(origin) = origins.next() else { return Ok(None) };
    let allowed =
        origins.next().is_none() && origin.to_str().is_ok_and(|text| rules.allows_origin(text, local));
    allowed.then(|| Some(origin.clone())).ok_or_else(|| {
        Refused::new(
            StatusCode::FORBIDDEN,
            Reason::Origin,
            "pages of this Origin may not call; the server's operator can add it to the allowed origins",
        )
    })
}

fn answer_preflight(asked: &HeaderMap) -> Response {
    let parameters = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).and_then(|names| names.to_str().ok());
    let parameters = parameters.into_iter().flat_map(|names| names.split(',')).map(str::trim);
    let parameters = parameters.filter(|name| {
        name.to_ascii_lowercase().starts_with(PARAMETER_PREFIX)
            && HeaderName::from_bytes(name.as_bytes()).is_ok()
    });
    let mut names = REQUEST_HEADERS.to_owned();
    for parameter in parameters {
        names.push_str(", ");
        names.push_str(parameter);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    if let Ok(names) = HeaderValue::try_from(names) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    headers.append(header::VARY, HeaderValue::from_static("access-control-request-headers"));
    response
}
