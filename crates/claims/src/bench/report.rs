//! What a benchmark found, as figures, as raw verdicts and as a table.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use super::replay::Shown;
use crate::{Claim, ClaimType, Outcome};

/// What a benchmark found.
#[derive(Debug, Clone, Serialize)]
pub struct BenchReport {
    /// The newest commit that was looked at.
    pub head: Option<String>,
    /// Commits that were replayed.
    pub commits: usize,
    /// Figures by type.
    pub rows: BTreeMap<ClaimType, Row>,
    /// Claims that were looked at, in all states together.
    pub claims: usize,
    /// Milliseconds for each of them.
    pub ms_per_claim: f64,
    /// All of it in milliseconds, the search for commits as well.
    pub took_ms: u64,
    /// Every case with its verdict.
    pub cases: Vec<BenchVerdict>,
    /// Alarms before commits, of both kinds, each once.
    pub alarms: Vec<Alarm>,
    /// Alarms on lines that their authors had just written.
    pub false_alarms: Vec<Alarm>,
}

/// Figures of one type of claim; those that begin with `naive` are of a verification without history.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Row {
    /// Facts that a commit removed.
    pub cases: usize,
    /// Of these, found.
    pub found: usize,
    /// Found ones that would have been found weeks later, too.
    pub lasting: usize,
    /// The same without history.
    pub naive_found: usize,
    /// Found ones with a commit that broke them.
    pub named: usize,
    /// With the right one.
    pub right: usize,
    /// Alarms before commits that authors confirmed.
    pub confirmed: usize,
    /// That they did not, although they edited the section.
    pub unconfirmed: usize,
    /// Of which nobody knows.
    pub open: usize,
    /// Without history, confirmed.
    pub naive_confirmed: usize,
    /// Without history, not confirmed.
    pub naive_unconfirmed: usize,
    /// Claims that hold, and were taken away by the next edit all the same: what chance confirms.
    pub held_gone: usize,
    /// Claims that hold, and were left.
    pub held_left: usize,
    /// Claims on lines that their authors had just written.
    pub written: usize,
    /// Alarms on them, which are false.
    pub false_alarms: usize,
    /// The same without history.
    pub naive_false_alarms: usize,
}

/// A claim in a state of the past.
#[derive(Debug, Clone, Serialize)]
pub struct Spot {
    /// The commit.
    pub commit: String,
    /// The document.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The type of the claim.
    pub claim_type: ClaimType,
    /// A finer word for it.
    pub kind: String,
    /// What the document names.
    pub named: String,
    /// The sentence around it.
    pub text: String,
}

impl Spot {
    pub(super) fn of(claim: &Claim, commit: &str) -> Self {
        Self {
            commit: commit.to_owned(),
            file: claim.file.clone(),
            line: claim.line,
            claim_type: claim.claim_type,
            kind: claim.kind.clone(),
            named: claim.named.clone(),
            text: claim.text.clone(),
        }
    }
}

/// A case with its verdict.
#[derive(Debug, Clone, Serialize)]
pub struct BenchVerdict {
    /// What the document named, and where, before the commit that removed it and mended the document.
    #[serde(flatten)]
    pub spot: Spot,
    /// What the check said.
    pub now: Option<Outcome>,
    /// Whether the sentence speaks of the past.
    pub is_past: bool,
    /// The class of the verdict; `none` without one.
    pub class: String,
    /// Who had written the line.
    pub blame: Option<String>,
    /// What the check said there, for a case that was not found.
    pub then: Option<Outcome>,
    /// Whether it was found to have drifted.
    pub is_found: bool,
    /// Whether it was found only because it had just been broken.
    pub is_fresh: bool,
    /// Whether a verification without history would have found it.
    pub is_found_naively: bool,
    /// The commit that was told to have broken it.
    pub breaking: Option<String>,
    /// Whether that is the one.
    pub is_right: bool,
}

/// An alarm in a state of the past; also what holds, for comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Alarm {
    /// What the document names, and where.
    #[serde(flatten)]
    pub spot: Spot,
    /// The class of the verdict.
    pub class: String,
    /// Whether it was said to have drifted.
    pub is_drifted: bool,
    /// Whether a verification without history would have said so.
    pub is_naive: bool,
    /// What became of it.
    pub fate: Fate,
}

/// What became of something that a document named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The next commit that edited its section took it away.
    Confirmed,
    /// That commit left it.
    Unconfirmed,
    /// Nobody has edited its section since.
    Open,
}

pub(super) fn report(head: Option<&str>, shown: Vec<Shown>, took: Duration) -> BenchReport {
    let mut rows: BTreeMap<ClaimType, Row> = BTreeMap::new();
    let (mut cases, mut alarms, mut false_alarms) = (Vec::new(), Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let commits = shown.len();
    let claims: usize = shown.iter().map(|shown| shown.claims).sum();
    let looked: f64 = shown.iter().map(|shown| shown.took.as_secs_f64() * 1000.0).sum();
    for shown in shown {
        for (claim_type, written) in shown.written {
            let row = rows.entry(claim_type).or_default();
            row.written += written.claims;
            row.false_alarms += written.alarms;
            row.naive_false_alarms += written.naive;
        }
        for case in &shown.cases {
            let row = rows.entry(case.spot.claim_type).or_default();
            row.cases += 1;
            row.found += usize::from(case.is_found);
            row.lasting += usize::from(case.is_found && !case.is_fresh);
            row.naive_found += usize::from(case.is_found_naively);
            row.named += usize::from(case.breaking.is_some());
            row.right += usize::from(case.is_right);
        }
        for alarm in shown.alarms {
            // The same line stands in many commits.
            let Spot { file, kind, named, claim_type, .. } = alarm.spot.clone();
            if seen.insert((file, kind, named, alarm.is_drifted)) {
                rows.entry(claim_type).or_default().count(&alarm);
                alarms.push(alarm);
            }
        }
        cases.extend(shown.cases);
        false_alarms.extend(shown.false_alarms);
    }
    alarms.retain(|alarm| alarm.is_drifted || alarm.is_naive);
    BenchReport {
        head: head.map(str::to_owned),
        commits,
        rows,
        claims,
        // Nothing adds up to -0.
        ms_per_claim: looked.max(0.0) / claims.max(1) as f64,
        took_ms: took.as_millis() as u64,
        cases,
        alarms,
        false_alarms,
    }
}

impl Row {
    fn count(&mut self, alarm: &Alarm) {
        let (confirmed, unconfirmed) =
            (usize::from(alarm.fate == Fate::Confirmed), usize::from(alarm.fate == Fate::Unconfirmed));
        if alarm.is_drifted {
            self.confirmed += confirmed;
            self.unconfirmed += unconfirmed;
            self.open += usize::from(alarm.fate == Fate::Open);
        }
        if alarm.is_naive {
            self.naive_confirmed += confirmed;
            self.naive_unconfirmed += unconfirmed;
        }
        if !alarm.is_drifted && !alarm.is_naive {
            self.held_gone += confirmed;
            self.held_left += unconfirmed;
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            cases: self.cases + other.cases,
            found: self.found + other.found,
            lasting: self.lasting + other.lasting,
            naive_found: self.naive_found + other.naive_found,
            named: self.named + other.named,
            right: self.right + other.right,
            confirmed: self.confirmed + other.confirmed,
            unconfirmed: self.unconfirmed + other.unconfirmed,
            open: self.open + other.open,
            naive_confirmed: self.naive_confirmed + other.naive_confirmed,
            naive_unconfirmed: self.naive_unconfirmed + other.naive_unconfirmed,
            held_gone: self.held_gone + other.held_gone,
            held_left: self.held_left + other.held_left,
            written: self.written + other.written,
            false_alarms: self.false_alarms + other.false_alarms,
            naive_false_alarms: self.naive_false_alarms + other.naive_false_alarms,
        }
    }
}

impl BenchReport {
    /// A table for people, by type, with a sum.
    pub fn table(&self) -> String {
        let mut text = String::from(
            "| type | cases | recall | weeks later | naive | precision | naive | commit named | right | confirmed | naive | held, gone | written | false /1,000 | naive |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let sum = self.rows.values().fold(Row::default(), |sum, row| sum.and(*row));
        let rows = self.rows.iter().map(|(kind, row)| (kind.name(), *row)).chain([("all", sum)]);
        for (name, row) in rows {
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                row.cases,
                share(row.found, row.cases),
                share(row.lasting, row.cases),
                share(row.naive_found, row.cases),
                share(row.found, row.found + row.false_alarms),
                share(row.naive_found, row.naive_found + row.naive_false_alarms),
                share(row.named, row.found),
                share(row.right, row.named),
                of(row.confirmed, row.unconfirmed, Some(row.open)),
                of(row.naive_confirmed, row.naive_unconfirmed, None),
                of(row.held_gone, row.held_left, None),
                row.written,
                per_thousand(row.false_alarms, row.written),
                per_thousand(row.naive_false_alarms, row.written),
            );
        }
        text.push_str(MEANING);
        text
    }
}

/// What the columns say.
const MEANING: &str = "
recall: lines that the author mended and that are found as they were before
weeks later: of the same, those that would still be found when nobody had mended them for weeks
precision: of these and the alarms on lines that the author had just written, the share of the former
commit named, right: the commit that broke the line is named, and is the replayed one
confirmed: alarms whose name the next edit of the section took away; held, gone: the same of claims that hold
false: alarms on lines that the author had just written, of 1,000 claims there
naive: everything that is not found counts as drifted
";

fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.2}", part as f64 / whole as f64) }
}

/// `0.83 (5 of 6, 3 open)`
fn of(part: usize, other: usize, open: Option<usize>) -> String {
    let open = open.filter(|open| *open > 0).map(|open| format!(", {open} open")).unwrap_or_default();
    match part + other {
        0 if open.is_empty() => "–".to_owned(),
        all => format!("{} ({part} of {all}{open})", share(part, all)),
    }
}

fn per_thousand(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1}", part as f64 * 1000.0 / whole as f64) }
}
