//! Commits that may have removed something and mended the document that named it, found without looking at whole states.

use std::collections::{HashMap, HashSet};

use crate::extract::extract;
use crate::parallel;
use crate::repo::{Changed, ChangedFile, RepoError, Repository};
use crate::verify::{Step, Watch};
use crate::world::is_document;
use crate::{Claim, Genre, Subject, checks, genre};

/// A commit is looked at more closely when it is among so many times as many as are wanted.
const MOST_TRIES: usize = 60;
/// A commit that changes more files is a reformatting, a vendoring or an import.
const MOST_FILES: usize = 2000;
/// A commit after which there are so many fewer files may be one of another tree.
const MANY_GONE: usize = 20;
/// So many changed files are compared.
const MOST_COMPARED: usize = 300;

/// A commit with the documents that it mended.
pub(super) struct Candidate {
    pub(super) commit: String,
    pub(super) parent: String,
    pub(super) time: i64,
    /// How many commits are newer.
    pub(super) newer: usize,
    pub(super) documents: Vec<Mended>,
    /// Everything that checks of these documents will look for.
    pub(super) words: HashSet<String>,
}

/// A document that a commit changed.
pub(super) struct Mended {
    pub(super) path: String,
    /// The name of its content before.
    pub(super) before: String,
    /// Claims on lines that the commit changed, whose names it did not write again, and which it may have broken.
    pub(super) claims: Vec<Claim>,
    /// Lines of the new version that the commit wrote.
    pub(super) written: HashSet<u32>,
}

/// What the history of documents holds.
pub(super) struct Mined {
    /// The newest first.
    pub(super) candidates: Vec<Candidate>,
    /// Document → how many commits are newer than one that changed it, and the name of its content since then; the newest
    /// first.
    pub(super) versions: HashMap<String, Vec<(usize, String)>>,
}

/// Looks through the history until there are enough candidates.
pub(super) fn mine(repository: &Repository, wanted: usize, watch: Watch<'_>) -> Result<Mined, RepoError> {
    let mut changes: Vec<(usize, Changed)> = Vec::new();
    let mut versions: HashMap<String, Vec<(usize, String)>> = HashMap::new();
    let mut newer = 0;
    repository.each_change(|changed| {
        newer += 1;
        for file in changed.files.iter().filter(|file| is_document(&file.path)) {
            if let Some(after) = &file.after {
                versions.entry(file.path.clone()).or_default().push((newer, after.clone()));
            }
        }
        let is_mended = |path: &str, before: bool, after: bool| is_document(path) && before && after;
        let mut files = changed.files.iter();
        let has_document =
            files.any(|file| is_mended(&file.path, file.before.is_some(), file.after.is_some()));
        if has_document && changed.files.len() > 1 && changed.files.len() <= MOST_FILES {
            changes.push((newer, changed));
        }
        changes.len() < wanted.saturating_mul(MOST_TRIES) && !(watch.is_cancelled)()
    })?;
    let total = changes.len();
    (watch.progress)(Step { name: "mining", done: 0, total });
    let found = parallel::each(2, &changes, |(newer, changed)| {
        if (watch.is_cancelled)() { None } else { candidate(repository, changed, *newer) }
    });
    (watch.progress)(Step { name: "mining", done: total, total });
    if (watch.is_cancelled)() {
        return Err(RepoError::Cancelled);
    }
    Ok(Mined { candidates: found.into_iter().flatten().collect(), versions })
}

/// Whether nine of ten files are gone after a commit: it belongs to another tree, as those do that bring a part in from
/// elsewhere.
fn is_another_tree(repository: &Repository, changed: &Changed) -> bool {
    let count = |is_such: fn(&ChangedFile) -> bool| changed.files.iter().filter(|file| is_such(file)).count();
    let (gone, new) = (count(|file| file.after.is_none()), count(|file| file.before.is_none()));
    let fewer = gone.saturating_sub(new);
    fewer >= MANY_GONE
        && repository.tree(&changed.parent).is_ok_and(|before| 9 * before.entries.len() < 10 * fewer)
}

fn candidate(repository: &Repository, changed: &Changed, newer: usize) -> Option<Candidate> {
    if is_another_tree(repository, changed) {
        return None;
    }
    let text =
        |id: &Option<String>| Some(String::from_utf8_lossy(&repository.blob(id.as_ref()?)?).into_owned());
    let mut documents = Vec::new();
    let mut words = HashSet::new();
    let mut others = None;
    for file in changed.files.iter().filter(|file| is_document(&file.path)) {
        let (Some(before), Some(after)) = (text(&file.before), text(&file.after)) else { continue };
        if genre(&file.path, &before) == Genre::Skipped || genre(&file.path, &after) == Genre::Skipped {
            continue;
        }
        let (removed, written) = (lines_not_in(&before, &after), lines_not_in(&after, &before));
        if removed.is_empty() {
            continue;
        }
        let new: Vec<&str> = pick(&after, &written).collect();
        let all = extract(&file.path, &before);
        let is_mended = |claim: &&Claim| {
            // What speaks of the past is no claim about the present.
            !claim.cues.is_past
                && (claim.line..=claim.end_line).any(|line| removed.contains(&line))
                && !new.iter().any(|line| line.contains(claim.named.as_str()))
        };
        let mut claims: Vec<Claim> = all.iter().filter(is_mended).cloned().collect();
        if !claims.is_empty() {
            let others = others.get_or_insert_with(|| Others::read(repository, changed));
            claims.retain(|claim| others.may_break(claim, &file.path));
        }
        if !claims.is_empty() {
            words.extend(all.iter().flat_map(checks::words));
            words.extend(extract(&file.path, &after).iter().flat_map(checks::words));
            let before = file.before.clone()?;
            documents.push(Mended { path: file.path.clone(), before, claims, written });
        }
    }
    (!documents.is_empty()).then(|| Candidate {
        commit: changed.commit.clone(),
        parent: changed.parent.clone(),
        time: changed.time,
        newer,
        documents,
        words,
    })
}

/// Numbers, from 1, of the lines of one text that are not in another; how much white space there is does not count: who
/// makes a table wider has written none of its rows.
fn lines_not_in(text: &str, other: &str) -> HashSet<u32> {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in other.lines() {
        *counts.entry(plain(line)).or_default() += 1;
    }
    let is_new = |line: String| match counts.get_mut(&line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !line.is_empty(),
    };
    let flags: Vec<bool> = text.lines().map(plain).map(is_new).collect();
    flags.iter().zip(1..).filter(|(is_new, _)| **is_new).map(|(_, number)| number).collect()
}

fn pick<'t>(text: &'t str, numbers: &HashSet<u32>) -> impl Iterator<Item = &'t str> {
    text.lines().zip(1..).filter(|(_, number)| numbers.contains(number)).map(|(line, _)| line)
}

/// The rest of a commit: what it took away.
struct Others {
    deleted: Vec<String>,
    /// Path, text before, text after.
    changed: Vec<(String, String, String)>,
}

impl Others {
    fn read(repository: &Repository, changed: &Changed) -> Self {
        let text = |id: &Option<String>| {
            let bytes = id.as_ref().and_then(|id| repository.blob(id));
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        let deleted = changed.files.iter().filter(|file| file.after.is_none());
        let with_before = changed.files.iter().filter(|file| file.before.is_some()).take(MOST_COMPARED);
        Self {
            deleted: deleted.map(|file| file.path.clone()).collect(),
            changed: with_before
                .map(|file| (file.path.clone(), text(&file.before), text(&file.after)))
                .collect(),
        }
    }

    /// Whether the commit may have taken away what a claim names.
    fn may_break(&self, claim: &Claim, file: &str) -> bool {
        let needles = checks::needles(claim);
        match &claim.subject {
            Subject::Path { target, anchor: None, lines: None, .. }
            | Subject::Hosted { path: target, .. } => {
                let name = target.trim_matches('/').rsplit('/').next().unwrap_or(target);
                let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
                self.deleted.iter().any(|path| path.contains(stem))
            }
            Subject::Path { target, .. } if target.is_empty() => false,
            Subject::Path { .. } => {
                let is_other =
                    |(path, before, after): &&(String, String, String)| path != file && before != after;
                self.changed.iter().any(|changed| is_other(&changed))
            }
            _ => self.changed.iter().filter(|(path, ..)| !is_document(path)).any(|(_, before, after)| {
                let is_value = matches!(claim.subject, Subject::Value { .. });
                needles.is_empty()
                    || needles.iter().any(|needle| {
                        let count = |text: &str| text.matches(needle.as_str()).count();
                        if is_value { count(before) > 0 } else { count(before) > count(after) }
                    })
            }),
        }
    }
}
