//! The verdict on a claim, from what was seen now and then. Nothing is looked up here.
//!
//! | now | when the line was last written | earlier | verdict |
//! |---|---|---|---|
//! | valid | | | verified |
//! | missing | valid | | drifted, `broke_at` |
//! | missing | not valid | held since | drifted, `broke_at`: it was written before what it names |
//! | missing | not valid | existed once | drifted, `stale_at_birth`; no claim in an example |
//! | missing | not valid | never, but plausible | uncertain, `never_existed` |
//! | missing | not valid | never | no claim |
//! | another value | valid | | drifted, `value_changed` |
//! | another value | another value as well | | no claim: it meant something else |
//! | missing | valid in settings of CI alone (a variable) that the page does not name | | no claim |
//! | no value any more (a version of a runtime) | | | no claim |
//! | nothing could decide it (a name, a key, a default, a variable: it still stands somewhere) | | | no claim |
//! | nothing could decide it | valid | | drifted, `broke_at`: the last manifest of its kind is gone |
//! | not valid | nobody knows | | uncertain, `history_unavailable` |
//!
//! What speaks of the past is no claim about the present, and a version in an example none about this repository.

use crate::calibration::is_stand_in;
use crate::checks;
use crate::{Claim, Class, Outcome, Subject, Verdict};

/// What is known of the time when a line was last written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Then {
    /// What the check said.
    Known(Outcome),
    /// The history that could tell is not here.
    Unknown,
}

/// What is known of the time before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// It held once.
    Existed,
    /// It held since: the line was written before what it names.
    Since,
    /// It never did, and looks as if it should.
    Plausible,
    /// It never did.
    Never,
}

/// The verdict; `None` for what is not a claim about this repository as it is. What `is_gone` was taken away lately, even
/// where nothing decides it any more. `names` says whether the page names a file; `earlier` is only asked for what was not
/// valid when its line was written.
pub(crate) fn judge(
    claim: &Claim,
    now: &Outcome,
    then: &Then,
    is_gone: bool,
    names: impl Fn(&str) -> bool,
    earlier: impl FnOnce() -> Earlier,
) -> Option<(Verdict, Class)> {
    match now {
        Outcome::Valid { .. } => return Some((Verdict::Verified, Class::Holds)),
        _ if claim.cues.is_past || claim.cues.is_example && is_anybodys_version(claim) => return None,
        Outcome::Missing { .. } | Outcome::Differs { .. } | Outcome::NotOurs => {}
    }
    let then = match then {
        Then::Known(outcome) => outcome,
        // What is not found here was hardly ever about this repository: a snippet, a mere word, somebody's flag.
        Then::Unknown
            if *now == Outcome::NotOurs
                || matches!(claim.subject, Subject::Snippet { .. })
                || checks::is_weak(claim)
                || is_stand_in(claim)
                || is_flag_alone(claim) =>
        {
            return None;
        }
        Then::Unknown => return Some((Verdict::Uncertain, Class::HistoryUnavailable)),
    };
    match (now, then.is_valid()) {
        // A version that nothing states any more is not refuted by that.
        (Outcome::Missing { .. }, _) if is_unstated(claim) => None,
        (Outcome::Differs { actual, .. }, true) => {
            let from = stated(claim).to_owned();
            Some((Verdict::Drifted, Class::ValueChanged { from, to: actual.clone() }))
        }
        (Outcome::Differs { .. }, false) => None,
        // Whose flag it was cannot be told any more; it may be defined as before.
        (Outcome::NotOurs, true) if is_flag_alone(claim) && !is_gone => None,
        // It still stands somewhere.
        (Outcome::NotOurs, true) if (checks::is_weak(claim) || is_word(claim)) && !is_gone => None,
        // The repository has another name now.
        (Outcome::NotOurs, true) if matches!(claim.subject, Subject::Hosted { .. }) => None,
        // What only this repository's own CI had says nothing about the programs that a page is for.
        (_, true) if is_of_ci(claim, then, names) => None,
        (_, true) => Some((Verdict::Drifted, Class::BrokeAt)),
        (Outcome::NotOurs, false) => None,
        (_, false) => match earlier() {
            Earlier::Existed | Earlier::Since if claim.cues.is_example => None,
            Earlier::Since => Some((Verdict::Drifted, Class::BrokeAt)),
            Earlier::Existed => Some((Verdict::Drifted, Class::StaleAtBirth)),
            Earlier::Plausible => Some((Verdict::Uncertain, Class::NeverExisted)),
            Earlier::Never => None,
        },
    }
}

/// Whether it is a flag that stands without its program.
fn is_flag_alone(claim: &Claim) -> bool {
    matches!(&claim.subject, Subject::OwnCli { program, flag: Some(_), .. } if program.is_empty())
}

/// Whether it is a name, a key, a default or a variable: nothing decides it only where it still stands.
fn is_word(claim: &Claim) -> bool {
    match &claim.subject {
        Subject::Symbol { .. } | Subject::Key { .. } | Subject::Variable { .. } => true,
        Subject::Value { of, .. } => matches!(of.as_str(), "default" | "edition" | "minimum" | "runtime"),
        _ => false,
    }
}

/// Whether it is a variable that was found alone in settings of CI that its page is not about.
fn is_of_ci(claim: &Claim, then: &Outcome, names: impl Fn(&str) -> bool) -> bool {
    let is_ci = |path: &str| {
        const CI: &[&str] = &[
            ".buildkite/",
            ".circleci/",
            ".drone",
            ".github/",
            ".gitlab",
            ".goreleaser",
            ".travis",
            ".woodpecker",
            "Jenkinsfile",
            "appveyor",
            "azure-pipelines",
            "cloudbuild",
            "goreleaser",
        ];
        CI.iter().any(|start| path.starts_with(start))
    };
    let Outcome::Valid { found } = then else { return false };
    matches!(claim.subject, Subject::Variable { .. })
        && found.iter().all(|place| is_ci(&place.path) && !names(&place.path))
}

/// Whether it is a version that an example may make up. That something is needed at least is no example.
fn is_anybodys_version(claim: &Claim) -> bool {
    matches!(&claim.subject, Subject::Value { of, .. }
        if matches!(of.as_str(), "dependency" | "edition" | "runtime"))
}

/// Whether only another value could refute it.
fn is_unstated(claim: &Claim) -> bool {
    matches!(&claim.subject, Subject::Value { of, .. } if matches!(of.as_str(), "minimum" | "runtime"))
}

/// The value that a document states.
fn stated(claim: &Claim) -> &str {
    match &claim.subject {
        Subject::Value { value, .. } => value,
        _ => &claim.named,
    }
}
