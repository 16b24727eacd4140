//! Sections with the claims in them: what `get_docs` answers with.

use std::collections::HashSet;

use docent_index::health::Status;

use crate::book::{Book, Known};
use crate::lines::worst;
use crate::problem::Problem;

/// A section that claims something.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionHealth {
    /// The document, by its path in the repository.
    pub file: String,
    /// The nearest heading above the claims; the name of the file when it has none.
    pub section: String,
    /// What is claimed, one sentence a line.
    pub content: String,
    /// The worst of its claims.
    pub status: Status,
    /// When one of them was last looked at.
    pub last_verified: Option<i64>,
    /// How many claims there are, without those that somebody waived.
    pub claims: u64,
    /// How many of them hold.
    pub verified: u64,
    /// First line of the first claim.
    pub start_line: u32,
    /// Last line of the last one.
    pub end_line: u32,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl SectionHealth {
    /// The share of claims that hold.
    pub fn score(&self) -> f64 {
        match self.claims {
            0 => 0.0,
            claims => self.verified as f64 / claims as f64,
        }
    }
}

/// A claim by its place: a file and a line of it. The first claim of a section stands for the section.
pub(crate) type Spot = (String, u32);

/// The sections of these claims, in this order, each once, by their first claim. With `verified_only`, those of which all
/// claims hold.
pub(crate) fn sections<'a>(
    book: &'a Book,
    claims: impl IntoIterator<Item = usize> + 'a,
    verified_only: bool,
) -> impl Iterator<Item = Spot> + 'a {
    let mut seen: HashSet<(&str, u32)> = HashSet::new();
    let sections = claims.into_iter().map(|number| book.section_of(number));
    sections.filter_map(move |section| {
        let first = section.first()?;
        let is_new = seen.insert((&first.file, first.line));
        let passes = is_new && (!verified_only || worst(section) == Some(Status::Verified));
        passes.then(|| (first.file.to_string(), first.line))
    })
}

/// A section by one of its claims; `None` where there is none.
pub(crate) fn section(book: &Book, (file, line): Spot) -> Option<SectionHealth> {
    let claims = book.section_of(book.at(&file, line)?);
    summary(book, file, claims)
}

fn summary(book: &Book, file: String, claims: &[Known]) -> Option<SectionHealth> {
    let status = worst(claims)?;
    let heading = claims.first()?.heading.clone();
    let mut content: Vec<&str> = Vec::new();
    for known in claims {
        // Several claims of one sentence have the same text.
        if !content.contains(&known.text.as_str()) {
            content.push(&known.text);
        }
    }
    let count = |wanted: &dyn Fn(Status) -> bool| {
        claims.iter().filter_map(Known::status).filter(|status| wanted(*status)).count() as u64
    };
    Some(SectionHealth {
        section: heading.unwrap_or_else(|| before_first_heading(book, &file)),
        content: content.join("\n"),
        status,
        last_verified: claims.iter().filter_map(|known| known.last_verified).max(),
        claims: count(&|_| true),
        verified: count(&|status| status == Status::Verified),
        start_line: claims.first()?.line,
        end_line: claims.iter().map(|known| known.end_line).max()?,
        problems: claims.iter().filter_map(Problem::of).collect(),
        file,
    })
}

/// What stands above the first heading is called `(root)`, as everywhere; a file that has no headings, by its name.
fn before_first_heading(book: &Book, file: &str) -> String {
    match book.of(file).iter().any(|known| known.heading.is_some()) {
        true => "(root)".to_owned(),
        false => file.rsplit('/').next().unwrap_or(file).to_owned(),
    }
}
