//! Findings that are too many to be true.
//!
//! A page that has lost one name after the other over the years is a record of its time, whatever it calls itself. And a
//! command that many pages have named for long after it was gone lives on in a way that the checks do not see. Nobody is
//! helped by a hundred alarms there, so what was found is `uncertain`, and says so. What has broken lately is told however
//! many pages name it. What words around a claim say is understood in English only, so a translation is believed no more
//! than the page that it was made from. And a name that a page for users has had for long after our code lost it was
//! somebody else's in two of three cases that were read, in pages for developers in one of four (benches/verify). Links that one
//! commit broke by the half dozen are resolved by the site, and designs tell of their time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::lately::LATELY;
use super::{DocumentState, Judgement};
use crate::calibration::confidence;
use crate::genre::{is_design, is_for_developers};
use crate::{Claim, Class, Link, Subject, Verdict, checks};

/// So many findings in a page, broken by so many commits, make it a record.
const MANY_IN_PAGE: usize = 20;
const MANY_COMMITS: usize = 4;
/// So many lines in so many documents do not name what is gone, half a year after.
const MANY_LINES: usize = 7;
const MANY_DOCUMENTS: usize = 5;
const LONG: i64 = 182 * 24 * 60 * 60;
/// So many links that one commit broke, two weeks after: somebody would have missed them.
const MANY_LINKS: usize = 6;
/// How sure such a verdict is.
const DOUBTFUL: f64 = 0.4;

/// Looks at all findings together, those of earlier runs included; `newest` is the time of the newest commit.
pub(super) fn doubt(documents: &mut BTreeMap<String, DocumentState>, newest: i64) {
    for (claim, judgement) in documents.values_mut().flat_map(judgements) {
        judgement.is_folded = false;
        if judgement.evidence.doubt.take().is_some() {
            judgement.verdict = Verdict::Drifted;
            judgement.confidence = confidence(claim, &judgement.class);
        }
    }
    documents.values_mut().for_each(|document| age(document, newest));
    documents.values_mut().for_each(fold_left);
    documents.values_mut().for_each(fold_same);
    let records: HashMap<String, String> =
        documents.iter().filter_map(|(path, document)| Some((path.clone(), record(document)?))).collect();
    let named = widely_named(documents, newest);
    let resolved = otherwise_resolved(documents, newest);
    let twins: HashMap<String, HashSet<Subject>> =
        documents.keys().filter_map(|path| Some((path.clone(), said_by_twin(path, documents)?))).collect();
    for (path, document) in documents.iter_mut() {
        let mut told = HashSet::new();
        for (claim, judgement) in judgements(document).filter(|(_, it)| it.verdict == Verdict::Drifted) {
            let is_said = twins.get(path).is_some_and(|said| said.contains(&claim.subject));
            let translated =
                is_said.then(|| "the page that this one translates says the same rightly".to_owned());
            let doubt = named.get(&claim.subject).or_else(|| records.get(path)).cloned().or(translated);
            let resolved = || {
                let is_such =
                    is_of_site(path, claim) && breaking(judgement).is_some_and(|it| resolved.contains(it));
                is_such.then(|| {
                    "its commit broke many links that nobody misses: the site may resolve them".to_owned()
                })
            };
            let of_its_time = || of_its_time(path, claim, judgement, newest);
            let doubt = doubt
                .or_else(resolved)
                .or_else(of_its_time)
                .or_else(|| somebodys(path, claim, judgement, newest));
            let Some(doubt) = doubt else { continue };
            judgement.verdict = Verdict::Uncertain;
            judgement.confidence = DOUBTFUL;
            // A document says once that it is a record, and once of each name that it is doubted.
            let about = (!records.contains_key(path)).then(|| claim.subject.clone());
            judgement.is_folded |= !told.insert((doubt.clone(), about));
            judgement.evidence.doubt = Some(doubt);
        }
    }
}

/// What was told only because it was fresh is judged like anything else from the third week on.
fn age(document: &mut DocumentState, newest: i64) {
    for looked in &mut document.claims {
        let is_old = |judgement: &Judgement| {
            let breaking = judgement.evidence.breaking.as_ref();
            let is_old =
                |breaking: &crate::Breaking| breaking.commit.is_some() && newest - breaking.time > LATELY;
            judgement.is_fresh && breaking.is_none_or(is_old)
        };
        if looked.judgement.as_ref().is_some_and(is_old) {
            looked.judgement =
                looked.judgement.take().and_then(|judgement| judgement.later).map(|later| *later);
        }
    }
}

/// What one commit moved elsewhere is told once in a document.
fn fold_left(document: &mut DocumentState) {
    let mut told = HashSet::new();
    for (_, judgement) in judgements(document).filter(|(_, it)| it.class == Class::Left) {
        let commit = breaking(judgement).map(str::to_owned);
        judgement.is_folded = !told.insert(commit);
    }
}

/// What a line names twice is told once, and of an option that is gone it need not be told that its default is gone, too.
fn fold_same(document: &mut DocumentState) {
    let mut told = HashSet::new();
    let key = |(claim, _): (&Claim, &Judgement)| match &claim.subject {
        Subject::Key { path } => Some((claim.line, path.join("."))),
        _ => None,
    };
    let keys: HashSet<(u32, String)> = drifted(document).filter_map(key).collect();
    for (claim, judgement) in judgements(document).filter(|(_, it)| it.verdict == Verdict::Drifted) {
        let is_new = told.insert((claim.line, claim.subject.clone(), judgement.class.name()));
        let is_default = matches!(&claim.subject, Subject::Value { of, name, .. }
            if of == "default" && keys.contains(&(claim.line, name.clone())));
        judgement.is_folded |= !is_new || is_default;
    }
}

fn judgements(document: &mut DocumentState) -> impl Iterator<Item = (&Claim, &mut Judgement)> {
    document.claims.iter_mut().filter_map(|looked| Some((&looked.claim, looked.judgement.as_mut()?)))
}

fn drifted(document: &DocumentState) -> impl Iterator<Item = (&Claim, &Judgement)> {
    let looked = document.claims.iter().filter_map(|it| Some((&it.claim, it.judgement.as_ref()?)));
    looked.filter(|(_, judgement)| judgement.verdict == Verdict::Drifted)
}

/// What makes a page a record of its time.
fn record(document: &DocumentState) -> Option<String> {
    let commits: HashSet<&str> = drifted(document).filter_map(|(_, judgement)| breaking(judgement)).collect();
    let many = drifted(document).count();
    let is_record = many >= MANY_IN_PAGE && commits.len() >= MANY_COMMITS;
    is_record.then(|| {
        format!("{} commits broke {many} claims of this page: it may be a record of its time", commits.len())
    })
}

/// What many pages have named for long after it was gone. Links stay dead however many there are.
fn widely_named(documents: &BTreeMap<String, DocumentState>, newest: i64) -> HashMap<Subject, String> {
    let mut lines: HashMap<&Subject, (usize, BTreeSet<&str>)> = HashMap::new();
    for (path, document) in documents {
        for (claim, judgement) in drifted(document) {
            let broke = judgement.evidence.breaking.as_ref().filter(|it| it.commit.is_some());
            let is_old = broke.is_some_and(|breaking| newest - breaking.time > LONG);
            let is_link = matches!(
                claim.subject,
                Subject::Path { link: Link::Image | Link::Link, .. } | Subject::Hosted { .. }
            );
            if is_old && !is_link {
                let (count, files) = lines.entry(&claim.subject).or_default();
                *count += 1;
                files.insert(path);
            }
        }
    }
    let is_wide = |(_, (count, files)): &(&Subject, (usize, BTreeSet<&str>))| {
        *count >= MANY_LINES && files.len() >= MANY_DOCUMENTS
    };
    let told = |(subject, (count, files)): (&Subject, (usize, BTreeSet<&str>))| {
        let doubt =
            format!("{count} lines in {} documents still name it: it may live on elsewhere", files.len());
        (subject.clone(), doubt)
    };
    lines.into_iter().filter(is_wide).map(told).collect()
}

/// Commits that broke many links of a site, where nobody has mended them since: what makes the site still finds what they
/// lead to, by redirects, includes or names of its own. All such commits that were read (benches/verify) had broken nothing.
fn otherwise_resolved(documents: &BTreeMap<String, DocumentState>, newest: i64) -> HashSet<String> {
    let mut links: HashMap<&str, usize> = HashMap::new();
    for (path, document) in documents {
        for (_, judgement) in drifted(document).filter(|(claim, _)| is_of_site(path, claim)) {
            let is_old =
                judgement.evidence.breaking.as_ref().is_some_and(|breaking| newest - breaking.time > LATELY);
            if let Some(commit) = breaking(judgement).filter(|_| is_old) {
                *links.entry(commit).or_default() += 1;
            }
        }
    }
    let many = links.into_iter().filter(|(_, count)| *count >= MANY_LINKS);
    many.map(|(commit, _)| commit.to_owned()).collect()
}

/// The commit that broke a claim.
fn breaking(judgement: &Judgement) -> Option<&str> {
    judgement.evidence.breaking.as_ref()?.commit.as_deref()
}

/// Whether it is a link to another page in one of a site, which may resolve it in ways of its own: in a page for users, or
/// in that of a folder of documents, `docs/cli/README.md`.
fn is_of_site(path: &str, claim: &Claim) -> bool {
    let is_link =
        matches!(&claim.subject, Subject::Path { target, link: Link::Link, .. } if !target.is_empty());
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_folders = name.starts_with("README.") && folders.split('/').any(|folder| folder == "docs");
    is_link && (!is_for_developers(path) || is_folders && !is_for_developers(&format!("{folders}/a.md")))
}

/// What the page that a document translates says, and of which nothing is told: it holds, or its words say why not.
fn said_by_twin(path: &str, documents: &BTreeMap<String, DocumentState>) -> Option<HashSet<Subject>> {
    let twin = twins(path).into_iter().find_map(|twin| documents.get(&twin))?;
    let told: HashSet<&Subject> = drifted(twin).map(|(claim, _)| &claim.subject).collect();
    let said =
        twin.claims.iter().map(|looked| &looked.claim.subject).filter(|subject| !told.contains(subject));
    Some(said.cloned().collect())
}

/// Where the English page of a translation may be: `docs/fr/a.md` → `docs/en/a.md`, `docs/a.md`; `a.fr.md` → `a.md`.
fn twins(path: &str) -> Vec<String> {
    const LANGUAGES: &[&str] = &[
        "ar", "bn", "ca", "cn", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it",
        "ja", "jp", "ko", "kr", "nl", "no", "pl", "pt", "ro", "ru", "sv", "th", "tr", "tw", "ua", "uk", "vi",
        "zh",
    ];
    let is_language = |part: &str| {
        let base = part.split(['-', '_']).next().unwrap_or(part).to_lowercase();
        LANGUAGES.contains(&base.as_str()) && part.len() <= 7
    };
    let parts: Vec<&str> = path.split('/').collect();
    let mut found = Vec::new();
    if let Some(at) = parts.iter().position(|part| is_language(part)).filter(|at| at + 1 < parts.len()) {
        let with = |other: &[&str]| [&parts[..at], other, &parts[at + 1..]].concat().join("/");
        found.extend([with(&["en"]), with(&["en-us"]), with(&["en-US"]), with(&[])]);
    }
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    if let [stem, language, ending] = name.split('.').collect::<Vec<_>>()[..]
        && is_language(language)
    {
        let name = format!("{stem}.{ending}");
        found.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
    }
    found
}

/// Why what a page names may be of the time at which it was written: designs tell what was meant then, and code that a page
/// repeats is an example more often than a copy. Who names a file that is long gone means another one in two of five cases that
/// were read (benches/verify). Links are for the reader of today.
fn of_its_time(path: &str, claim: &Claim, judgement: &Judgement, newest: i64) -> Option<String> {
    let is_linked = matches!(
        claim.subject,
        Subject::Path { link: Link::Link | Link::Image, .. } | Subject::Hosted { .. }
    );
    let is_path = matches!(claim.subject, Subject::Path { .. });
    let breaking = judgement.evidence.breaking.as_ref().filter(|it| it.commit.is_some())?;
    let is_old = newest - breaking.time > LATELY;
    let told = if is_design(path) && !is_linked {
        "this page is a design, and may tell what was meant when it was made"
    } else if matches!(claim.subject, Subject::Snippet { .. }) {
        "the code may be an example, and no copy of ours"
    } else if is_path && !is_linked && judgement.class == Class::StaleAtBirth {
        "a line that was written so late may mean something else"
    } else {
        return None;
    };
    is_old.then(|| told.to_owned())
}

/// Why a name or a value in a page for users may be somebody else's; or a word that may be anything, in any page.
fn somebodys(path: &str, claim: &Claim, judgement: &Judgement, newest: i64) -> Option<String> {
    let is_name =
        !matches!(claim.subject, Subject::Path { .. } | Subject::Hosted { .. } | Subject::Defined { .. });
    let breaking = judgement.evidence.breaking.as_ref().filter(|it| it.commit.is_some())?;
    let is_old = newest - breaking.time > LATELY;
    // What only settings, scripts and tests had is read by something else: an image, a tool that lives elsewhere. What code
    // of the page reads is mostly the reader's.
    let is_passed_on = || {
        let then = &judgement.evidence.found_then;
        let is_settings = !then.is_empty()
            && !then.iter().any(|place| checks::is_code(&place.path) && !checks::is_aside(&place.path));
        matches!(claim.subject, Subject::Variable { .. }) && (is_settings || claim.kind == "sample_variable")
    };
    let is_doubtful =
        is_name && is_old && (!is_for_developers(path) || checks::is_weak(claim) || is_passed_on());
    let told = match claim.subject {
        Subject::Value { .. } => "nobody has changed it for weeks, and it may be about something else",
        _ => "it is gone from here for weeks, and may be somebody else's",
    };
    is_doubtful.then(|| told.to_owned())
}
