//! Which format a file has. What the bytes say beats what the name says.

mod magic;
mod names;

use crate::{ConvertError, ErrorKind, charset};

/// A format that can become Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Markdown, which stays as it is.
    Markdown,
    /// Plain text, and source code of known languages.
    Text,
    /// A web page.
    Html,
    /// Portable Document Format.
    Pdf,
    /// Word, since 2007.
    Docx,
    /// PowerPoint, since 2007.
    Pptx,
    /// Excel, since 2007.
    Xlsx,
    /// Comma-, semicolon- or tab-separated values.
    Csv,
    /// An electronic book.
    Epub,
    /// OpenDocument text.
    Odt,
    /// OpenDocument spreadsheet.
    Ods,
    /// Rich Text Format.
    Rtf,
    /// A Jupyter notebook.
    Notebook,
    /// reStructuredText.
    ReStructuredText,
    /// AsciiDoc.
    AsciiDoc,
    /// A manual page in roff.
    Man,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// XML of any vocabulary.
    Xml,
    /// A description of an HTTP interface, OpenAPI 3 or Swagger 2, in JSON.
    OpenApiJson,
    /// A description of an HTTP interface, OpenAPI 3 or Swagger 2, in YAML.
    OpenApiYaml,
    /// An archive of any of these.
    Zip,
}

impl Format {
    /// The short name: `docx`, `openapi`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Text => "text",
            Format::Html => "html",
            Format::Pdf => "pdf",
            Format::Docx => "docx",
            Format::Pptx => "pptx",
            Format::Xlsx => "xlsx",
            Format::Csv => "csv",
            Format::Epub => "epub",
            Format::Odt => "odt",
            Format::Ods => "ods",
            Format::Rtf => "rtf",
            Format::Notebook => "notebook",
            Format::ReStructuredText => "rst",
            Format::AsciiDoc => "asciidoc",
            Format::Man => "man",
            Format::Json => "json",
            Format::Yaml => "yaml",
            Format::Xml => "xml",
            Format::OpenApiJson | Format::OpenApiYaml => "openapi",
            Format::Zip => "zip",
        }
    }

    /// The extension that files of this format usually have, without the dot: `md`, `adoc`. It never changes, so it may be stored.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Text => "txt",
            Format::Html => "html",
            Format::Pdf => "pdf",
            Format::Docx => "docx",
            Format::Pptx => "pptx",
            Format::Xlsx => "xlsx",
            Format::Csv => "csv",
            Format::Epub => "epub",
            Format::Odt => "odt",
            Format::Ods => "ods",
            Format::Rtf => "rtf",
            Format::Notebook => "ipynb",
            Format::ReStructuredText => "rst",
            Format::AsciiDoc => "adoc",
            Format::Man => "man",
            Format::Json | Format::OpenApiJson => "json",
            Format::Yaml | Format::OpenApiYaml => "yaml",
            Format::Xml => "xml",
            Format::Zip => "zip",
        }
    }

    /// Every format.
    pub const ALL: [Format; 22] = [
        Format::Markdown,
        Format::Text,
        Format::Html,
        Format::Pdf,
        Format::Docx,
        Format::Pptx,
        Format::Xlsx,
        Format::Csv,
        Format::Epub,
        Format::Odt,
        Format::Ods,
        Format::Rtf,
        Format::Notebook,
        Format::ReStructuredText,
        Format::AsciiDoc,
        Format::Man,
        Format::Json,
        Format::Yaml,
        Format::Xml,
        Format::OpenApiJson,
        Format::OpenApiYaml,
        Format::Zip,
    ];

    /// Whether the file is text that a person could read in an editor.
    pub fn is_textual(self) -> bool {
        use Format::{Docx, Epub, Ods, Odt, Pdf, Pptx, Xlsx, Zip};
        !matches!(self, Docx | Epub | Ods | Odt | Pdf | Pptx | Xlsx | Zip)
    }
}

/// The format of a file with this content and this name; the name may be a path or a web address.
pub fn detect(bytes: &[u8], name: &str) -> Result<Format, ConvertError> {
    let by_name = names::format(name);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let textual = by_name.filter(|format| format.is_textual());
        return textual.ok_or_else(ConvertError::empty);
    }
    if let Some(found) = magic::binary(bytes) {
        return found;
    }
    if !charset::is_text(bytes) {
        let what = match by_name.filter(|format| !format.is_textual()) {
            Some(format) => {
                return Err(ConvertError::damaged(format_args!("it is no {} file inside", format.name())));
            }
            None => "the file is binary and no converter knows it",
        };
        let hint = "convert it to PDF, HTML or Markdown first";
        return Err(ConvertError::new(ErrorKind::Unsupported, what, hint));
    }
    let text = magic::text_head(bytes);
    if let Some(format) = magic::marked_up(&text, by_name) {
        // A download that failed leaves a page that says so. An address, though, may name a page about the file.
        let promised = by_name.filter(|promised| !promised.is_textual() && !name.contains("://"));
        return match promised {
            Some(promised) => Err(ConvertError::damaged(format_args!(
                "it is {} inside, not {}",
                format.name(),
                promised.name()
            ))),
            None => Ok(format),
        };
    }
    match by_name {
        Some(format) if !format.is_textual() => {
            Err(ConvertError::damaged(format_args!("it is plain text, not {}", format.name())))
        }
        Some(Format::Man) if !magic::is_roff(&text) => Ok(Format::Text),
        Some(Format::Json) if magic::is_open_api_json(&text) => Ok(Format::OpenApiJson),
        Some(Format::Yaml) if magic::is_open_api_yaml(&text) => Ok(Format::OpenApiYaml),
        Some(format) => Ok(format),
        None => Ok(magic::unnamed(&text)),
    }
}

/// The language to mark a fenced block with when the name is that of source code.
pub(crate) fn code_language(name: &str) -> Option<&'static str> {
    names::language(&names::extension(name))
}

/// The last part of a path or address, without query and fragment.
pub(crate) fn file_name(name: &str) -> &str {
    names::last_part(name)
}
