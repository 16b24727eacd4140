//! PDF: fixtures with their expected Markdown, the page of every line, and files that mean harm.
#![allow(clippy::unwrap_used, reason = "tests")]

mod bombs;
mod hostile;
mod made;

use docent_convert::{ConvertError, Converted, ErrorKind, Format, Limits, convert};
use made::MadePdf;

pub(super) fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../fixtures/convert-pdf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

pub(super) fn converted(bytes: &[u8]) -> Result<Converted, ConvertError> {
    convert(bytes, "file.pdf", &Limits::default())
}

/// Compares with `NAME.expected.md`, in which a line `<!-- page N -->` stands before the first line of each page.
/// `UPDATE_FIXTURES=1` writes it anew.
fn check(name: &str) {
    let done = converted(&fixture(&format!("{name}.pdf"))).unwrap();
    let mut shown = String::new();
    let mut page = None;
    for (line, number) in done.markdown.lines().zip(1..) {
        let of_line = done.origin_of(number).unwrap().page;
        if of_line != page {
            page = of_line;
            shown.push_str(&format!("<!-- page {} -->\n", page.unwrap()));
        }
        shown.push_str(line);
        shown.push('\n');
    }
    let path = format!("{}/../../fixtures/convert-pdf/{name}.expected.md", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&path, &shown).unwrap();
    }
    assert_eq!(shown, std::fs::read_to_string(path).unwrap(), "{name}");
    assert_eq!(done.format, Format::Pdf);
}

#[test]
fn a_tagged_file_of_a_browser_has_headings_lists_code_tables_and_links() {
    check("guide");
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    check("columns");
}

#[test]
fn an_untagged_report_loses_its_running_heads_and_keeps_its_structure() {
    check("report");
}

#[test]
fn the_title_is_the_one_for_people() {
    let title = |name: &str| converted(&fixture(name)).unwrap().title;
    assert_eq!(title("report.pdf").as_deref(), Some("Widget Server Manual"));
    assert_eq!(title("guide.pdf").as_deref(), Some("Widget Server Guide"));
    assert_eq!(title("columns.pdf").as_deref(), Some("On Two Columns"));
}

#[test]
fn an_empty_password_opens_a_file_and_another_one_is_asked_for() {
    let open = converted(&fixture("encrypted-open.pdf")).unwrap();
    assert_eq!(open.markdown, converted(&fixture("report.pdf")).unwrap().markdown);
    let error = converted(&fixture("encrypted.pdf")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Encrypted);
    assert!(error.message.contains("password"), "{error}");
}

#[test]
fn pictures_of_pages_have_no_text() {
    let error = converted(&fixture("scanned.pdf")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoText);
    assert_eq!(error.message, "no text; OCR is not included (2 pages of pictures only)");
}

#[test]
fn a_partly_scanned_file_names_its_pictures_and_keeps_its_page_numbers() {
    let done = converted(&fixture("partly-scanned.pdf")).unwrap();
    assert_eq!(done.notes, ["pages 2-3: pictures only, no text; OCR is not included"]);
    let page_of = |text: &str| {
        let line = done.markdown.lines().zip(1..).find(|(line, _)| line.contains(text)).unwrap().1;
        done.origin_of(line).unwrap().page
    };
    assert_eq!(page_of("Text of page 1."), Some(1));
    assert_eq!(page_of("Text of page 4."), Some(4));
}

#[test]
fn every_line_of_fifty_pages_knows_its_page() {
    let mut made = MadePdf::default();
    for page in 1..=50 {
        let mut text = String::from("BT /F1 9 Tf 72 770 Td (Annual report) Tj ET\n");
        text.push_str(&format!("BT /F2 16 Tf 72 730 Td (Section {page}) Tj ET\n"));
        text.push_str(&format!("BT /F1 11 Tf 72 700 Td (The alpha of page-{page} stands here.) Tj ET\n"));
        text.push_str(&format!("BT /F1 11 Tf 72 660 Td (The omega of page-{page} runs over to the) Tj ET\n"));
        text.push_str(&format!("BT /F1 9 Tf 300 30 Td ({page}) Tj ET\n"));
        made.page(&text);
    }
    let done = converted(&made.finish()).unwrap();
    let mut seen = 0;
    for (line, number) in done.markdown.lines().zip(1..) {
        let page = done.origin_of(number).unwrap().page.unwrap();
        if let Some((_, rest)) = line.split_once("page-") {
            let named: u32 = rest.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(page, named, "line {number}: {line}");
            seen += 1;
        }
        if let Some(named) = line.strip_prefix("# Section ") {
            assert_eq!(page.to_string(), named);
            seen += 1;
        }
    }
    assert_eq!(seen, 150);
    assert!(!done.markdown.contains("Annual report"), "a running head is left");
    assert!(!done.markdown.lines().any(|line| line.parse::<u32>().is_ok()), "a page number is left");
    assert_eq!(done.origins.len(), 50);
}

/// The page of the only line that holds a text.
fn page_of(done: &Converted, text: &str) -> u32 {
    let mut lines = done.markdown.lines().zip(1..).filter(|(line, _)| line.contains(text));
    let (_, number) = lines.next().unwrap_or_else(|| panic!("{text} is missing"));
    assert!(lines.next().is_none(), "{text} stands there twice");
    done.origin_of(number).unwrap().page.unwrap()
}

#[test]
fn a_manual_of_fifty_pages_names_the_page_of_each_of_its_sentences() {
    let done = converted(&fixture("manual.pdf")).unwrap();
    assert_eq!(done.title.as_deref(), Some("Widget Field Manual"));
    for page in 1..=50 {
        assert_eq!(page_of(&done, &format!("it weighs {} grams", page * 37)), page);
    }
    for (chapter, word) in (1..).zip(["birch", "coral", "delta", "ember", "fjord", "grove", "heron", "ivory"])
    {
        let heading = format!(
            "# Chapter {chapter}: how widgets are kept in the {word} store and given back to their owners"
        );
        assert_eq!(page_of(&done, &heading), (chapter - 1) * 7 + 1);
    }
    assert_eq!(page_of(&done, "## Care in week 33"), 33);
    for gone in ["Widget Field Manual", "of 50"] {
        assert!(!done.markdown.contains(gone), "{gone} is left");
    }
}

#[test]
fn a_table_over_two_pages_is_one_table_whose_rows_know_their_pages() {
    let done = converted(&fixture("manual.pdf")).unwrap();
    assert_eq!(page_of(&done, "| Shelf | Widget | Grams |"), 23);
    assert_eq!(page_of(&done, "| S-01 | birchlet | 101 |"), 23);
    assert_eq!(page_of(&done, "| S-22 |"), 23);
    assert_eq!(page_of(&done, "| S-23 |"), 24);
    assert_eq!(page_of(&done, "| S-44 |"), 24);
}

#[test]
fn a_line_that_is_all_that_pages_say_is_no_furniture() {
    let mut made = MadePdf::default();
    for _ in 0..4 {
        made.page("BT /F1 9 Tf 72 800 Td (Annual report) Tj ET");
    }
    assert!(converted(&made.finish()).unwrap().markdown.contains("Annual report"));
}

#[test]
fn a_font_may_say_by_a_name_that_its_codes_are_unicode() {
    let mut made = MadePdf::default();
    made.page("BT /F1 12 Tf 72 700 Td <004700720075013100440065> Tj ET");
    made.object(3, "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode /Identity-H /DescendantFonts [ << /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >> ] >>");
    assert_eq!(converted(&made.finish()).unwrap().markdown, "GruıDe\n");
}

#[test]
fn a_paragraph_over_two_pages_has_a_line_on_each() {
    let mut made = MadePdf::default();
    made.page("BT /F1 11 Tf 72 60 Td (one two three four five six seven eight nine ten exam-) Tj ET");
    made.page("BT /F1 11 Tf 72 760 Td (ple eleven twelve.) Tj ET");
    let done = converted(&made.finish()).unwrap();
    assert_eq!(done.markdown, "one two three four five six seven eight nine ten example\neleven twelve.\n");
    assert_eq!(done.origin_of(1).unwrap().page, Some(1));
    assert_eq!(done.origin_of(2).unwrap().page, Some(2));
}

#[test]
fn names_in_code_and_in_cells_keep_their_hyphens() {
    let line = |font: &str, y: u32, text: &str| format!("BT /{font} 11 Tf 72 {y} Td ({text}) Tj ET ");
    let mut made = MadePdf::default();
    let code = "BT /F1 11 Tf 72 700 Td (Some words about the settings that are kept in a file called ) Tj /F3 11 Tf (docs-) Tj ET ";
    let rest = "BT /F3 11 Tf 72 687 Td (server) Tj /F1 11 Tf ( and some words about what they are for, and their configu-) Tj ET ";
    made.page(&format!("{code}{rest}{}", line("F1", 674, "ration.")));
    let done = converted(&made.finish()).unwrap();
    assert!(done.markdown.contains("`docs-server`"), "{}", done.markdown);
    assert!(done.markdown.contains("configuration."), "{}", done.markdown);

    let mut grid = String::new();
    for x in [72, 172, 272] {
        grid.push_str(&format!("{x} 600 m {x} 700 l S "));
    }
    for y in [600, 650, 700] {
        grid.push_str(&format!("72 {y} m 272 {y} l S "));
    }
    let text = |x: u32, y: u32, text: &str| format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET ");
    let cells = text(76, 686, "Key") + &text(176, 686, "Type");
    let cells = cells + &text(76, 636, "manifest-") + &text(76, 624, "version") + &text(176, 636, "number");
    let below = line("F1", 560, "Here manifest-version is a name of its own.");
    let mut made = MadePdf::default();
    made.page(&format!("{grid}{cells}{below}"));
    let done = converted(&made.finish()).unwrap();
    assert!(done.markdown.contains("| manifest-version | number |"), "{}", done.markdown);
}

#[test]
fn words_that_span_cells_stay_whole_and_lines_that_cut_words_are_no_table() {
    let mut grid = String::new();
    // Three columns; the head spans the first two, so that the line between them begins below it.
    for (x, top) in [(72, 700), (172, 680), (272, 700), (372, 700)] {
        grid.push_str(&format!("{x} 640 m {x} {top} l S "));
    }
    for y in [640, 660, 680, 700] {
        grid.push_str(&format!("72 {y} m 372 {y} l S "));
    }
    let text = |x: u32, y: u32, text: &str| format!("BT /F1 10 Tf {x} {y} Td ({text}) Tj ET ");
    let mut made = MadePdf::default();
    let cells = [(76, 646, "three"), (176, 646, "four"), (276, 646, "five")];
    let cells: String = cells.iter().map(|(x, y, cell)| text(*x, *y, cell)).collect();
    let head = text(130, 686, "A head over both of them") + &text(276, 686, "Other");
    let middle = text(76, 666, "one") + &text(176, 666, "two") + &text(276, 666, "six");
    made.page(&format!("{grid}{head}{middle}{cells}"));
    let done = converted(&made.finish()).unwrap();
    let expected = "| A head over both of them |  | Other |\n| --- | --- | --- |\n| one | two | six |\n| three | four | five |\n";
    assert_eq!(done.markdown, expected);
    let mut made = MadePdf::default();
    let lines: String =
        [650, 670, 690].map(|y| text(76, y - 4, "these words run over all of the upright lines")).concat();
    made.page(&format!("{grid} 172 640 m 172 700 l S {lines}"));
    assert!(!converted(&made.finish()).unwrap().markdown.contains('|'));
}
