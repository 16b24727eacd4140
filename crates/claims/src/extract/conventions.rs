//! The licence and the edition. (Names of packages come from install lines.)

use std::ops::Range;

use super::page::Kind;
use super::sink::{Sink, pieces};
use super::words::words;
use crate::{ClaimType, Subject};

/// Licences as documents name them, longest first, with their ids.
const LICENCES: &[(&str, &str)] = &[
    ("apache license, version 2.0", "Apache-2.0"),
    ("apache license version 2.0", "Apache-2.0"),
    ("apache license 2.0", "Apache-2.0"),
    ("apache-2.0", "Apache-2.0"),
    ("apache 2.0", "Apache-2.0"),
    ("mozilla public license 2.0", "MPL-2.0"),
    ("mpl-2.0", "MPL-2.0"),
    ("bsd-3-clause", "BSD-3-Clause"),
    ("bsd 3-clause", "BSD-3-Clause"),
    ("bsd-2-clause", "BSD-2-Clause"),
    ("agpl-3.0", "AGPL-3.0"),
    ("agplv3", "AGPL-3.0"),
    ("lgpl-3.0", "LGPL-3.0"),
    ("gpl-3.0", "GPL-3.0"),
    ("gplv3", "GPL-3.0"),
    ("gpl-2.0", "GPL-2.0"),
    ("unlicense", "Unlicense"),
    ("isc", "ISC"),
    ("mit", "MIT"),
];

pub(super) fn find(sink: &mut Sink<'_, '_>) {
    let page = sink.page;
    for (number, block) in page.blocks.iter().enumerate().filter(|(_, block)| block.is_prose) {
        licence(sink, number, &block.bytes);
        edition(sink, number, &block.bytes);
    }
    for piece in pieces(page, |kind| matches!(kind, Kind::Fence(language) if language == "toml")) {
        if is_of_package(page.source(&piece.bytes)) {
            edition(sink, piece.block, &piece.bytes);
        }
    }
}

/// Whether a piece of TOML may be a piece of this repository's manifest: one with a name is a package of the reader's, and
/// other tables are settings of other programs.
fn is_of_package(source: &str) -> bool {
    source.lines().map(str::trim).all(|line| {
        let is_table = line.starts_with('[');
        !line.starts_with("name") && (!is_table || matches!(line, "[package]" | "[workspace.package]"))
    })
}

/// A sentence that says under which licence this is. "MIT" alone says nothing.
fn licence(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>) {
    let page = sink.page;
    if bytes.len() > 600 {
        return;
    }
    let source = page.source(bytes);
    let lower = source.to_ascii_lowercase();
    let under_heading = page.heading(bytes.start).is_some_and(|heading| {
        matches!(
            heading.text.to_ascii_lowercase().as_str(),
            "license" | "licence" | "licensing" | "📄 license" | "📝 license"
        )
    });
    let tells =
        ["licensed under", "released under", "available under", "distributed under", "under the terms of"]
            .iter()
            .any(|words| lower.contains(words));
    // What was taken from elsewhere has the licence that it had there.
    let is_taken = ["derived from", "adapted from", "copied from", "ported from", "taken from"]
        .iter()
        .any(|words| lower.contains(words));
    if is_taken
        || !(tells || under_heading && lower.contains("licen"))
        || page.headings.iter().any(|heading| heading.start == bytes.start)
    {
        return;
    }
    for (name, id) in LICENCES {
        let found = lower.match_indices(name).find(|&(at, _)| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/' || c == '.';
            !lower[..at].ends_with(is_word)
                && !lower[at + name.len()..]
                    .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/')
        });
        if let Some((at, _)) = found {
            let span = bytes.start + at..bytes.start + at + name.len();
            let value = page.source(&span).to_owned();
            let subject = Subject::Value { of: "licence".to_owned(), name: (*id).to_owned(), value };
            sink.add(span, block, ClaimType::Convention, "licence", subject);
            // Two licences are two claims; "apache license 2.0" holds no other of the list.
        }
    }
}

/// `edition 2021`, `edition = "2021"`, `2021 edition`.
fn edition(sink: &mut Sink<'_, '_>, block: usize, bytes: &Range<usize>) {
    let all = words(sink.page.text, bytes);
    for pair in all.windows(2) {
        let is_year = |text: &str| matches!(text, "2015" | "2018" | "2021" | "2024");
        let is_edition = |text: &str| text.eq_ignore_ascii_case("edition");
        let year = match pair {
            [first, year] if is_edition(first.text) && is_year(year.text) => year,
            [year, last] if is_edition(last.text) && is_year(year.text) => year,
            _ => continue,
        };
        let subject =
            Subject::Value { of: "edition".to_owned(), name: "rust".to_owned(), value: year.text.to_owned() };
        sink.add(year.bytes.clone(), block, ClaimType::Convention, "edition", subject);
    }
    for triple in all.windows(3) {
        if let [name, equals, year] = triple
            && name.text == "edition"
            && equals.text == "="
            && matches!(year.text, "2015" | "2018" | "2021" | "2024")
        {
            let subject = Subject::Value {
                of: "edition".to_owned(),
                name: "rust".to_owned(),
                value: year.text.to_owned(),
            };
            sink.add(year.bytes.clone(), block, ClaimType::Convention, "edition", subject);
        }
    }
}
