//! What a verdict rests on beside the words and files of its claim, and goes with the moment at which it was found.

use std::collections::HashSet;

use super::settle::is_plausible;
use super::{Looked, Run, Verification};
use crate::repo::GONE;
use crate::{Class, Subject, Verdict};

/// What an earlier verdict may rest on beside its words and files.
pub(super) struct Moment<'e> {
    changed: &'e HashSet<String>,
    /// Whether another commit is looked at.
    is_another: bool,
    /// Endings of files that were not there.
    new: HashSet<String>,
}

impl<'e> Moment<'e> {
    pub(super) fn of(run: &Run<'_>, previous: &Verification, changed: &'e HashSet<String>) -> Self {
        let before = previous.head.as_deref().and_then(|head| run.history.world(head).ok());
        let was_there = |path: &String| {
            let is_gone = previous.changes.get(path).is_some_and(|id| id == GONE);
            !is_gone && before.as_ref().is_some_and(|before| before.entry(path).is_some())
        };
        let new = changed.iter().filter(|path| run.now.entry(path).is_some() && !was_there(path));
        Self {
            changed,
            is_another: previous.head.as_deref() != run.repository.head(),
            new: new.map(|path| ending(path).to_owned()).collect(),
        }
    }

    /// Whether a verdict, and with it what its neighbours count, is of another moment: what was asked of late is asked of other
    /// states now, what was not committed may be, a folder in which something was expected is gone, and what something was moved
    /// to has come, or is another file by now, and what was deleted is back.
    pub(super) fn is_over(&self, run: &Run<'_>, looked: &Looked) -> bool {
        let Some(judgement) = &looked.judgement else { return false };
        let evidence = &judgement.evidence;
        let is_uncommitted = evidence.breaking.as_ref().is_some_and(|breaking| breaking.commit.is_none());
        let is_lately = judgement.is_fresh || evidence.is_early || is_uncommitted;
        let remedy = evidence.suggestion.as_ref().map(|it| it.replacement.trim_start_matches(['.', '/']));
        let is_path = matches!(looked.claim.subject, Subject::Path { .. });
        let is_remedy_changed =
            is_path && remedy.is_some_and(|remedy| self.changed.iter().any(|path| path.ends_with(remedy)));
        let is_back = evidence.breaking.as_ref().is_some_and(|breaking| breaking.kind == "deleted")
            && evidence.found_then.first().is_some_and(|place| run.now.entry(&place.path).is_some());
        let was = evidence.found_then.first().map(|place| ending(&place.path));
        self.is_another && is_lately
            || judgement.class == Class::NeverExisted && !is_plausible(run, &looked.claim)
            || is_remedy_changed
            || is_back
            || lacks_a_remedy(looked) && was.is_some_and(|was| self.new.contains(was))
    }
}

fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Whether a path has drifted and nobody knows what to write instead.
fn lacks_a_remedy(looked: &Looked) -> bool {
    let is_path = matches!(looked.claim.subject, Subject::Path { .. });
    let drifted = looked.judgement.as_ref().filter(|it| it.verdict == Verdict::Drifted);
    is_path && drifted.is_some_and(|judgement| judgement.evidence.suggestion.is_none())
}
