//! A file as docent sees it: front matter, title and sections.
//!
//! [`parse`] is the one way in. It never fails: what is wrong with a file is in its warnings, and the
//! rest of the file is still there. Positions are bytes of the text that was handed in.

use crate::comments::HintComment;
use crate::front_matter::{self, FrontMatter};
use crate::lines::LineIndex;
use crate::scan;
use crate::sections::{self, Section};
use crate::structure::Structure;
use crate::visible::visible;

/// One parsed file.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The first h1, else the front matter's title, else the file name.
    pub title: String,
    /// Which of them it is.
    pub title_source: TitleSource,
    /// What stands between the `---` or `+++` lines at the top.
    pub front_matter: FrontMatter,
    /// Every section in document order; never empty.
    pub sections: Vec<Section>,
    /// The first byte after a byte order mark and the front matter.
    pub body_start: usize,
    /// Comments that speak to docent, in document order.
    pub hints: Vec<HintComment>,
    /// What could not be read, for the person who can fix the file.
    pub warnings: Vec<Warning>,
    /// Where the text may be cut.
    pub(crate) structure: Structure,
    pub(crate) lines: LineIndex,
}

/// Where a document's title was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TitleSource {
    /// The first level 1 heading.
    Heading,
    /// The `title` field of the front matter.
    FrontMatter,
    /// The last part of the path, because the file names no title.
    FileName,
    /// Whoever brought the document in; [`parse`] never answers this.
    Given,
}

/// What kind of thing could not be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarningKind {
    /// The front matter is broken.
    FrontMatter,
    /// The front matter is too large to be read.
    LargeFrontMatter,
    /// A block that could be front matter is text.
    NoFrontMatter,
    /// There are more headings than are read.
    ManyHeadings,
}

/// Something in a file that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// 1-based.
    pub line: usize,
    /// What kind of thing.
    pub kind: WarningKind,
    /// A sentence without a full stop.
    pub message: String,
}

/// Longer titles of the front matter are cut, as headings are.
const MAX_TITLE_CHARS: usize = 200;

/// Reads a Markdown file. `path` only lends its file name as the last choice for a title.
pub fn parse(path: &str, text: &str) -> Document {
    read(path, text, sections::MAX_SECTIONS, Structure::read)
}

/// The same within bounds, for a text that may have been made to be expensive: at most so many headings are read, the
/// others are part of the text, and where there is more markup than anybody writes only its lines are looked at.
pub fn parse_bounded(path: &str, text: &str, max_sections: usize) -> Document {
    let read_structure = match scan::is_dense(text) {
        true => Structure::scan,
        false => Structure::read,
    };
    read(path, text, max_sections, read_structure)
}

fn read(
    path: &str,
    text: &str,
    max_sections: usize,
    read_structure: fn(&str, usize, &LineIndex) -> Structure,
) -> Document {
    let mut warnings = Vec::new();
    let (front_matter, body_start) = front_matter::read(text, &mut warnings);
    let lines = LineIndex::new(text);
    let mut structure = read_structure(text, body_start, &lines);
    let hints = std::mem::take(&mut structure.hints);
    let sections =
        sections::build(text, body_start, &structure.headings, max_sections, &lines, &mut warnings);

    let heading = sections.iter().find(|section| section.level == 1);
    let (title, title_source) = match (heading, &front_matter.title) {
        (Some(section), _) => (section.heading.clone(), TitleSource::Heading),
        (None, Some(title)) => {
            (visible(title).chars().take(MAX_TITLE_CHARS).collect(), TitleSource::FrontMatter)
        }
        (None, None) => (file_name(path).to_owned(), TitleSource::FileName),
    };
    Document { title, title_source, front_matter, sections, body_start, hints, warnings, structure, lines }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, title: &str, source: TitleSource) {
        let document = parse(path, text);
        assert_eq!((document.title.as_str(), document.title_source), (title, source), "{text:?}");
    }

    #[test]
    fn the_first_h1_is_the_title() {
        check("a.md", "---\ntitle: T\n---\n## No\n# *Yes*\n# Two\n", "Yes", TitleSource::Heading);
    }

    #[test]
    fn then_the_front_matter() {
        check("a.md", "---\ntitle: T\n---\n## No\n", "T", TitleSource::FrontMatter);
    }

    #[test]
    fn then_the_file_name() {
        check("docs/a b.md", "## No\n", "a b.md", TitleSource::FileName);
        check("docs\\a.md", "", "a.md", TitleSource::FileName);
        check("", "", "", TitleSource::FileName);
    }
}
