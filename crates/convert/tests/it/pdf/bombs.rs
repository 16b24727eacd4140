//! Files that would fill memory or never end if they were read as they ask to be.

use std::io::Write;

use docent_convert::ErrorKind;

use super::converted;
use super::made::{MadePdf, stream};

const HELLO: &str = "BT /F1 11 Tf 72 700 Td (Hello there) Tj ET ";

fn with(objects: &[(usize, Vec<u8>)], content: &str) -> Vec<u8> {
    let mut made = MadePdf::default();
    made.page(content);
    for (number, body) in objects {
        made.object(*number, body.clone());
    }
    made.finish()
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// A content stream with these filters, which is the object 11 of a made file.
fn check_refused(filters: &str, data: &[u8]) {
    let error = converted(&with(&[(11, stream(filters, data))], HELLO)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge, "{filters}: {error}");
}

fn check_text(bytes: &[u8], expected: &str) {
    assert_eq!(converted(bytes).unwrap().markdown.trim(), expected);
}

#[test]
fn bombs_are_found_behind_any_filter() {
    let spaces = vec![b' '; 40 << 20];
    let flate = deflated(&spaces);
    let hex: Vec<u8> =
        flate.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).chain(*b">").collect();
    let runs = [0x81, b' '].repeat(300_000);
    check_refused("/Filter/FlateDecode", &flate);
    check_refused("/Filter/Fl#61teDecode", &flate);
    check_refused("/Filter 9 0 R", &flate);
    check_refused("/Filter[/ASCIIHexDecode/FlateDecode]", &hex);
    check_refused("/Filter/RunLengthDecode", &runs);
    check_refused("/Filter[/RL /RL]", &[0x81, 0x81].repeat(10_000));
    check_refused("/Filter[/FlateDecode/RunLengthDecode]", &deflated(&runs));
    check_refused("/Filter/FlateDecode/Subtype/Image/First 1", &flate);
}

#[test]
fn packed_text_is_still_read() {
    let ascii85 = b"87cURD]i,\"Ebo80~>";
    check_text(
        &with(&[(11, stream("/Filter/RunLengthDecode", &[&[41], HELLO.as_bytes(), &[128]].concat()))], ""),
        "Hello there",
    );
    let hex: String = HELLO.bytes().map(|byte| format!("{byte:02X} ")).collect();
    check_text(&with(&[(11, stream("/Filter/ASCIIHexDecode", hex.as_bytes()))], ""), "Hello there");
    check_text(&with(&[(11, stream("/Filter/FlateDecode", &deflated(HELLO.as_bytes())))], ""), "Hello there");
    assert!(converted(&with(&[(11, stream("/Filter/ASCII85Decode", ascii85))], "")).is_err());
}

#[test]
fn a_page_whose_content_is_a_picture_has_no_text() {
    let picture = stream("/Subtype/Image/Filter/FlateDecode", &deflated(&vec![b' '; 40 << 20]));
    assert_eq!(converted(&with(&[(11, picture)], "")).unwrap_err().kind, ErrorKind::NoText);
}

#[test]
fn a_page_that_forgot_its_fonts_is_read() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 11 0 R /Resources << >> >>";
    check_text(&with(&[(10, page.into())], "BT /F9 9 Tf (hello) Tj ET"), "hello");
}

#[test]
fn fonts_that_state_the_widths_of_billions_of_codes_are_not_loaded() {
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [ << /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 2147483647 500] >> ] >>";
    let content = format!("{HELLO} BT /F2 12 Tf 72 500 Td <00410042> Tj ET");
    check_text(&with(&[(4, font.into())], &content), "Hello there");
}

#[test]
fn a_letter_that_stands_for_a_book_is_cut() {
    let map = format!(
        "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <{}> endbfchar endcmap",
        "0042".repeat(200_000)
    );
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>";
    let content = format!("BT /F1 1 Tf 72 700 Td {} ET", "(AAAAAAAAAA) Tj ".repeat(100));
    let done = converted(&with(&[(3, font.into()), (7, stream("", map.as_bytes()))], &content)).unwrap();
    assert!(done.markdown.len() < 100_000, "{}", done.markdown.len());
}

#[test]
fn brackets_and_trailers_without_end_are_damage() {
    for junk in ["<</a ".repeat(200_000), "trailer <</Root 1 0 R>>\n".repeat(10_000)] {
        let error = converted(format!("%PDF-1.7\n1 0 obj\n{junk}").as_bytes()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Damaged, "{error}");
    }
    for junk in
        ["(".repeat(500_000), "1 0 obj\n".repeat(100_000), "stream\n".repeat(100_000), "1 ".repeat(200_000)]
    {
        assert!(converted(format!("%PDF-1.7\n{junk}").as_bytes()).is_err());
    }
}

#[test]
fn strewn_glyphs_and_links_take_no_quadratic_time() {
    let mut content = String::from("BT /F1 1 Tf ");
    let mut at = 1_u32;
    for _ in 0..8_000 {
        at = at.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        content.push_str(&format!("1 0 0 1 {} {} Tm (a) Tj ", (at >> 8) % 590, (at >> 18) % 790));
    }
    content.push_str("ET");
    let link = "<< /Subtype /Link /Rect [0 0 1 1] /A << /S /URI /URI (http://a.b) >> >> ".repeat(20_000);
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents 11 0 R /Annots [{link}] >>"
    );
    assert!(converted(&with(&[(10, page.into())], &content)).is_ok());
}
