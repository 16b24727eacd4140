//! What somebody decided not to be told about.
//!
//! Three ways: a comment in the document that names the type of claim
//! (`<!-- docent:ignore path_reference reason="made by the build" -->`, in MDX `{/* docent:ignore … */}`; for its own line
//! or the next block), an entry of the
//! configuration with a reason and an end, and a baseline of what was known when checking began. A suppressed finding
//! stays in the results and is counted, so that waivers stay visible.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use globset::{Glob, GlobMatcher};
use pulldown_cmark::{Event, Options as Markdown, Parser, Tag};
use serde::{Deserialize, Serialize};

use crate::{Claim, ClaimType, Subject};

/// A comment in a document that waives claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineWaiver {
    /// First and last line that it is for, from 1.
    pub lines: RangeInclusive<u32>,
    /// The type that it names; `None` for all.
    pub claim_type: Option<ClaimType>,
    /// A word that names no type: such a comment waives nothing.
    #[serde(default)]
    pub unknown: Option<String>,
    /// Why.
    pub reason: String,
}

/// An entry of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// Documents that it is for, as a pattern; all without one.
    #[serde(default)]
    pub path: Option<String>,
    /// The type that it is for; all without one.
    #[serde(default)]
    pub claim_type: Option<ClaimType>,
    /// What the document writes, exactly; anything without it.
    #[serde(default)]
    pub named: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it counts, as `2027-01-31`; for ever without one.
    #[serde(default)]
    pub expires: Option<String>,
}

/// Why a finding of a baseline is not told.
pub const BASELINE: &str = "in the baseline";

/// Findings that were there when checking began; one that a document has twice is there twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The findings, in order.
    pub findings: Vec<Known>,
}

/// A finding of a baseline. Lines move, so they are not part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Known {
    /// The document.
    pub file: String,
    /// The type.
    pub claim_type: ClaimType,
    /// What the document writes.
    pub named: String,
    /// The option whose value that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

impl Known {
    /// What a baseline remembers of a claim.
    pub fn of(claim: &Claim) -> Self {
        let of = match &claim.subject {
            Subject::Value { of, name, .. } if of == "default" => Some(name.clone()),
            _ => None,
        };
        Self { file: claim.file.clone(), claim_type: claim.claim_type, named: claim.named.clone(), of }
    }
}

/// All waivers of a run, ready to be asked.
pub(crate) struct Suppressions {
    waivers: Vec<(Waiver, Option<GlobMatcher>)>,
    /// How many of each are known.
    baseline: HashMap<Known, usize>,
}

/// Whether a pattern of a waiver can be used: it is none, or longer and deeper than what a matcher can be made of.
pub fn is_pattern(path: &str) -> bool {
    path.len() <= 1024 && path.matches('{').count() <= 32 && Glob::new(path).is_ok()
}

impl Suppressions {
    /// Waivers that have expired before `today` (a date as in [`Waiver::expires`]) do not count, nor those whose pattern is
    /// none.
    pub(crate) fn new(waivers: &[Waiver], baseline: &Baseline, today: &str) -> Self {
        let counts = |waiver: &&Waiver| waiver.expires.as_deref().is_none_or(|last| today <= last);
        let ready = |waiver: &Waiver| {
            let path = waiver.path.as_deref();
            let glob = path.map(|path| is_pattern(path).then(|| Glob::new(path).ok()).flatten());
            let matcher = match glob {
                Some(glob) => Some(glob?.compile_matcher()),
                None => None,
            };
            Some((waiver.clone(), matcher))
        };
        let mut known = HashMap::new();
        for finding in &baseline.findings {
            *known.entry(finding.clone()).or_default() += 1;
        }
        Self { waivers: waivers.iter().filter(counts).filter_map(ready).collect(), baseline: known }
    }

    /// Why a claim is not to be told; `None` when it is.
    pub(crate) fn reason(&mut self, claim: &Claim, inline: &[InlineWaiver]) -> Option<String> {
        let is_meant = |wanted: &Option<ClaimType>| wanted.is_none_or(|wanted| wanted == claim.claim_type);
        let comment = inline.iter().find(|waiver| {
            waiver.unknown.is_none()
                && is_meant(&waiver.claim_type)
                && (claim.line..=claim.end_line).any(|line| waiver.lines.contains(&line))
        });
        if let Some(comment) = comment {
            return Some(comment.reason.clone());
        }
        let entry = self.waivers.iter().find(|(waiver, glob)| {
            is_meant(&waiver.claim_type)
                && waiver.named.as_ref().is_none_or(|named| *named == claim.named)
                && glob.as_ref().is_none_or(|glob| glob.is_match(&claim.file))
        });
        if let Some((waiver, _)) = entry {
            return Some(waiver.reason.clone());
        }
        let left = self.baseline.get_mut(&Known::of(claim)).filter(|left| **left > 0)?;
        *left -= 1;
        Some(BASELINE.to_owned())
    }
}

/// The waivers in the comments of a document.
pub(crate) fn inline_waivers(text: &str) -> Vec<InlineWaiver> {
    const MARK: &str = "docent:ignore";
    if !text.contains(MARK) {
        return Vec::new();
    }
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line_of = |at: usize| starts.partition_point(|start| *start <= at) as u32;
    let mut waivers: Vec<InlineWaiver> = Vec::new();
    // Comments that have a line for themselves wait for the next block.
    let mut waiting: Vec<usize> = Vec::new();
    let html = crate::extract::as_html(text);
    for (event, range) in Parser::new_ext(&html, Markdown::ENABLE_TABLES).into_offset_iter() {
        match event {
            // A block of HTML comes line by line, and a comment may have several.
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_)
                if html.get(range.clone()).is_some_and(|it| it.contains(MARK)) =>
            {
                let whole = html.get(range.clone()).unwrap_or_default();
                for (at, claim_type, unknown, reason) in comments(whole) {
                    let line = line_of(range.start + at);
                    let waiver = InlineWaiver { lines: line..=line, claim_type, unknown, reason };
                    if waivers.contains(&waiver) {
                        continue;
                    }
                    waivers.push(waiver);
                    let start = starts.get(line as usize - 1).copied().unwrap_or(0);
                    let before = text.get(start..range.start + at).unwrap_or_default();
                    if before.trim_start_matches(['>', '-', '*', ' ', '\t']).is_empty() {
                        waiting.push(waivers.len() - 1);
                    }
                }
            }
            // The text of a tight list comes without a paragraph around it.
            Event::Start(Tag::HtmlBlock) | Event::Html(_) => {}
            // What stands behind the last cell of a row is no part of the table, and of no event.
            Event::Start(Tag::TableRow) => {
                let line = line_of(range.start);
                let row = html.get(range.clone()).and_then(|rest| rest.lines().next());
                let behind = row.and_then(|row| row.rsplit_once('|')).map_or("", |(_, behind)| behind.trim());
                let behind = if behind.starts_with("<!--") { behind } else { "" };
                for (_, claim_type, unknown, reason) in comments(behind) {
                    waivers.push(InlineWaiver { lines: line..=line, claim_type, unknown, reason });
                }
            }
            Event::Start(_) | Event::Text(_) | Event::Code(_) if !waiting.is_empty() => {
                let last = line_of(range.end.saturating_sub(1).max(range.start));
                for at in waiting.drain(..) {
                    if let Some(waiver) = waivers.get_mut(at) {
                        waiver.lines = *waiver.lines.start()..=last.max(*waiver.lines.end());
                    }
                }
            }
            _ => {}
        }
    }
    waivers
}

/// `<!-- docent:ignore path_reference, command reason="…" -->`: where it begins, its types, words that are none, and the
/// reason.
fn comments(html: &str) -> Vec<(usize, Option<ClaimType>, Option<String>, String)> {
    let mut found = Vec::new();
    for (at, _) in html.match_indices("<!--") {
        let comment = html.get(at + 4..).unwrap_or_default().split("-->").next().unwrap_or_default().trim();
        let Some(rest) = comment.strip_prefix("docent:ignore") else { continue };
        // `docent:ignore-file` is about the whole page.
        if rest.starts_with('-') {
            continue;
        }
        let (names, reason) = rest.split_once("reason=").unwrap_or((rest, ""));
        let reason = reason.trim().trim_matches(['"', '\'']).trim();
        let reason = if reason.is_empty() { "no reason given" } else { reason };
        let ends = |c: char| c == ',' || c.is_whitespace();
        let names: Vec<&str> = names.split(ends).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            found.push((at, None, None, reason.to_owned()));
        }
        for name in names {
            let known = ClaimType::ALL.into_iter().find(|kind| kind.name() == name);
            let unknown = known.is_none().then(|| name.to_owned());
            found.push((at, known, unknown, reason.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u32, u32, Option<ClaimType>, &str)]) {
        let found = inline_waivers(text);
        let found: Vec<_> = found
            .iter()
            .map(|it| (*it.lines.start(), *it.lines.end(), it.claim_type, it.reason.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    const PATH: Option<ClaimType> = Some(ClaimType::PathReference);

    #[test]
    fn a_comment_waives_its_line_or_the_next_block() {
        check("a <!-- docent:ignore path_reference reason=\"built\" -->\n\nb\n", &[(1, 1, PATH, "built")]);
        check("<!-- docent:ignore path_reference reason='x' -->\n\nb\nc\n\nd\n", &[(1, 4, PATH, "x")]);
        check(
            "<!-- docent:ignore path_reference -->\n```sh\na\nb\n```\n",
            &[(1, 5, PATH, "no reason given")],
        );
        check("<!-- docent:ignore -->\n\n| a |\n|---|\n| b |\n\nc", &[(1, 5, None, "no reason given")]);
        check("{/* docent:ignore path_reference reason=x */}\n\nb\n", &[(1, 3, PATH, "x")]);
        check("- <!-- docent:ignore path_reference reason=x -->\n  a\n- b\n", &[(1, 2, PATH, "x")]);
        check("<!-- docent:ignore\n  path_reference\n  reason=\"x\" -->\na\n", &[(1, 4, PATH, "x")]);
        check("<!--\ndocent:ignore\tpath_reference reason=x -->\n\na\n", &[(1, 4, PATH, "x")]);
    }

    #[test]
    fn a_comment_waives_its_row_inside_of_the_table_or_behind_it() {
        for row in [
            "| `a` | b <!-- docent:ignore path_reference reason=x --> |",
            "| `a` | b | <!-- docent:ignore path_reference reason=x -->",
            "`a` | b <!-- docent:ignore path_reference reason=x -->",
            "`a` | <!-- docent:ignore path_reference reason=x -->",
        ] {
            check(&format!("| a | b |\n|---|---|\n{row}\n| c | d |\n"), &[(3, 3, PATH, "x")]);
        }
        check("| a | b |\n|---|---|\n| a | `<!-- docent:ignore -->`\n", &[]);
    }

    #[test]
    fn several_types_are_several_waivers_and_unknown_ones_waive_nothing() {
        let both = [(1, 1, PATH, "x"), (1, 1, Some(ClaimType::Command), "x")];
        check("a <!-- docent:ignore path_reference, command reason=\"x\" -->\n", &both);
        let [unknown] = inline_waivers("a <!-- docent:ignore paths -->\n").try_into().unwrap();
        assert_eq!((unknown.lines, unknown.unknown.as_deref()), (1..=1, Some("paths")));
        check("<!-- docent:ignore-file reason=\"x\" -->\n", &[]);
        check("`<!-- docent:ignore path_reference -->`\n", &[]);
    }
}
