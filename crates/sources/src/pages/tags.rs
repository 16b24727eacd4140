//! The tags of an HTML page that say where to go from it, found in one pass.
//!
//! This is no parser: it builds nothing, nests nothing and looks at every byte about once, so that no page can make it slow or
//! deep. It knows as much of HTML as is needed not to take a script or a comment for a link.

/// Tags that are looked into.
const WANTED: &[&str] = &["a", "area", "base", "link", "meta"];
/// Elements whose content is text, whatever it looks like.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];
/// Attributes of a tag that are looked at, and the length that is kept of each.
const MOST_ATTRIBUTES: usize = 32;
const LONGEST_VALUE: usize = 8 << 10;

/// A tag with its attributes; names are in lower case.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: &'static str,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// An attribute, with character references replaced.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether an attribute that is a list of words has this one.
    pub(super) fn has_word(&self, name: &str, word: &str) -> bool {
        let mut words = self.attribute(name).unwrap_or_default().split([' ', '\t', '\r', '\n', '\x0c', ',']);
        words.any(|known| known.eq_ignore_ascii_case(word))
    }
}

/// Goes through a page.
#[derive(Debug)]
pub(super) struct Tags<'a> {
    rest: &'a [u8],
}

impl<'a> Tags<'a> {
    pub(super) fn new(page: &'a [u8]) -> Self {
        Self { rest: page }
    }

    /// Goes on behind the next byte of this kind, or to the end.
    fn skip_past(&mut self, is_end: impl Fn(u8) -> bool) {
        let end = self.rest.iter().position(|byte| is_end(*byte)).map_or(self.rest.len(), |end| end + 1);
        self.rest = self.rest.get(end..).unwrap_or_default();
    }

    /// What comes up to the next byte of this kind, which stays.
    fn take_until(&mut self, is_end: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| is_end(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or_default();
        self.rest = rest;
        taken
    }

    fn skip_comment(&mut self) {
        let end = self.rest.windows(3).position(|window| window == b"-->").unwrap_or(self.rest.len());
        self.rest = self.rest.get(end + 3..).unwrap_or_default();
    }

    /// Goes on at the end tag of an element whose content is text.
    fn skip_raw(&mut self, name: &str) {
        loop {
            self.skip_past(|byte| byte == b'<');
            let end = self.rest.get(1..=name.len()).unwrap_or_default();
            if self.rest.is_empty()
                || self.rest.first() == Some(&b'/') && end.eq_ignore_ascii_case(name.as_bytes())
            {
                return;
            }
        }
    }

    /// The attributes up to the end of the tag; `None` at the end of the page.
    fn attributes(&mut self) -> Option<Vec<(String, String)>> {
        let mut attributes = Vec::new();
        loop {
            self.take_until(|byte| !byte.is_ascii_whitespace() && byte != b'/');
            if *self.rest.first()? == b'>' {
                self.rest = self.rest.get(1..)?;
                return Some(attributes);
            }
            // A name may begin with anything, even with "=".
            let first = self.rest.get(..1)?;
            self.rest = self.rest.get(1..)?;
            let ends_name = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=');
            let name = [first, self.take_until(ends_name)].concat();
            self.take_until(|byte| !byte.is_ascii_whitespace());
            let mut value: &[u8] = b"";
            if self.rest.first() == Some(&b'=') {
                self.rest = self.rest.get(1..)?;
                self.take_until(|byte| !byte.is_ascii_whitespace());
                value = match *self.rest.first()? {
                    quote @ (b'"' | b'\'') => {
                        self.rest = self.rest.get(1..)?;
                        let value = self.take_until(|byte| byte == quote);
                        self.rest = self.rest.get(1..)?;
                        value
                    }
                    _ => self.take_until(|byte| byte.is_ascii_whitespace() || byte == b'>'),
                };
            }
            if attributes.len() < MOST_ATTRIBUTES && name.len() <= 40 && value.len() <= LONGEST_VALUE {
                let name = String::from_utf8_lossy(&name).to_ascii_lowercase();
                attributes.push((name, without_references(&String::from_utf8_lossy(value))));
            }
        }
    }
}

impl Iterator for Tags<'_> {
    type Item = Tag;

    fn next(&mut self) -> Option<Tag> {
        loop {
            self.skip_past(|byte| byte == b'<');
            match self.rest.first()? {
                b'!' if self.rest.starts_with(b"!--") => {
                    self.rest = self.rest.get(1..)?;
                    self.skip_comment();
                }
                b'!' | b'?' | b'/' => self.skip_past(|byte| byte == b'>'),
                byte if byte.is_ascii_alphabetic() => {
                    let name =
                        self.take_until(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
                    let is_name = |known: &&&str| known.as_bytes().eq_ignore_ascii_case(name);
                    let wanted = WANTED.iter().find(is_name).copied();
                    let raw = RAW.iter().find(is_name).copied();
                    let attributes = self.attributes()?;
                    if let Some(name) = wanted {
                        return Some(Tag { name, attributes });
                    }
                    if let Some(name) = raw {
                        self.skip_raw(name);
                    }
                }
                _ => {}
            }
        }
    }
}

/// A value with those character references replaced that occur in addresses.
fn without_references(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once('&') {
        out.push_str(before);
        // No reference is longer than this; looking no further keeps a value full of "&" cheap.
        let end = behind.bytes().take(10).position(|byte| byte == b';');
        let reference = end.and_then(|end| behind.get(..end)).and_then(|name| Some((name, referred(name)?)));
        match reference {
            Some((name, letter)) => {
                out.push(letter);
                rest = behind.get(name.len() + 1..).unwrap_or_default();
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

fn referred(name: &str) -> Option<char> {
    match name {
        "amp" | "AMP" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name and `href` of all tags.
    fn check(page: &str, expected: &[&str]) {
        let found: Vec<String> = Tags::new(page.as_bytes())
            .map(|tag| format!("{} {}", tag.name, tag.attribute("href").unwrap_or("-")))
            .collect();
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn tags_are_found_however_they_are_written() {
        check("<a href=\"x\">", &["a x"]);
        check("<A HREF='x y'>", &["a x y"]);
        check("<a\n href = x>", &["a x"]);
        check("<a href=x/y>", &["a x/y"]);
        check("<a class=\"1>2\" href=x/>", &["a x/"]);
        check("<a href=x href=y>", &["a x"]);
        check("<a>b<p><link/><abbr href=x>", &["a -", "link -"]);
        check("<a = href=x>", &["a x"]);
        check("<a == href=x>", &["a -"]);
        check("a < b <a href=x>", &["a x"]);
    }

    #[test]
    fn what_only_looks_like_a_tag_is_passed_over() {
        check("<!-- <a href=x> --><a href=y>", &["a y"]);
        check("<!--><a href=y>", &["a y"]);
        check("<script>'<a href=x>'</script><a href=y>", &["a y"]);
        check("<TITLE><a href=x></title ><a href=y>", &["a y"]);
        check("<!doctype html><?x <a href=x>?></p <a><a href=y>", &["a y"]);
        check("<script><a href=x>", &[]);
        check("<!-- <a href=x>", &[]);
        check("<a href=\"x><a href=y>", &[]);
        check("<a href=x", &[]);
        check("<", &[]);
    }

    #[test]
    fn character_references_are_replaced() {
        check("<a href='?a=1&amp;b=2&#38;c&#x3D;3&copy;&'>", &["a ?a=1&b=2&c=3&copy;&"]);
        check("<a href='&#xD800;&#99999999;&amp'>", &["a &#xD800;&#99999999;&amp"]);
    }

    #[test]
    fn no_page_takes_long() {
        for unit in ["<", "<a ", "<!--", "<script>", "<a href=\"", "&", "<a b=c ", "</"] {
            let page = unit.repeat((4 << 20) / unit.len());
            assert!(Tags::new(page.as_bytes()).count() <= page.len());
        }
    }
}
