//! Numbers of list items in a Word document, which are counted, not stored.

use std::collections::HashMap;

use crate::xml::Element;

/// Lists by their numbers.
#[derive(Default)]
pub(super) struct Lists {
    /// Format and first number of the levels of a list.
    levels: HashMap<String, Vec<(String, u32)>>,
    /// Items counted so far, by list.
    counts: HashMap<String, Vec<u32>>,
}

impl Lists {
    pub(super) fn new(part: Option<&Element>) -> Self {
        let Some(part) = part else { return Self::default() };
        let mut kinds: HashMap<&str, Vec<(String, u32)>> = HashMap::new();
        for kind in part.all("abstractNum") {
            let levels = kind.all("lvl").take(9).map(|level| {
                let value = |name: &str| level.child(name).and_then(|found| found.attribute("w:val"));
                let start = value("start").and_then(|start| start.parse().ok()).unwrap_or(1);
                (value("numFmt").unwrap_or("decimal").to_owned(), start)
            });
            kinds.insert(kind.attribute("w:abstractNumId").unwrap_or_default(), levels.collect());
        }
        let levels = part.all("num").filter_map(|list| {
            let kind = list.child("abstractNumId")?.attribute("w:val")?;
            Some((list.attribute("w:numId")?.to_owned(), kinds.get(kind)?.clone()))
        });
        Self { levels: levels.collect(), counts: HashMap::new() }
    }

    /// The mark of the next item of a list on a level; `None` for a list without marks.
    pub(super) fn mark(&mut self, list: &str, level: usize) -> Option<String> {
        let level = level.min(8);
        let known = self.levels.get(list).and_then(|levels| levels.get(level));
        let (format, start) = known.cloned().unwrap_or_else(|| ("bullet".to_owned(), 1));
        let counts = self.counts.entry(list.to_owned()).or_default();
        counts.truncate(level + 1);
        let had = counts.len();
        counts.resize(level + 1, 0);
        let count = counts.get_mut(level)?;
        *count = if had > level { count.saturating_add(1) } else { start };
        match format.as_str() {
            "bullet" => Some("- ".to_owned()),
            "none" => None,
            _ => Some(format!("{}. ", (*count).min(999_999_999))),
        }
    }
}
