//! What belongs to tests and to other programs.

use super::super::Run;
use crate::{Claim, Link, Outcome, Place, Subject, checks};

/// Whether it is a flag, and commands here take any: `ignore_unknown_options` of Click.
pub(super) fn is_of_open_flags(run: &Run<'_>, claim: &Claim) -> bool {
    let is_flag = matches!(&claim.subject, Subject::OwnCli { flag: Some(_), .. });
    let is_code = |path: &String| path.ends_with(".py") && !checks::is_aside(path);
    is_flag && run.now.mentioning("ignore_unknown_options").iter().any(is_code)
}

/// Whether it is a flag without a program that git has, in a sentence about what git does.
pub(super) fn is_of_git(claim: &Claim) -> bool {
    const FLAGS: &[&str] = &[
        "--all",
        "--amend",
        "--force",
        "--force-with-lease",
        "--hard",
        "--no-verify",
        "--rebase",
        "--signoff",
        "--tags",
    ];
    let Subject::OwnCli { program, flag: Some(flag), .. } = &claim.subject else { return false };
    let text = claim.text.to_lowercase();
    let is_word = |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|known| known == word);
    program.is_empty()
        && FLAGS.contains(&flag.as_str())
        && ["commit", "git", "push", "rebase"].into_iter().any(is_word)
}

/// Whether it is a member that our code still uses, of a type that others define: `Span.current`.
pub(super) fn is_in_use(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Symbol { path, .. } = &claim.subject else { return false };
    let [.., container, _] = path.as_slice() else { return false };
    let name = claim.named.trim_end_matches("()");
    let is_code = |path: &String| checks::is_code(path) && !checks::is_aside(path);
    claim.kind == "symbol"
        && !checks::is_own_type(container, run.now)
        && run.now.mentioning(name).iter().any(is_code)
}

/// Whether scripts alone had a variable that does not bear our name: they set it for what they start.
pub(super) fn is_set_by_scripts(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let Subject::Variable { name } = &claim.subject else { return false };
    let is_script = |place: &Place| place.path.ends_with(".sh");
    !then.is_empty() && then.iter().all(is_script) && !checks::has_own_prefix(name, run.now)
}

/// Whether it is a command, a key, a route or a variable that only tests, examples, vendored code or the data of a site had,
/// and that does not bear our name.
pub(super) fn is_of_tests(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let is_programs = match &claim.subject {
        Subject::OwnCli { .. } | Subject::Route { .. } | Subject::Key { .. } => true,
        Subject::Variable { name } => !checks::has_own_prefix(name, run.now),
        _ => false,
    };
    let is_aside = |path: &str| checks::is_aside(path) || path.ends_with(".json") && checks::is_of_site(path);
    is_programs && !then.is_empty() && then.iter().all(|place| is_aside(&place.path))
}

/// Whether only manifests of other parts contradict the version of a runtime. What decides is the file that once agreed, or
/// one above the page where that one is gone or was no manifest, as a workflow. And who needs less than what a workflow
/// used does not contradict it.
pub(super) fn is_of_another_manifest(
    run: &Run<'_>,
    claim: &Claim,
    document: &str,
    then: &[Place],
    now: &Outcome,
) -> bool {
    const MANIFESTS: &[&str] = &["Cargo.toml", "go.mod", "package.json", "pom.xml", "pyproject.toml"];
    let Subject::Value { of, value, .. } = &claim.subject else { return false };
    let is_version = matches!(of.as_str(), "minimum" | "runtime");
    let Outcome::Differs { found, actual } = now else { return false };
    let is_silent = |place: &Place| {
        MANIFESTS.contains(&place.path.rsplit('/').next().unwrap_or_default())
            && run.now.entry(&place.path).is_some()
    };
    let is_of_ci = |place: &Place| place.path.starts_with(".github/") || place.path.starts_with(".gitlab");
    let is_less = checks::is_lower(actual, value) && then.iter().all(is_of_ci);
    let decides = |place: &Place| {
        let folder = place.path.rfind('/').map_or("", |end| place.path.get(..=end).unwrap_or_default());
        let is_same = then.iter().any(|then| then.path == place.path);
        is_same || document.starts_with(folder) && !then.iter().any(is_silent) && !is_less
    };
    is_version && !then.is_empty() && !found.iter().any(decides)
}

/// Whether a page of a repository of documents names a file, a port or a command: those of what it is about, not of the
/// site around it. `README.md` and its kin are about that site.
pub(super) fn is_of_product(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let is_linked = matches!(
        claim.subject,
        Subject::Path { link: Link::Link | Link::Image, .. } | Subject::Hosted { .. }
    );
    let name = document.rsplit('/').next().unwrap_or(document);
    !is_linked
        && name.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())
        && checks::is_of_documents(run.now)
}
