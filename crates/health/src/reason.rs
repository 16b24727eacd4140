//! Why a claim does not hold, in words: the same on the command line, in reports for CI and in the answers of tools.
//!
//! Whatever comes out of the repository here (names, subjects of commits) stands among words of ours, so it is one line
//! without anything that cannot be seen.

use std::fmt::Write;

use docent_claims::{Breaking, Class, Evidence, Judged};
use docent_text::visible_line;
use serde::Deserialize;

/// Letters of a commit that are shown.
const SHORT: usize = 7;
const MAX_NAMED: usize = 120;
const MAX_SUBJECT: usize = 72;
const MAX_SAID: usize = 300;
const MAX_AGENT: usize = 60;

/// Why a claim does not hold, or why nobody can tell.
#[derive(Debug)]
pub struct Reason<'a> {
    pub(crate) named: &'a str,
    /// `None` for a word of another program.
    pub(crate) class: Option<Class>,
    pub(crate) evidence: &'a Evidence,
    pub(crate) reported: Option<Reported>,
}

/// What an agent said of a claim, and a person agreed to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reported {
    actual_behavior: String,
    agent_type: String,
}

impl<'a> Reason<'a> {
    /// For a verdict of the checks.
    pub fn of(judged: &'a Judged) -> Self {
        let (named, class) = (judged.claim.named.as_str(), Some(judged.class.clone()));
        Self { named, class, evidence: &judged.evidence, reported: None }
    }

    /// All of it: when it held, what broke it, and what is closest now.
    pub fn sentence(&self) -> String {
        let mut text = format!("`{}` {}", self.named(), self.story());
        if let Some(breaking) = &self.evidence.breaking {
            let _ = match &self.class {
                Some(Class::StaleAtBirth) => write!(text, "; gone since {}", commit(breaking)),
                _ => write!(text, "; {} {}", what(breaking), commit(breaking)),
            };
        }
        if self.class == Some(Class::NeverExisted) && !self.evidence.looked_at.is_empty() {
            let _ = write!(text, " (looked at {})", visible_line(&self.evidence.looked_at, MAX_NAMED));
        }
        if let Some(advice) = self.advice() {
            let _ = write!(text, "; {advice}");
        }
        text
    }

    /// What the document writes; of a snippet the first line.
    pub fn named(&self) -> String {
        let named = self.named.trim();
        match named.split_once('\n') {
            Some((first, _)) => format!("{} …", visible_line(first, MAX_NAMED)),
            None => visible_line(named, MAX_NAMED),
        }
    }

    /// When it held.
    pub fn story(&self) -> String {
        let blame = self.evidence.blame.as_ref();
        let written = blame.map(|blame| format!(" ({}, {})", short(&blame.commit), day(blame.time)));
        let written = written.unwrap_or_default();
        match &self.class {
            Some(Class::BrokeAt) if self.evidence.is_early => {
                format!("existed after this line was written{written}")
            }
            Some(Class::BrokeAt) => format!("existed when this line was written{written}"),
            Some(Class::ValueChanged { to, .. }) => {
                let to = quoted(to);
                let option = match self.evidence.looked_at.as_str() {
                    "" => String::new(),
                    option => format!(" for `{}`", quoted(option.trim_matches('`'))),
                };
                format!("was right{option} when this line was written{written} and is `{to}` now")
            }
            Some(Class::StaleAtBirth) => format!("was gone already when this line was written{written}"),
            Some(Class::Left) => format!(
                "existed when this line was written{written} and left with its whole folder; it may live on elsewhere"
            ),
            Some(Class::NeverExisted) => "is not here and never was".to_owned(),
            Some(Class::HistoryUnavailable) => {
                "is not here, and the history that could tell why is not either".to_owned()
            }
            Some(Class::Reported) => self.report(),
            Some(Class::Holds) => "holds".to_owned(),
            None => "does not hold".to_owned(),
        }
    }

    /// What to write instead, or why that may not be needed.
    pub fn advice(&self) -> Option<String> {
        if let Some(doubt) = &self.evidence.doubt {
            return Some(visible_line(doubt, MAX_SAID));
        }
        let suggestion = self.evidence.suggestion.as_ref()?;
        let word = if suggestion.is_certain { "write" } else { "closest now:" };
        Some(format!("{word} `{}`", quoted(&suggestion.replacement)))
    }

    fn report(&self) -> String {
        let Some(reported) = &self.reported else { return "was reported to be wrong".to_owned() };
        let who = visible_line(&reported.agent_type, MAX_AGENT);
        let what = visible_line(&reported.actual_behavior, MAX_SAID);
        format!("was reported to be wrong by {who}, and a person agreed: {what}")
    }
}

/// A name to stand between backticks, on one line.
fn quoted(name: &str) -> String {
    visible_line(name, MAX_NAMED).replace('`', "'")
}

fn what(breaking: &Breaking) -> String {
    match (breaking.kind.as_str(), &breaking.renamed_to) {
        ("renamed", Some(target)) => format!("moved to `{}` in", quoted(target)),
        ("deleted", _) => "gone since".to_owned(),
        _ => "changed in".to_owned(),
    }
}

/// A commit, as a person names it.
pub fn commit(breaking: &Breaking) -> String {
    match &breaking.commit {
        Some(id) => {
            let subject = visible_line(&breaking.subject, MAX_SUBJECT);
            format!("{} \"{subject}\" ({})", short(id), day(breaking.time))
        }
        None => "a change that is not committed".to_owned(),
    }
}

fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

fn day(seconds: i64) -> String {
    crate::iso(seconds).chars().take("2026-11-16".len()).collect()
}

#[cfg(test)]
mod tests {
    use docent_claims::{Blame, Suggestion};

    use super::*;

    fn evidence(kind: &str, renamed_to: Option<&str>) -> Evidence {
        let blame = Blame { commit: "915a9df00".to_owned(), time: 0, path: "a.md".to_owned(), line: 1 };
        let breaking = Breaking {
            commit: Some("4c1d77e0aa".to_owned()),
            time: 86_400,
            subject: "split\nserver".to_owned(),
            kind: kind.to_owned(),
            renamed_to: renamed_to.map(str::to_owned),
        };
        Evidence { blame: Some(blame), breaking: Some(breaking), ..Evidence::default() }
    }

    fn check(class: Option<Class>, evidence: &Evidence, expected: &str) {
        let reason = Reason { named: "make server\nmore", class, evidence, reported: None };
        assert_eq!(reason.sentence(), format!("`make server …` {expected}"));
    }

    #[test]
    fn every_class_is_told_with_the_commit_that_broke_it() {
        let deleted = evidence("deleted", None);
        let since = "4c1d77e \"split server\" (1970-01-02)";
        let written = "when this line was written (915a9df, 1970-01-01)";
        let broke = Some(Class::BrokeAt);
        check(broke.clone(), &deleted, &format!("existed {written}; gone since {since}"));
        let moved = evidence("renamed", Some("make run"));
        check(broke, &moved, &format!("existed {written}; moved to `make run` in {since}"));
        let stale = format!("was gone already {written}; gone since {since}");
        check(Some(Class::StaleAtBirth), &moved, &stale);
        let value = Class::ValueChanged { from: "1".to_owned(), to: "2".to_owned() };
        let changed = evidence("changed", None);
        check(Some(value), &changed, &format!("was right {written} and is `2` now; changed in {since}"));
    }

    #[test]
    fn without_a_history_the_rest_is_told() {
        let suggestion =
            Suggestion { replacement: "make run".to_owned(), is_certain: true, reason: String::new() };
        let looked_at = "Makefile".to_owned();
        let evidence = Evidence { suggestion: Some(suggestion), looked_at, ..Evidence::default() };
        let never = "is not here and never was (looked at Makefile); write `make run`";
        check(Some(Class::NeverExisted), &evidence, never);
        check(None, &evidence, "does not hold; write `make run`");
        check(Some(Class::Reported), &Evidence::default(), "was reported to be wrong");
    }

    #[test]
    fn what_agents_said_is_told_in_one_line() {
        let said =
            Reported { actual_behavior: "It is\n`make run`".to_owned(), agent_type: "codex".to_owned() };
        let evidence = Evidence::default();
        let reason = Reason {
            named: "make server",
            class: Some(Class::Reported),
            evidence: &evidence,
            reported: Some(said),
        };
        let expected =
            "`make server` was reported to be wrong by codex, and a person agreed: It is `make run`";
        assert_eq!(reason.sentence(), expected);
    }
}
