//! Which format a file has, and formats that are text already.

use docent_convert::{Converted, ErrorKind, Format, Limits, convert, detect};

fn check_format(bytes: &[u8], name: &str, expected: Format) {
    assert_eq!(detect(bytes, name), Ok(expected), "{name}");
}

fn check_refused(bytes: &[u8], name: &str, expected: ErrorKind) {
    let error = detect(bytes, name).unwrap_err();
    assert_eq!(error.kind, expected, "{name}: {error}");
    assert!(!error.hint.is_empty());
}

fn converted(bytes: &[u8], name: &str) -> Converted {
    convert(bytes, name, &Limits::default()).unwrap()
}

#[test]
fn bytes_beat_names() {
    check_format(b"%PDF-1.7\n", "page.html", Format::Pdf);
    check_format(b"<!DOCTYPE html><p>x", "page.doc", Format::Html);
    check_format(b"<!-- saved --><html><p>x", "page.txt", Format::Html);
    check_format(b"{\\rtf1 x}", "page.doc", Format::Rtf);
    check_format(b"<?xml version='1.0'?><a/>", "a", Format::Xml);
    check_format(b"<?xml version='1.0'?>\n<html>", "a.xml", Format::Html);
}

#[test]
fn names_decide_where_bytes_do_not() {
    check_format(b"a,b\n", "a.csv", Format::Csv);
    check_format(b"# a\n", "dir.d/README.md", Format::Markdown);
    check_format(b"# a\n", "https://a.b/c.md?raw=1#x", Format::Markdown);
    check_format(b".TH A 1\n", "a.1", Format::Man);
    check_format(b"version 1\n", "a.1", Format::Text);
    check_format(b"fn main() {}\n", "a.rs", Format::Text);
    check_format(b"{\"openapi\": \"3.0.0\"}", "a.json", Format::OpenApiJson);
    check_format(b"{\"x\": {\"openapi\": \"3.0.0\"}}", "a.json", Format::Json);
    check_format(b"info: 1\nswagger: '2.0'\n", "a.yml", Format::OpenApiYaml);
    check_format(b"anything", "https://example.com", Format::Text);
}

#[test]
fn what_has_no_text_says_so() {
    for bytes in [b"\x89PNG\r\n\x1a\n\0\0".as_slice(), b"\xff\xd8\xff\xe0\0\0", b"", b" \n"] {
        check_refused(bytes, "a.png", ErrorKind::NoText);
    }
    let error = detect(b"\x89PNG\r\n\x1a\n\0\0", "a.txt").unwrap_err();
    assert!(error.message.contains("no text; OCR is not included"), "{error}");
    for name in ["a.pdf", "a.docx", "a.zip", "a.png", "a"] {
        let error = detect(b"", name).unwrap_err();
        assert_eq!(error.message, "the file is empty", "{name}");
        assert!(!error.hint.contains("OCR"), "{name}: {error}");
    }
    assert_eq!(converted(b"", "a.html").notes, ["the file is empty"]);
    let error = detect(b"PK\x03\x04 cut", "a.docx").unwrap_err();
    assert_eq!(error.message, "the file is damaged: its zip container is cut off or broken");
    check_refused(b"\x1f\x8b\x08\0\0", "a.md", ErrorKind::Unsupported);
    check_refused(b"\0\x01\x02\x03\0\0\0\0", "a.bin", ErrorKind::Unsupported);
    check_refused(b"\0\x01\x02\x03\0\0\0\0", "a.docx", ErrorKind::Damaged);
    check_refused(b"just text", "a.docx", ErrorKind::Damaged);
    check_refused(b"PK\x03\x04 cut", "a.docx", ErrorKind::Damaged);
    check_refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "a.doc", ErrorKind::Unsupported);
}

#[test]
fn text_is_read_in_its_encoding() {
    let utf_16: Vec<u8> = "# Größe\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with_mark: Vec<u8> =
        [0xfe, 0xff].into_iter().chain("é\n".encode_utf16().flat_map(u16::to_be_bytes)).collect();
    assert_eq!(converted(&utf_16, "a.md").markdown, "# Größe\n");
    assert_eq!(converted(&with_mark, "a.txt").markdown, "é\n");
    assert_eq!(converted(b"\xef\xbb\xbfa\r\nb\r", "a.txt").markdown, "a\nb\n");
    assert_eq!(
        converted(b"Die gr\xf6\xdfte Stra\xdfe f\xfchrt \xfcber die Br\xfccke", "a.txt").markdown,
        "Die größte Straße führt über die Brücke\n"
    );
    let russian = b"\xcf\xf0\xe8\xe2\xe5\xf2, \xfd\xf2\xee \xf0\xf3\xf1\xf1\xea\xe8\xe9 \xf2\xe5\xea\xf1\xf2";
    assert_eq!(converted(russian, "a.txt").markdown, "Привет, это русский текст\n");
}

#[test]
fn titles_come_from_headings_outside_of_code() {
    assert_eq!(
        converted(b"```\n# no\n```\n\n## Real `code` \\*\n", "a.md").title.as_deref(),
        Some("Real code *")
    );
    assert_eq!(converted(b"fn main() {}\n", "src/a.rs").markdown, "```rust\nfn main() {}\n```\n");
    assert_eq!(converted(b".TH GIT 1\n.SH NAME\ngit \\- x\n", "git.1").title.as_deref(), Some("git(1)"));
}

#[test]
fn a_file_above_the_limits_is_refused_and_a_long_text_is_cut() {
    let small = Limits { decoded_bytes: 3, ..Limits::default() };
    let error = convert(b"abcd", "a.txt", &small).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    assert!(error.message.ends_with("it has 4 bytes, at most 3 bytes are read"), "{error}");
    let short = Limits { markdown_bytes: 8, ..Limits::default() };
    let cut = convert("äöü\näöü\n".as_bytes(), "a.txt", &short).unwrap();
    assert_eq!((cut.markdown.as_str(), cut.notes.len()), ("äöü\n", 1));
}

#[test]
fn formats_have_the_extension_that_their_files_usually_have() {
    for (bytes, extension) in [
        (b"# a".as_slice(), "md"),
        (b"a", "txt"),
        (b"<p>a", "html"),
        (b"%PDF-1.7", "pdf"),
        (b"a,b", "csv"),
        (b"{\\rtf1 a}", "rtf"),
        (b"{}", "ipynb"),
        (b"a", "rst"),
        (b"a", "adoc"),
        (b".TH A 1", "man"),
        (b"{}", "json"),
        (b"{\"openapi\": \"3.0.0\"}", "json"),
        (b"a: 1", "yaml"),
        (b"openapi: 3.0.0", "yaml"),
        (b"<a/>", "xml"),
    ] {
        let format = detect(bytes, &format!("file.{extension}")).unwrap();
        assert_eq!(format.extension(), extension);
    }
    assert_eq!(detect(b"a", "a.rs").unwrap().extension(), "txt");
}
