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
    draft.code(language, &printable(&file.text()));
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
    let mut draft = Draft::default();
    draft.block(&printable(&file.text()));
    draft.finish(format, file.limits)
}

/// Text without the control characters that a terminal or a parser could trip over.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|&char| !char.is_control() || matches!(char, '\n' | '\t')).collect()
}
