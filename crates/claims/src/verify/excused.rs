//! Findings that nobody has to be told of: what is gone was never meant to stay, or never was what the page means.

mod left;
mod moved;
mod others;
mod readers;

pub(super) use left::has_left;

use super::Run;
use crate::calibration::is_bare;
use crate::judge::Then;
use crate::{Claim, Link, Outcome, Place, Subject};

/// Whether a claim about what was found in these places, when its line was written (`then`) or at any time (`ever`), is left.
pub(super) fn is_excused(
    run: &Run<'_>,
    claim: &Claim,
    document: &str,
    now: &Outcome,
    then: &[Place],
    ever: &[Place],
    is_gone: bool,
) -> bool {
    // A name that many files have, or had, is not about one that once lay somewhere else.
    let is_common = is_data(&claim.named) || *now == Outcome::NotOurs;
    let is_elsewhere = is_bare(claim) && is_common && !was_near(then, document);
    // Of what stood here until lately nobody has to guess whose it was.
    let is_anybodys = || {
        is_elsewhere
            || is_below_another(run, claim)
            || others::is_of_tests(run, claim, then)
            || others::is_set_by_scripts(run, claim, then)
            || others::is_of_open_flags(run, claim)
            || others::is_of_git(claim)
            || readers::is_of_sample(run, claim)
            || readers::is_given(claim, then)
            || readers::is_of_reader(claim, ever, document, then.is_empty())
            || moved::went_with_its_file(run, claim, then)
            || moved::is_undecided(run, claim, document)
    };
    !is_gone && is_anybodys()
        || others::is_of_another_manifest(run, claim, document, then, now)
        || is_supposed(claim)
        || comes_and_goes(run, claim, ever)
        || others::is_in_use(run, claim)
        || others::is_of_product(run, claim, document)
        || readers::is_filled_in(run, claim, document)
        || readers::is_set_by_page(run, claim, document)
        || readers::is_in_missing_folder(run, claim, document)
        || readers::is_of_programs(run, claim, document, then.is_empty())
        || readers::is_for_readers(claim, document)
        || readers::is_of_templates(claim, ever, document)
        || readers::is_of_made_projects(run, claim, document)
        || moved::is_of_another_branch(run, claim)
        || moved::is_served_elsewhere(run, claim, document, then)
        || moved::is_made_on_release(run, claim, then)
        || moved::is_made_by_code(run, claim, document, then)
        || moved::is_made_from_template(run, claim, document)
}

/// Where it was found when its line was written.
pub(super) fn found_in(then: &Then) -> &[Place] {
    match then {
        Then::Known(Outcome::Valid { found }) => found,
        _ => &[],
    }
}

/// Whether a page only supposes that there were such code: in an example, or where it says how names should be.
fn is_supposed(claim: &Claim) -> bool {
    let is_naming = || {
        let text = claim.text.to_lowercase();
        ["names like", "names such as", "named like"].iter().any(|says| text.contains(says))
    };
    match claim.subject {
        Subject::Snippet { .. } => claim.cues.is_example,
        Subject::Symbol { .. } => is_naming(),
        _ => false,
    }
}

/// Deletions of one file after which nobody expects it to stay.
const MANY_DELETIONS: usize = 3;

/// Whether a file was deleted time and again, as those are that a step of some work makes and another one takes away.
fn comes_and_goes(run: &Run<'_>, claim: &Claim, found: &[Place]) -> bool {
    let deletions = run.history.deletions();
    let is_many =
        |place: &Place| deletions.of_file(&place.path).take(MANY_DELETIONS).count() == MANY_DELETIONS;
    matches!(claim.subject, Subject::Path { anchor: None, .. }) && found.iter().any(is_many)
}

/// Whether a file is data, which every project has under the same few names, rather than code.
fn is_data(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        ending,
        "cfg"
            | "conf"
            | "csv"
            | "env"
            | "ini"
            | "json"
            | "jsonc"
            | "md"
            | "properties"
            | "toml"
            | "txt"
            | "xml"
            | "yaml"
            | "yml"
    )
}

/// Whether what a claim named lay in the folder of its document, or above it.
pub(super) fn was_near(then: &[Place], document: &str) -> bool {
    let is_near = |place: &Place| {
        let folder = place.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.is_empty() || document.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    then.iter().any(is_near)
}

/// Whether a folder without anything before it, such as `evm/`, now lies in another one: it is still called so.
fn is_below_another(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Path { target, link: Link::Span, anchor: None, .. } = &claim.subject else { return false };
    let name = target.trim_start_matches("./");
    let is_folder = name.ends_with('/') && name.matches('/').count() == 1;
    let inside = format!("/{name}");
    is_folder && run.now.files().any(|file| file.contains(&inside))
}
