//! What a client says it sends and accepts. Pure.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};

/// JSON, the form of every message.
pub(crate) const JSON: &str = "application/json";
/// A stream of events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Whether the body is declared as JSON in UTF-8.
pub(crate) fn sends_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let Ok(value) = value.to_str() else { return false };
    let mut parts = value.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|essence| essence.eq_ignore_ascii_case(JSON));
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
                value.trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}

/// Whether the client takes a response of this type.
pub(crate) fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    let family = media_type.split('/').next().unwrap_or_default();
    let ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    ranges.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let covers = name == "*/*"
            || name.eq_ignore_ascii_case(media_type)
            || name.strip_suffix("/*").is_some_and(|prefix| prefix.eq_ignore_ascii_case(family));
        covers && !parts.any(is_never)
    })
}

/// `q=0` says "anything but this".
fn is_never(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, weight)) => name.trim().eq_ignore_ascii_case("q") && weight.trim().parse() == Ok(0.0_f32),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: http::HeaderName, values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn json_in_utf_8_is_what_clients_send() {
        let sends = |values: &[&str]| sends_json(&headers(CONTENT_TYPE, values));
        for value in
            ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\";v=1"]
        {
            assert!(sends(&[value]), "{value}");
        }
        for value in [
            "",
            "text/plain",
            "application/jsonp",
            "application/json-seq",
            "application/json; charset=utf-16",
        ] {
            assert!(!sends(&[value]), "{value}");
        }
        assert!(!sends(&[]));
        assert!(!sends(&["application/json", "text/plain"]));
    }

    #[test]
    fn ranges_cover_their_types() {
        let takes = |value: &str| {
            let headers = headers(ACCEPT, &[value]);
            (accepts(&headers, JSON), accepts(&headers, EVENT_STREAM))
        };
        assert_eq!(takes("application/json, text/event-stream"), (true, true));
        assert_eq!(takes("*/*"), (true, true));
        assert_eq!(takes("Application/*;q=0.5"), (true, false));
        assert_eq!(takes("text/event-stream"), (false, true));
        assert_eq!(takes("application/json;q=0, text/*"), (false, true));
        assert_eq!(takes("text/html"), (false, false));
        assert_eq!(takes("application/json-seq, xtext/event-stream"), (false, false));
    }

    #[test]
    fn the_header_may_come_in_pieces() {
        let headers = headers(ACCEPT, &["application/json", "text/event-stream"]);
        assert!(accepts(&headers, JSON) && accepts(&headers, EVENT_STREAM));
        assert!(!accepts(&HeaderMap::new(), JSON));
    }
}
