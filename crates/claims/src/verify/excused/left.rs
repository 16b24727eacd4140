//! What left this repository, with its folder or into a dependency, and may live on there.

use super::super::Run;
use crate::history::candidates;
use crate::{Claim, Link, Outcome, Place, Subject, checks};

/// Whether what a claim names may live on elsewhere, by what the commit did that took it away. Of what has just left with its
/// folder somebody may still want to know.
pub(in crate::verify) fn has_left(
    run: &Run<'_>,
    claim: &Claim,
    breaking: &str,
    document: &str,
    is_gone: bool,
) -> bool {
    !is_gone
        && (left_as_a_whole(run, claim, breaking, document)
            || left_with_its_site(run, claim, breaking, document))
        || became_a_dependency(run, claim, breaking, document)
}

/// Whether a page in one part of the repository speaks of a name that stood in another part alone when a commit took it away,
/// and that part is gone as a whole: it may live on in a repository of its own, or in a dependency. Pages at the root and
/// instructions for agents speak for everything, but for variables that may be anybody's.
fn left_as_a_whole(run: &Run<'_>, claim: &Claim, breaking: &str, document: &str) -> bool {
    let is_name = matches!(
        claim.subject,
        Subject::Symbol { .. }
            | Subject::Variable { .. }
            | Subject::Key { .. }
            | Subject::OwnCli { flag: Some(_), .. }
            | Subject::Path { link: Link::Span, .. }
    );
    // Whose variable it is that does not bear our name, nobody can tell by the page.
    let is_anybodys =
        matches!(&claim.subject, Subject::Variable { name } if !checks::has_own_prefix(name, run.now));
    let own = document.split_once('/').map(|(own, _)| own).or(is_anybodys.then_some(""));
    let Some(own) = own.filter(|own| is_name && !own.starts_with('.')) else { return false };
    let Some(found) = found_before(run, claim, breaking, document) else { return false };
    let is_exact = |place: &Place| match &claim.subject {
        Subject::Path { target, .. } => candidates(target, document).contains(&place.path),
        _ => false,
    };
    let has_left = |place: &Place| {
        // `references/`, `packages/ios/`, `packages/ios/src/`
        let mut ends = place.path.match_indices('/').map(|(at, _)| at).take(3).enumerate();
        let is_gone = |(depth, end): (usize, usize)| {
            let part = place.path.get(..end).unwrap_or_default();
            run.now.entry(part).is_none() && (depth < 2 || part.ends_with("/src") || part.ends_with("/lib"))
        };
        place.path.split('/').next() != Some(own) && !is_exact(place) && ends.any(is_gone)
    };
    found.iter().all(has_left)
}

/// Where a claim held before a commit.
fn found_before(run: &Run<'_>, claim: &Claim, commit: &str, document: &str) -> Option<Vec<Place>> {
    let parent = run.repository.commit(commit)?.parents.into_iter().next()?;
    match checks::check(claim, document, &*run.history.world(&parent).ok()?) {
        Outcome::Valid { found } => Some(found),
        _ => None,
    }
}

/// Whether an address of a site was a route of one whose folder is gone as a whole: it may be served from elsewhere.
fn left_with_its_site(run: &Run<'_>, claim: &Claim, breaking: &str, document: &str) -> bool {
    let is_address =
        matches!(&claim.subject, Subject::Path { target, link: Link::Link, .. } if target.starts_with('/'));
    let found = || found_before(run, claim, breaking, document);
    let Some(found) = is_address.then(found).flatten() else { return false };
    let site = |place: &Place| {
        let routes = ["/src/routes/", "/src/pages/", "/src/app/", "/app/", "/pages/", "/routes/"];
        let end = routes.iter().find_map(|routes| format!("{}/", place.path).find(routes))?;
        place.path.get(..end).map(str::to_owned)
    };
    found.iter().all(|place| site(place).is_some_and(|site| run.now.entry(&site).is_none()))
}

/// Whether the commit deleted the files of a name and made this repository depend on something that is called like these,
/// or like the repository: `tools/lint/` became the package `acme-lint`.
fn became_a_dependency(run: &Run<'_>, claim: &Claim, breaking: &str, document: &str) -> bool {
    let is_name = matches!(
        claim.subject,
        Subject::Symbol { .. } | Subject::Variable { .. } | Subject::Key { .. } | Subject::OwnCli { .. }
    );
    if !is_name {
        return false;
    }
    let parent = run.repository.commit(breaking).and_then(|commit| commit.parents.first().cloned());
    let Some(before) = parent.and_then(|parent| run.history.world(&parent).ok()) else { return false };
    let Ok(after) = run.history.world(breaking) else { return false };
    let Outcome::Valid { found } = checks::check(claim, document, &before) else { return false };
    if found.is_empty() || found.iter().any(|place| after.entry(&place.path).is_some()) {
        return false;
    }
    let known = checks::dependencies(&before);
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 3);
        words.map(str::to_lowercase).collect()
    };
    let own = checks::own_name(&before).unwrap_or_default();
    let mut names = words(&own);
    names.extend(found.iter().flat_map(|place| words(&place.path)));
    let is_like = |name: &String| {
        let is_called_like = words(name).iter().any(|word| names.contains(word) && word != "github");
        is_called_like && !checks::is_own_package(name, &after)
    };
    // `packages/cli` was our package and is a dependency now; the folder `tool/` is the module `example.com/tool` now.
    let was_ours =
        |name: &String| checks::is_own_package(name, &before) && !checks::is_own_package(name, &after);
    let is_called_so = |name: &String| {
        let last = name.rsplit_once('/').filter(|(host, _)| host.contains('.')).map(|(_, last)| last);
        last.is_some_and(|last| found.iter().all(|place| place.path.split('/').next() == Some(last)))
            && !checks::is_own_package(name, &after)
    };
    let dependencies = checks::dependencies(&after);
    let is_it =
        |name: &String| !known.0.contains(name) && is_like(name) || was_ours(name) || is_called_so(name);
    dependencies.0.iter().any(is_it)
}
