//! Archives: each file that can be converted becomes a section named by its path.

use crate::document::Draft;
use crate::package::Package;
use crate::{ConvertError, Converted, ErrorKind, Format, Limits, Source, markdown};

/// Names of files that were not converted which are listed in the notes.
const MOST_NAMED: usize = 20;

/// Converts an archive; archives inside of it are refused.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let mut package = Package::open(file.bytes, file.limits)?;
    let mut names = package.names();
    names.sort();
    let mut draft = Draft::default();
    let mut left_out = 0_usize;
    for name in names.iter().filter(|name| is_document(name)) {
        if draft.len() > file.limits.markdown_bytes {
            draft.note("the archive holds more text than fits; the rest of its files were left out");
            break;
        }
        let bytes = package.read(name)?.unwrap_or_default();
        let limits = Limits { decoded_bytes: package.left(), ..file.limits.clone() };
        match part(&bytes, name, &limits) {
            Ok(part) => {
                draft.origin(None, Some(name));
                draft.heading(1, &markdown::escape(name));
                draft.append(&part, 1, name);
            }
            Err(error) if error.kind == ErrorKind::TooLarge => return Err(error),
            Err(error) => {
                left_out += 1;
                if left_out <= MOST_NAMED {
                    draft.note(format!("{name} was left out: {}", error.message));
                }
            }
        }
    }
    if left_out > MOST_NAMED {
        draft.note(format!("{} more files were left out", left_out - MOST_NAMED));
    }
    draft.finish(Format::Zip, file.limits)
}

fn part(bytes: &[u8], name: &str, limits: &Limits) -> Result<Converted, ConvertError> {
    let file = Source { bytes, name, limits };
    match crate::detect(bytes, name)? {
        Format::Zip => {
            let message = "an archive inside of an archive is not read";
            Err(ConvertError::new(ErrorKind::Refused, message, "unpack the outer archive first"))
        }
        format => crate::convert_as(format, file),
    }
}

/// Folders, hidden files and what systems leave behind are no documents.
fn is_document(name: &str) -> bool {
    let is_hidden = |part: &str| part.starts_with('.') || part == "__MACOSX";
    !name.ends_with('/') && !name.split('/').any(is_hidden)
}
