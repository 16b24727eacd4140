//! Damaged and hostile files: no panic, no endless loop, no flood of memory.

use std::io::Write;

use docent_convert::ErrorKind;
use proptest::prelude::*;

use super::made::{MadePdf, stream};
use super::{converted, fixture};

const HELLO: &str = "BT /F1 11 Tf 72 700 Td (Hello there) Tj ET";

fn made(content: &str, number: usize, body: impl Into<Vec<u8>>) -> Vec<u8> {
    let mut made = MadePdf::default();
    made.page(content);
    made.object(number, body);
    made.finish()
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn check_text(bytes: &[u8], expected: &str) {
    assert_eq!(converted(bytes).unwrap().markdown.trim(), expected);
}

#[test]
fn a_page_tree_that_contains_itself_ends() {
    let kids = "<< /Type /Pages /Kids [2 0 R 10 0 R 2 0 R 10 0 R] /Count 4 >>";
    check_text(&made(HELLO, 2, kids), "Hello there");
    let error = converted(&made(HELLO, 2, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"));
    assert!(error.is_err() || error.is_ok_and(|done| done.markdown.trim() == "Hello there"));
}

#[test]
fn a_form_that_draws_itself_ends() {
    let form = "/Type /XObject /Subtype /Form /BBox [0 0 600 900] /Resources << /XObject << /X 6 0 R >> /Font << /F1 3 0 R >> >>";
    let body = stream(form, format!("{HELLO} /X Do /X Do").as_bytes());
    check_text(&made("/X Do", 6, body), "Hello there");
}

#[test]
fn forms_that_multiply_count_for_more_than_what_is_in_them() {
    let mut made = MadePdf::default();
    made.page(&format!("{HELLO} /X Do"));
    // A million drawings in all.
    for (this, next) in [(6, 100), (100, 101), (101, 102), (102, 103), (103, 104), (104, 105)] {
        let dict = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {next} 0 R >> >>"
        );
        made.object(this, stream(&dict, "/X Do ".repeat(10).as_bytes()));
    }
    let done = converted(&made.finish()).unwrap();
    assert_eq!(done.markdown.trim(), "Hello there");
    assert!(done.notes.iter().any(|note| note.contains("too much content")), "{:?}", done.notes);
}

#[test]
fn an_object_stream_that_contains_itself_ends() {
    let body = stream("/Type /ObjStm /N 1 /First 4 /Extends 6 0 R", b"6 0 6 0 R");
    check_text(&made(HELLO, 6, body), "Hello there");
}

#[test]
fn bookmarks_in_a_circle_end() {
    let mut made = MadePdf::default();
    made.page(HELLO);
    made.object(1, "<< /Type /Catalog /Pages 2 0 R /Outlines 7 0 R /StructTreeRoot 8 0 R >>");
    made.object(7, "<< /Title (a) /First 7 0 R /Next 7 0 R >>");
    made.object(8, "<< /K [8 0 R 8 0 R] /S /H1 >>");
    check_text(&made.finish(), "Hello there");
}

#[test]
fn a_huge_page_is_read_like_any_other() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [-9999999999999999 0 99999999999999999999999999999999999999999 99999999999999999999] /Contents 11 0 R /Resources << /Font << /F1 3 0 R >> >> >>";
    check_text(&made(HELLO, 10, page), "Hello there");
}

#[test]
fn a_deflate_bomb_is_refused_before_it_is_unpacked() {
    let bomb = deflated(&vec![b' '; 128 << 20]);
    assert!(bomb.len() < 200_000);
    let error = converted(&made(HELLO, 11, stream("/Filter /FlateDecode", &bomb))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    let twice = deflated(&bomb);
    let error =
        converted(&made(HELLO, 11, stream("/Filter [/FlateDecode /FlateDecode]", &twice))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
    let thrice = stream("/Filter [/FlateDecode /FlateDecode /FlateDecode]", &deflated(&twice));
    assert_eq!(converted(&made(HELLO, 11, thrice)).unwrap_err().kind, ErrorKind::TooLarge);
}

#[test]
fn arrays_within_arrays_do_not_overflow_the_stack() {
    let deep = format!("{HELLO}\n{}1{} TJ", "[".repeat(100_000), "]".repeat(100_000));
    let done = converted(&made(&deep, 7, format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))));
    assert!(done.is_err() || done.is_ok_and(|done| done.markdown.contains("Hello there")));
}

#[test]
fn states_that_are_saved_and_never_restored_are_bounded() {
    check_text(&made(&format!("{}{HELLO}", "q ".repeat(200_000)), 7, "null"), "Hello there");
}

#[test]
fn many_empty_pages_are_walked_through() {
    let kids = "<< /Type /Page >> ".repeat(50_000);
    let pages = format!("<< /Type /Pages /Kids [10 0 R {kids}] /Count 50001 /MediaBox [0 0 100 100] >>");
    let done = converted(&made(HELLO, 2, pages)).unwrap();
    assert_eq!(done.markdown.trim(), "Hello there");
    assert_eq!(done.notes, ["only the first 20000 of 50001 pages were read"]);
}

#[test]
fn numbers_that_are_none_place_no_glyph() {
    let huge = "9".repeat(200);
    let content = format!("{HELLO} BT /F1 {huge} Tf {huge} 0 0 {huge} {huge} {huge} Tm (Gone) Tj ET");
    check_text(&made(&content, 7, "null"), "Hello there");
}

#[test]
fn what_is_not_a_pdf_is_damaged() {
    for bytes in [&b"%PDF-1.7\n"[..], b"%PDF-1.4\n1 0 obj\n<<", b"%PDF-\xff\xff trailer << /Root 1 0 R >>"] {
        assert_eq!(converted(bytes).unwrap_err().kind, ErrorKind::Damaged);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_and_flipped_files_end_with_text_or_an_error(
        which in 0_usize..4,
        cut in 0.0_f64..1.4,
        flips in proptest::collection::vec((0.0_f64..1.0, any::<u8>()), 0..24),
    ) {
        let name = ["report.pdf", "guide.pdf", "columns.pdf", "encrypted-open.pdf"][which];
        let mut bytes = fixture(name);
        for (at, value) in flips {
            let at = (at * bytes.len() as f64) as usize;
            bytes[at] ^= value;
        }
        bytes.truncate((cut * bytes.len() as f64) as usize);
        if let Ok(done) = converted(&bytes) {
            let lines = done.markdown.lines().count() as u32;
            prop_assert!((1..=lines).all(|line| done.origin_of(line).is_none_or(|origin| origin.page.is_none_or(|page| page >= 1))));
        }
    }
}
