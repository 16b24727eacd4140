//! The targets of HTML tags in a page.

use std::ops::Range;

/// The values of `src` and `href` inside `bytes`, and whether each is an image. Comments are skipped.
pub(super) fn targets(text: &str, bytes: Range<usize>) -> Vec<(Range<usize>, bool)> {
    let source = text.get(bytes.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = source.get(at..).and_then(|rest| rest.find('<')) {
        let tag = at + open;
        if source[tag..].starts_with("<!--") {
            match source[tag..].find("-->") {
                Some(end) => at = tag + end + 3,
                None => break,
            }
            continue;
        }
        let end = source[tag..].find('>').map_or(source.len(), |end| tag + end);
        found.extend(
            attributes(source, tag, end)
                .map(|(value, is_image)| (bytes.start + value.start..bytes.start + value.end, is_image)),
        );
        at = end.max(tag + 1);
    }
    found
}

/// The files in `={require('./file')`, by their bytes.
pub(super) fn required(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    const OPEN: &str = "={require(";
    text.match_indices(OPEN).filter_map(|(found, _)| {
        let start = found + OPEN.len() + 1;
        let quote = text.get(start - 1..start).filter(|quote| matches!(*quote, "'" | "\"" | "`"))?;
        let rest = text.get(start..)?;
        let target = rest.get(..rest.find(quote)?)?;
        let is_file = target.starts_with('.') && target.len() < 300 && !target.contains(char::is_whitespace);
        is_file.then_some((start..start + target.len(), target))
    })
}

/// `name="value"` pairs of one tag that lead somewhere.
fn attributes(source: &str, tag: usize, end: usize) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
    let inside = &source[tag..end];
    let is_image = inside.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<img "));
    ["src", "href"].into_iter().filter_map(move |name| {
        let at = inside.find(&format!(" {name}=")).or_else(|| inside.find(&format!("\n{name}=")))?;
        let value = at + name.len() + 2;
        let quote = inside.get(value..)?.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let rest = inside.get(value + 1..)?;
        let length = rest.find(quote)?;
        let start = tag + value + 1;
        (length > 0).then(|| (start..start + length, is_image))
    })
}
