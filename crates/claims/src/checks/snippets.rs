//! Fences that repeat a region of a file: equal when the same words follow each other, however they are laid out.

use super::known::is_aside;
use crate::facts::code::Code;
use crate::{Claim, Facts, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, _file: &str, world: &World) -> Outcome {
    let Subject::Snippet { text, .. } = &claim.subject else { return Outcome::NotOurs };
    let needles = needles(claim);
    let Some((first, rest)) = needles.split_first() else { return Outcome::NotOurs };
    let wanted = squeezed(text);
    let others: Vec<_> = rest.iter().map(|word| world.mentioning(word)).collect();
    let is_candidate = |path: &&String| !is_left_out(path) && others.iter().all(|files| files.contains(path));
    for path in world.mentioning(first).iter().filter(is_candidate).take(MAX_FILES) {
        let Some(bytes) = world.read(path).filter(|bytes| bytes.len() <= MAX_BYTES) else { continue };
        if let Some(line) = line_of(&String::from_utf8_lossy(&bytes), &wanted) {
            return Outcome::valid(Place::at(path.clone(), line));
        }
    }
    // Lines of which no name stands in the code were not taken from it; while all of them do, a page that leaves out a
    // parameter is still right.
    let is_known = |files: &std::sync::Arc<[String]>| !files.is_empty();
    let first = world.mentioning(first);
    let is_ours = is_known(&first) || others.iter().any(is_known);
    let is_whole = is_known(&first) && others.iter().all(is_known);
    if is_ours && !is_whole { Outcome::missing("the same lines in any file") } else { Outcome::NotOurs }
}

/// The longest names of the snippet, which are also the rarest.
pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Subject::Snippet { text, .. } = &claim.subject else { return Vec::new() };
    let mut words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 5).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    words.dedup();
    words.truncate(3);
    words.into_iter().map(str::to_owned).collect()
}

/// The lines that stand now between the first and the last line of the snippet.
pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Snippet { text, .. } = &claim.subject else { return None };
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    let path = &found.first()?.path;
    let bytes = now.read(path).filter(|bytes| Code::applies(path) && bytes.len() <= MAX_BYTES)?;
    let source = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (first, last) = (lines.next()?, lines.next_back()?);
    let all: Vec<&str> = source.lines().collect();
    let only = |wanted: &str, from: usize| {
        let mut found =
            all.iter().enumerate().skip(from).filter(|(_, line)| line.trim() == wanted).map(|(at, _)| at);
        found.next()
    };
    let start = only(first, 0)?;
    let end = only(last, start + 1)?;
    // A region of another size is hardly the same one.
    let is_similar = end - start < text.lines().count() * 2 + 4;
    let region = all.get(start..=end).filter(|_| is_similar)?;
    let replacement = format!("{}\n", region.join("\n"));
    Some(Suggestion { replacement, is_certain: false, reason: format!("{path} has these lines now") })
}

const MAX_FILES: usize = 50;
const MAX_BYTES: usize = 1 << 20;

/// The lines of an example may be shown; those of a test are like a document's by chance, and what makes a site may hold the
/// text of its pages.
fn is_left_out(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "_website" | "docs" | "website"))
        || is_aside(path)
            && !path
                .split('/')
                .any(|component| component.starts_with("example") || component.starts_with("sample"))
}

/// Without white space.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The line on which a region starts.
fn line_of(source: &str, wanted: &str) -> Option<u32> {
    if wanted.is_empty() {
        return None;
    }
    let at = squeezed(source).find(wanted)?;
    let mut passed = 0;
    let mut line = 1;
    for character in source.chars() {
        if character == '\n' {
            line += 1;
        } else if !character.is_whitespace() {
            if passed >= at {
                return Some(line);
            }
            passed += character.len_utf8();
        }
    }
    Some(line)
}
