//! Structure that real documents have and that a fixture does not show: counted lists, blocks in cells.

use std::io::Write;

use docent_convert::{Limits, convert};
use zip::write::SimpleFileOptions;

fn check(bytes: &[u8], name: &str, expected: &str) {
    assert_eq!(convert(bytes, name, &Limits::default()).unwrap().markdown, expected);
}

fn docx(body: &str, numbering: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let numbering = format!("<w:numbering>{numbering}</w:numbering>");
    for (name, text) in [
        ("[Content_Types].xml", "<Types/>"),
        ("word/document.xml", &document),
        ("word/numbering.xml", &numbering),
    ] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn item(list: u32, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val='0'/><w:numId w:val='{list}'/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

#[test]
fn lists_of_one_kind_count_on_and_start_anew_where_they_say_so() {
    let numbering = "<w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/></w:lvl></w:abstractNum>\
        <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>\
        <w:num w:numId='2'><w:abstractNumId w:val='7'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/></w:lvlOverride></w:num>";
    let body = [item(1, "a"), item(1, "b"), item(2, "c"), item(1, "d"), item(2, "e")].concat();
    check(&docx(&body, numbering), "a.docx", "1. a\n2. b\n1. c\n2. d\n3. e\n");
}

#[test]
fn blocks_in_a_cell_stay_apart() {
    let page = "<table><tr><th>Name<th>Parts</tr><tr><td>x<td><ul><li>one</li><li>two</li></ul></tr><tr><td>y<td><p>a</p><p>b</p></tr></table>";
    check(page.as_bytes(), "a.html", "| Name | Parts |\n| --- | --- |\n| x | one<br>two |\n| y | a<br>b |\n");
}
