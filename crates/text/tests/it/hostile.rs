//! Two megabytes of whatever hurts parsers; `HOSTILE_MB=10` makes it ten. A case takes a second or two in
//! a debug build, and anything quadratic would take hours, so a generous bound tells them apart.
//! `HOSTILE_TIMES=1` with `--nocapture` prints what each step took.

use std::time::{Duration, Instant};

use docent_text::{ChunkOptions, chunks, for_each_token, parse, plain};

/// For each megabyte; ten times what the slowest case takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(10);

fn size() -> usize {
    let megabytes = std::env::var("HOSTILE_MB").ok().and_then(|value| value.parse().ok());
    megabytes.unwrap_or(2) * 1_000_000
}

#[allow(clippy::print_stdout)]
fn check(name: &str, text: &str) {
    let start = Instant::now();
    let mut last = start;
    let mut steps = Vec::new();
    let mut step = |name: &'static str| {
        let now = Instant::now();
        steps.push((name, now - last));
        last = now;
    };
    let document = parse("x.md", text);
    step("parse");
    let chunks = chunks("x.md", text, &document, &ChunkOptions::default());
    step("chunks");
    assert_eq!(chunks.last().map(|chunk| chunk.bytes.end), Some(text.len()));
    plain(text);
    step("plain");
    for_each_token(text, &mut |_| {});
    step("tokens");
    if std::env::var_os("HOSTILE_TIMES").is_some() {
        println!("{name:24} {:>8} sections {:>8} chunks {steps:.2?}", document.sections.len(), chunks.len());
    }
    assert!(start.elapsed() < LIMIT * (size() / 1_000_000) as u32, "{name} took {steps:?}");
}

/// `piece` again and again.
fn repeated(piece: &str) -> String {
    piece.repeat(size() / piece.len())
}

macro_rules! repeat {
    ($($name:ident: $piece:expr;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), &repeated($piece));
        })*
    };
}

repeat! {
    quotes: ">";
    quote_lines: ">>>>>>>>>>>>>>>>>>>> a\n";
    brackets: "[";
    links_left_open: "[a](";
    images_left_open: "![[](";
    link_titles_left_open: "[a](b \"";
    link_targets_with_parentheses: "[a](((";
    closing_brackets: "a]";
    bracket_pairs: "[[]][](";
    stars: "*";
    star_words: "*a _b ";
    underscores: "_a ";
    underscore_lines: "_a b_ c\n";
    tildes: "~~a ";
    same_backticks: "` a";
    list_markers: "- ";
    list_markers_and_words: "- - - a\n";
    numbers: "1. ";
    million_headings: "# a\n\n";
    setext_headings: "a\n=\n";
    fences: "```\n# a\n";
    tilde_fences: "~~~~ x\n";
    bare_rows: "|-\n";
    table_rows: "|a|b|\n|-|-|\n|c|d|\n";
    divs: "<div>";
    div_lines: "<div>\n\n";
    tags_left_open: "<a ";
    attributes_left_open: "<a b=\"";
    quoted_attributes: "<a b=\"'";
    comments_left_open: "<!-- ";
    comments: "<!-- -->";
    scripts: "<script>";
    instructions: "<?";
    declarations: "<!A ";
    cdata: "<![CDATA[";
    entities: "&amp;&x";
    shortcodes_left_open: "{{< ";
    shortcodes_of_two_kinds: "{{% a >}} {{< b %}} ";
    liquid: "{% ";
    braces: "{";
    mdx_comments: "{/* ";
    footnotes: "[^a]: x\n";
    footnote_references: "[^a]";
    definitions: "[a]: x\n\n";
    definition_titles: "[a]: x \"\n";
    escapes: "\\";
    carriage_returns: "a\r";
    mixed_line_ends: "\r\n\r";
    nul: "\0";
    spaces: " ";
    tabs: "\t";
    blank_lines: "\n";
    one_word: "a";
    one_line: "word ";
    dashed: "a-";
    dotted: "a.";
    slashes: "a/";
    camels: "aB";
    colons: "a::";
    signs: "--a$@.+#";
    combining: "e\u{301}";
    only_combining: "\u{301}";
    han: "漢";
    thai: "ไทย";
    emoji: "🚀";
    sentences: "A. ";
    rules: "---\n";
}

#[test]
fn deep_quote_with_lazy_lines() {
    check("deep_quote_with_lazy_lines", &format!("{}a\n{}", "> ".repeat(100_000), "a\n".repeat(size() / 2)));
    check("less_deep", &format!("{}a\n{}", "> ".repeat(90), "a\n".repeat(size() / 2)));
}

#[test]
fn staircase_list() {
    let steps: String = (0..1500).map(|depth| " ".repeat(depth * 2) + "- a\n").collect();
    check("staircase_list", &(steps.clone() + &"a\n".repeat(size() / 4)));
    let steps: String = (0..400).map(|depth| " ".repeat(depth * 2) + "- a\n").collect();
    check("staircase_blank", &(steps + &"\n".repeat(size() / 4) + &"a\n".repeat(size() / 4)));
}

#[test]
fn staircase_quote_in_list() {
    let steps: String = (0..90).map(|depth| "> ".repeat(depth) + "- a\n").collect();
    check("staircase_quote_in_list", &steps.repeat(size() / steps.len()));
}

#[test]
fn backtick_runs_of_all_lengths() {
    let runs: String = (1..2000).map(|length| "`".repeat(length) + " ").collect();
    check("backticks_growing", &runs);
    let fences: String = (3..2000).rev().map(|length| "`".repeat(length) + "\n").collect();
    check("fences_shrinking", &fences);
}

#[test]
fn unclosed_fence() {
    check("unclosed_fence", &format!("```\n{}", repeated("# a\n")));
    check("unclosed_code", &format!("`{}", repeated("a b\n")));
}

#[test]
fn wide_table() {
    let row = "|a".repeat(size() / 6);
    check("wide_table", &format!("{row}\n{}\n{row}\n", "|-".repeat(size() / 6)));
    let cells = 3000;
    check(
        "short_rows",
        &format!("{}\n{}\n{}", "|a".repeat(cells), "|-".repeat(cells), "|a\n".repeat(size() / 3)),
    );
}

#[test]
fn one_long_heading_over_many() {
    check("long_heading", &format!("# {}\n{}", "word ".repeat(size() / 10), "## b\n".repeat(size() / 10)));
    let nested =
        (1..6).map(|level| format!("{} {}\n", "#".repeat(level), "x ".repeat(300))).collect::<String>();
    check("nested_headings", &(nested + &"###### c\n".repeat(size() / 9)));
}

#[test]
fn numbered_duplicates() {
    let taken: String = (2..60_000).map(|number| format!("# a {number}\n")).collect();
    check("numbered_duplicates", &(taken + &"# a\n".repeat(size() / 8)));
}

#[test]
fn many_different_definitions() {
    let text: String = (0..size() / 16).map(|number| format!("[{number}]: /x\n[{number}]\n")).collect();
    check("definitions", &text);
}

#[test]
fn front_matter_that_never_ends() {
    check("front_matter", &format!("---\n{}", repeated("a: b\n")));
    check("front_matter_ends_late", &format!("---\n{}---\n", repeated("a: b\n")));
}
