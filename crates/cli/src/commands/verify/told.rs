//! What a finding rests on, in a sentence.

use std::fmt::Write;

use docent_claims::{Breaking, Class, Judged};

/// The finding with all of its evidence: when it held, what broke it, and what is closest now.
pub(super) fn sentence(judged: &Judged) -> String {
    let mut text = format!("`{}` {}", named(judged), story(judged));
    match &judged.evidence.breaking {
        Some(breaking) if judged.class == Class::StaleAtBirth => {
            let _ = write!(text, "; gone since {}", commit(breaking));
        }
        Some(breaking) => {
            let _ = write!(text, "; {} {}", what(breaking), commit(breaking));
        }
        None => {}
    }
    if let Some(advice) = advice(judged) {
        let _ = write!(text, "; {advice}");
    }
    text
}

/// What the document writes; of a snippet the first line.
pub(super) fn named(judged: &Judged) -> String {
    let named = judged.claim.named.trim();
    match named.split_once('\n') {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => named.to_owned(),
    }
}

/// When it held.
pub(super) fn story(judged: &Judged) -> String {
    let written = judged
        .evidence
        .blame
        .as_ref()
        .map(|blame| format!(" ({}, {})", short(&blame.commit), date(blame.time)));
    let written = written.unwrap_or_default();
    match &judged.class {
        Class::BrokeAt => format!("existed when this line was written{written}"),
        Class::ValueChanged { to, .. } => {
            format!("was right when this line was written{written} and is `{to}` now")
        }
        Class::StaleAtBirth => format!("was gone already when this line was written{written}"),
        Class::NeverExisted => "is not here and never was".to_owned(),
        Class::HistoryUnavailable => {
            "is not here, and the history that could tell why is not either".to_owned()
        }
        Class::Reported => "was reported to be wrong".to_owned(),
        Class::Holds => "holds".to_owned(),
    }
}

/// What to write instead.
pub(super) fn advice(judged: &Judged) -> Option<String> {
    let suggestion = judged.evidence.suggestion.as_ref()?;
    let word = if suggestion.is_certain { "write" } else { "closest now:" };
    Some(format!("{word} `{}`", suggestion.replacement))
}

fn what(breaking: &Breaking) -> String {
    match (breaking.kind.as_str(), &breaking.renamed_to) {
        ("renamed", Some(target)) => format!("moved to `{target}` in"),
        ("deleted", _) => "gone since".to_owned(),
        _ => "changed in".to_owned(),
    }
}

/// A commit, as a person names it.
pub(super) fn commit(breaking: &Breaking) -> String {
    match &breaking.commit {
        Some(id) => format!("{} \"{}\" ({})", short(id), breaking.subject, date(breaking.time)),
        None => "a change that is not committed".to_owned(),
    }
}

pub(super) fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

pub(super) fn date(time: i64) -> String {
    jiff::Timestamp::from_second(time).map(|time| time.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}
