//! Hostile files of a size that hurts: each is made here, and must end within a second or two of an unoptimised build.
//!
//! Peak memory is measured with `examples/convert.rs`; here the limits that keep it small are held.

use std::io::Write;
use std::time::{Duration, Instant};

use docent_convert::{ConvertError, Converted, ErrorKind, Limits, convert};
use zip::write::SimpleFileOptions;

fn run(bytes: impl AsRef<[u8]>, name: &str) -> Result<Converted, ConvertError> {
    let start = Instant::now();
    let done = convert(bytes.as_ref(), name, &Limits::default());
    // Far above what it takes, and far below what quadratic time would take.
    assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
    done
}

fn check_refused(bytes: impl AsRef<[u8]>, name: &str, expected: ErrorKind) {
    let error = run(bytes, name).unwrap_err();
    assert_eq!(error.kind, expected, "{name}: {error}");
    assert!(!error.hint.is_empty(), "{name}");
}

fn check_text(bytes: impl AsRef<[u8]>, name: &str, expected: &str) {
    let done = run(bytes, name).unwrap();
    assert!(
        done.markdown.contains(expected),
        "{name}: {}",
        done.markdown.get(..500).unwrap_or(&done.markdown)
    );
}

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn docx(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let document = format!("<document><body>{body}</body></document>");
    let parts = [&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &document)], more].concat();
    package(&parts)
}

fn xlsx(sheets: usize, sheet: &str, strings: &str) -> Vec<u8> {
    let list: String = (0..sheets).map(|n| format!("<sheet name='S{n}' r:id='a'/>")).collect();
    let workbook = format!("<workbook><sheets>{list}</sheets></workbook>");
    package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", &workbook),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id='a' Type='x/worksheet' Target='worksheets/s.xml'/></Relationships>",
        ),
        ("xl/worksheets/s.xml", &format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>")),
        ("xl/sharedStrings.xml", &format!("<sst>{strings}</sst>")),
    ])
}

#[test]
fn texts_that_nobody_wrote_are_refused() {
    let most = Limits::default();
    check_refused(vec![b'x'; usize::try_from(most.text_bytes).unwrap() + 1], "a.txt", ErrorKind::TooLarge);
    for unit in ["*a **a ", "word ", "`", "\u{301}", "[", "> "] {
        check_refused(unit.repeat(300_000), "a.md", ErrorKind::TooLarge);
    }
    check_refused(format!("---\na: {}\n---\n", "[".repeat(100_000)), "a.md", ErrorKind::TooLarge);
    check_refused("let a=1;".repeat(40_000), "a.min.js", ErrorKind::TooLarge);
    check_text("# h\n".repeat(100_000), "a.md", "# h\n# h\n");
    check_text(format!("word {}", "and another ".repeat(15_000)), "talk.txt", "word and another");
}

#[test]
fn pictures_in_links_lose_their_bytes_and_the_text_stays() {
    let page = format!("![logo](data:image/png;base64,{}) and text\n", "iVBOR".repeat(100_000));
    let done = run(page, "a.md").unwrap();
    assert_eq!(done.markdown, "![logo](data:image/png;base64) and text\n");
    check_text("say ;base64, aloud", "a.md", "say ;base64, aloud");
}

#[test]
fn files_without_text_are_no_errors_and_their_formats_are_known() {
    for (bytes, name) in
        [("", "a.md"), (" \n\t\r\n\u{a0}\u{2003}", "a.md"), ("", "a.html"), ("<!-- <!-- ", "a.html")]
    {
        let done = run(bytes, name).unwrap();
        assert_eq!((done.markdown.as_str(), done.notes.len()), ("", 1), "{name}");
    }
    check_refused("", "a.pdf", ErrorKind::NoText);
    check_refused("<p></p><script>draw()</script>", "a.html", ErrorKind::NoText);
}

#[test]
fn a_name_that_lies_is_told() {
    check_refused("<html>not a pdf</html>", "a.pdf", ErrorKind::Damaged);
    check_refused("<?xml version='1.0'?><a/>", "a.docx", ErrorKind::Damaged);
    check_text("<html><p>About the file", "https://a.b/blob/x.pdf", "About the file");
}

#[test]
fn includes_and_commands_stay_text() {
    for (name, line) in [
        ("a.tex", "\\input{/etc/passwd}\\write18{id}"),
        ("a.org", "#+INCLUDE: \"/etc/passwd\""),
        ("a.mdx", "import x from '/etc/passwd'"),
        ("a.textile", "h1. Title"),
        ("a.adoc", "include::/etc/passwd[]"),
    ] {
        check_text(line, name, line.trim_start_matches("include::").get(..8).unwrap());
    }
    let done = run("T\n=\n\n.. include:: /etc/passwd\n\nText\n", "a.rst").unwrap();
    assert!(!done.markdown.contains("root:"), "{}", done.markdown);
}

#[test]
fn encodings_of_any_kind_become_text() {
    check_text(b"a\xed\xa0\x80b", "a.md", "a");
    check_text(b"# \x1b]0;title\x07\x1b[2Jred", "a.md", "red");
    check_text(b"+ADw-script+AD4-", "a.txt", "+ADw-script+AD4-");
    let wide: Vec<u8> = "wörter ohne Marke".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check_text(wide, "a.txt", "wörter ohne Marke");
    check_text("if (admin\u{202e} \u{2066}// check\u{2069}", "a.md", "// check");
}

#[test]
fn what_a_reader_does_not_see_is_not_content() {
    let page = "<html><body><p>seen</p>
        <p style='display:none'>A1</p><p style='color:red; DISPLAY : none !important'>A2</p>
        <div hidden>A3</div><div aria-hidden=true>A4</div><span style='visibility:hidden'>A5</span>
        <p style='font-size:0px'>A6</p><!-- A7 --><noscript>A8</noscript><template>A9</template><script>A0</script>
        <div style='font-size:0'><p style='font-size:12px'>box</p></div><p style='display:block'>block</p>";
    let done = run(page, "a.html").unwrap();
    assert_eq!(done.markdown, "seen\n\nbox\n\nblock\n");
}

/// An element like `<b>` that nobody closes is opened again in each paragraph that follows, with all its attributes.
#[test]
fn a_page_that_multiplies_itself_is_cut() {
    let attributes: String = (0..120).map(|n| format!(" a{n}")).collect();
    let open: String = (0..100).map(|n| format!("<b n={n}{attributes}>")).collect();
    let done = run(format!("<p>first{open}{}", "<p>x".repeat(1_000)), "a.html").unwrap();
    assert!(done.markdown.starts_with("first\n"), "{}", done.markdown);
    assert!(done.markdown.matches('x').count() < 250, "{}", done.markdown);
    assert!(done.notes.iter().any(|note| note.contains("end of the page was left out")), "{:?}", done.notes);
}

#[test]
fn pages_with_too_many_parts_are_refused() {
    let attributes: String = (0..5_000).map(|n| format!(" a{n}=1")).collect();
    check_refused(format!("<p{attributes}>x"), "a.html", ErrorKind::TooLarge);
    let many: String = (0..129).map(|n| format!(" a{n}")).collect();
    check_refused(format!("<p{many}>x"), "a.html", ErrorKind::TooLarge);
    check_text("<p data-a=1 data-b=2 class='c d' style='e: f' onclick='g' id=h>x", "a.html", "x");
    check_text(format!("<p title='{}'>x", "word ".repeat(20_000)), "a.html", "x");
    check_refused("<p>a".repeat(600_000), "a.html", ErrorKind::TooLarge);
    check_refused("<div>".repeat(1_000), "a.html", ErrorKind::TooLarge);
    check_text("&amp".repeat(20_000), "a.html", "&&&");
    check_text("<svg><text>no</text></svg><p>yes</p>".repeat(1_000), "a.html", "yes");
}

#[test]
fn entities_of_xml_are_never_expanded() {
    let external = "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><d><p>before &x; after</p></d>";
    check_text(external, "a.xml", "before &amp;x; after");
    check_text(
        package(&[
            ("[Content_Types].xml", "<Types/>"),
            (
                "word/document.xml",
                "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><d><body><p><r><t>a &x; b</t></r></p></body></d>",
            ),
        ]),
        "a.docx",
        "a \\&x; b",
    );
    let long = format!("<!DOCTYPE d [<!ENTITY a \"{}\">]><d>&a;&a;</d>", "A".repeat(5_000));
    check_refused(format!("<?xml version='1.0'?>{long}"), "a.xml", ErrorKind::Refused);
    check_text(
        "<?xml version='1.0'?><!DOCTYPE plist PUBLIC 'a' 'b'><plist><k>v</k></plist>",
        "a.plist",
        "<k>v</k>",
    );
}

#[test]
fn trees_of_a_million_nodes_are_refused() {
    check_refused(format!("<r>{}</r>", "<a/>".repeat(1_100_000)), "a.xml", ErrorKind::TooLarge);
    check_refused(format!("<r{}/>", " a='b'".repeat(1_100_000)), "a.xml", ErrorKind::TooLarge);
    check_text(format!("[{}0]", "{},".repeat(300_000)), "a.json", "{},{}");
    check_refused(
        format!("{{\"nbformat\":4,\"cells\":[{}0]}}", "{},".repeat(300_000)),
        "a.ipynb",
        ErrorKind::TooLarge,
    );
    check_text("a: 1\n".repeat(100_000), "a.yaml", "a: 1\na: 1");
}

#[test]
fn a_notebook_keeps_its_text_and_not_its_giant_outputs() {
    let output = format!("{{\"output_type\":\"stream\",\"text\":\"{}\"}}", "y".repeat(2_000_000));
    let picture = format!("{{\"data\":{{\"image/png\":\"{}\"}}}}", "A".repeat(2_000_000));
    let book = format!(
        "{{\"nbformat\":4,\"cells\":[{{\"cell_type\":\"code\",\"source\":\"print(1)\",\"outputs\":[{output},{picture}]}}]}}"
    );
    let done = run(book, "a.ipynb").unwrap();
    assert!(done.markdown.contains("print(1)") && done.markdown.len() < 10_000);
}

#[test]
fn office_files_without_text_do_not_speak_of_scans() {
    for (bytes, name) in [
        (docx("<p/>", &[]), "a.docx"),
        (xlsx(1, "", ""), "a.xlsx"),
        (package(&[("a.bin", "\0\u{1}\0")]), "a.zip"),
    ] {
        let error = run(bytes, name).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoText);
        assert!(error.message.starts_with("no text in it: "), "{error}");
        assert!(!error.to_string().contains("OCR"), "{error}");
    }
}

#[test]
fn a_file_without_a_title_of_its_own_is_called_by_its_name() {
    let title = |bytes: Vec<u8>, name: &str| run(bytes, name).unwrap().title;
    let core = |title: &str| format!("<coreProperties><title>{title}</title></coreProperties>");
    let book = xlsx(1, "<row><c><v>1</v></c></row>", "");
    assert_eq!(title(book, "/x/costs.xlsx").as_deref(), Some("costs"));
    let archive = package(&[("a/readme.md", "# Read me")]);
    assert_eq!(title(archive, "https://x.org/bundle.zip?a").as_deref(), Some("bundle"));
    for (stated, expected) in [("Document1", "letter"), ("Microsoft Word - Offer.docx", "Offer")] {
        let text = docx("<p><r><t>text</t></r></p>", &[("docProps/core.xml", &core(stated))]);
        assert_eq!(title(text, "letter.docx").as_deref(), Some(expected));
    }
}

#[test]
fn sheets_with_absurd_cells_are_bounded() {
    let corner = "<row r='1048576'><c r='XFD1048576'><v>7</v></c></row><row r='4294967295'><c r='ZZZZZZ9'><v>8</v></c></row>";
    check_text(xlsx(1, corner, ""), "a.xlsx", "| 7 |");
    let cell = "<c t='s'><v>0</v></c>".repeat(60);
    let bomb = xlsx(
        1,
        &format!("<row>{cell}</row>").repeat(500),
        &format!("<si><t>{}</t></si>", "x y ".repeat(60_000)),
    );
    let done = run(bomb, "a.xlsx");
    assert!(done.is_err() || done.is_ok_and(|done| done.markdown.len() <= Limits::default().markdown_bytes));
    let wide = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(16_384));
    let done = run(xlsx(1, &wide.repeat(4), ""), "a.xlsx").unwrap();
    assert!(done.notes.iter().any(|note| note.contains("64 columns")), "{:?}", done.notes);
    let done = run(xlsx(2_000, "<row><c><v>1</v></c></row>", ""), "a.xlsx").unwrap();
    assert!(done.notes.iter().any(|note| note.contains("first 500")), "{:?}", done.notes);
    let done = run(format!("{}\n1,2\n", "a,".repeat(300_000)), "a.csv").unwrap();
    assert!(done.notes.iter().any(|note| note.contains("columns")), "{:?}", done.notes);
    let long = "1,2\n".repeat(usize::try_from(Limits::default().text_bytes).unwrap() / 4 + 9);
    check_text(long, "a.csv", "cut after 2000 rows");
}

#[test]
fn parts_that_name_each_other_come_to_an_end() {
    let slides = "<sldId r:id='a'/>".repeat(500);
    let slide =
        "<sld><cSld><spTree><sp><txBody><p><r><t>again</t></r></p></txBody></sp></spTree></cSld></sld>";
    let deck = package(&[
        ("[Content_Types].xml", "<Types/>"),
        ("ppt/presentation.xml", &format!("<p><sldIdLst>{slides}</sldIdLst></p>")),
        (
            "ppt/_rels/presentation.xml.rels",
            "<R><Relationship Id='a' Type='x/slide' Target='slides/s.xml'/></R>",
        ),
        ("ppt/slides/s.xml", slide),
        (
            "ppt/slides/_rels/s.xml.rels",
            "<R><Relationship Id='a' Type='x/notesSlide' Target='../slides/s.xml'/></R>",
        ),
    ]);
    check_text(deck, "a.pptx", "again");
    let book = package(&[
        ("mimetype", "application/epub+zip"),
        (
            "META-INF/container.xml",
            "<c><rootfiles><rootfile full-path='o.opf' media-type='application/oebps-package+xml'/></rootfiles></c>",
        ),
        (
            "o.opf",
            &format!(
                "<p><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest><spine>{}</spine></p>",
                "<itemref idref='a'/>".repeat(2_000)
            ),
        ),
        ("a.xhtml", "<html><body><p>chapter</p></body></html>"),
    ]);
    check_text(book, "a.epub", "chapter");
    let note = "<f><footnote id='1'><p><r><t>x</t><footnoteReference id='1'/></r></p></footnote></f>";
    let style =
        "<s><style styleId='a'><basedOn val='b'/></style><style styleId='b'><basedOn val='a'/></style></s>";
    let body = "<p><pPr><pStyle val='a'/></pPr><r><t>text</t><footnoteReference id='1'/></r></p>";
    check_text(docx(body, &[("word/footnotes.xml", note), ("word/styles.xml", style)]), "a.docx", "text");
    let external = "<R><Relationship Id='a' Type='x/attachedTemplate' TargetMode='External' Target='file:///etc/passwd'/></R>";
    check_text(docx(body, &[("word/_rels/document.xml.rels", external)]), "a.docx", "text");
}

#[test]
fn schemas_that_multiply_are_bounded() {
    let many = "{\"$ref\":\"#/components/schemas/A\"},".repeat(1_000);
    let schema = format!("{{\"allOf\":[{many}{{}}],\"properties\":{{\"x\":{{\"type\":\"string\"}}}}}}");
    check_text(
        format!("{{\"openapi\":\"3.0.0\",\"paths\":{{}},\"components\":{{\"schemas\":{{\"A\":{schema}}}}}}}"),
        "a.json",
        "Schema A",
    );
}

#[test]
fn containers_that_lie_are_refused() {
    let parts: Vec<(String, &str)> = (0..10_001).map(|n| (format!("{n}.txt"), "x")).collect();
    let parts: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    check_refused(package(&parts), "a.zip", ErrorKind::TooLarge);
    let mut lying = docx(&"<p><r><t>aaaaaaaa</t></r></p>".repeat(400_000), &[]);
    let at = lying.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    lying[at + 24..at + 28].copy_from_slice(&10_u32.to_le_bytes());
    check_refused(lying, "a.docx", ErrorKind::Damaged);
    let mut locked = package(&[("a.txt", "secret")]);
    let at = locked.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    locked[6] |= 1;
    locked[at + 8] |= 1;
    check_refused(locked, "a.zip", ErrorKind::Encrypted);
    let mut absurd = b"PK\x03\x04".to_vec();
    absurd.resize(30, 0);
    absurd.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    check_refused(absurd, "a.zip", ErrorKind::Damaged);
}

#[test]
fn every_entry_of_an_archive_counts_even_if_they_share_their_bytes() {
    // Many entries of the directory name the same packed bytes.
    let mut whole = package(&[("00000.txt", &"lol and more of it ".repeat(50_000))]);
    let directory = whole.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let end = whole.windows(4).position(|four| four == b"PK\x05\x06").unwrap();
    let entry = whole[directory..end].to_vec();
    let mut tail = whole.split_off(end);
    for number in 1..300 {
        let mut copy = entry.clone();
        copy[46..51].copy_from_slice(format!("{number:05}").as_bytes());
        whole.extend(copy);
    }
    let size = u32::try_from(whole.len() - directory).unwrap();
    for at in [8, 10] {
        tail[at..at + 2].copy_from_slice(&300_u16.to_le_bytes());
    }
    tail[12..16].copy_from_slice(&size.to_le_bytes());
    whole.extend(tail);
    check_refused(whole, "a.zip", ErrorKind::TooLarge);
}

#[test]
fn rich_text_with_wild_counts_ends() {
    for (unit, count) in [
        ("\\bin2147483647 ", 1_000),
        ("\\uc99999 \\u65 ", 20_000),
        ("{\\footnote ", 200),
        ("\\cell a", 50_000),
        ("}", 50_000),
        ("\\'e4", 50_000),
    ] {
        let _ = run(format!("{{\\rtf1 start {}", unit.repeat(count)), "a.rtf");
    }
    check_refused(format!("{{\\rtf1 {}", "{".repeat(100_000)), "a.rtf", ErrorKind::TooLarge);
}
