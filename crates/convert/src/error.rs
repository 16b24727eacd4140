//! Why a file could not be converted: what happened, to what, and what to do next.

use std::fmt;

use crate::Format;

/// What kind of failure it is, so that a caller can count and choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No converter reads this kind of file.
    Unsupported,
    /// The file is cut, broken or not what its name says.
    Damaged,
    /// The file was read and holds no text: a picture, a scan, an empty page.
    NoText,
    /// It decodes to more than the limits allow.
    TooLarge,
    /// It needs a password.
    Encrypted,
    /// It holds something that is refused on purpose, such as a document type declaration.
    Refused,
}

impl ErrorKind {
    /// A word for logs and JSON: `too_large`.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Damaged => "damaged",
            ErrorKind::NoText => "no_text",
            ErrorKind::TooLarge => "too_large",
            ErrorKind::Encrypted => "encrypted",
            ErrorKind::Refused => "refused",
        }
    }
}

/// A file that could not be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What happened, in one line, without the name of the file.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl ConvertError {
    /// An error of a kind; both texts are one line without a full stop at the end.
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into() }
    }

    /// The file is broken in the way that `what` says.
    pub fn damaged(what: impl fmt::Display) -> Self {
        let hint = "open the file in the program that made it and save it again";
        Self::new(ErrorKind::Damaged, format!("the file is damaged: {what}"), hint)
    }

    /// A limit was hit: `what` names it with its value.
    pub fn too_large(what: impl fmt::Display) -> Self {
        let hint = "split it into smaller files";
        Self::new(ErrorKind::TooLarge, format!("the file is too large to convert: {what}"), hint)
    }

    /// Nothing is in the file.
    pub fn empty() -> Self {
        Self::new(ErrorKind::NoText, "the file is empty", "check that it was saved or downloaded completely")
    }

    /// A file of a format that holds text as text, and here none.
    pub fn without_text(format: Format) -> Self {
        let (what, hint) = match format {
            Format::Pptx => ("the presentation has no text", "texts inside of its pictures are not read"),
            Format::Xlsx | Format::Ods => ("the workbook has no filled cells", "leave it out"),
            Format::Epub => ("the book has no text", "its pages may be pictures, which are not read"),
            Format::Zip => ("the archive has no file with text", "unpack it and give the files that matter"),
            _ => ("the document has no text", "texts inside of its pictures are not read"),
        };
        Self::new(ErrorKind::NoText, format!("no text in it: {what}"), hint)
    }

    /// Pages or pictures that may show text and hold none, for the reason that `what` says.
    pub fn no_text(what: impl fmt::Display) -> Self {
        let hint = "run it through an OCR program first; docent reads text, not pictures of text";
        Self::new(ErrorKind::NoText, format!("no text; OCR is not included ({what})"), hint)
    }

    /// The file needs a password.
    pub fn encrypted() -> Self {
        let hint = "save a copy without a password";
        Self::new(ErrorKind::Encrypted, "the file is protected with a password", hint)
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\nhint: {}", self.message, self.hint)
    }
}

impl std::error::Error for ConvertError {}
