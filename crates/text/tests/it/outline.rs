//! What holds for the outline of every document: nothing is lost between sections, and lines say exactly where.

use docent_text::{LineIndex, Outline, Reach};
use proptest::prelude::*;

use crate::properties::markdown;

/// A block of a document, with the heading that it is.
#[derive(Debug, Clone)]
struct Block {
    lines: Vec<String>,
    heading: Option<(u8, String)>,
}

/// Words without any meaning to Markdown.
const WORDS: &[&str] =
    &["alpha", "Beta", "größe", "日本語", "🦀 crab", "x", "İstanbul", "two words", "don't"];

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(WORDS).prop_map(str::to_owned)
}

fn atx() -> impl Strategy<Value = Block> {
    (1u8..=6, words(), any::<bool>(), 0usize..4).prop_map(|(level, text, closed, indent)| {
        let marks = "#".repeat(usize::from(level));
        let close = if closed { format!(" {marks}") } else { String::new() };
        let line = format!("{}{marks} {text}{close}", " ".repeat(indent));
        Block { lines: vec![line], heading: Some((level, text)) }
    })
}

fn setext() -> impl Strategy<Value = Block> {
    (prop::collection::vec(words(), 1..3), any::<bool>()).prop_map(|(mut lines, first)| {
        let text = lines.join(" ");
        lines.push((if first { "===" } else { "---" }).to_owned());
        Block { lines, heading: Some((if first { 1 } else { 2 }, text)) }
    })
}

fn fence() -> impl Strategy<Value = Block> {
    let inside = prop::sample::select(vec!["# no", "## no", "no\n---", "", "    # no"]);
    (prop::sample::select(vec!["```", "~~~", "`````"]), prop::collection::vec(inside, 0..4)).prop_map(
        |(mark, inside)| {
            let inside = inside.into_iter().flat_map(|text| text.split('\n').map(str::to_owned));
            let lines = [format!("{mark}sh")].into_iter().chain(inside).chain([mark.to_owned()]).collect();
            Block { lines, heading: None }
        },
    )
}

fn other() -> impl Strategy<Value = Block> {
    let texts = vec![
        "plain text",
        "> # quoted",
        "- # in an item",
        "#none",
        "    # code",
        "| a |\n|---|\n| # b |",
        "",
    ];
    prop::sample::select(texts)
        .prop_map(|text| Block { lines: text.split('\n').map(str::to_owned).collect(), heading: None })
}

/// A document and its headings as level, text and line.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    headings: Vec<(u8, String, usize)>,
}

fn written() -> impl Strategy<Value = Written> {
    let block = prop_oneof![atx(), setext(), fence(), other()];
    let style = (prop::sample::select(vec!["\n", "\r\n", "\r"]), any::<bool>(), any::<bool>(), any::<bool>());
    (prop::collection::vec(block, 0..12), style).prop_map(
        |(blocks, (end, has_end, has_front_matter, has_mark))| {
            let mut lines: Vec<String> = Vec::new();
            if has_front_matter {
                lines.extend(["---", "title: T", "---"].map(str::to_owned));
            }
            let mut headings = Vec::new();
            for block in blocks {
                if let Some((level, text)) = block.heading {
                    headings.push((level, text, lines.len() + 1));
                }
                lines.extend(block.lines);
                // Blocks stand apart, whatever they are; a comment ends a list that would go on.
                lines.extend(["", "<!-- -->", ""].map(str::to_owned));
            }
            let mark = if has_mark { "\u{feff}" } else { "" };
            let last = if has_end && !lines.is_empty() { end } else { "" };
            Written { text: format!("{mark}{}{last}", lines.join(end)), headings }
        },
    )
}

/// What holds for every text.
fn check(text: &str) {
    let outline = Outline::of(text);
    let lines = LineIndex::new(text);
    let count = outline.headings().len();
    assert_eq!(outline.section(count, Reach::Own), None);

    let own: String = (0..count).map(|at| section(text, &lines, &outline, at, Reach::Own)).collect();
    assert_eq!(format!("{}{own}", &text[outline.preamble()]), text, "sections and preamble are the document");

    for (at, heading) in outline.headings().iter().enumerate() {
        let nested =
            outline.headings()[at + 1..].iter().take_while(|next| next.level > heading.level).count();
        let parts: String =
            (at..=at + nested).map(|at| section(text, &lines, &outline, at, Reach::Own)).collect();
        let whole = section(text, &lines, &outline, at, Reach::WithSubsections);
        assert_eq!(whole, parts, "a section is itself and what is nested in it");
        assert!(outline.find(&heading.text).contains(&at), "{:?} is not found", heading.text);
    }

    let mut read = text[outline.preamble()].to_owned();
    let mut at = 0;
    while at < count {
        let whole = section(text, &lines, &outline, at, Reach::WithSubsections);
        let level = outline.headings()[at].level;
        at += 1 + outline.headings()[at + 1..].iter().take_while(|next| next.level > level).count();
        read.push_str(whole);
    }
    assert_eq!(read, text, "top-level sections and preamble are the document");
}

/// The text of a section; its lines must select exactly that.
fn section<'t>(text: &'t str, lines: &LineIndex, outline: &Outline, at: usize, reach: Reach) -> &'t str {
    let Some(section) = outline.section(at, reach) else { panic!("heading {at} has no section") };
    assert_eq!(section.lines.start, outline.headings()[at].line);
    assert_eq!(lines.bytes(section.lines), section.bytes, "lines and bytes are the same");
    &text[section.bytes]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn the_outline_is_what_was_written(written in written()) {
        let outline = Outline::of(&written.text);
        let found: Vec<_> =
            outline.headings().iter().map(|heading| (heading.level, heading.text.clone(), heading.line)).collect();
        prop_assert_eq!(found, written.headings, "{:?}", written.text);
        check(&written.text);
    }

    #[test]
    fn sections_of_any_markdown_are_the_document(text in markdown()) {
        check(&text);
    }

    #[test]
    fn sections_of_any_text_are_the_document(text in any::<String>()) {
        check(&text);
    }
}

#[test]
fn odd_documents_are_read() {
    for text in ["", "\n", "\r\n\r\n", "\u{feff}", "# A", "A\n=", "---\n---\n", "---\ntitle: x", "# A\r# B\r"]
    {
        check(text);
    }
}
