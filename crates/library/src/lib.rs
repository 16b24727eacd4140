//! Takes in what somebody throws at docent: a file, a folder, a web page, a text. Files are opened only under allowed folders, pages are
//! fetched only from where they may be, and whatever comes is converted in a process of its own.
//!
//! Start at [`Library`].
#![forbid(unsafe_code)]

mod checks;
mod child;
mod convert;
mod file_types;
mod folder;
mod intake;
mod library;
mod receipt;
mod roots;
mod slots;
mod web;

pub use child::{CONVERT_ARGUMENT, ChildProcess, ConvertLimits, serve_conversion};
pub use convert::{Conversion, Convert, InProcess, convert_file};
pub use library::{CrawlRules, DEFAULT_MAX_BYTES, FolderRules, Into, Library, Options};
pub use receipt::{FileReport, LibraryError, Receipt, Report, Status};
