//! A folder of documents, a fetched collection and libraries side by side, for the tools of `library`.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{Setup, World};

/// A text with headings, and spaces and characters that a careless copy would change.
pub(crate) const NOTES: &str =
    "# Field notes\n\nThe quokka sleeps by day.  \nAlone.\n\n## Food\n\nIt eats\tleaves — and \u{1F33F}.\n";

/// The server over the folder `docs`, with the tools of `library` and nothing taken in yet.
pub(crate) fn world() -> World {
    setup().start()
}

pub(crate) fn setup() -> Setup {
    let retries = "# Retries\n\n## Backoff\n\nWait longer after each failure, up to a minute.\n";
    let mut setup = Setup::new(&[("guides/retries.md", retries)]).writable();
    setup.options.choice.toolsets = vec!["library".to_owned()];
    setup.background = false;
    setup
}

/// Takes a text in; gives the receipt back.
pub(crate) fn ingest(client: &mut Client, library: &str, name: &str, content: &str) -> Value {
    let arguments = json!({"content": content, "name": name, "library": library});
    let receipt = client.call("ingest_content", arguments);
    assert_ne!(receipt["status"], "error", "{receipt}");
    receipt
}

/// The results of a search.
pub(crate) fn results(client: &mut Client, arguments: Value) -> Vec<Value> {
    let answer = client.call("search", arguments.clone());
    answer["results"].as_array().unwrap_or_else(|| panic!("{arguments}: {answer}")).clone()
}

/// The keys of an object, sorted.
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Fails unless this is a uuid.
pub(crate) fn assert_uuid(value: &Value) {
    let text = value.as_str().unwrap();
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12], "{text}");
    assert!(text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()), "{text}");
}

/// Fails unless this is a time as the specification writes it.
pub(crate) fn assert_time(value: &Value) {
    let text = value.as_str().unwrap();
    assert!(text.ends_with("+00:00") && text.len() >= 25 && text.as_bytes()[10] == b'T', "{text}");
}
