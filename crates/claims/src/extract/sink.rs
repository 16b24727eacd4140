//! Turns what an extractor has found into claims: with line, heading, sentence and cues.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::page::{Kind, Page, Piece};
use super::sentence::{clip, cues, is_marked_wrong, line_around, sentence};
use crate::{Claim, ClaimType, Cues, Subject};

/// More claims than this are not made out of one page.
const MAX_CLAIMS: usize = 50_000;

pub(super) struct Sink<'p, 't> {
    pub(super) page: &'p Page<'t>,
    file: &'p str,
    claims: Vec<Claim>,
    seen: HashSet<(Range<usize>, Subject)>,
    /// Folders and files at the top of a reader's project, as the page draws it.
    pub(super) drawn: HashSet<String>,
}

impl<'p, 't> Sink<'p, 't> {
    pub(super) fn new(page: &'p Page<'t>, file: &'p str) -> Self {
        Self { page, file, claims: Vec::new(), seen: HashSet::new(), drawn: HashSet::new() }
    }

    /// A claim that stands at `span`, inside of the block with this number.
    pub(super) fn add(
        &mut self,
        span: Range<usize>,
        block: usize,
        claim_type: ClaimType,
        kind: &str,
        subject: Subject,
    ) {
        let page = self.page;
        let named = page.source(&span);
        if named.is_empty()
            || self.claims.len() >= MAX_CLAIMS
            || !self.seen.insert((span.clone(), subject.clone()))
        {
            return;
        }
        let Some(holds) = page.blocks.get(block) else { return };
        let (text, before) = if holds.is_prose {
            (sentence(page.text, &holds.bytes, &span), String::new())
        } else {
            let line = line_around(page.text, &(span.start..span.start));
            (clip(page.source(&line)), said_before(page, block))
        };
        let lines = page.lines.range(&span);
        let said = cues(page, span.start, &text, &before);
        let is_wrong = !holds.is_prose && is_marked_wrong(page.text, &holds.bytes, span.start);
        self.claims.push(Claim {
            file: self.file.to_owned(),
            line: u32::try_from(lines.start).unwrap_or(u32::MAX),
            end_line: u32::try_from(lines.end).unwrap_or(u32::MAX),
            section_heading: page
                .heading(span.start)
                .map(|heading| heading.text.clone())
                .filter(|text| !text.is_empty()),
            claim_type,
            kind: kind.to_owned(),
            named: named.to_owned(),
            cues: Cues { is_past: said.is_past || is_wrong || is_renamed(page.text, &span), ..said },
            text,
            subject,
            source: None,
            span,
            again: Vec::new(),
        });
    }

    /// The same for a claim that a piece holds.
    pub(super) fn add_in(
        &mut self,
        piece: &Piece,
        span: Range<usize>,
        claim_type: ClaimType,
        kind: &str,
        subject: Subject,
    ) {
        self.add(span, piece.block, claim_type, kind, subject);
    }

    /// All claims, in the order of the page.
    pub(super) fn finish(mut self) -> Vec<Claim> {
        self.claims.sort_by_key(|claim| (claim.span.start, claim.span.end));
        // What is known to be more than a name is not judged as a name as well.
        let others: HashSet<Range<usize>> =
            self.claims.iter().filter(|claim| claim.kind != "name").map(|claim| claim.span.clone()).collect();
        self.claims.retain(|claim| claim.kind != "name" || !others.contains(&claim.span));
        // What a page says to be gone it knows to be gone, wherever it names it.
        let is_name = |claim: &Claim| !matches!(claim.subject, Subject::Path { .. } | Subject::Hosted { .. });
        let past: HashSet<Subject> = self
            .claims
            .iter()
            .filter(|claim| claim.cues.is_past && is_name(claim))
            .map(|claim| claim.subject.clone())
            .collect();
        for claim in &mut self.claims {
            claim.cues.is_past |= past.contains(&claim.subject);
        }
        once_on_a_line(self.claims)
    }
}

/// Claims without those that their line has made before: they are only remembered there.
fn once_on_a_line(claims: Vec<Claim>) -> Vec<Claim> {
    let mut told: HashMap<(u32, String, Subject), usize> = HashMap::new();
    let mut kept: Vec<Claim> = Vec::new();
    for claim in claims {
        let first = told.entry((claim.line, claim.kind.clone(), claim.subject.clone())).or_insert(kept.len());
        match kept.get_mut(*first) {
            Some(first) if first.named == claim.named => first.again.push(claim.span),
            Some(_) => {}
            None => kept.push(claim),
        }
    }
    kept
}

/// `old/name` → `new/name`: what stands before the arrow was, when both end alike.
fn is_renamed(text: &str, span: &Range<usize>) -> bool {
    let behind = text.get(span.end..).unwrap_or_default().trim_start_matches(['`', ' ', '"', '/']);
    let Some(new) = ["→", "->", "=>", "⇒"].iter().find_map(|arrow| behind.strip_prefix(arrow)) else {
        return false;
    };
    let new =
        new.trim_start_matches([' ', '`', '"']).split(['`', ' ', '"', '\n', ')']).next().unwrap_or_default();
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let old = text.get(span.clone()).unwrap_or_default();
    old.contains('/') && new.contains('/') && old != new && last(old) == last(new)
}

/// What stands right above a fence: "For example:", "Before:".
fn said_before(page: &Page<'_>, block: usize) -> String {
    let Some(above) = block.checked_sub(1).and_then(|above| page.blocks.get(above)) else {
        return String::new();
    };
    if !above.is_prose {
        return String::new();
    }
    let end = above.bytes.end;
    sentence(page.text, &above.bytes, &(end..end))
}

/// Pieces of the kind that `is_such` accepts.
pub(super) fn pieces<'p>(
    page: &'p Page<'_>,
    is_such: impl Fn(&Kind) -> bool + 'p,
) -> impl Iterator<Item = &'p Piece> {
    page.pieces.iter().filter(move |piece| is_such(&piece.kind))
}
