//! Numbers of list items in a Word document, which are counted, not stored.

use std::collections::{HashMap, HashSet};

use crate::xml::Element;

/// Lists by their numbers. Lists of one kind count on from each other, unless one of them starts anew.
#[derive(Default)]
pub(super) struct Lists {
    /// Format and first number of the levels of a kind.
    kinds: HashMap<String, Vec<(String, u32)>>,
    lists: HashMap<String, List>,
    /// Items counted so far, by kind.
    counts: HashMap<String, Vec<u32>>,
    /// Levels of lists that have begun.
    begun: HashSet<(String, usize)>,
}

#[derive(Clone, Default)]
struct List {
    kind: String,
    /// Where a level starts anew.
    starts: Vec<(usize, u32)>,
}

impl Lists {
    pub(super) fn new(part: Option<&Element>) -> Self {
        let Some(part) = part else { return Self::default() };
        let mut kinds: HashMap<String, Vec<(String, u32)>> = HashMap::new();
        for kind in part.all("abstractNum") {
            let levels = kind.all("lvl").take(9).map(|level| {
                let value = |name: &str| level.child(name).and_then(|found| found.attribute("w:val"));
                let start = value("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                (value("numFmt").unwrap_or("decimal").to_owned(), start)
            });
            kinds.insert(kind.attribute("w:abstractNumId").unwrap_or_default().to_owned(), levels.collect());
        }
        let lists = part.all("num").filter_map(|list| {
            let kind = list.child("abstractNumId")?.attribute("w:val")?.to_owned();
            let starts = list.all("lvlOverride").filter_map(|level| {
                let start = level.child("startOverride")?.attribute("w:val")?.parse().ok()?;
                Some((level.attribute("w:ilvl")?.parse().ok()?, start))
            });
            Some((list.attribute("w:numId")?.to_owned(), List { kind, starts: starts.collect() }))
        });
        Self { lists: lists.collect(), kinds, ..Self::default() }
    }

    /// The mark of the next item of a list on a level; `None` for a list without marks.
    pub(super) fn mark(&mut self, list: &str, level: usize) -> Option<String> {
        let level = level.min(8);
        let List { kind, starts } = self.lists.get(list).cloned().unwrap_or_default();
        let known = self.kinds.get(&kind).and_then(|levels| levels.get(level));
        let (format, start) = known.cloned().unwrap_or_else(|| ("bullet".to_owned(), 1));
        let counts = self.counts.entry(kind).or_default();
        counts.truncate(level + 1);
        let had = counts.len();
        counts.resize(level + 1, 0);
        let count = counts.get_mut(level)?;
        *count = if had > level { count.saturating_add(1) } else { start };
        let is_first = self.begun.insert((list.to_owned(), level));
        if let Some((_, start)) = starts.iter().find(|(at, _)| is_first && *at == level) {
            *count = *start;
        }
        match format.as_str() {
            "bullet" => Some("- ".to_owned()),
            "none" => None,
            _ => Some(format!("{}. ", (*count).min(999_999_999))),
        }
    }
}
