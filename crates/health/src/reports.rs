//! Reports of drift: which claim is meant, and what a person decides.

use std::collections::BTreeSet;

use docent_index::health::{Decision, HealthError, NewReport, ReportRow};

use crate::book::Known;
use crate::facade::Health;

/// How far the line of a report may be from that of the claim.
const NEAR: u32 = 5;
/// How alike two texts are that stand near each other and mean the same…
const ALIKE_NEARBY: f64 = 0.3;
/// … and two that stand anywhere in the file.
const ALIKE_ANYWHERE: f64 = 0.8;

/// A report that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filed {
    /// Its id.
    pub report_id: String,
    /// The claim that it is about, when one was found.
    pub matched_claim_id: Option<String>,
}

impl Health {
    /// Keeps a report; which claim is meant is found by its line and its words.
    pub fn report(&self, mut report: NewReport) -> Result<Filed, HealthError> {
        if let Some(file) = self.path_of(&report.doc_file) {
            report.doc_file = file;
        }
        let repo = self.repo_to_write()?;
        let book = self.book()?;
        let claims = book.of(&report.doc_file);
        report.claim_id = matching(claims, report.line_number, &report.claim_text, &report.actual_behavior);
        let report_id = self.store.add_report(&repo, &report)?;
        Ok(Filed { report_id, matched_claim_id: report.claim_id })
    }

    /// Reports, the newest first.
    pub fn reports(&self, status: Option<Decision>) -> Result<Vec<ReportRow>, HealthError> {
        match self.repo()? {
            Some(repo) => self.store.reports(&repo, status),
            None => Ok(Vec::new()),
        }
    }

    /// Says what came of a report; `None` when there is no such report.
    pub fn decide(&self, report: &str, decision: Decision) -> Result<Option<ReportRow>, HealthError> {
        match self.repo()? {
            Some(repo) => self.store.decide(&repo, report, decision, self.now()),
            None => Ok(None),
        }
    }
}

/// The claim that is meant: the most alike near the line, else one that is very much alike anywhere; of several in one sentence
/// the one that is said to be different.
fn matching(claims: &[Known], line: Option<u32>, text: &str, instead: &str) -> Option<String> {
    let likeness = |known: &Known| similarity(&known.text, text).max(similarity(&known.named, text));
    let distance = |known: &Known| line.map_or(u32::MAX, |line| known.line.abs_diff(line));
    let fits = |known: &Known, likeness: f64| {
        likeness > ALIKE_ANYWHERE || (distance(known) <= NEAR && likeness > ALIKE_NEARBY)
    };
    let candidates =
        claims.iter().map(|known| (known, likeness(known))).filter(|(known, alike)| fits(known, *alike));
    // What the report names in so many words is meant before its neighbours in the same sentence.
    let says = |text: &str, known: &Known| {
        let short = known.named.rsplit('/').next().filter(|short| short.len() > 2).unwrap_or(&known.named);
        text.contains(&known.named) || text.contains(short)
    };
    let rank = |(known, alike): &(&Known, f64)| {
        (*alike, says(instead, known), text.contains(&known.named), u32::MAX - distance(known))
    };
    let better = |one: &(&Known, f64), other: &(&Known, f64)| {
        rank(one).partial_cmp(&rank(other)).unwrap_or(std::cmp::Ordering::Equal)
    };
    candidates
        .reduce(|best, next| if better(&next, &best).is_gt() { next } else { best })
        .map(|(known, _)| known.id.clone())
}

/// How alike two texts are, 0 to 1: the share of three-letter pieces of words that they have in common, as PostgreSQL's
/// `similarity` counts it.
pub fn similarity(one: &str, other: &str) -> f64 {
    let (one, other) = (trigrams(one), trigrams(other));
    let common = one.intersection(&other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let pieces = |word: &str| {
        let letters: Vec<char> = "  ".chars().chain(word.chars()).chain([' ']).collect();
        letters.windows(3).filter_map(|piece| <[char; 3]>::try_from(piece).ok()).collect::<Vec<_>>()
    };
    words.flat_map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use docent_index::health::Status;

    use super::*;

    fn known(id: &str, line: u32, named: &str, text: &str) -> Known {
        Known {
            id: id.to_owned(),
            file: "a.md".into(),
            line,
            end_line: line,
            heading: None,
            text: text.to_owned(),
            claim_type: "command".to_owned(),
            named: named.to_owned(),
            status: Status::Verified,
            is_suppressed: false,
            class: String::new(),
            severity: String::new(),
            evidence: String::new(),
            last_verified: None,
        }
    }

    fn check(line: Option<u32>, text: &str, expected: Option<&str>) {
        let claims = [
            known("hash", 40, "bcrypt", "Authentication uses bcrypt with 12 salt rounds."),
            known("deploy", 90, "docker-compose up", "Deploy using `docker-compose up` in `infra`."),
            known("folder", 90, "infra", "Deploy using `docker-compose up` in `infra`."),
        ];
        assert_eq!(matching(&claims, line, text, "").as_deref(), expected, "{line:?} {text}");
    }

    #[test]
    fn of_two_names_in_a_sentence_the_one_that_is_different_is_meant() {
        let text = "Run `./scripts/run.sh` to deploy and `./scripts/b.sh`.";
        let claims = [known("run", 3, "./scripts/run.sh", text), known("b", 3, "./scripts/b.sh", text)];
        for (instead, expected) in [("b.sh is gone", "b"), ("./scripts/run.sh is gone", "run")] {
            assert_eq!(matching(&claims, None, text, instead).as_deref(), Some(expected), "{instead}");
        }
    }

    #[test]
    fn near_its_line_a_claim_need_only_be_somewhat_alike() {
        check(Some(45), "auth uses bcrypt with salt", Some("hash"));
        check(Some(46), "auth uses bcrypt with salt", None);
        check(None, "auth uses bcrypt with salt", None);
        check(Some(40), "Nothing of the kind", None);
    }

    #[test]
    fn anywhere_in_the_file_it_must_be_very_much_alike() {
        check(None, "authentication uses bcrypt with 12 salt rounds", Some("hash"));
        check(Some(1000), "Authentication uses bcrypt, with 12 salt rounds", Some("hash"));
    }

    #[test]
    fn of_two_claims_in_a_sentence_the_one_that_is_named_is_meant() {
        check(Some(90), "docker-compose up", Some("deploy"));
        check(None, "infra", Some("folder"));
    }

    #[test]
    fn similarity_is_that_of_postgresql() {
        // SELECT similarity('word', 'two words') gives 0.36363637.
        assert!((similarity("word", "two words") - 4.0 / 11.0).abs() < 1e-9);
        assert_eq!(similarity("same", "Same"), 1.0);
        assert_eq!(similarity("", "x"), 0.0);
    }
}
