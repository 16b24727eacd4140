//! The seam to conversion: in a child process of our own program, or in this one.

use docent_convert::{Converted, Limits};

use crate::LibraryError;

/// Turns bytes into Markdown.
pub trait Convert: Send + Sync {
    /// Converts a file; `name` is its path or address. An error says why it could not be, and what to do.
    fn convert(&self, bytes: &[u8], name: &str) -> Result<Conversion, LibraryError>;
}

/// What comes of a conversion.
pub type Conversion = Converted;

/// Converts in this process, without any protection: for tests, and for text that needs none.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

impl Convert for InProcess {
    fn convert(&self, bytes: &[u8], name: &str) -> Result<Conversion, LibraryError> {
        docent_convert::convert(bytes, name, &Limits::default())
            .map_err(|error| LibraryError { message: error.message, hint: error.hint })
    }
}
