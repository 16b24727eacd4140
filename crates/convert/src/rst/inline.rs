//! Marks inside of a line of reStructuredText.

use std::collections::HashMap;

use crate::markdown::code_span;

/// Code, links and roles; emphasis is written the same in both languages.
pub(super) fn markdown(line: &str, targets: &HashMap<String, String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, marked) = rest.split_at(at);
        if let Some((code, after)) = marked.strip_prefix("``").and_then(|inside| inside.split_once("``")) {
            push_plain(&mut out, before);
            out.push_str(&code_span(code));
            rest = after;
            continue;
        }
        let inside = marked.get(1..).unwrap_or_default();
        let Some((text, after)) = inside.split_once('`') else {
            push_plain(&mut out, before);
            out.push('`');
            rest = inside;
            // Without a partner none of what follows is marked.
            break;
        };
        push_plain(&mut out, without_role(before));
        match after.strip_prefix("__").or_else(|| after.strip_prefix('_')) {
            Some(after) => {
                out.push_str(&link(text, targets));
                rest = after;
            }
            None => {
                out.push_str(&code_span(role_text(text)));
                rest = after;
            }
        }
    }
    push_plain(&mut out, rest);
    out
}

/// Text without marks; `[1]_` is a reference to a footnote.
fn push_plain(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("]_") {
        match before.rsplit_once('[').filter(|(_, name)| is_footnote(name)) {
            Some((start, name)) => {
                out.push_str(start);
                out.push_str(&format!("[^{}]", name.trim_start_matches('#')));
            }
            None => {
                out.push_str(before);
                out.push_str("]_");
            }
        }
        rest = after;
    }
    out.push_str(rest);
}

fn is_footnote(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 40
        && name.chars().all(|char| char.is_alphanumeric() || "#*-_.".contains(char))
}

/// `text <address>` or the name of a target.
fn link(text: &str, targets: &HashMap<String, String>) -> String {
    let own =
        text.rsplit_once('<').and_then(|(shown, address)| Some((shown.trim(), address.strip_suffix('>')?)));
    match own {
        Some(("", address)) => format!("<{address}>"),
        Some((shown, address)) if address.contains("://") => format!("[{shown}]({address})"),
        Some((shown, _)) => shown.to_owned(),
        None => match targets.get(&text.to_lowercase()) {
            Some(address) => format!("[{text}]({address})"),
            None => text.to_owned(),
        },
    }
}

/// What stands before a marked text, without the role of it: `:class:`.
fn without_role(before: &str) -> &str {
    let Some(inside) = before.strip_suffix(':') else { return before };
    let is_role = |char: char| char.is_ascii_alphanumeric() || matches!(char, ':' | '-' | '_');
    let start = inside.trim_end_matches(is_role);
    if inside.len() > start.len() && inside.get(start.len()..).is_some_and(|role| role.starts_with(':')) {
        start
    } else {
        before
    }
}

/// `title <target>` of a role shows its title, `~package.Name` its name.
fn role_text(text: &str) -> &str {
    let shown = text.rsplit_once('<').map_or(text, |(shown, _)| shown).trim();
    let shown = if shown.is_empty() { text } else { shown };
    match shown.strip_prefix('~') {
        Some(path) => path.rsplit('.').next().unwrap_or(path),
        None => shown,
    }
}
