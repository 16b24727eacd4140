//! What stands at the start of a line, or makes up all of it: quote marks, list markers, heading marks,
//! fences, rules, link definitions, MDX imports.

/// What is left of a line without its block markup.
pub(super) enum Line {
    /// Nothing: the line is markup only.
    Dropped,
    /// The text from the first to the second offset within the line.
    Text(usize, usize),
}

/// Strips the block markup of one line without its line end.
pub(super) fn strip(line: &str) -> Line {
    let start = prefix(line);
    let content = &line[start..];
    let first = content.as_bytes().first().copied().unwrap_or(b' ');
    match first {
        b'#' => return heading(content, start),
        b'-' | b'=' | b'_' | b'*' | b'|' | b':' | b'+' if is_rule(content) => return Line::Dropped,
        b'[' => {
            if let Some(offset) = definition(content) {
                return offset.map_or(Line::Dropped, |offset| Line::Text(start + offset, line.len()));
            }
            if let Some(rest) = task(content) {
                return Line::Text(line.len() - rest.len(), line.len());
            }
        }
        b'i' | b'e' if start == 0 && is_module_line(content) => return Line::Dropped,
        b':' if content.starts_with(":::") => {
            return Line::Text(start + content.bytes().take_while(|&byte| byte == b':').count(), line.len());
        }
        b'!' if content.starts_with("!!! ") => return Line::Text(start + 4, line.len()),
        _ => {}
    }
    Line::Text(start, line.len())
}

/// The bytes of indentation, quote marks and list markers in front of a line's text.
pub(super) fn prefix(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    // Found once per line: everything behind the last word is a rule, not a row of list markers.
    let mut last_word = None;
    loop {
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let digits = bytes[at..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
        let marker = match bytes.get(at + digits) {
            Some(b'>') if digits == 0 => {
                at += 1;
                continue;
            }
            Some(b'-' | b'*' | b'+') if digits == 0 => 1,
            Some(b'.' | b')') if digits > 0 => digits + 1,
            _ => return at,
        };
        if !matches!(bytes.get(at + marker), Some(b' ' | b'\t')) {
            return at;
        }
        if at
            >= *last_word.get_or_insert_with(|| {
                bytes.iter().rposition(|&byte| !is_rule_byte(byte)).map_or(0, |word| word + 1)
            })
        {
            return at;
        }
        at += marker;
    }
}

/// Fences longer than this are all alike, which bounds how often a closing one is looked for in vain.
const MAX_RUN: usize = 32;

/// A fenced code block.
pub(super) struct Fence {
    marker: u8,
    run: usize,
    /// Without an info string, so it might as well be the end of a block.
    pub(super) bare: bool,
}

impl Fence {
    pub(super) fn open(line: &str) -> Option<Fence> {
        // Cheap for the many lines that hold no fence at all.
        if !line.contains("```") && !line.contains("~~~") {
            return None;
        }
        let content = &line[prefix(line)..];
        let marker = *content.as_bytes().first().filter(|&&byte| byte == b'`' || byte == b'~')?;
        let run = content.bytes().take_while(|&byte| byte == marker).count();
        let info = content[run..].trim();
        let is_fence = run >= 3 && !(marker == b'`' && info.contains('`'));
        is_fence.then_some(Fence { marker, run: run.min(MAX_RUN), bare: info.is_empty() })
    }

    /// Whether `next` opens a block of the same kind, with an info string.
    pub(super) fn is_followed_by(&self, next: &Fence) -> bool {
        next.marker == self.marker && next.run >= self.run && !next.bare
    }

    pub(super) fn closes(&self, line: &str) -> bool {
        let content = line.trim_matches([' ', '\t', '\r', '>']);
        content.len() >= self.run && content.bytes().all(|byte| byte == self.marker)
    }
}

/// Whether a line is `|---|:--:|`: the line under a table's head.
pub(super) fn is_table_rule(line: &str) -> bool {
    line.contains('-')
        && line.contains('|')
        && line.bytes().all(|byte| matches!(byte, b'-' | b'|' | b':' | b' ' | b'\t' | b'\r' | b'>'))
}

/// Thematic breaks, setext underlines and table rules: lines without a word.
fn is_rule(content: &str) -> bool {
    content.bytes().all(is_rule_byte)
        && content.bytes().any(|byte| byte.is_ascii_punctuation() && byte != b':')
}

fn is_rule_byte(byte: u8) -> bool {
    matches!(byte, b'-' | b'=' | b'_' | b'*' | b'|' | b'+' | b':' | b' ' | b'\t' | b'\r')
}

fn heading(content: &str, start: usize) -> Line {
    let level = content.bytes().take_while(|&byte| byte == b'#').count();
    let rest = &content[level..];
    if level > 6 || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return Line::Text(start, start + content.len());
    }
    let text = rest.trim_end();
    let open = text.trim_end_matches('#');
    let mut text = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text };
    if text.ends_with('}')
        && let Some(brace) = text.rfind(" {#").or_else(|| text.rfind(" {:"))
    {
        text = text[..brace].trim_end();
    }
    let from = start + level + (text.len() - text.trim_start().len());
    Line::Text(from, (start + level + text.len()).max(from))
}

/// For `[label]: target` `Some(None)`, for `[^note]: text` `Some(Some(offset of the text))`.
fn definition(content: &str) -> Option<Option<usize>> {
    let bracket = content.bytes().take(256).position(|byte| byte == b']')?;
    let rest = content[bracket + 1..].strip_prefix(':')?;
    if content.starts_with("[^") {
        return Some(Some(content.len() - rest.trim_start().len()));
    }
    let target = rest.trim();
    let words = target.split_whitespace().count();
    let titled = target.ends_with(['"', '\'', ')']);
    (words == 1 || (words > 1 && titled)).then_some(None)
}

/// What follows the box of a task: `[ ] text`, `[x] text`.
fn task(content: &str) -> Option<&str> {
    ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| content.strip_prefix(mark))
}

/// MDX: `import X from 'y'`, `export const x = …`.
fn is_module_line(content: &str) -> bool {
    let quoted = |rest: &str| rest.trim_start().starts_with(['"', '\'']);
    if let Some(rest) = content.strip_prefix("import ") {
        return quoted(rest) || rest.split_once(" from ").is_some_and(|(_, module)| quoted(module));
    }
    content.strip_prefix("export ").is_some_and(|rest| {
        ["const ", "default ", "function ", "let ", "async ", "{", "* "]
            .iter()
            .any(|word| rest.starts_with(word))
    })
}
