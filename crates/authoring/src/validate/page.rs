//! One page alone: its front matter, hints, facets, headings and blocks.

use std::collections::{HashMap, HashSet};

use docent_text::{ChunkBy, Document, LineIndex, WarningKind};
use serde_json::Value;

use super::anchors::Anchors;
use super::markdown::{self, Link};
use super::{facets, front_lines, targets};
use crate::finding::{Code, Finding};
use crate::hints::PageHints;
use crate::manifests::{FALLBACK, Manifests, Origin, Resolved};
use crate::reader::{MAX_FACETS, shown};

/// A page that has been looked at.
#[derive(Debug)]
pub struct Page {
    /// What is wrong with it.
    pub findings: Vec<Finding>,
    /// How it is cut and labelled.
    pub resolved: Resolved,
    pub(super) anchors: Anchors,
    pub(super) links: Vec<Link>,
    /// Where else it is published, by its front matter.
    pub(super) addresses: Vec<String>,
}

/// Looks at one page. `max_chars` is the longest chunk where its strategy names none.
pub fn check_page(path: &str, text: &str, manifests: &Manifests, max_chars: usize) -> Page {
    let document = docent_text::parse(path, text);
    let lines = LineIndex::new(text);
    let hints = PageHints::read(&document);
    let resolved = manifests.resolve_hints(path, &document, &hints);
    let markdown = markdown::read(text, &document, &lines);
    let mut findings: Vec<Finding> = document.warnings.iter().map(from_warning).collect();
    findings.extend(hints.findings.iter().cloned());
    findings.extend(hints.front_findings.iter().map(|(field, finding)| {
        let place = front_lines::find(text, document.body_start, field, None);
        Finding { line: place.map_or(1, |place| place.line), ..finding.clone() }
    }));
    findings.extend(missing_level(text, &document, &hints));
    findings.extend(facets::check_page(text, &document, &hints, manifests.taxonomy_of(path)));
    findings.extend(duplicates(&document));
    let limit = resolved.strategy.and_then(|strategy| strategy.max_chunk_size).unwrap_or(max_chars);
    findings.extend(oversize(text, &markdown.blocks, limit, &lines));
    if resolved.has_more_facets {
        let message = format!("the page has more than {MAX_FACETS} facets; the others do not count");
        let hint = "its manifest, overrides, comments and front matter count together";
        findings.push(Finding::new(Code::ManifestType, 1, message, hint));
    }
    if resolved.origin == Origin::Default {
        let settings = docent_text::ChunkOptions::default().chunk_by;
        let fallback = if manifests.governs(path) { FALLBACK } else { settings };
        let message = format!("no strategy is named for this file; it is cut by `{fallback}`");
        findings.push(Finding::new(Code::NoStrategy, 1, message, "`docent fix` proposes a .docs-mcp.json"));
    }
    crate::fix::keep_safe(path, text, &document, &mut findings);
    Page {
        findings,
        resolved,
        anchors: Anchors::of(text, &document, &markdown.nested_headings),
        links: markdown.links,
        addresses: addresses(path, &document),
    }
}

fn from_warning(warning: &docent_text::Warning) -> Finding {
    let code = match warning.kind {
        WarningKind::FrontMatter => Code::FrontMatter,
        WarningKind::NoFrontMatter => Code::NoFrontMatter,
        WarningKind::LargeFrontMatter => Code::OversizeFrontMatter,
        WarningKind::ManyHeadings => Code::ManyHeadings,
    };
    Finding::new(code, warning.line, warning.message.clone(), code.rule().help.trim_end_matches('.'))
}

/// A hint that cuts at a level which no heading of the page has. Where no heading starts a chunk, it governs nothing.
fn missing_level(text: &str, document: &Document, hints: &PageHints) -> Option<Finding> {
    let (line, chunk_by) = match (&hints.front, &hints.comment) {
        (Some((field, strategy)), _) => {
            let place = front_lines::find(text, document.body_start, field, None);
            (place.map_or(1, |place| place.line), strategy.chunk_by)
        }
        (None, Some((line, partial))) => (*line, partial.chunk_by?),
        (None, None) => return None,
    };
    let has = |wanted: std::ops::RangeInclusive<u8>| {
        document.sections.iter().any(|section| wanted.contains(&section.level))
    };
    let level = chunk_by.level();
    let code = match chunk_by {
        ChunkBy::File => return None,
        _ if !has(1..=level) => Code::DanglingHint,
        ChunkBy::Heading => return None,
        _ if has(level..=level) => return None,
        _ => Code::HintWithoutLevel,
    };
    let what =
        if chunk_by == ChunkBy::Heading { "heading".to_owned() } else { format!("{chunk_by} heading") };
    let message = format!("the hint cuts by `{chunk_by}`, and the page has no {what}");
    let hint = "name the level that the page's headings have, or take the hint out";
    Some(Finding::new(code, line, message, hint))
}

fn duplicates(document: &Document) -> Vec<Finding> {
    let mut anchors: HashMap<&str, usize> = HashMap::new();
    let mut paths: HashMap<&[String], usize> = HashMap::new();
    let mut findings = Vec::new();
    // Below a section that is there twice everything is there twice; it is told once.
    let mut twice: HashSet<usize> = HashSet::new();
    for (index, section) in document.sections.iter().enumerate().filter(|(_, section)| section.level > 0) {
        let line = section.lines.start;
        if let Some(anchor) = &section.anchor
            && let Some(first) = anchors.get(anchor.as_str())
        {
            let message = format!("the anchor `#{}` is already at line {first}", shown(anchor));
            findings.push(Finding::new(
                Code::DuplicateAnchor,
                line,
                message,
                "give each heading its own anchor",
            ));
        } else if let Some(anchor) = &section.anchor {
            anchors.insert(anchor, line);
        }
        match paths.get(section.path.as_slice()) {
            // An anchor of its own tells a section apart.
            Some(_) if section.parent.is_some_and(|parent| twice.contains(&parent)) => {
                twice.insert(index);
            }
            Some(first) if section.anchor.is_none() => {
                twice.insert(index);
                let message =
                    format!("the section `{}` is already at line {first}", shown(&section.path.join(" > ")));
                let hint = "name the headings apart; agents see `[2]` behind the second one";
                findings.push(Finding::new(Code::DuplicateHeading, line, message, hint));
            }
            Some(_) => {}
            None => {
                paths.insert(&section.path, line);
            }
        }
    }
    findings
}

fn oversize(
    text: &str,
    blocks: &[(std::ops::Range<usize>, &'static str)],
    limit: usize,
    lines: &LineIndex,
) -> Vec<Finding> {
    // Bytes are never fewer than characters, so most blocks need no counting.
    let long = blocks.iter().filter(|(bytes, _)| bytes.len() > limit);
    let counted = long.filter_map(|(bytes, kind)| {
        let count = text.get(bytes.clone())?.chars().count();
        (count > limit).then(|| {
            let message = format!(
                "this {kind} has {count} characters and is cut inside: the longest chunk has {limit}"
            );
            Finding::new(
                Code::OversizeBlock,
                lines.line(bytes.start),
                message,
                "break it up, or raise `max_chunk_size`",
            )
        })
    });
    counted.collect()
}

/// Addresses that site generators take from the front matter.
fn addresses(path: &str, document: &Document) -> Vec<String> {
    let values = &document.front_matter.values;
    let mut found = Vec::new();
    for field in ["slug", "url", "permalink", "id", "aliases", "redirect_from"] {
        let listed: Vec<&str> = match values.get(field) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        for address in listed {
            let full = match address.starts_with('/') {
                true => Some(address.to_owned()),
                false => targets::join(targets::folder(path), address),
            };
            found.extend(full.map(|full| targets::address(&full)));
        }
    }
    found
}
