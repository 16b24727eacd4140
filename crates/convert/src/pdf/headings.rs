//! Which lines are headings, and of which level: by the bookmarks of the file, by its tags, and by size and weight.
//!
//! Levels hold for the whole document: a look has one level. Where bookmarks name headings, the looks of the named lines
//! take the bookmarks' levels, and lines that look the same but have no bookmark follow them.

use std::collections::HashMap;

use super::layout::Line;
use super::outline::Bookmark;

/// A size in half points, and whether it is bold.
type Look = (i32, bool);

/// What is known about the headings of a document.
#[derive(Debug)]
pub(super) struct Headings {
    /// The size of running text.
    pub(super) body: f32,
    levels: HashMap<Look, Level>,
    bookmarks: HashMap<usize, Vec<(String, usize)>>,
    shift: usize,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    level: usize,
    /// The fewest numbers in front of a heading of this look: `2.1` has two.
    least_depth: Option<usize>,
}

impl Headings {
    /// Looks at all lines of a document.
    pub(super) fn learn(lines: &[&Line], bookmarks: &[Bookmark]) -> Headings {
        let body = body_size(lines);
        let mut headings = Headings { body, levels: HashMap::new(), bookmarks: HashMap::new(), shift: 0 };
        for bookmark in bookmarks {
            let title = bare(&bookmark.title);
            if let (Some(page), false) = (bookmark.page, title.is_empty()) {
                headings.bookmarks.entry(page).or_default().push((title, bookmark.level));
            }
        }
        let mut chars: HashMap<Look, usize> = HashMap::new();
        let mut votes: HashMap<Look, HashMap<usize, usize>> = HashMap::new();
        let mut depths: HashMap<Look, Vec<usize>> = HashMap::new();
        let mut first_pages: HashMap<Look, u32> = HashMap::new();
        let total: usize = lines.iter().map(|line| line.chars()).sum();
        for line in lines.iter().filter(|line| headings.may_be(line)) {
            let look = look_of(line);
            *chars.entry(look).or_default() += line.chars();
            first_pages.entry(look).or_insert(line.page);
            depths.entry(look).or_default().extend(number_depth(&line.text()));
            if let Some(level) = headings.bookmarked(line) {
                *votes.entry(look).or_default().entry(level).or_default() += 1;
            }
        }
        let mut looks: Vec<Look> =
            chars.iter().filter(|(_, count)| **count * 4 < total.max(400)).map(|(look, _)| *look).collect();
        looks.sort_unstable_by(|a, b| b.cmp(a));
        let voted = |look: &Look| {
            let votes = votes.get(look)?;
            votes.iter().max_by_key(|(level, count)| (**count, usize::MAX - **level)).map(|(level, _)| *level)
        };
        // A title on the first page that has no bookmark stands above all bookmarks.
        let largest = looks.first();
        let has_title =
            largest.is_some_and(|look| voted(look).is_none() && first_pages.get(look) == Some(&1));
        headings.shift = usize::from(has_title && looks.iter().any(|look| voted(look).is_some()));
        let mut above = 0;
        for look in looks {
            let level = match voted(&look) {
                Some(level) => level + headings.shift,
                None => above + 1,
            };
            above = above.max(level);
            let least_depth = depths.get(&look).and_then(|depths| depths.iter().min().copied());
            headings.levels.insert(look, Level { level: level.min(6), least_depth });
        }
        headings
    }

    /// The level of a line, if it is a heading.
    pub(super) fn level_of(&self, line: &Line) -> Option<usize> {
        if let Some(level) = line.tagged_level {
            return Some(level);
        }
        if !self.may_be(line) {
            return None;
        }
        if let Some(level) = self.bookmarked(line) {
            return Some((level + self.shift).min(6));
        }
        let known = self.levels.get(&look_of(line))?;
        let deeper = match (known.least_depth, number_depth(&line.text())) {
            (Some(least), Some(depth)) => depth.saturating_sub(least),
            _ => 0,
        };
        Some((known.level + deeper).min(6))
    }

    /// Whether a line looks like a heading at all.
    fn may_be(&self, line: &Line) -> bool {
        let text = line.text();
        let letters = text.chars().filter(|char| char.is_alphabetic()).count();
        let is_one = line.pieces.len() == 1 || (line.pieces.len() == 2 && line.is_labelled());
        if !is_one || letters < 2 || text.chars().count() > 160 || has_leader(&text) || line.is_table() {
            return false;
        }
        let is_larger = line.size >= 1.12 * self.body && !line.is_all(|style| style.mono);
        let is_bold = line.is_all(|style| style.bold) && line.size >= 0.95 * self.body;
        let ends_open = text.ends_with([',', ';', '.']) && !text.ends_with("etc.") && !text.ends_with("...");
        let words = text.split_whitespace().count();
        is_larger && words <= 24
            || is_bold && line.stands_alone && !ends_open && words <= 14 && !line.is_marked()
    }

    fn bookmarked(&self, line: &Line) -> Option<usize> {
        let titles = self.bookmarks.get(&(line.page as usize).checked_sub(1)?)?;
        let text = bare(&line.text());
        let is = |title: &str| title == text || (text.len() >= 14 && title.starts_with(&text));
        titles.iter().find(|(title, _)| is(title)).map(|(_, level)| *level)
    }
}

fn look_of(line: &Line) -> Look {
    ((line.size * 2.0).round() as i32, line.is_all(|style| style.bold))
}

fn body_size(lines: &[&Line]) -> f32 {
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    for line in lines {
        *sizes.entry((line.size * 4.0).round() as i32).or_default() += line.chars();
    }
    let most = sizes.into_iter().max_by_key(|(size, count)| (*count, *size));
    most.map_or(10.0, |(size, _)| size as f32 / 4.0)
}

/// Letters and digits of a title without its number, to compare.
fn bare(title: &str) -> String {
    let title = title.trim();
    let title =
        title.trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | ' ' | ')'));
    title.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many numbers stand in front: `2` has one, `2.1` two.
fn number_depth(text: &str) -> Option<usize> {
    let number = text.split_whitespace().next()?.trim_end_matches('.');
    let parts: Vec<&str> = number.split('.').collect();
    let is_number = parts
        .iter()
        .all(|part| !part.is_empty() && part.len() <= 3 && part.chars().all(|char| char.is_ascii_digit()));
    (is_number && text.contains(' ')).then_some(parts.len())
}

/// Whether dots lead from a title to its page.
pub(super) fn has_leader(text: &str) -> bool {
    let bare: String = text.chars().filter(|char| *char != ' ').collect();
    bare.contains(".....") || bare.contains("·····")
}
