//! Blocks of AsciiDoc, line by line.

use super::{Attributes, inline, table};
use crate::document::Draft;
use crate::markdown::{self, code_span, escape_start};
use crate::runs::Indents;

/// Labels of admonitions.
const ADMONITIONS: [&str; 5] = ["NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"];

pub(super) struct Scanner<'a> {
    lines: &'a [&'a str],
    at: usize,
    draft: &'a mut Draft,
    attributes: &'a mut Attributes,
    indents: Indents,
    /// Marks of the lists that are open, outermost first.
    marks: Vec<String>,
    /// What stands in brackets above the next block: `source,rust`.
    style: String,
    /// Ends of delimited blocks that hold other blocks.
    open: Vec<&'a str>,
    /// Number of the last item of each open list.
    counts: Vec<u32>,
    /// Whether a `+` hangs the next block on the item above it.
    is_attached: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(lines: &'a [&'a str], draft: &'a mut Draft, attributes: &'a mut Attributes) -> Self {
        Self {
            lines,
            at: 0,
            draft,
            attributes,
            indents: Indents::default(),
            marks: Vec::new(),
            style: String::new(),
            open: Vec::new(),
            counts: Vec::new(),
            is_attached: false,
        }
    }

    pub(super) fn run(&mut self) {
        while let Some(&line) = self.lines.get(self.at) {
            self.at += 1;
            if line.is_empty() || line == "+" {
                self.is_attached = line == "+";
                continue;
            }
            if !self.structure(line) && !self.item(line) {
                self.paragraph(line);
            }
        }
    }

    /// Lines that are no text: comments, attributes, headings, delimiters, block macros.
    fn structure(&mut self, line: &'a str) -> bool {
        if line.starts_with("//") && !line.starts_with("///") {
            // Two lists one below the other are told apart with a comment.
            self.end_list();
            return true;
        }
        if line.starts_with("////") {
            self.until(line);
            return true;
        }
        if self.attributes.set(line) {
            return true;
        }
        if let Some((level, title)) = heading(line) {
            self.end_list();
            if let Some(anchor) = anchor(&self.style) {
                self.draft.origin(None, Some(anchor));
            }
            self.style.clear();
            let title = self.inline(title);
            self.draft.heading(level, &title);
            if level == 1 && !self.draft.has_title() {
                self.draft.set_title(&markdown::plain(&title));
                self.skip_author();
            }
            return true;
        }
        if line.starts_with('[') && line.ends_with(']') && !line.starts_with("[[[") {
            self.style = line.trim_matches(['[', ']']).to_owned();
            return true;
        }
        if let Some(title) = block_title(line) {
            self.end_list();
            let title = self.inline(title);
            self.draft.block(&format!("**{title}**"));
            return true;
        }
        self.delimited(line) || self.block_macro(line)
    }

    /// Author and revision stand below the title without an empty line.
    fn skip_author(&mut self) {
        while let Some(line) =
            self.lines.get(self.at).filter(|line| !line.is_empty() && !line.starts_with([':', '/']))
        {
            let is_author =
                line.contains('<') || line.starts_with('v') || line.split_whitespace().count() <= 4;
            if !is_author {
                break;
            }
            self.at += 1;
        }
    }

    fn delimited(&mut self, line: &'a str) -> bool {
        if self.open.last() == Some(&line) {
            self.open.pop();
            return true;
        }
        if line.starts_with("|===") || line.starts_with(",===") {
            let rows = self.until(line);
            let (style, separator) =
                (std::mem::take(&mut self.style), if line.starts_with(',') { ',' } else { '|' });
            let rows = table::rows(&rows, &style, separator, |cell| self.inline(cell));
            self.end_list();
            self.draft.block(&markdown::table(&rows));
            return true;
        }
        if let Some(language) = line.strip_prefix("```") {
            let code = self.until("```").join("\n");
            self.code(language, &code);
            return true;
        }
        let first = line.chars().next().unwrap_or(' ');
        let is_run = line.chars().all(|char| char == first);
        match first {
            '-' | '.' if is_run && line.len() >= 4 => {
                let code = self.until(line).join("\n");
                let language = if first == '-' { self.language() } else { String::new() };
                self.code(&language, &code);
            }
            '+' if is_run && line.len() >= 4 => {
                self.until(line);
                self.draft.note("passed-through HTML was left out");
            }
            '=' | '*' | '_' if is_run && line.len() >= 4 => self.enter(line),
            '-' if line == "--" => self.enter(line),
            '\'' if line == "'''" => {}
            '<' if line == "<<<" => {}
            _ => return false,
        }
        true
    }

    /// A block that holds others: only its label is written.
    fn enter(&mut self, line: &'a str) {
        self.open.push(line);
        let style = std::mem::take(&mut self.style);
        let name = style.split([',', '.', '%', '#']).next().unwrap_or_default();
        if ADMONITIONS.contains(&name) {
            self.end_list();
            self.draft.block(&format!("**{}:**", capitalised(name)));
        } else if name == "source" || name == "listing" {
            self.open.pop();
            self.style = style;
            let code = self.until(line).join("\n");
            let language = self.language();
            self.code(&language, &code);
        }
    }

    fn block_macro(&mut self, line: &str) -> bool {
        let Some((name, rest)) = line.split_once("::") else { return false };
        let Some((target, text)) = rest.strip_suffix(']').and_then(|rest| rest.split_once('[')) else {
            return false;
        };
        let text = text.split(',').next().unwrap_or_default().trim_matches('"');
        match name {
            "image" => self.draft.block(&markdown::escape(text)),
            "video" | "audio" | "toc" | "ifdef" | "ifndef" | "endif" | "ifeval" => {}
            "include" => {
                self.draft.note("files that the document includes are not read");
                self.draft.block(&code_span(line));
            }
            _ if name.chars().all(char::is_alphanumeric) && !name.is_empty() && !target.contains(' ') => {
                self.draft.block(&code_span(line));
            }
            _ => return false,
        }
        self.style.clear();
        true
    }

    fn item(&mut self, line: &str) -> bool {
        let trimmed = line.trim_start();
        let (mark, text) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
        let is_run =
            |char: char| !mark.is_empty() && mark.len() <= 6 && mark.chars().all(|found| found == char);
        let number = mark.strip_suffix('.').and_then(|number| number.parse::<u32>().ok());
        let is_callout = mark.starts_with('<') && mark.ends_with('>') && mark.len() > 2 && mark.len() < 6;
        if text.is_empty() || !(is_run('*') || mark == "-" || is_run('.') || number.is_some() || is_callout) {
            return self.definition(trimmed);
        }
        let kind = if number.is_some() {
            "1."
        } else if is_callout {
            "<>"
        } else {
            mark
        };
        let level = self.level(kind);
        let text = text.trim_start();
        let text = ["[ ] ", "[x] ", "[*] "].iter().find_map(|done| text.strip_prefix(done)).unwrap_or(text);
        let text = self.with_wrapped(text);
        let shown = if kind.starts_with(['.', '1', '<']) {
            let count = self.counts.get_mut(level).map_or(1, |count| {
                *count = count.saturating_add(1);
                *count
            });
            format!("{count}. ")
        } else {
            "- ".to_owned()
        };
        let item = self.indents.item(level, &shown, &text);
        self.draft.item(&item);
        true
    }

    /// `term:: text`, also with three or four colons for terms inside.
    fn definition(&mut self, line: &str) -> bool {
        let found =
            [("::::", "::::"), (":::", ":::"), ("::", "::"), (";;", ";;")].iter().find_map(|(mark, _)| {
                let (term, text) = line.split_once(mark)?;
                (!term.trim().is_empty() && (text.is_empty() || text.starts_with(' ')))
                    .then_some((*mark, term, text))
            });
        let Some((mark, term, text)) = found else { return false };
        let level = self.level(mark);
        let term = self.inline(term.trim());
        let term = if term.contains(['*', '`']) { term } else { format!("**{term}**") };
        let mut text = text.trim();
        // The text may stand on the next line.
        if text.is_empty() {
            let next = self.lines.get(self.at).map_or("", |line| line.trim());
            let is_text = !next.is_empty()
                && !next.starts_with(['*', '.', '-', '[', '|', '=', '+', '`'])
                && !next.contains("::");
            if is_text {
                text = next;
                self.at += 1;
            }
        }
        let text = self.with_wrapped(text);
        let item = self.indents.item(level, "- ", format!("{term}: {text}").trim_end_matches([' ', ':']));
        self.draft.item(&item);
        true
    }

    /// The level of an item with this mark; a mark that is not open yet is one deeper.
    fn level(&mut self, mark: &str) -> usize {
        let known = self.marks.iter().position(|open| open == mark);
        let level = known.unwrap_or(self.marks.len());
        self.marks.truncate(level + 1);
        self.counts.truncate(level + 1);
        if known.is_none() {
            self.marks.push(mark.to_owned());
            self.counts.push(0);
        }
        level
    }

    fn paragraph(&mut self, line: &'a str) {
        // An indented line is shown as it is.
        if line.starts_with(' ') && self.marks.is_empty() {
            let mut code = vec![line];
            while let Some(next) = self.lines.get(self.at).filter(|next| !next.is_empty()) {
                code.push(next);
                self.at += 1;
            }
            let code = markdown::dedent(&code.join("\n")).into_owned();
            self.code("", &code);
            return;
        }
        let is_attached = std::mem::take(&mut self.is_attached);
        let (label, text) = ADMONITIONS
            .iter()
            .find_map(|name| Some((*name, line.strip_prefix(name)?.strip_prefix(": ")?)))
            .map_or((None, line), |(name, text)| (Some(name), text));
        let style = std::mem::take(&mut self.style);
        let name = style.split([',', '.', '%', '#']).next().unwrap_or_default().to_owned();
        if name == "source" || name == "listing" || name == "literal" {
            self.style = style;
            let mut code = vec![line];
            while let Some(next) = self.lines.get(self.at).filter(|next| !next.is_empty()) {
                code.push(next);
                self.at += 1;
            }
            let language = self.language();
            self.code(&language, &code.join("\n"));
            return;
        }
        let label = label.or_else(|| ADMONITIONS.iter().find(|known| **known == name).copied());
        let text = self.with_wrapped(text);
        let text = match label {
            Some(label) => format!("**{}:** {text}", capitalised(label)),
            None => text.lines().map(escape_start).collect::<Vec<_>>().join("\n"),
        };
        if is_attached && !self.marks.is_empty() {
            let indent = self.indents.inside();
            self.draft.block(&markdown::indented(&text, &indent, &indent));
            return;
        }
        self.end_list();
        let is_quote = self.open.last().is_some_and(|open| open.starts_with("____")) || name == "quote";
        self.draft.block(&if is_quote { markdown::indented(&text, "> ", "> ") } else { text });
    }

    /// A text with the lines that follow it up to an empty one or the next item.
    fn with_wrapped(&mut self, first: &str) -> String {
        let mut text = first.trim_end_matches(" +").to_owned();
        while let Some(&next) = self.lines.get(self.at) {
            let trimmed = next.trim_start();
            if next.starts_with("//") && !next.starts_with("///") {
                self.at += 1;
                continue;
            }
            let (mark, _) = trimmed.split_once(' ').unwrap_or((trimmed, ""));
            let is_mark = !mark.is_empty()
                && (mark.chars().all(|char| matches!(char, '*' | '.' | '-')) || is_numbered(mark));
            let is_end = next.is_empty()
                || next == "+"
                || is_mark
                || trimmed.starts_with("|===")
                || is_delimiter(trimmed);
            if is_end
                || (trimmed.starts_with('[') && trimmed.ends_with(']'))
                || trimmed.contains(":: ")
                || trimmed.ends_with("::")
            {
                break;
            }
            self.at += 1;
            text.push('\n');
            text.push_str(trimmed.trim_end_matches(" +"));
        }
        self.inline(&text)
    }

    fn code(&mut self, language: &str, code: &str) {
        self.style.clear();
        if code.trim().is_empty() {
            return;
        }
        let is_attached = std::mem::take(&mut self.is_attached) && !self.marks.is_empty();
        if !is_attached {
            self.end_list();
        }
        let language = language.split([',', ' ']).next().unwrap_or_default();
        if is_attached {
            let mut block = String::new();
            markdown::push_code(&mut block, language, code.trim_matches('\n'));
            let indent = self.indents.inside();
            self.draft.block(&markdown::indented(block.trim_end(), &indent, &indent));
        } else {
            self.draft.code(language, code.trim_matches('\n'));
        }
    }

    fn language(&self) -> String {
        let mut words = self.style.split(',').map(str::trim);
        let first = words.next().unwrap_or_default();
        let is_source = first.starts_with("source") || first.is_empty();
        let language = words.next().filter(|word| is_source && !word.contains('='));
        let default = self.attributes.get("source-language").filter(|_| first.starts_with("source"));
        language.or(default).unwrap_or_default().to_owned()
    }

    /// Lines up to one that is the same, which is passed.
    fn until(&mut self, end: &str) -> Vec<&'a str> {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|line| *line == end).unwrap_or(rest.len());
        self.at += length + 1;
        rest.get(..length).unwrap_or_default().to_vec()
    }

    fn end_list(&mut self) {
        self.indents.end();
        self.marks.clear();
        self.counts.clear();
    }

    fn inline(&self, text: &str) -> String {
        inline::markdown(&self.attributes.replaced(text))
    }
}

/// `== Title` or `## Title`: the level and the text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let mark = line.chars().next().filter(|char| matches!(char, '=' | '#'))?;
    let level = line.chars().take_while(|&char| char == mark).count();
    let title = line.get(level..)?.strip_prefix(' ')?.trim();
    (level <= 6 && !title.is_empty()).then_some((level, title))
}

/// `.Title` above a block; `..` and `. ` are list marks.
fn block_title(line: &str) -> Option<&str> {
    line.strip_prefix('.').filter(|title| title.starts_with(|char: char| !matches!(char, '.' | ' ')))
}

/// The name in `[[name]]`, `[#name]`.
fn anchor(style: &str) -> Option<&str> {
    let name = style.split_once('#').map_or(style, |(_, name)| name);
    let name = name.split([',', '.', '%']).next().unwrap_or_default();
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

fn is_numbered(mark: &str) -> bool {
    mark.strip_suffix('.')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_delimiter(line: &str) -> bool {
    let first = line.chars().next().unwrap_or(' ');
    line == "--" || (line.len() >= 4 && "-.=*_+/".contains(first) && line.chars().all(|char| char == first))
}

fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().into_iter().chain(chars.flat_map(char::to_lowercase)).collect()
}
