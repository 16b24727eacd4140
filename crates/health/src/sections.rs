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

/// The sections in which these claims stand, in this order, each once, by their first claim.
pub(crate) fn sections(book: &Book, claims: impl IntoIterator<Item = Spot>) -> Vec<Spot> {
    let mut seen: HashSet<Spot> = HashSet::new();
    let first = |(file, line): Spot| around(book.of(&file), line).first().map(|first| (file, first.line));
    claims.into_iter().filter_map(first).filter(|spot| seen.insert(spot.clone())).collect()
}

/// A section by one of its claims; `None` where there is none.
pub(crate) fn section(book: &Book, (file, line): Spot) -> Option<SectionHealth> {
    let claims = around(book.of(&file), line);
    summary(book, file, claims)
}

/// The claims that stand in one section with the claim at `line`: neighbours under the same heading.
fn around(claims: &[Known], line: u32) -> &[Known] {
    let at = claims.partition_point(|known| known.line < line);
    let Some(heading) = claims.get(at).filter(|known| known.line == line).map(|known| &known.heading) else {
        return &[];
    };
    let before = claims[..at].iter().rev().take_while(|known| known.heading == *heading).count();
    let after = claims[at..].iter().take_while(|known| known.heading == *heading).count();
    claims.get(at - before..at + after).unwrap_or(&[])
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
