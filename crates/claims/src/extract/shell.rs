//! Simple commands in the text of a shell, with the bytes of their words.
//!
//! This is the part of the language that documentation is written in: prompts, comments, quotes, continued lines, lists
//! (`&&`, `;`, `|`), assignments in front, here-documents. Words that the shell would expand are marked, not expanded.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Without quotes.
    pub(super) text: String,
    pub(super) bytes: Range<usize>,
    /// It holds what only a shell can know: `$X`, `$(…)`, a glob.
    pub(super) is_dynamic: bool,
}

/// One command without what redirects its output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// `NAME=value` in front of it.
    pub(super) assignments: Vec<Word>,
    pub(super) words: Vec<Word>,
}

/// Whether lines without a prompt are what a program has printed.
pub(super) fn has_prompts(source: &str) -> bool {
    // A first line with `> ` tells what the mark means.
    let first = source.lines().map(str::trim_start).find(|line| !line.is_empty());
    first.is_some_and(|line| line.starts_with("> "))
        || source.lines().any(|line| prompt(line.trim_start(), false) > 0)
}

/// The commands in `source`, which starts at byte `base` of the page.
pub(super) fn commands(source: &str, base: usize, is_console: bool) -> Vec<Simple> {
    // A first line with `> ` tells what the mark means.
    let first = source.lines().find(|line| !line.trim().is_empty());
    let is_console = is_console || first.is_some_and(|line| line.trim_start().starts_with("> "));
    let only_prompts = has_prompts(source);
    let mut found = Vec::new();
    let mut heredoc: Option<String> = None;
    let mut reader = Reader { base, ..Reader::default() };
    let mut continues = false;
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let at = start;
        start += line.len();
        if let Some(end) = &heredoc {
            if line.trim() == end.as_str() {
                heredoc = None;
            }
            continue;
        }
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        let mut from = indent;
        if !continues {
            let prompt = prompt(&content[indent..], is_console);
            if only_prompts && prompt == 0 {
                continue;
            }
            from += prompt;
        }
        continues = content.ends_with('\\') || reader.quote.is_some();
        let content = content.strip_suffix('\\').unwrap_or(content);
        let Some(part) = content.get(from..) else { continue };
        heredoc = heredoc_end(part);
        reader.line(part, at + from, &mut found);
        // A quote that nobody closes is an apostrophe in what a program has printed.
        if reader.quoted_lines > 40 {
            break;
        }
        continues |= reader.quote.is_some();
        if !continues {
            reader.end_command(&mut found);
        }
    }
    reader.quote = None;
    reader.end_command(&mut found);
    found
}

/// How many bytes at the start of a line are a prompt.
fn prompt(line: &str, is_console: bool) -> usize {
    for mark in ["$ ", "% ", "❯ ", "➜ ", "> "] {
        if line.starts_with(mark) && (mark != "> " || is_console) {
            return mark.len();
        }
    }
    if is_console && line.starts_with("# ") {
        return 2;
    }
    // `PS C:\>`, `user@host:~/x$`, `(venv) $`
    let head: String = line.chars().take(60).collect();
    for mark in ["> ", "$ ", "# "] {
        if let Some(at) = head.find(mark) {
            let before = &head[..at];
            let is_prompt = before.starts_with("PS ")
                || (mark != "> " && before.contains('@') && before.contains(':') && !before.contains(' '))
                || (mark == "$ "
                    && before.starts_with('(')
                    && before.trim_end().ends_with(')')
                    && !before.contains('$'));
            if is_prompt {
                return at + mark.len();
            }
        }
    }
    0
}

fn heredoc_end(line: &str) -> Option<String> {
    let at = line.find("<<")?;
    let rest = line[at + 2..].trim_start_matches('-').trim_start();
    let word: String = rest
        .trim_start_matches(['\'', '"'])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!word.is_empty() && !rest.starts_with('<')).then_some(word)
}

#[derive(Default)]
struct Reader {
    base: usize,
    simple: Simple,
    word: Option<Word>,
    quote: Option<char>,
    quoted_lines: usize,
    /// The next word is the file of a redirection.
    redirects: bool,
}

impl Reader {
    fn line(&mut self, line: &str, at: usize, found: &mut Vec<Simple>) {
        let mut chars = line.char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let byte = self.base + at + offset;
            if let Some(quote) = self.quote {
                if c == quote {
                    self.quote = None;
                    self.extend(byte, byte + c.len_utf8(), None);
                } else {
                    self.extend(byte, byte + c.len_utf8(), Some(c));
                    if c == '$' && quote == '"' {
                        self.mark_dynamic();
                    }
                }
                continue;
            }
            let next = chars.peek().map(|&(_, next)| next);
            match c {
                ' ' | '\t' => self.end_word(),
                '#' if self.word.is_none() => break,
                '\'' | '"' => {
                    // An apostrophe inside of a word is prose.
                    if c == '\''
                        && self.word.is_some()
                        && next.is_some_and(char::is_alphabetic)
                        && !line[offset + 1..].contains('\'')
                    {
                        self.extend(byte, byte + 1, Some(c));
                        continue;
                    }
                    self.quote = Some(c);
                    self.quoted_lines = 0;
                    self.extend(byte, byte + 1, None);
                }
                '&' | '|' | ';' | '(' | ')'
                    if !(c == '(' && self.word.is_some() || c == '&' && self.redirects) =>
                {
                    self.end_command(found);
                }
                '>' | '<' => {
                    // `2>` is one operator.
                    let is_number =
                        self.word.as_ref().is_some_and(|word| word.text.bytes().all(|b| b.is_ascii_digit()));
                    let is_placeholder = c == '<'
                        && next.is_some_and(char::is_alphanumeric)
                        && !line[..offset].ends_with('<')
                        && line[offset..].chars().take(60).any(|c| c == '>');
                    if is_placeholder
                        || (c == '>'
                            && self
                                .word
                                .as_ref()
                                .is_some_and(|word| word.is_dynamic && word.text.contains('<')))
                    {
                        self.extend(byte, byte + 1, Some(c));
                        self.mark_dynamic();
                        continue;
                    }
                    if is_number {
                        self.word = None;
                    }
                    self.end_word();
                    self.redirects = true;
                }
                '\\' => {
                    if let Some((_, escaped)) = chars.next() {
                        self.extend(byte, byte + 1 + escaped.len_utf8(), Some(escaped));
                        self.mark_dynamic();
                    }
                }
                '$' | '*' | '?' | '`' | '{' | '}' | '~' | '[' | ']' | '…' => {
                    self.extend(byte, byte + c.len_utf8(), Some(c));
                    self.mark_dynamic();
                }
                _ => self.extend(byte, byte + c.len_utf8(), Some(c)),
            }
        }
        if self.quote.is_some() {
            self.quoted_lines += 1;
        } else {
            self.end_word();
        }
    }

    fn extend(&mut self, from: usize, to: usize, c: Option<char>) {
        let word = self.word.get_or_insert_with(|| Word {
            text: String::new(),
            bytes: from..from,
            is_dynamic: false,
        });
        word.bytes.end = to;
        word.text.extend(c);
    }

    fn mark_dynamic(&mut self) {
        if let Some(word) = &mut self.word {
            word.is_dynamic = true;
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.redirects) {
            return;
        }
        if self.simple.words.is_empty() && is_assignment(&word.text) {
            self.simple.assignments.push(word);
        } else {
            self.simple.words.push(word);
        }
    }

    fn end_command(&mut self, found: &mut Vec<Simple>) {
        self.end_word();
        self.redirects = false;
        let simple = std::mem::take(&mut self.simple);
        if !simple.words.is_empty() || !simple.assignments.is_empty() {
            found.push(simple);
        }
    }
}

/// `NAME=value`
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let found: Vec<String> = commands(source, 0, false)
            .iter()
            .map(|simple| {
                let words = simple.assignments.iter().chain(&simple.words);
                words.map(|word| word.text.as_str()).collect::<Vec<_>>().join("·")
            })
            .collect();
        assert_eq!(found, expected, "{source:?}");
    }

    #[test]
    fn lists_quotes_comments_and_continuations() {
        check("npm ci && npm run build # now", &["npm·ci", "npm·run·build"]);
        check("A=1 B='x y' make all", &["A=1·B=x y·make·all"]);
        check("cargo run \\\n  --bin x -- --y\nls", &["cargo·run·--bin·x·--·--y", "ls"]);
        check("cat a.txt | grep \"b c\" > out.txt", &["cat·a.txt", "grep·b c"]);
        check("x 2>&1\n# only words\ny", &["x", "y"]);
        check("cat <<EOF > f\nnpm run no\nEOF\nmake", &["cat", "make"]);
        check("run <name> --x", &["run·<name>·--x"]);
        check("echo it's fine\nmake a", &["echo·it's·fine", "make·a"]);
    }

    #[test]
    fn with_prompts_other_lines_are_output() {
        check("$ npm test\n> x@1 test\nmake nothing\n$ make y", &["npm·test", "make·y"]);
        check("PS C:\\x> npm test", &["npm·test"]);
        check("(venv) $ pip list", &["pip·list"]);
        check("me@host:~/x$ make", &["make"]);
    }

    #[test]
    fn words_know_their_bytes() {
        let source = "  make 'a b' é c";
        let simple = &commands(source, 10, false)[0];
        let at: Vec<&str> =
            simple.words.iter().map(|word| &source[word.bytes.start - 10..word.bytes.end - 10]).collect();
        assert_eq!(at, ["make", "'a b'", "é", "c"]);
    }
}
