//! Files that were made to hurt: bombs, deep nesting, entities, endless marks.

use std::io::Write;

use docent_convert::{ConvertError, Converted, ErrorKind, Limits, convert};
use zip::write::SimpleFileOptions;

fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn docx(document: &[u8]) -> Vec<u8> {
    package(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", document)])
}

fn run(bytes: &[u8], name: &str) -> Result<Converted, ConvertError> {
    convert(bytes, name, &Limits::default())
}

fn check_refused(bytes: &[u8], name: &str, expected: ErrorKind) {
    let error = run(bytes, name).unwrap_err();
    assert_eq!(error.kind, expected, "{name}: {error}");
}

#[test]
fn parts_that_unpack_to_far_more_than_their_size_are_refused() {
    let mut bomb = b"<w:document><w:body>".to_vec();
    bomb.resize(20 << 20, b' ');
    check_refused(&docx(&bomb), "a.docx", ErrorKind::TooLarge);
    check_refused(&package(&[("a.txt", &vec![b'a'; 20 << 20])]), "a.zip", ErrorKind::TooLarge);
}

#[test]
fn archives_in_archives_are_refused() {
    let inner = package(&[("a.txt", b"text")]);
    let outer = package(&[("a.zip", &inner), ("b.txt", b"shown")]);
    let converted = run(&outer, "a.zip").unwrap();
    assert_eq!(converted.markdown, "# b.txt\n\nshown\n");
    assert!(converted.notes.iter().any(|note| note.contains("archive inside")), "{:?}", converted.notes);
    check_refused(&package(&[("a.zip", &inner)]), "a.zip", ErrorKind::NoText);
}

#[test]
fn document_types_are_refused_and_nothing_is_expanded() {
    let laughs = b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><x>&b;</x>";
    check_refused(laughs, "a.xml", ErrorKind::Refused);
    check_refused(&docx(laughs), "a.docx", ErrorKind::Refused);
    let converted = run(b"<?xml version='1.0'?><x>&b; &#65; &lt;</x>", "a.xml").unwrap();
    assert!(converted.markdown.contains("A &lt;"), "{}", converted.markdown);
}

#[test]
fn what_is_nested_deeply_is_refused_or_cut() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("{}x{}", open.repeat(count), close.repeat(count)).into_bytes()
    };
    check_refused(&docx(&deep("<a>", "</a>", 100_000)), "a.docx", ErrorKind::TooLarge);
    check_refused(
        &[b"<?xml version='1.0'?>".to_vec(), deep("<a>", "</a>", 100_000)].concat(),
        "a.xml",
        ErrorKind::TooLarge,
    );
    check_refused(
        &[b"{\\rtf1 ".to_vec(), deep("{", "}", 100_000), b"}".to_vec()].concat(),
        "a.rtf",
        ErrorKind::TooLarge,
    );
    for (open, close) in [
        ("<div>", "</div>"),
        ("<b>", "</b>"),
        ("<ul><li>", "</li></ul>"),
        ("<blockquote>", ""),
        ("<table><tr><td>", ""),
    ] {
        let page = |count| [b"<!DOCTYPE html><p>Start</p>".to_vec(), deep(open, close, count)].concat();
        check_refused(&page(5_000), "a.html", ErrorKind::TooLarge);
        let converted = run(&page(500), "a.html").unwrap();
        assert!(converted.markdown.contains("Start"), "{open}");
    }
    let _ = run(&deep("[", "]", 100_000), "a.json").unwrap();
    let _ = run(&[b"openapi: ".to_vec(), deep("[", "]", 100_000)].concat(), "a.yaml");
    let _ = run(&deep("* ", "", 100_000), "a.adoc");
}

#[test]
fn marks_without_an_end_take_linear_time() {
    for (name, mark) in [
        ("a.adoc", "[["),
        ("a.adoc", "<<"),
        ("a.adoc", "*a"),
        ("a.adoc", "`"),
        ("a.adoc", "link:"),
        ("a.adoc", "====\n"),
        ("a.adoc", "[a]\n"),
        ("a.adoc", "{a"),
        ("a.rst", "[1]_"),
        ("a.rst", "== ==\n\n"),
        ("a.rst", ".. a::\n "),
        ("a.csv", "\""),
        ("a.csv", ",\n"),
        ("a.yaml", "a:\n b\n"),
        ("a.rtf", "\\'"),
        ("a.html", "<p"),
        ("a.html", "<a href="),
        ("a.txt", "# "),
    ] {
        let start = if name == "a.rtf" { "{\\rtf1 " } else { "x\n" };
        let _ = run(format!("{start}{}", mark.repeat(50_000)).as_bytes(), name);
    }
}

#[test]
fn entities_and_repeats_that_multiply_are_bounded() {
    let attributes: String = (1..60).map(|n| format!(":a{n}: {{a{0}}}{{a{0}}}\n", n - 1)).collect();
    let converted = run(format!("= T\n\n:a0: ha\n{attributes}\n{{a59}}\n").as_bytes(), "a.adoc").unwrap();
    assert!(converted.markdown.len() < 100_000);
    let anchors: String = (1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect();
    let bomb = format!("openapi: 3.0.0\na0: &a0 [x, x]\n{anchors}paths: {{}}\n");
    let _ = run(bomb.as_bytes(), "a.yaml");
    let rows = format!(
        "<c><body><spreadsheet><table><table-row table:number-rows-repeated='1000000'><table-cell table:number-columns-repeated='16000'><p>{}</p></table-cell></table-row></table></spreadsheet></body></c>",
        "x".repeat(100_000)
    );
    let ods = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", rows.as_bytes()),
    ]);
    let converted = run(&ods, "a.ods").unwrap();
    assert!(converted.markdown.len() < 64 << 20);
}

#[test]
fn protected_files_say_so() {
    let mut old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    old.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    check_refused(&old, "a.docx", ErrorKind::Encrypted);
    let manifest = b"<manifest><file-entry><encryption-data/></file-entry></manifest>";
    let odt = package(&[
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        ("content.xml", b"x"),
        ("META-INF/manifest.xml", manifest),
    ]);
    check_refused(&odt, "a.odt", ErrorKind::Encrypted);
}
