//! The sentence in which a claim stands, and what its words say about the claim.

use std::ops::Range;
use std::sync::LazyLock;

use super::page::{Page, Row};
use crate::Cues;

/// Characters of a sentence that are kept, and that are looked at on both sides of a claim.
const MAX: usize = 300;

/// The sentence around `at` within the block that holds it, on one line.
pub(super) fn sentence(text: &str, block: &Range<usize>, at: &Range<usize>) -> String {
    let (from, to) = bounds(text, block, at);
    clip(text.get(from..to).unwrap_or_default())
}

/// At most [`MAX`] characters, with white space as single spaces.
pub(super) fn clip(text: &str) -> String {
    let mut clipped = String::new();
    for word in text.split_whitespace() {
        if !clipped.is_empty() {
            clipped.push(' ');
        }
        clipped.push_str(word);
        if clipped.len() > MAX * 4 {
            break;
        }
    }
    if let Some((end, _)) = clipped.char_indices().nth(MAX) {
        clipped.truncate(end);
    }
    clipped
}

/// The line around `at`.
pub(super) fn line_around(text: &str, at: &Range<usize>) -> Range<usize> {
    let floor = floor(text, at.start.saturating_sub(MAX));
    let ceiling = ceiling(text, at.end.saturating_add(MAX));
    let before = text.get(floor..at.start).unwrap_or_default();
    let from = before.rfind('\n').map_or(floor, |found| floor + found + 1);
    let after = text.get(at.end..ceiling).unwrap_or_default();
    from..after.find('\n').map_or(ceiling, |found| at.end + found)
}

fn bounds(text: &str, block: &Range<usize>, at: &Range<usize>) -> (usize, usize) {
    let floor = floor(text, at.start.saturating_sub(MAX)).max(block.start.min(at.start));
    let ceiling = ceiling(text, at.end.saturating_add(MAX)).min(block.end.max(at.end));
    let before = text.get(floor..at.start).unwrap_or_default();
    let from = before
        .rmatch_indices(['.', '!', '?'])
        .find(|&(found, _)| ends_sentence(before, found))
        .map_or(floor, |(found, _)| floor + found + 1);
    let after = text.get(at.end..ceiling).unwrap_or_default();
    let to = after
        .match_indices(['.', '!', '?'])
        .find(|&(found, _)| ends_sentence(after, found))
        .map_or(ceiling, |(found, _)| at.end + found + 1);
    (from, to)
}

fn ends_sentence(text: &str, at: usize) -> bool {
    let is_end = text[at + 1..].starts_with(|c: char| c.is_whitespace());
    let is_short = ["e.g", "i.e", "etc", "vs", "cf", "resp"].iter().any(|short| text[..at].ends_with(short));
    is_end && !is_short
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceiling(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[rustfmt::skip]
const PAST: &[&str] = &[
    "no longer", "formerly", "previously", "used to be ", "used to live", "was moved", "were moved",
    "has moved", "have moved", "been moved", "moved to ", "was removed", "were removed", "been removed",
    "removed in ", "now removed", "is removed", "are removed", "was renamed", "were renamed",
    "been renamed", "renamed to ", "renamed from", "is gone", "was replaced", "were replaced",
    "been replaced", "replaced by ", "replaces ", "deprecated", "in the past", "originally", "obsolete",
    "was deleted", "were deleted", "been deleted", "was proposed", "were proposed", "prior to v", "prior to version", "before v",
    "in earlier versions", "in older versions", "versions earlier", "earlier than v", "of earlier versions", "of older versions", "old version", "historically", "was called", "were called",
    "until v", "superseded", "was added in", "was introduced", "since removed", "dropped",
    "in early ", "early versions", "do not create", "don't create", "do not use", "don't use", "never use", "the old ", "old)", "removed)", "instead of the",
    "in the example pr", "in this example pr", "in this pr ", "in other libraries", "in other languages", "in other frameworks", "in other tools", "files fixed", "files modified", "files changed", "fixes applied",
];

#[rustfmt::skip]
const EXAMPLE: &[&str] = &[
    "for example", "for instance", "e.g.", "eg.", "such as", "suppose", "imagine", "let's say", "example:",
    "examples:", "something like", "hypothetical", "as an example", "an example", "example ", "like this",
    "similar to", "or similar", "like `", "would be ", "could be ", "might ", "assume", "assuming", "say, ",
];

#[rustfmt::skip]
const CREATED: &[&str] = &[
    "creat", "generat", "writes", "written", "write ", "will be ", "output", "add a ", "add an ",
    "add the ", "add your", "save", "store it", "store the", "store them", "store your", "stored", "stores ", "copy", "copied", "download", "new file", "gitignore",
    "git-ignore", "your project", "your repo", "your own", "in your ", "of your", "scaffold", "produce",
    "mkdir", "touch ", "name it", "call it", "place ", "put ", "initiali", "emit", "build", "compile",
    "install", "if you have", "if there is", "does not exist", "doesn't exist", "if present",
    "if it exists", "looks for", "look for", "optional", "planned", "todo", "tbd", "future", "not yet",
    "coming soon", "rename", "symlink",
];

/// All of these phrases by their first byte, so that a sentence is read once.
static PHRASES: LazyLock<Vec<Vec<(&'static str, Cue)>>> = LazyLock::new(|| {
    let mut phrases = vec![Vec::new(); 128];
    for (cue, table) in [(Cue::Past, PAST), (Cue::Example, EXAMPLE), (Cue::Created, CREATED)] {
        for phrase in table {
            let first = phrase.bytes().next().map_or(0, usize::from);
            phrases[first].push((*phrase, cue));
        }
    }
    phrases
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    Past,
    Example,
    Created,
}

/// What the words of a sentence and the headings above it say.
pub(super) fn cues(page: &Page<'_>, at: usize, sentence: &str, before: &str) -> Cues {
    let mut cues = Cues::default();
    let before = before.to_lowercase();
    for text in [sentence.to_lowercase().as_str(), before.as_str()] {
        for cue in said(text) {
            match cue {
                Cue::Past => cues.is_past = true,
                Cue::Example => cues.is_example = true,
                Cue::Created => cues.is_created = true,
            }
        }
    }
    cues.is_past |= is_before(&before) || under_heading(page, at, is_past_heading);
    // What stands on its line before it, as far as a reader has it in mind.
    let line = page.text.get(line_around(page.text, &(at..at)).start..at).unwrap_or_default();
    cues.is_past |= is_denied(line) || is_dated(line);
    cues.is_past |= is_struck_out(line);
    cues.is_past |= page.row(at).is_some_and(|row| is_past_row(&row)) || page.is_of_old_commit(at);
    cues.is_example |= under_heading(page, at, |heading| heading.starts_with("example"));
    cues
}

/// Whether a line has begun to strike out and not ended: `~~struck out~~`, `<del>struck out</del>`.
fn is_struck_out(line: &str) -> bool {
    let is_open = |tag: &str| {
        let open = line.matches(&format!("<{tag}>")).count() + line.matches(&format!("<{tag} ")).count();
        open > line.matches(&format!("</{tag}>")).count()
    };
    line.matches("~~").count() % 2 == 1 || ["del", "s", "strike"].into_iter().any(is_open)
}

/// Whether a line is an entry of a history, which begins with a version and a date: `- 1.2.0 2024-05-21 Remove: …`.
fn is_dated(line: &str) -> bool {
    let item = line.trim_start().trim_start_matches(['-', '*', '+', '#']);
    let mut words = item.split([' ', '(', ')', ':', ',', '`', '*']).filter(|word| !word.is_empty());
    let version = words.next().map_or("", |first| first.trim_start_matches('v'));
    let is_version = version.matches('.').count() >= 1
        && version.split('.').all(|part| part.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
    let is_date = |word: &str| {
        let mut parts =
            word.split('-').map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part.len()));
        [parts.next(), parts.next(), parts.next(), parts.next()]
            == [Some(Some(4)), Some(Some(2)), Some(Some(2)), None]
    };
    is_version && words.next().is_some_and(is_date)
}

/// So many lines of a fence are in a reader's mind.
const MOST_LINES: usize = 30;

/// Whether the last remark above a place in a fence says that what follows is wrong: `# WRONG`, `// ❌ Bad: …`.
pub(super) fn is_marked_wrong(text: &str, fence: &Range<usize>, at: usize) -> bool {
    const WRONG: &[&str] =
        &["avoid", "bad", "do not", "don't", "incorrect", "never", "not recommended", "wrong"];
    const RIGHT: &[&str] =
        &["correct", "do:", "good", "instead", "ok", "preferred", "recommended", "right", "use "];
    let line = line_around(text, &(at..at));
    let from = floor(text, fence.start.max(at.saturating_sub(MOST_LINES * MAX)));
    let above = text.get(from..line.start.max(from)).unwrap_or_default();
    let said = |line: &str| {
        let line = line.trim_start();
        let remark = ["#", "//", "--", "<!--"].iter().find_map(|mark| line.strip_prefix(mark))?;
        let word = remark.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let starts = |words: &[&str]| words.iter().any(|start| word.starts_with(start));
        if remark.contains(['❌', '✗', '✘']) || starts(WRONG) {
            Some(true)
        } else {
            (remark.contains(['✅', '✓', '✔']) || starts(RIGHT)).then_some(false)
        }
    };
    above.lines().rev().take(MOST_LINES).find_map(said).unwrap_or(false)
}

/// What the phrases of a text, each at the start of a word, say.
fn said(text: &str) -> impl Iterator<Item = Cue> + '_ {
    let bytes = text.as_bytes();
    // Inside of a name or a path no word starts.
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/');
    let starts = (0..bytes.len())
        .filter(move |&at| bytes[at].is_ascii_alphabetic() && (at == 0 || !is_inside(bytes[at - 1])));
    starts.flat_map(move |at| {
        let known = PHRASES.get(usize::from(bytes[at])).map_or(&[][..], Vec::as_slice);
        known
            .iter()
            .filter(move |(phrase, _)| bytes[at..].starts_with(phrase.as_bytes()))
            .map(|(_, cue)| *cue)
    })
}

fn is_past_heading(heading: &str) -> bool {
    let heading = heading.trim_start_matches(|c: char| !c.is_alphanumeric());
    const WORDS: &[&str] = &[
        "before",
        "old",
        "removed",
        "history",
        "legacy",
        "breaking changes",
        "release notes",
        "what's new",
        "previously",
    ];
    const PLANS: &[&str] = &["roadmap", "future work", "implementation plan"];
    const WORK: &[&str] =
        &["files changed", "files modified", "fixes applied", "(done)", "(completed)", "(merged)"];
    // What is to be, what is not to be, and how names are made up.
    const RULES: &[&str] = &[
        "anti-pattern",
        "antipattern",
        "naming",
        "not implemented",
        "out of scope",
        "target architecture",
        "target layout",
        "target structure",
    ];
    let is_done =
        || ["done", "completed", "merged"].iter().any(|end| heading.ends_with(end) && heading.contains('✅'));
    const STARTS: &[&str] =
        &["migrat", "deprecat", "changelog", "before (", "before:", "upgrading", "removed "];
    WORDS.contains(&heading)
        || heading.contains("(deprecated)")
        || PLANS.iter().chain(WORK).chain(RULES).any(|words| heading.contains(words))
        || is_done()
        || STARTS.iter().any(|start| heading.starts_with(start))
}

/// "there is no `x`", "`x` and not `y`", "**never** `y`": what stands behind is not said to be there.
fn is_denied(before: &str) -> bool {
    let words = before.trim_end_matches(['`', '"', '\'', '(', '[', '*', ' ']);
    let is_near = before.len() - words.len() <= 4 && before.len() > words.len();
    let mut last = words.rsplit([' ', '*', '_', ',', '(']).map(str::to_lowercase);
    let (last, above) = (last.next().unwrap_or_default(), last.next().unwrap_or_default());
    is_near
        && (matches!(last.as_str(), "never" | "no" | "not")
            || matches!((above.as_str(), last.as_str()), ("instead", "of") | ("rather", "than")))
}

/// Whether the table says that something is not there: it stands in a column of what was, beside one of a later version, or in
/// a row of what is not supported.
fn is_past_row(row: &Row<'_>) -> bool {
    let Some(title) = row.titles.get(row.column) else { return false };
    let is_older = version_of(title)
        .is_some_and(|own| row.titles.iter().filter_map(|other| version_of(other)).any(|other| other > own));
    let is_denied = |(title, cell): (&&str, &&str)| {
        let title = title.to_lowercase();
        ["available", "implemented", "support"].iter().any(|word| title.contains(word))
            && matches!(
                cell.to_lowercase().as_str(),
                "no" | "❌" | "✗" | "✘" | "not supported" | "unsupported"
            )
    };
    is_past_column(title) || is_older || row.titles.iter().zip(&row.cells).any(is_denied)
}

/// The version that the title of a column is about: `v1 import path` → 1.
fn version_of(title: &str) -> Option<u32> {
    let words = title.split(|c: char| !c.is_alphanumeric());
    words.filter_map(|word| word.strip_prefix(['v', 'V'])?.parse().ok()).next()
}

/// `Old name`, `Deprecated`: a column of what was, beside one of what is.
fn is_past_column(title: &str) -> bool {
    const WORDS: &[&str] =
        &["before", "deprecated", "former", "legacy", "obsolete", "old", "previous", "removed"];
    let first = title.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    WORDS.contains(&first.to_lowercase().as_str())
}

/// A line such as `**Before:**` or `Stack trace:` above a fence.
fn is_before(before: &str) -> bool {
    let word = before.trim().trim_matches(['*', '_', ':', '.', ' ']);
    matches!(word, "before" | "old" | "previously" | "was")
        || matches!(word, "example output" | "output" | "sample output")
        || matches!(word, "backtrace" | "stack trace" | "stacktrace" | "traceback")
}

fn under_heading(page: &Page<'_>, at: usize, is_such: impl Fn(&str) -> bool) -> bool {
    let last = page.headings.partition_point(|heading| heading.start <= at);
    let mut level = u8::MAX;
    // Far up there is nothing that a reader would still have in mind.
    for heading in page.headings[..last].iter().rev().take(200) {
        if heading.level < level {
            level = heading.level;
            if is_such(&heading.text.to_lowercase()) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, at: &str, expected: &str) {
        let start = text.find(at).unwrap();
        assert_eq!(sentence(text, &(0..text.len()), &(start..start + at.len())), expected);
    }

    #[test]
    fn a_sentence_ends_where_a_reader_would_stop() {
        check("One. Two `x`\nthree. Four.", "x", "Two `x` three.");
        check("See e.g. `x` and i.e. y! Then", "`x`", "See e.g. `x` and i.e. y!");
        check("v1.2 has `a.b` in it", "a.b", "v1.2 has `a.b` in it");
        check(&format!("{}x{}", "a ".repeat(4000), " b".repeat(4000)), "x", &{
            let text = format!("{}x{}", "a ".repeat(150), " b".repeat(150));
            clip(&text)
        });
    }
}
