//! The few lines of a hit that show why it was found, with the words of the query marked.
//!
//! Words are compared as the lexical index compares them: stemmed, folded, identifiers by their parts.

use std::collections::{BTreeSet, HashMap};

use docent_text::{is_stop_word, plain, tokens};
use owo_colors::OwoColorize;

use crate::printer::clean;

/// The words of a query.
pub(crate) struct QueryWords {
    tokens: Vec<String>,
}

impl QueryWords {
    pub(crate) fn new(query: &str) -> Self {
        let all = tokens(query);
        let has_content = all.iter().any(|token| !is_stop_word(token));
        Self { tokens: all.into_iter().filter(|token| !has_content || !is_stop_word(token)).collect() }
    }

    fn find(&self, word: &str) -> Option<usize> {
        tokens(word).iter().find_map(|token| self.tokens.iter().position(|known| known == token))
    }
}

/// At most `height` lines of at most `width` columns. `heading` is left out where the text starts with it.
pub(crate) fn snippet(
    content: &str,
    heading: &str,
    query: &QueryWords,
    width: usize,
    height: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut known = HashMap::new();
    let text = plain(content);
    let without_heading = text.trim_start().strip_prefix(heading).filter(|rest| rest.starts_with('\n'));
    for line in without_heading.unwrap_or(&text).lines() {
        wrap(pieces(&clean(line), query, &mut known), width, &mut lines);
    }
    let best = best_window(&lines, height);
    let end = (best + height).min(lines.len());
    let mut shown: Vec<String> = lines[best..end].iter().map(|line| render(line)).collect();
    if let Some(last) = shown.last_mut().filter(|_| end < lines.len()) {
        last.push_str(" …");
    }
    shown
}

/// A run of text that is not broken, and which word of the query it is.
#[derive(Debug, Clone)]
struct Piece {
    text: String,
    after_space: bool,
    word: Option<usize>,
}

fn pieces(line: &str, query: &QueryWords, known: &mut HashMap<String, Option<usize>>) -> Vec<Piece> {
    let mut find = |word: &str| match known.get(word) {
        Some(found) => *found,
        None => *known.entry(word.to_owned()).or_insert(query.find(word)),
    };
    let mut pieces = Vec::new();
    let indent: String = line.chars().take_while(|c| *c == ' ').take(8).collect();
    for (at, word) in line.split_whitespace().enumerate() {
        let mut after_space = at > 0;
        if at == 0 && !indent.is_empty() {
            pieces.push(Piece { text: indent.clone(), after_space: false, word: None });
        }
        if !word.chars().any(is_unspaced) {
            pieces.push(Piece { text: word.to_owned(), after_space, word: find(word) });
            continue;
        }
        // Without spaces every letter may end a line, and a letter belongs to the pairs on both of its sides.
        let letters: Vec<char> = word.chars().collect();
        for at in 0..letters.len() {
            let pair = |from: usize, to: usize| letters[from..to].iter().collect::<String>();
            let before = (at > 0).then(|| find(&pair(at - 1, at + 1))).flatten();
            let found =
                before.or_else(|| if at + 1 < letters.len() { find(&pair(at, at + 2)) } else { None });
            pieces.push(Piece { text: letters[at].to_string(), after_space, word: found });
            after_space = false;
        }
    }
    pieces
}

/// Scripts that put no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0E7F | 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn wrap(pieces: Vec<Piece>, width: usize, lines: &mut Vec<Vec<Piece>>) {
    let mut line: Vec<Piece> = Vec::new();
    let mut used = 0;
    for mut piece in pieces {
        if console::measure_text_width(&piece.text) > width {
            piece.text = console::truncate_str(&piece.text, width, "…").into_owned();
        }
        let needed =
            console::measure_text_width(&piece.text) + usize::from(piece.after_space && !line.is_empty());
        if used + needed > width && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        used += console::measure_text_width(&piece.text) + usize::from(piece.after_space && !line.is_empty());
        line.push(piece);
    }
    if !line.is_empty() {
        lines.push(line);
    }
}

/// Where the lines start that show most of the query; the earliest of equals.
fn best_window(lines: &[Vec<Piece>], height: usize) -> usize {
    let score = |start: usize| {
        let window = || {
            lines[start..(start + height).min(lines.len())].iter().flatten().filter_map(|piece| piece.word)
        };
        let different: BTreeSet<usize> = window().collect();
        // A window that starts with what it shows reads better than one that ends with it.
        let first = lines[start].iter().any(|piece| piece.word.is_some());
        (different.len(), window().count().min(8), usize::from(first))
    };
    let last = lines.len().saturating_sub(height);
    (0..=last)
        .filter(|start| *start < lines.len())
        .max_by_key(|start| (score(*start), last - start))
        .unwrap_or(0)
}

fn render(line: &[Piece]) -> String {
    let mut out = String::new();
    for (at, piece) in line.iter().enumerate() {
        if piece.after_space && at > 0 {
            out.push(' ');
        }
        if piece.word.is_none() {
            out.push_str(&piece.text);
            continue;
        }
        let core = piece.text.trim_matches(|c: char| !c.is_alphanumeric());
        let (before, after) = piece.text.split_once(core).unwrap_or(("", ""));
        out.push_str(&format!("{before}{}{after}", core.red().bold()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[` and `]` stand for the marks.
    fn check(query: &str, content: &str, width: usize, expected: &[&str]) {
        let lines = snippet(content, "Heading", &QueryWords::new(query), width, 2);
        let codes = [("\u{1b}[1m", ""), ("\u{1b}[31m", "["), ("\u{1b}[39m", "]"), ("\u{1b}[0m", "")];
        let plain = |line: String| codes.iter().fold(line, |line, (code, mark)| line.replace(code, mark));
        assert_eq!(lines.into_iter().map(plain).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_heading_is_not_repeated() {
        check("pods", "## Heading\n\nA pod runs.\n", 40, &["A [pod] runs."]);
    }

    #[test]
    fn the_window_with_most_of_the_query_is_shown() {
        let content = "one\n\ntwo\n\nexpose it\n\na **pod**, exposed\n\nlast\n";
        check("how do I expose a pod", content, 40, &["[expose] it", "a [pod], [exposed] …"]);
    }

    #[test]
    fn long_lines_are_wrapped_and_long_words_cut() {
        check("x", "aaa bbb ccc ddd eee", 7, &["aaa bbb", "ccc ddd …"]);
        check("x", "aaaaaaaaaaaaaaaa", 7, &["aaaaaa…"]);
    }

    #[test]
    fn identifiers_are_marked_by_their_parts() {
        check(
            "root filesystem",
            "set `readOnlyRootFilesystem` now",
            60,
            &["set [readOnlyRootFilesystem] now"],
        );
    }

    #[test]
    fn scripts_without_spaces_are_marked_letter_by_letter() {
        check("検索", "全文検索です", 40, &["全文[検][索]です"]);
    }

    #[test]
    fn nothing_to_show_is_nothing() {
        check("x", "## Heading\n", 40, &["Heading"]);
        check("x", "", 40, &[]);
    }
}
