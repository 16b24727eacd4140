//! Formats that are text already: Markdown, plain text, source code, reStructuredText, manual pages.

use crate::document::Draft;
use crate::{ConvertError, Converted, Format, Source, format, man, rst};

/// Markdown stays as it is, but for its encoding and line breaks.
pub(crate) fn markdown(file: Source<'_>) -> Result<Converted, ConvertError> {
    as_it_is(file, Format::Markdown)
}

/// Plain text stays as it is; source code becomes a fenced block.
pub(crate) fn plain(file: Source<'_>) -> Result<Converted, ConvertError> {
    let Some(language) = format::code_language(file.name) else { return as_it_is(file, Format::Text) };
    let mut draft = Draft::default();
    draft.set_title(format::file_name(file.name));
    draft.code(language, &written_by_people(file)?);
    draft.finish(Format::Text, file.limits)
}

/// reStructuredText.
pub(crate) fn rst(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut draft = Draft::default();
    draft.block(&rst::to_markdown(&printable(&file.text())));
    draft.finish(Format::ReStructuredText, file.limits)
}

/// A manual page, whose name is that of the file: `git-commit.1`.
pub(crate) fn man(file: Source<'_>) -> Result<Converted, ConvertError> {
    let source = file.text();
    let file_name = format::file_name(file.name);
    let (name, section) = file_name.rsplit_once('.').unwrap_or((file_name, ""));
    let is_section = section.starts_with(|char: char| char.is_ascii_digit());
    let stated = || stated_title(&source);
    let (name, section) = if is_section {
        (name.to_owned(), section.to_owned())
    } else {
        stated().unwrap_or((name.to_owned(), "1".to_owned()))
    };
    let mut draft = Draft::default();
    if let Some(target) = man::link_target(&source) {
        draft.block(&format!("# {name}({section})\n\nSee `{target}`."));
        return draft.finish(Format::Man, file.limits);
    }
    let page = man::to_markdown(&source, &name, &section);
    draft.set_title(&page.title);
    draft.block(&page.text);
    draft.finish(Format::Man, file.limits)
}

/// Name and section in `.TH NAME 1` or `.Dt NAME 1`.
fn stated_title(source: &str) -> Option<(String, String)> {
    let line =
        source.lines().find_map(|line| line.strip_prefix(".TH ").or_else(|| line.strip_prefix(".Dt ")))?;
    let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
    let name = words.next()?.to_lowercase();
    Some((name, words.next().unwrap_or("1").to_owned()))
}

fn as_it_is(file: Source<'_>, format: Format) -> Result<Converted, ConvertError> {
    let text = written_by_people(file)?;
    let mut draft = Draft::default();
    draft.block(&text);
    draft.finish(format, file.limits)
}

/// The text of a file whose lines are as long as people and their programs write them, without pictures inside of links.
fn written_by_people(file: Source<'_>) -> Result<String, ConvertError> {
    let text = without_pictures(printable(&file.text()));
    let longest = text.lines().zip(1..).find(|(line, _)| line.len() > file.limits.line_bytes);
    if let Some((line, number)) = longest {
        let (length, most) = (line.len(), file.limits.line_bytes);
        return Err(ConvertError::too_large(format_args!(
            "line {number} has {}, at most {} are read",
            crate::limits::size(length as u64),
            crate::limits::size(most as u64)
        )));
    }
    if front_matter_depth(&text) > file.limits.depth {
        let depth = file.limits.depth;
        return Err(ConvertError::too_large(format_args!("front matter nested deeper than {depth}")));
    }
    Ok(text)
}

/// Pictures that are written into the text as `data:image/png;base64,…` keep their kind and lose their bytes.
fn without_pictures(text: String) -> String {
    if !text.contains(";base64,") {
        return text;
    }
    let mut parts = text.split(";base64,");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let length = part.bytes().take_while(|byte| is_digit(byte)).count();
        let is_picture = length > 100 && out.rsplit("data:").next().is_some_and(|kind| kind.len() < 40);
        out.push_str(if is_picture { ";base64" } else { ";base64," });
        out.push_str(part.get(if is_picture { length } else { 0 }..).unwrap_or_default());
    }
    out
}

/// How deeply brackets are nested in the front matter of a page.
fn front_matter_depth(text: &str) -> usize {
    let Some(inside) = text.strip_prefix("---\n") else { return 0 };
    let (mut depth, mut deepest) = (0_usize, 0);
    for line in inside.lines().take_while(|line| !matches!(line.trim_end(), "---" | "...")) {
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
    }
    deepest
}

/// Text without the control characters that a terminal or a parser could trip over.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|&char| !char.is_control() || matches!(char, '\n' | '\t')).collect()
}
