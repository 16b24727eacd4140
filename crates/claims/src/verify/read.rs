//! Documents and what they claim, checked against the present.

use std::collections::HashSet;

use crate::genre::{SKILLS_LOCK, genre_among, taken_skills};
use crate::repo::RepoError;
use crate::suppress::{InlineWaiver, inline_waivers};
use crate::world::is_document;
use crate::{Claim, Entry, Genre, Outcome, World, checks, extract};

use super::Run;
use super::reuse::Earlier;

/// A document that is looked at anew.
pub(super) struct Reading {
    pub(super) path: String,
    pub(super) content: String,
    pub(super) genre: Genre,
    pub(super) waivers: Vec<InlineWaiver>,
    pub(super) cases: Vec<Case>,
}

/// A claim and what the check says now.
pub(super) struct Case {
    pub(super) claim: Claim,
    pub(super) now: Outcome,
}

/// Paths and contents of all documents that are asked for.
pub(super) fn documents(run: &Run<'_>) -> Vec<(String, String)> {
    let is_asked = |path: &str| {
        let is_below = |folder: &String| {
            path == folder
                || folder.is_empty()
                || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        run.options.paths.is_empty() || run.options.paths.iter().any(is_below)
    };
    let entries = run.state.entries.iter();
    let files =
        entries.filter(|(path, (entry, _))| *entry == Entry::File && is_document(path) && is_asked(path));
    files.map(|(path, (_, id))| (path.clone(), id.clone())).collect()
}

/// Reads documents and checks what they claim.
pub(super) fn read(
    run: &Run<'_>,
    documents: &[(String, String)],
    earlier: Option<&Earlier<'_>>,
) -> Result<Vec<Reading>, RepoError> {
    let known = |claim: &Claim| earlier.and_then(|earlier| earlier.outcome(claim)).cloned();
    let readings = run.each("reading", documents, |(path, content)| parse(run.now, path, content))?;
    let mut readings: Vec<Reading> = readings.into_iter().flatten().collect();
    // All words at once: each file is searched only once then.
    let mut words: Vec<String> = readings
        .iter()
        .flat_map(|it| &it.cases)
        .filter(|it| known(&it.claim).is_none())
        .flat_map(|it| checks::words(&it.claim))
        .collect();
    words.sort_unstable();
    words.dedup();
    run.now.look_for(&words);
    let checked = run.each("checking", &readings, |reading| {
        let check = |case: &Case| {
            known(&case.claim).unwrap_or_else(|| checks::check(&case.claim, &reading.path, run.now))
        };
        reading.cases.iter().map(check).collect::<Vec<_>>()
    })?;
    for (reading, checked) in readings.iter_mut().zip(checked) {
        for (case, now) in reading.cases.iter_mut().zip(checked) {
            case.now = now;
        }
    }
    Ok(readings)
}

/// Skills that were taken from other repositories.
struct TakenSkills(HashSet<String>);

impl TakenSkills {
    fn of(world: &World) -> Self {
        Self(world.read(SKILLS_LOCK).map(|lock| taken_skills(&lock)).unwrap_or_default())
    }
}

fn parse(now: &World, path: &str, content: &str) -> Option<Reading> {
    let bytes = now.read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let taken = now.once(TakenSkills::of);
    let genre = genre_among(path, &text, |path| now.entry(path).is_some(), &taken.0);
    let claims = if genre == Genre::Skipped { Vec::new() } else { extract(path, &text) };
    Some(Reading {
        path: path.to_owned(),
        content: content.to_owned(),
        genre,
        waivers: if claims.is_empty() { Vec::new() } else { inline_waivers(&text) },
        cases: claims.into_iter().map(|claim| Case { claim, now: Outcome::NotOurs }).collect(),
    })
}
