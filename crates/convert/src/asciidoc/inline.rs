//! Marks inside of a line of AsciiDoc.

use crate::markdown::code_span;

/// Macros that show the text in their brackets: `kbd:[Ctrl]`.
const SHOWN: [&str; 7] = ["kbd:[", "btn:[", "menu:[", "stem:[", "footnote:[", "pass:[", "indexterm2:["];
/// Macros with a target before their brackets.
const LINKS: [&str; 9] =
    ["link:", "xref:", "image:", "icon:", "mailto:", "https://", "http://", "ftp://", "menu:"];

/// Code, emphasis, links and cross-references.
pub(super) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(char) = rest.chars().next() {
        let is_start = !before.is_alphanumeric();
        let taken = match char {
            '`' | '+' if is_start => code(rest, char, &mut out),
            '*' | '_' if is_start => emphasis(rest, char, &mut out),
            '#' if is_start => highlighted(rest, &mut out),
            '<' if rest.starts_with("<<") => reference(rest, &mut out),
            '[' if rest.starts_with("[[") => near(rest).find("]]").map(|at| at + 2),
            _ if is_start => macro_text(rest, &mut out),
            _ => None,
        };
        let taken = taken.filter(|&taken| taken > 0).unwrap_or_else(|| {
            if char == '<' && rest.chars().nth(1).is_some_and(char::is_alphabetic) {
                out.push('\\');
            }
            out.push(char);
            char.len_utf8()
        });
        before = rest.get(..taken).and_then(|taken| taken.chars().next_back()).unwrap_or(' ');
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

/// Where the end of a mark is looked for; the bound keeps the search linear.
fn near(rest: &str) -> &str {
    rest.get(..rest.floor_char_boundary(600)).unwrap_or(rest)
}

/// What stands between two of the same marks, and how long all of it is.
fn between(rest: &str, mark: char) -> Option<(&str, usize)> {
    let width = rest.chars().take(2).take_while(|&char| char == mark).count();
    let inside = rest.get(width..)?;
    let closing = mark.to_string().repeat(width);
    let end = near(inside).match_indices(&closing).map(|(at, _)| at).find(|&at| {
        let next = inside.get(at + width..).and_then(|after| after.chars().next());
        at > 0 && (width == 2 || next.is_none_or(|next| !next.is_alphanumeric()))
    })?;
    let text = inside.get(..end)?;
    let is_tight = !text.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace);
    is_tight.then_some((text, end + 2 * width))
}

fn code(rest: &str, mark: char, out: &mut String) -> Option<usize> {
    let (text, taken) = between(rest, mark)?;
    // `+code+` inside of back-ticks only switches marks off.
    let text = text.strip_prefix('+').and_then(|text| text.strip_suffix('+')).unwrap_or(text);
    out.push_str(&code_span(text));
    Some(taken)
}

fn emphasis(rest: &str, mark: char, out: &mut String) -> Option<usize> {
    let (text, taken) = between(rest, mark)?;
    let shown = if mark == '*' { "**" } else { "*" };
    // Other marks may stand inside, but not the same: one level is enough for what people write.
    let text = if text.contains('`') || text.contains("://") { markdown(text) } else { text.to_owned() };
    out.push_str(&format!("{shown}{text}{shown}"));
    Some(taken)
}

fn highlighted(rest: &str, out: &mut String) -> Option<usize> {
    let (text, taken) = between(rest, '#')?;
    out.push_str(text);
    Some(taken)
}

/// `<<name,text>>`.
fn reference(rest: &str, out: &mut String) -> Option<usize> {
    let end = near(rest).find(">>")?;
    let inside = rest.get(2..end)?;
    if inside.is_empty() || inside.contains('\n') {
        return None;
    }
    let text = inside.split_once(',').map_or(inside, |(_, text)| text);
    out.push_str(text.trim().trim_start_matches('#'));
    Some(end + 2)
}

fn macro_text(rest: &str, out: &mut String) -> Option<usize> {
    if let Some(name) = SHOWN.iter().find(|name| rest.starts_with(**name)) {
        let end = near(rest).find(']')?;
        let text = rest.get(name.len()..end)?;
        match *name {
            "footnote:[" => out.push_str(&format!(" ({text})")),
            "kbd:[" => out.push_str(&code_span(text)),
            _ => out.push_str(text),
        }
        return Some(end + 1);
    }
    let name = LINKS.iter().find(|name| rest.starts_with(**name))?;
    let rest = near(rest);
    let stop =
        rest.find(|char: char| char.is_whitespace() || matches!(char, '[' | '<' | '>')).unwrap_or(rest.len());
    let is_address = name.ends_with("//");
    if !rest.get(stop..)?.starts_with('[') {
        let address = rest.get(..stop)?.trim_end_matches(['.', ',', ')', ';', ':']);
        if !is_address || address.len() <= name.len() {
            return None;
        }
        out.push_str(&format!("<{address}>"));
        return Some(address.len());
    }
    let end = stop + rest.get(stop..)?.find(']')?;
    let target = rest.get(if is_address || *name == "mailto:" { 0 } else { name.len() }..stop)?;
    let text = rest.get(stop + 1..end)?;
    let text = text.split_once(",window").map_or(text, |(text, _)| text).trim_matches(['"', '^']);
    let shown = if text.is_empty() { target } else { text };
    match *name {
        "image:" | "icon:" => out.push_str(text.split(',').next().unwrap_or_default()),
        "xref:" if !target.contains("://") => out.push_str(shown.trim_start_matches('#')),
        "menu:" => out.push_str(&format!("{target} > {text}")),
        _ => out.push_str(&format!("[{shown}]({target})")),
    }
    Some(end + 1)
}
