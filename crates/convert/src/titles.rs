//! Titles that say something: programs fill the property of that name with what every other file has, too.

use crate::{Format, format};

/// What programs call a file, a sheet or a slide that nobody has named, in lower case and without its number.
const GENERIC: [&str; 42] = [
    "sheet",
    "tabelle",
    "feuil",
    "feuille",
    "hoja",
    "foglio",
    "blad",
    "planilha",
    "arkusz",
    "лист",
    "workbook",
    "mappe",
    "classeur",
    "book",
    "spreadsheet",
    "presentation",
    "präsentation",
    "présentation",
    "presentación",
    "powerpoint presentation",
    "powerpoint-präsentation",
    "présentation powerpoint",
    "presentación de powerpoint",
    "microsoft powerpoint",
    "slide",
    "slides",
    "folie",
    "untitled",
    "untitled document",
    "untitled presentation",
    "untitled spreadsheet",
    "unbenannt",
    "ohne titel",
    "sans titre",
    "unknown",
    "document",
    "dokument",
    "documento",
    "word document",
    "microsoft word",
    "new document",
    "title",
];

/// Endings of file names that a title may carry.
const ENDINGS: [&str; 10] =
    [".docx", ".doc", ".pptx", ".ppt", ".xlsx", ".xls", ".odt", ".ods", ".rtf", ".epub"];

/// The title of a document of this format: what its properties say, if that says something, else its first heading. Sheets and
/// archives have none of their own: their headings name their parts.
pub(crate) fn of(format: Format, stated: Option<String>, markdown: &str) -> Option<String> {
    let heading = || crate::markdown::first_heading(markdown);
    match format {
        Format::Zip => None,
        Format::Xlsx | Format::Ods => stated.as_deref().and_then(telling),
        Format::Pptx => {
            stated.as_deref().and_then(telling).or_else(|| heading().filter(|title| !is_generic(title)))
        }
        Format::Docx | Format::Odt | Format::Epub => stated.as_deref().and_then(telling).or_else(heading),
        _ => stated.or_else(heading),
    }
}

/// The name of a file without its ending; of an address, the last part of its path.
pub(crate) fn file_stem(name: &str) -> Option<String> {
    let last = format::file_name(name);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    (!stem.trim().is_empty()).then(|| stem.trim().to_owned())
}

/// A title of the properties without the name of a program and the ending of a file, unless nothing is left of it.
fn telling(title: &str) -> Option<String> {
    let title = ["Microsoft Word - ", "Microsoft PowerPoint - ", "Microsoft Excel - "]
        .iter()
        .find_map(|program| title.strip_prefix(program))
        .unwrap_or(title);
    let lower = title.to_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(*ending)).map_or(0, |ending| ending.len());
    let title = title.get(..title.len().saturating_sub(ending)).unwrap_or(title).trim();
    (!title.is_empty() && !is_generic(title)).then(|| title.to_owned())
}

fn is_generic(title: &str) -> bool {
    let lower = title.to_lowercase();
    let bare = lower.trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, ' ' | '(' | ')'));
    bare.is_empty() || GENERIC.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, stated: &str, markdown: &str, expected: Option<&str>) {
        let stated = Some(stated.to_owned()).filter(|title| !title.is_empty());
        assert_eq!(of(format, stated.clone(), markdown).as_deref(), expected, "{stated:?} {markdown}");
    }

    #[test]
    fn what_every_file_is_called_is_no_title() {
        for generic in
            ["Sheet", "Sheet1", "Tabelle1", "Untitled (2)", "PowerPoint Presentation", "Document1", "12"]
        {
            check(Format::Xlsx, generic, "## Sheet1\n", None);
            check(Format::Pptx, generic, "## Slide 1\n", None);
            check(Format::Docx, generic, "# Costs\n", Some("Costs"));
        }
        check(Format::Xlsx, "Costs", "## Sheet1\n", Some("Costs"));
        check(Format::Pptx, "Presentation", "## Costs\n", Some("Costs"));
        check(Format::Docx, "Microsoft Word - Costs.docx", "", Some("Costs"));
        check(Format::Docx, "Microsoft Word - Document1", "", None);
        check(Format::Zip, "", "# a/readme.md\n", None);
        check(Format::Markdown, "", "# Presentation\n", Some("Presentation"));
    }

    #[test]
    fn the_name_of_a_file_is_the_last_resort() {
        let check = |name: &str, expected: Option<&str>| assert_eq!(file_stem(name).as_deref(), expected);
        check("/home/me/costs 2026.xlsx", Some("costs 2026"));
        check("https://x.org/a/costs.v2.zip?raw=1#top", Some("costs.v2"));
        check("costs", Some("costs"));
        check("", None);
    }
}
