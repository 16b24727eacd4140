//! Zip containers, read with caps on what comes out of them: Office, OpenDocument and EPUB files, and plain archives.
//!
//! The directory of a zip file may lie about sizes, so bytes are counted while they are unpacked.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::xml::{self, Element};
use crate::{ConvertError, ErrorKind, Format, Limits};

/// Below this size a part may be packed as well as it likes.
const SMALL: u64 = 1 << 20;

/// An open container.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    limits: &'a Limits,
    /// Bytes that may still come out.
    left: u64,
}

impl<'a> Package<'a> {
    /// Reads the directory of a container.
    pub(crate) fn open(bytes: &'a [u8], limits: &'a Limits) -> Result<Self, ConvertError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(zip_error)?;
        if archive.len() > limits.entries {
            let count = archive.len();
            return Err(ConvertError::too_large(format_args!(
                "{count} parts in the container, at most {} are read",
                limits.entries
            )));
        }
        Ok(Self { archive, limits, left: limits.decoded_bytes })
    }

    /// Names of all parts, in the order of the directory.
    pub(crate) fn names(&self) -> Vec<String> {
        self.archive.file_names().flatten().map(Cow::into_owned).collect()
    }

    /// Bytes that may still come out.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The bytes of a part; `None` when there is none of that name.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let name = name.trim_start_matches('/');
        let mut file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(zip_error(error)),
        };
        let packed = file.compressed_size();
        let cap = self.limits.entry_bytes.min(self.left);
        let cap = cap.min(packed.saturating_mul(self.limits.ratio).max(SMALL));
        let mut bytes = Vec::new();
        let taken = file.by_ref().take(cap.saturating_add(1)).read_to_end(&mut bytes);
        let taken =
            taken.map_err(|_| ConvertError::damaged(format_args!("its part {name} cannot be unpacked")))?;
        let taken = u64::try_from(taken).unwrap_or(u64::MAX);
        if taken > cap {
            return Err(ConvertError::too_large(format_args!(
                "its part {name} unpacks to more than {}",
                crate::limits::size(cap)
            )));
        }
        self.left = self.left.saturating_sub(taken);
        Ok(Some(bytes))
    }

    /// A part that is XML, as a tree; `None` when there is none of that name.
    pub(crate) fn xml(&mut self, name: &str) -> Result<Option<Element>, ConvertError> {
        let Some(bytes) = self.read(name)? else { return Ok(None) };
        xml::parse(&bytes, self.limits).map(Some)
    }

    /// A part that is XML and that the format cannot do without.
    pub(crate) fn required_xml(&mut self, name: &str) -> Result<Element, ConvertError> {
        self.xml(name)?.ok_or_else(|| ConvertError::damaged(format_args!("it has no part {name}")))
    }
}

/// Which format a container holds.
pub(crate) fn format(bytes: &[u8]) -> Result<Format, ConvertError> {
    let limits = Limits::default();
    let mut package = Package::open(bytes, &limits)?;
    let names = package.names();
    let has = |name: &str| names.iter().any(|known| known == name);
    let has_under = |folder: &str| names.iter().any(|known| known.starts_with(folder));
    if has("[Content_Types].xml") {
        for (folder, format) in [("word/", Format::Docx), ("ppt/", Format::Pptx), ("xl/", Format::Xlsx)] {
            if has_under(folder) {
                return Ok(format);
            }
        }
    }
    if has("mimetype") {
        let kind = package.read("mimetype")?.unwrap_or_default();
        let kind = String::from_utf8_lossy(&kind);
        let kind = kind.trim();
        match kind {
            "application/epub+zip" => return Ok(Format::Epub),
            "application/vnd.oasis.opendocument.text" => return Ok(Format::Odt),
            "application/vnd.oasis.opendocument.text-template" => return Ok(Format::Odt),
            "application/vnd.oasis.opendocument.spreadsheet" => return Ok(Format::Ods),
            "application/vnd.oasis.opendocument.spreadsheet-template" => return Ok(Format::Ods),
            _ if kind.starts_with("application/vnd.oasis.opendocument.") => {
                let what = "this kind of OpenDocument file cannot be converted";
                return Err(ConvertError::new(ErrorKind::Unsupported, what, "export it as PDF"));
            }
            _ => {}
        }
    }
    Ok(if has("META-INF/container.xml") { Format::Epub } else { Format::Zip })
}

fn zip_error(error: ZipError) -> ConvertError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => ConvertError::encrypted(),
        // The words of the library name the parts of a zip file that nobody has heard of.
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            ConvertError::damaged("it is packed in a way that cannot be read")
        }
        _ => ConvertError::damaged("its zip container is cut off or broken"),
    }
}

/// A path inside of a container that `reference` names from the folder of `part`; `..` cannot leave the container.
pub(crate) fn resolve(part: &str, reference: &str) -> String {
    let reference = reference.split(['#', '?']).next().unwrap_or_default();
    let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    if !reference.starts_with('/') {
        parts.extend(folder.split('/').filter(|name| !name.is_empty()));
    }
    for name in reference.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}
