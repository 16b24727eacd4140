//! Addresses of documents: `docent://collection/path#section`.
//!
//! Everything but letters, digits and a few harmless signs is percent-encoded, so that a path with spaces, `#`, `?` or
//! any script makes a valid address and comes back as it was.

use std::fmt::Write as _;

const SCHEME: &str = "docent://";

/// Template of a page.
pub(crate) const PAGE_TEMPLATE: &str = "docent://{collection}/{+path}";
/// Template of a section.
pub(crate) const SECTION_TEMPLATE: &str = "docent://{collection}/{+path}{#section}";

/// A page or a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) collection: String,
    pub(crate) path: String,
    pub(crate) section: Option<String>,
}

/// The address of a page.
pub(crate) fn of_page(collection: &str, path: &str) -> String {
    let path: Vec<String> = path.split('/').map(encode).collect();
    format!("{SCHEME}{}/{}", encode(collection), path.join("/"))
}

/// Reads an address; `None` when it is not one of ours.
pub(crate) fn read(uri: &str) -> Option<Address> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (page, section) = match rest.split_once('#') {
        Some((page, section)) => (page, Some(decode(section)?)),
        None => (rest, None),
    };
    let (collection, path) = page.split_once('/')?;
    let (collection, path) = (decode(collection)?, decode(path)?);
    let is_whole = !collection.is_empty() && !path.is_empty();
    is_whole.then_some(Address { collection, path, section: section.filter(|section| !section.is_empty()) })
}

fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Undoes percent-encoding. What is not encoded stays as it is, so that an address typed by hand works too.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%').then(|| after.get(..2)).flatten();
        let value = escape
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(value.unwrap_or(first));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_comes_back_as_it_was() {
        for path in ["a.md", "guides/a b.md", "c#.md", "100%.md", "日本/語.md", "a?b&c=d.md", "%41.md"] {
            let address = read(&of_page("my docs", path)).unwrap();
            assert_eq!((address.collection.as_str(), address.path.as_str()), ("my docs", path));
            assert_eq!(address.section, None);
        }
    }

    #[test]
    fn sources_of_a_library_come_back_too() {
        for source in [
            "/home/ada/papers/a b.pdf",
            "//odd//path",
            "https://example.org/a/?q=1&r=%20x",
            "http://[::1]:8080/a;b=c",
            "C:/papers/a.pdf",
            "notes 2025.md",
            "..",
        ] {
            let address = read(&of_page("papers", source)).unwrap();
            assert_eq!((address.path.as_str(), address.section), (source, None), "{source}");
        }
    }

    #[test]
    fn a_section_follows_the_hash() {
        let address = read("docent://docs/a.md#guide/set%20up").unwrap();
        assert_eq!(address.section.as_deref(), Some("guide/set up"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for uri in [
            "",
            "docent://",
            "docent://docs",
            "docent://docs/",
            "docent:///a.md",
            "file:///a.md",
            "docent://d/%ff",
        ] {
            assert_eq!(read(uri), None, "{uri}");
        }
    }
}
