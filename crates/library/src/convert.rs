//! The seam to conversion: in a child process of our own program, or in this one.

use std::path::Path;

use docent_convert::{Converted, Limits};
use docent_engine::Cancel;

use crate::LibraryError;
use crate::roots::Roots;

/// Turns bytes into Markdown.
pub trait Convert: Send + Sync {
    /// Converts a file; `name` is its path or address. An error says why it could not be, without the name, and what to do.
    /// The bytes are handed over for good, so that they need not be held here while they are worked on elsewhere.
    fn convert(&self, bytes: Vec<u8>, name: &str, cancel: &Cancel) -> Result<Conversion, LibraryError>;
}

/// Reads a file that a user named, of at most `max_bytes`, and converts it.
pub fn convert_file(
    path: &Path,
    max_bytes: u64,
    converter: &dyn Convert,
    cancel: &Cancel,
) -> Result<Conversion, LibraryError> {
    let name = path.to_str().ok_or_else(|| LibraryError {
        message: format!("the name of {} is not valid Unicode", path.display()),
        hint: "rename it".to_owned(),
    })?;
    let contents = Roots::new(&[path.to_owned()], Path::new("/")).place(name)?.read(max_bytes)?;
    converter.convert(contents.bytes, name, cancel).map_err(|error| error.of(name))
}

/// What comes of a conversion.
pub type Conversion = Converted;

/// Converts in this process, without any protection: for tests, and for text that needs none.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl Convert for InProcess {
    fn convert(&self, bytes: Vec<u8>, name: &str, _: &Cancel) -> Result<Conversion, LibraryError> {
        docent_convert::convert(&bytes, name, &Limits::default())
            .map_err(|error| LibraryError { message: error.message, hint: error.hint })
    }
}
