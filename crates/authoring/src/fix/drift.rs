//! Pages that have outgrown their strategy, and rules that no longer fit any of their pages.
//!
//! A page has outgrown its strategy when a chunk is longer than it may be and there are deeper headings to cut at. When
//! all pages of a rule have, the rule changes; otherwise the page gets one of its own. A rule is too fine when none of
//! its pages has headings of its level any more.

use std::collections::BTreeMap;

use docent_text::{ChunkBy, Strategy};

use super::edit;
use super::fold::{Proposal, pattern};
use super::suggest::{is_outgrown, shape};
use crate::manifests::{Origin, relative};
use crate::validate::{Checked, Folder};

/// The pages of one rule: what suits each, and whether it has outgrown the rule.
struct Governed {
    strategy: Strategy,
    pages: Vec<(String, ChunkBy, bool, Option<u8>)>,
}

/// Changes manifests and says how.
pub(super) fn propose(folder: &mut Folder, checked: &Checked) -> Vec<Proposal> {
    let mut rules: BTreeMap<(String, Option<String>), Governed> = BTreeMap::new();
    for (path, page) in &checked.pages {
        let rule = match &page.resolved.origin {
            Origin::Manifest { folder } => (folder.clone(), None),
            Origin::Override { folder, pattern } => (folder.clone(), Some(pattern.clone())),
            _ => continue,
        };
        let (Some(strategy), Some(text)) = (page.resolved.strategy, folder.documents.get(path)) else {
            continue;
        };
        let max = strategy.max_chunk_size.unwrap_or(folder.max_chars);
        let document = docent_text::parse(path, text);
        let shape = shape(text, &document, max);
        let outgrown = is_outgrown(text, &document, strategy.chunk_by, max) && shape.best > strategy.chunk_by;
        let pages = &mut rules.entry(rule).or_insert_with(|| Governed { strategy, pages: Vec::new() }).pages;
        pages.push((path.clone(), shape.best, outgrown, shape.finest));
    }
    let mut proposals = Vec::new();
    for ((parent, rule), governed) in rules {
        for proposal in changes(&parent, rule, &governed) {
            let Some(text) = folder.manifests.get(&parent) else { continue };
            let strategy = Strategy { chunk_by: proposal.chunk_by, ..governed.strategy };
            let Some(new) = edit::with_strategy(text, proposal.pattern.as_deref(), &strategy) else {
                continue;
            };
            folder.manifests.insert(parent.clone(), new);
            proposals.push(proposal);
        }
    }
    proposals
}

fn changes(parent: &str, rule: Option<String>, governed: &Governed) -> Vec<Proposal> {
    let level = governed.strategy.chunk_by;
    let files = governed.pages.len();
    let outgrown: Vec<_> = governed.pages.iter().filter(|(_, _, outgrown, _)| *outgrown).collect();
    let proposal = |pattern: Option<String>, chunk_by, files, reason: String| Proposal {
        folder: parent.to_owned(),
        pattern,
        chunk_by,
        min_chunk_size: governed.strategy.min_chunk_size,
        files,
        reason,
    };
    if !outgrown.is_empty() && outgrown.len() == files {
        let finer = governed.pages.iter().map(|(_, best, ..)| *best).max().unwrap_or(level);
        let reason =
            format!("{} outgrown {level}", if files == 1 { "the file has" } else { "all files have" });
        return vec![proposal(rule, finer, files, reason)];
    }
    let finest = governed.pages.iter().filter_map(|(.., finest)| *finest).max();
    // A level without headings cuts as the next coarser one does: only a rule that is wrong for all its pages changes.
    if let (ChunkBy::H2 | ChunkBy::H3, Some(finest)) = (level, finest)
        && rule.is_some()
        && outgrown.is_empty()
        && finest < level.level()
    {
        let coarser = if finest == 2 { ChunkBy::H2 } else { ChunkBy::H1 };
        return vec![proposal(rule, coarser, files, format!("no file has {level} headings any more"))];
    }
    let single = outgrown.into_iter().filter_map(|(path, best, ..)| {
        let pattern = pattern(relative(path, parent))?;
        Some(proposal(Some(pattern), *best, 1, format!("it has outgrown {level}")))
    });
    single.collect()
}
