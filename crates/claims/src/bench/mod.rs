//! How good verification is, measured on what authors did themselves.
//!
//! An author who removes or renames something and mends the page that names it in the same commit has told us both what
//! drift is and what it is not. For each such commit three states are verified with the code that verifies the present:
//!
//! - **undone**: the commit's files with the document as it was before. What the author mended must be found (recall),
//!   and this very commit must be named as the one that broke it.
//! - **as it is**: what the author wrote in that commit was right when it was written, so an alarm on it is false.
//! - **before**: alarms in the documents of the commit, compared with what became of them. An alarm is confirmed when the
//!   next commit that edits its section (from a heading to the next) takes away what it names, and unconfirmed when that
//!   commit leaves it; where nobody has edited the section since it is open, and says nothing. Authors overlook things and
//!   rewrite pages, so the same is counted for claims that hold: that much is chance.
//!
//! The same is counted for a verification that calls everything drifted that is not found. A case needs a claim that the
//! extraction finds and that holds before the commit, so what is never extracted is not measured here.

mod cases;
mod fate;
mod mine;
mod replay;
mod report;

use std::sync::Arc;
use std::time::Instant;

pub use report::{Alarm as BenchAlarm, BenchReport, BenchVerdict, Fate, Row as BenchRow, Spot as BenchSpot};

use crate::facts::FactStore;
use crate::history::History;
use crate::parallel;
use crate::repo::{RepoError, Repository};
use crate::verify::{Remembered, Step, Watch};

/// Replays the newest commits of a repository in which an author removed something and mended the document that named
/// it: so many commits at most.
pub fn bench(
    repository: &Repository,
    commits: usize,
    store: Arc<dyn FactStore>,
    watch: Watch<'_>,
) -> Result<BenchReport, RepoError> {
    let start = Instant::now();
    let store: Arc<dyn FactStore> = Arc::new(Remembered::over(store));
    let history = History::new(repository, Arc::clone(&store));
    let mine::Mined { candidates, versions } = mine::mine(repository, commits, watch)?;
    // All words at once, so that each content is searched once.
    repository.expect(candidates.iter().flat_map(|candidate| candidate.words.iter().cloned()).collect());
    let bench = Bench { repository, history: &history, store };
    let fates = fate::Fates::new(repository, versions);
    let mut replayed = Vec::new();
    // In small groups, so that it ends soon after there are enough.
    for group in candidates.chunks(GROUP) {
        let found = parallel::each(2, group, |candidate| {
            if (watch.is_cancelled)() {
                return Err(RepoError::Cancelled);
            }
            let Some(case) = cases::find(&bench, candidate)? else { return Ok(None) };
            replay::replay(&bench, &case, &fates).map(Some)
        });
        for found in found {
            replayed.extend(found?.filter(|_| replayed.len() < commits));
            (watch.progress)(Step { name: "replaying", done: replayed.len(), total: commits });
        }
        if replayed.len() >= commits {
            break;
        }
    }
    Ok(report::report(repository.head(), replayed, start.elapsed()))
}

const GROUP: usize = 8;

/// What all replays share.
struct Bench<'a> {
    repository: &'a Repository,
    history: &'a History,
    store: Arc<dyn FactStore>,
}
