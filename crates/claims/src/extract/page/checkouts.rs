//! Parts of a page that are about an old commit, because they begin with checking it out, or say that they were found there.

use std::ops::Range;

use super::Heading;

/// Nobody checks out more on one page.
const MOST: usize = 100;
/// So many headings are looked at for the end of a section.
const MOST_HEADINGS: usize = 1_000;

/// From a line that checks a commit out to the end of its section.
pub(super) fn checkouts(text: &str, headings: &[Heading]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if found.len() == MOST || !names_commit(line) || !says_checkout(line) {
            continue;
        }
        let next = headings.partition_point(|heading| heading.start < at);
        let level =
            next.checked_sub(1).and_then(|last| headings.get(last)).map_or(0, |heading| heading.level);
        let below = headings.get(next..).unwrap_or_default();
        let end = below.iter().take(MOST_HEADINGS).find(|heading| heading.level <= level);
        found.push(at..end.map_or(text.len(), |heading| heading.start));
    }
    found
}

/// Whether a word is the name of a commit: letters and digits, as git shortens them or whole.
fn names_commit(line: &str) -> bool {
    line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

fn says_checkout(line: &str) -> bool {
    let line = line.to_lowercase();
    // `git clone … && git checkout …`, "Clone branch `v1` at commit …", "check out commit …"; a workflow that uses
    // `actions/checkout@…` is about the present.
    // "Verified on 2026-07-24 from commit …": what follows was found that day.
    ["git checkout", "check out"].iter().any(|word| line.contains(word))
        || line.contains("clone") && line.contains("commit")
        || ["from commit", "at commit"].iter().any(|word| line.contains(word)) && is_of_a_day(&line)
}

/// Whether a line says on which day something was done.
fn is_of_a_day(line: &str) -> bool {
    const DONE: &[&str] =
        &["captured on", "measured on", "recorded on", "taken on", "tested on", "verified on"];
    let is_day = |behind: &str| {
        let day = behind.trim_start_matches([' ', '*', '`']).as_bytes();
        let is_number = |range: std::ops::Range<usize>| {
            day.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
        };
        is_number(0..4) && is_number(5..7) && is_number(8..10) && day.get(4) == Some(&b'-')
    };
    DONE.iter().filter_map(|done| line.split_once(done)).any(|(_, behind)| is_day(behind))
}
