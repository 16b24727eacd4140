//! The body of an answer, unpacked as it is read, and the headers that describe it.

use std::fmt::Display;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use ureq::Body;
use ureq::http::{HeaderMap, Response};

use super::trouble::{Trouble, one_line};

/// A header as text. One that is longer than any that is of use counts as absent.
pub(crate) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.to_owned()).filter(|value| value.len() <= 1000)
}

/// How many bytes the server says it sends.
pub(crate) fn stated_length(headers: &HeaderMap) -> Option<u64> {
    header(headers, "content-length")?.trim().parse().ok()
}

/// The body, unpacked if it was packed for the way in the manner that was asked for. `is_packed` says that the file itself is
/// an archive, which is taken as it is.
pub(crate) fn unpacked(
    response: Response<Body>,
    address: &dyn Display,
    is_packed: bool,
) -> Result<Box<dyn Read + Send>, Trouble> {
    let encoding = header(response.headers(), "content-encoding").unwrap_or_default().to_ascii_lowercase();
    let body = response.into_body().into_reader();
    Ok(match encoding.trim() {
        "" | "identity" => Box::new(body),
        _ if is_packed => Box::new(body),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(body)),
        other => {
            let message =
                format!("{address} came in the encoding {}, which was not asked for", one_line(other));
            return Err(Trouble::lasting(message, "tell whoever runs the server"));
        }
    })
}
