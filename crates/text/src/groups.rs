//! Which sections make up a chunk.
//!
//! The strategy's level decides which headings start a chunk; deeper sections stay with the one above. A group that is
//! too long is cut again at the next deeper headings that it has, as often as it takes, so that a long page falls apart
//! at its own seams before anything is split inside of a section. At last, groups that are too short join the one
//! before, but only their parent or a sibling: text never moves under a foreign heading.

use std::ops::Range;

use crate::chunks::ChunkOptions;
use crate::document::Document;
use crate::sections::Section;

/// Sections that stay together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) sections: Range<usize>,
    pub(crate) name: Name,
    /// Unicode characters over all of them.
    pub(crate) char_count: usize,
}

/// What a group is called after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// Its first section.
    Section,
    /// Nothing: it stands before the first heading that counts.
    Preamble,
    /// The file: it is the only group, and no heading in it counts.
    File,
}

impl Group {
    pub(crate) fn head<'d>(&self, doc: &'d Document) -> &'d Section {
        &doc.sections[self.sections.start]
    }

    pub(crate) fn bytes(&self, doc: &Document) -> Range<usize> {
        let last = self.sections.end.saturating_sub(1).max(self.sections.start);
        self.head(doc).bytes.start..doc.sections[last].bytes.end
    }
}

/// The groups of a document, in order; every section is in one.
pub(crate) fn groups(text: &str, doc: &Document, options: &ChunkOptions) -> Vec<Group> {
    let count = doc.sections.len();
    let sizes: Vec<usize> = doc
        .sections
        .iter()
        .map(|section| text.get(section.bytes.clone()).unwrap_or_default().chars().count())
        .collect();
    let cutter = Cutter { sections: &doc.sections, sizes: &sizes, max_chars: options.max_chars.max(1) };
    let mut groups = Vec::with_capacity(count);
    cutter.cut(0..count, options.chunk_by.level(), &mut groups);
    if options.min_chars > 0 {
        groups = join_short(&doc.sections, groups, options);
    }
    if let [only] = groups.as_mut_slice()
        && only.name == Name::Preamble
    {
        only.name = Name::File;
    }
    groups
}

struct Cutter<'d> {
    sections: &'d [Section],
    sizes: &'d [usize],
    max_chars: usize,
}

impl Cutter<'_> {
    /// Adds the groups that headings of at most `level` make of `range`, and cuts further what is too long.
    fn cut(&self, range: Range<usize>, level: u8, groups: &mut Vec<Group>) {
        let mut start = range.start;
        while start < range.end {
            let rest = start + 1..range.end;
            let end = rest.clone().find(|&index| self.starts(index, level)).unwrap_or(range.end);
            let char_count = self.sizes[start..end].iter().sum();
            let deeper = self.sections[start + 1..end].iter().map(|section| section.level).min();
            match deeper.filter(|_| char_count > self.max_chars) {
                Some(deeper) => self.cut(start..end, deeper, groups),
                None => {
                    let name = if self.starts(start, level) { Name::Section } else { Name::Preamble };
                    groups.push(Group { sections: start..end, name, char_count });
                }
            }
            start = end;
        }
    }

    fn starts(&self, index: usize, level: u8) -> bool {
        (1..=level).contains(&self.sections[index].level)
    }
}

fn join_short(sections: &[Section], groups: Vec<Group>, options: &ChunkOptions) -> Vec<Group> {
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    for group in groups {
        match joined.last_mut() {
            Some(before)
                if group.char_count < options.min_chars
                    && before.char_count + group.char_count <= options.max_chars
                    && before.name == Name::Section
                    && is_near(sections, before.sections.start, group.sections.start) =>
            {
                before.sections.end = group.sections.end;
                before.char_count += group.char_count;
            }
            _ => joined.push(group),
        }
    }
    joined
}

/// Whether section `before` is the parent or a sibling of `section`.
fn is_near(sections: &[Section], before: usize, section: usize) -> bool {
    let parent = sections[section].parent;
    parent == Some(before) || parent == sections[before].parent
}
