//! Putting right what the check finds, where there is only one way to do it.
//!
//! [`repair`] makes new texts out of old ones and writes nothing. First the fixes that findings carry are applied, again
//! and again until none is left; then pages without a strategy get one (`bootstrap`), and strategies that pages have
//! outgrown are changed (`drift`). Prose is never touched: only hints, facets, targets of links and manifests are.

mod apply;
mod bootstrap;
mod drift;
mod edit;
mod fold;
mod removals;
mod suggest;

use std::collections::{BTreeMap, BTreeSet};

pub use self::edit::{add_overrides, add_taxonomy};
pub use self::fold::Proposal;
pub(crate) use self::fold::{pattern, pattern_below};
pub(crate) use self::removals::keep_safe;
use crate::finding::Finding;
use crate::validate::{Checked, Folder};
use crate::{Code, manifest_path};

/// Fixes that uncover others come in turns; more turns than this mean that two of them undo each other.
const MAX_TURNS: usize = 8;

/// What a folder would look like.
#[derive(Debug)]
pub struct Repair {
    /// The folder afterwards.
    pub folder: Folder,
    /// What changes, by path.
    pub changes: BTreeMap<String, Change>,
    /// Strategies that are proposed.
    pub proposals: Vec<Proposal>,
    /// What the check says afterwards.
    pub checked: Checked,
}

/// A file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is there now; `None` for a file that is new.
    pub old: Option<String>,
    /// What would be.
    pub new: String,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// Makes a folder better. `exists` is as in [`Folder::check`].
pub fn repair(before: &Folder, exists: &dyn Fn(&str) -> bool) -> Repair {
    let mut folder = before.clone();
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut checked = folder.check(exists);
    for _ in 0..MAX_TURNS {
        // What an override was just made to say is for its author to see before it is taken out.
        let renamed = |reason: &String| reason.contains(" in `overrides[");
        let fresh = |path: &str| reasons.get(path).is_some_and(|all| all.iter().any(renamed));
        let kept = |(path, it): &(String, Finding)| it.code != Code::UnmatchedPattern || !fresh(path);
        let findings: Vec<_> = checked.findings.iter().filter(|it| kept(it)).cloned().collect();
        let done = turn(&mut folder, &findings);
        if done.is_empty() {
            break;
        }
        for (path, reason) in done {
            reasons.entry(path).or_default().push(reason);
        }
        checked = folder.check(exists);
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    for _ in 0..MAX_TURNS {
        let mut more = bootstrap::propose(&mut folder, &checked);
        more.extend(drift::propose(&mut folder, &checked));
        if more.is_empty() {
            break;
        }
        checked = folder.check(exists);
        proposals.append(&mut more);
    }
    for proposal in &proposals {
        reasons.entry(manifest_path(&proposal.folder)).or_default().push(proposal.to_string());
    }
    let changes = changes(before, &folder, &reasons);
    Repair { folder, changes, proposals, checked }
}

/// One turn: every fix that does not get into another's way. Says what was done, with its file.
fn turn(folder: &mut Folder, findings: &[(String, Finding)]) -> Vec<(String, String)> {
    let mut by_path: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for (path, finding) in findings.iter().filter(|(_, finding)| finding.fix.is_some()) {
        by_path.entry(path).or_default().push(finding);
    }
    let mut done = Vec::new();
    for (path, findings) in by_path {
        let (text, is_manifest) = match folder.documents.get_mut(path) {
            Some(text) => (text, false),
            None => {
                let parent =
                    path.strip_suffix(crate::MANIFEST_FILE).unwrap_or_default().trim_end_matches('/');
                let Some(text) = folder.manifests.get_mut(parent) else { continue };
                (text, true)
            }
        };
        let (new, applied) = apply::apply(text, &findings);
        // A manifest that can be read stays one that can be read.
        let spoilt = is_manifest && crate::jsonc::parse(text).is_ok() && crate::jsonc::parse(&new).is_err();
        if new == *text || spoilt {
            continue;
        }
        *text = new;
        done.extend(applied.into_iter().map(|finding| (path.to_owned(), told(finding))));
    }
    done
}

fn told(finding: &Finding) -> String {
    let rule = finding.code.rule();
    match finding.code {
        Code::UnmatchedPattern => format!("{}: {}; taken out", rule.id, finding.message),
        _ if finding.fix.as_ref().is_some_and(|fix| fix.replacement.is_empty()) => {
            format!("{}: {}; taken out", rule.id, finding.message)
        }
        _ => format!("{}: {}", rule.id, finding.message),
    }
}

fn changes(
    before: &Folder,
    after: &Folder,
    reasons: &BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, Change> {
    let why = |path: &str| reasons.get(path).cloned().unwrap_or_default();
    let mut changes = BTreeMap::new();
    let mut add = |path: String, old: Option<&String>, new: &String| {
        if old != Some(new) {
            let reasons = why(&path);
            changes.insert(path, Change { old: old.cloned(), new: new.clone(), reasons });
        }
    };
    for (path, new) in &after.documents {
        add(path.clone(), before.documents.get(path), new);
    }
    let folders: BTreeSet<&String> = before.manifests.keys().chain(after.manifests.keys()).collect();
    for folder in folders {
        if let Some(new) = after.manifests.get(folder) {
            add(manifest_path(folder), before.manifests.get(folder), new);
        }
    }
    changes
}
