//! Pages that are XML: an element may be closed where it opens, which HTML does not know.

use std::borrow::Cow;

/// Elements that never have content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// A page in which `<title/>` is spelt `<title></title>`; an HTML parser would take all that follows for the title.
pub(super) fn spelt_out(page: &str) -> Cow<'_, str> {
    let head = page.get(..page.floor_char_boundary(1024)).unwrap_or(page);
    if !head.trim_start().starts_with("<?xml") && !head.contains("http://www.w3.org/1999/xhtml") {
        return Cow::Borrowed(page);
    }
    let mut out = String::with_capacity(page.len() + 256);
    let mut rest = page;
    while let Some(at) = rest.find("/>") {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        rest = after.get(2..).unwrap_or_default();
        let tag = before.rfind('<').and_then(|start| before.get(start + 1..)).unwrap_or_default();
        let name = tag.split(|char: char| char.is_whitespace()).next().unwrap_or_default();
        let is_name =
            !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == ':');
        if is_name && !tag.contains('>') && !VOID.contains(&name) {
            out.push_str(&format!("></{name}>"));
        } else {
            out.push_str("/>");
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}
