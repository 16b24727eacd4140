//! Turns documents of any format into Markdown, with a map that says where each line came from.
//!
//! [`convert`] takes the bytes and the name of a file; [`detect`] says which format they have. Everything is a pure function:
//! no files, no network, no processes. The formats are read with small scanners of our own or over trees that parsers made.
//! They read what strangers wrote, so none of them panics, recurses without a bound or takes more than linear time on any
//! input; what is not understood is left out or kept as text. What comes out of a container is capped by [`Limits`].
//!
//! The scanners for manual pages, Rust and Python sources and reStructuredText can be called by themselves, too.
#![forbid(unsafe_code)]

mod archive;
mod asciidoc;
mod charset;
mod data;
mod document;
mod docx;
mod epub;
mod error;
mod format;
mod html;
mod limits;
pub mod man;
mod markdown;
mod notebook;
mod odt;
mod openapi;
mod package;
mod pdf;
mod pptx;
pub mod python_docs;
pub mod rst;
mod rtf;
mod runs;
pub mod rust_docs;
mod sheets;
mod text;
mod titles;
mod xml;

pub use document::{Converted, Origin};
pub use error::{ConvertError, ErrorKind};
pub use format::{Format, detect};
pub use limits::Limits;

/// A page of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it belongs, with `/` between folders: `api/serde/de.md`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Converts a file. `name` is its path or, for a web page, its address, from which relative links are resolved.
pub fn convert(bytes: &[u8], name: &str, limits: &Limits) -> Result<Converted, ConvertError> {
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if size > limits.decoded_bytes {
        let most = limits.decoded_bytes;
        return Err(ConvertError::too_large(format_args!(
            "it has {}, at most {} are read",
            limits::size(size),
            limits::size(most)
        )));
    }
    let format = detect(bytes, name)?;
    // Of a table only the first rows are shown, however long it is.
    if format.is_textual() && format != Format::Csv && size > limits.text_bytes {
        let most = limits.text_bytes;
        return Err(ConvertError::too_large(format_args!(
            "it has {} of text, at most {} are read",
            limits::size(size),
            limits::size(most)
        )));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Converted::empty(format));
    }
    let mut converted = convert_as(format, Source { bytes, name, limits })?;
    if !format.is_textual() && converted.title.is_none() {
        converted.title = titles::file_stem(name);
    }
    Ok(converted)
}

fn convert_as(format: Format, file: Source<'_>) -> Result<Converted, ConvertError> {
    match format {
        Format::Markdown => text::markdown(file),
        Format::Text => text::plain(file),
        Format::Html => html::convert(file),
        Format::Pdf => pdf::convert(file.bytes, file.limits),
        Format::Docx => docx::convert(file),
        Format::Pptx => pptx::convert(file),
        Format::Xlsx => sheets::xlsx(file),
        Format::Csv => sheets::csv(file),
        Format::Epub => epub::convert(file),
        Format::Odt => odt::convert(file),
        Format::Ods => sheets::ods(file),
        Format::Rtf => rtf::convert(file),
        Format::Notebook => notebook::convert(file),
        Format::ReStructuredText => text::rst(file),
        Format::AsciiDoc => asciidoc::convert(file),
        Format::Man => text::man(file),
        Format::Json => data::json(file),
        Format::Yaml => data::yaml(file),
        Format::Xml => data::xml(file),
        Format::OpenApiJson | Format::OpenApiYaml => openapi::convert(file, format),
        Format::Zip => archive::convert(file),
    }
}

/// What every converter is given.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) name: &'a str,
    pub(crate) limits: &'a Limits,
}

impl Source<'_> {
    /// The text of a textual format.
    pub(crate) fn text(&self) -> String {
        charset::decode(self.bytes, None)
    }
}
