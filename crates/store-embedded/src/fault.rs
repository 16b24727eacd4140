//! What goes wrong inside, before it is told to anyone.
//!
//! SQLite, tantivy and the file system each have their own errors. Inside the crate they travel as a [`Fault`]; at the
//! public boundary [`Fault::at`] turns it into the [`StoreError`] that says what the reader can do.

use std::io;
use std::path::Path;

use docent_index::StoreError;
use rusqlite::ErrorCode;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

use crate::schema;

#[derive(Debug)]
pub(crate) enum Fault {
    Sqlite(rusqlite::Error),
    Tantivy(TantivyError),
    Io(io::Error),
    /// The write lock was not free in time.
    Busy,
    /// The record has a format from the future.
    Newer(u32),
    /// The record is that of a built index, which nobody writes to.
    ReadOnly,
    /// There is no collection of this name.
    NoCollection(String),
    /// There is a collection of this name already.
    CollectionExists(String),
    /// What is there contradicts itself.
    Damaged(String),
    /// A mistake of the caller or of this crate.
    Internal(String),
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// The error for the caller of the store at `dir`.
    pub(crate) fn at(self, dir: &Path) -> StoreError {
        let place = dir.display().to_string();
        let detail = self.detail();
        match self {
            _ if self.is_full(dir) => StoreError::Full { place },
            _ if self.is_refusal() && std::fs::read_dir(dir).is_ok() => {
                StoreError::NotWritable { place, detail }
            }
            _ if self.is_damage() => StoreError::Damaged { place, detail },
            Self::Busy => StoreError::Busy { place },
            Self::ReadOnly => StoreError::ReadOnly { place },
            Self::NoCollection(name) => StoreError::NoCollection { place, name },
            Self::CollectionExists(name) => StoreError::CollectionExists { place, name },
            Self::Newer(found) => StoreError::Newer { place, found, supported: schema::FORMAT },
            Self::Io(_) => StoreError::Io { place, detail },
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { place },
                Some(
                    ErrorCode::CannotOpen
                    | ErrorCode::PermissionDenied
                    | ErrorCode::ReadOnly
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::FileLockingProtocolFailed,
                ) => StoreError::Io { place, detail },
                _ => StoreError::Internal { place, detail },
            },
            Self::Tantivy(error) if io_error(&error).is_some() => StoreError::Io { place, detail },
            _ => StoreError::Internal { place, detail },
        }
    }

    /// The same for an index that is never written to: the disk is not asked whether it is full.
    pub(crate) fn at_built(self, dir: &Path) -> StoreError {
        let (place, detail) = (dir.display().to_string(), self.detail());
        match self {
            Self::Newer(found) => StoreError::Newer { place, found, supported: schema::FORMAT },
            Self::ReadOnly => StoreError::ReadOnly { place },
            Self::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                StoreError::Io { place, detail }
            }
            _ => StoreError::BuiltDamaged { place, detail },
        }
    }

    /// Whether bytes on disk cannot be what was written.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Sqlite(
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..),
            ) => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
            ),
            Self::Tantivy(error) if io_error(error).is_some_and(is_nonsense) => true,
            Self::Tantivy(error) => matches!(
                error,
                TantivyError::DataCorruption(_)
                    | TantivyError::IncompatibleIndex(_)
                    | TantivyError::OpenReadError(OpenReadError::IncompatibleIndex(_))
                    | TantivyError::SchemaError(_)
                    | TantivyError::DeserializeError(_)
            ),
            _ => false,
        }
    }

    /// Whether the system does not let this user write.
    fn is_refusal(&self) -> bool {
        let error = match self {
            Self::Sqlite(error) => {
                return matches!(
                    error.sqlite_error_code(),
                    Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly)
                );
            }
            Self::Io(error) => Some(error),
            Self::Tantivy(error) => io_error(error),
            _ => None,
        };
        error.is_some_and(|error| {
            matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
        })
    }

    fn is_full(&self, dir: &Path) -> bool {
        match self {
            // A limit on the size of files reaches SQLite as an I/O error like any other, so the disk is asked.
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => true,
                Some(ErrorCode::SystemIoFailure) => has_no_room(dir),
                _ => false,
            },
            Self::Io(error) => is_full(error),
            Self::Tantivy(error) => match io_error(error) {
                Some(error) => is_full(error),
                // Its worker threads keep the system's error to themselves, so the disk is asked instead.
                None => matches!(error, TantivyError::ErrorInThread(_)) && has_no_room(dir),
            },
            _ => false,
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Sqlite(error) => error.to_string(),
            Self::Tantivy(error) => error.to_string(),
            Self::Io(error) => error.to_string(),
            Self::Busy => "another process is writing".to_owned(),
            Self::Newer(found) => format!("format {found}"),
            Self::ReadOnly => "it is read-only".to_owned(),
            Self::NoCollection(name) => format!("there is no collection `{name}`"),
            Self::CollectionExists(name) => format!("there is a collection `{name}` already"),
            Self::Damaged(detail) | Self::Internal(detail) => detail.clone(),
        }
    }
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Bytes that can be read and cannot be what was written.
fn is_nonsense(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
}

fn io_error(error: &TantivyError) -> Option<&io::Error> {
    match error {
        TantivyError::IoError(error) => Some(error),
        TantivyError::OpenDirectoryError(
            OpenDirectoryError::IoError { io_error, .. }
            | OpenDirectoryError::FailedToCreateTempDir(io_error),
        )
        | TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. })
        | TantivyError::LockFailure(LockError::IoError(io_error), _) => Some(io_error),
        _ => None,
    }
}

fn has_no_room(dir: &Path) -> bool {
    let probe = dir.join(".room");
    let outcome = std::fs::write(&probe, vec![1u8; 1 << 20]);
    // Left behind at worst: the next probe writes over it.
    let _ = std::fs::remove_file(&probe);
    outcome.is_err_and(|error| is_full(&error))
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<TantivyError> for Fault {
    fn from(error: TantivyError) -> Self {
        Self::Tantivy(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(format!("a stored list does not parse: {error}"))
    }
}

macro_rules! through_tantivy {
    ($($error:ty),*) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::Tantivy(error.into())
            }
        })*
    };
}
through_tantivy!(OpenDirectoryError, OpenReadError, OpenWriteError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_may_only_be_read_is_told_apart_from_one_that_is_not_there() {
        let dir = tempfile::tempdir().unwrap();
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            let at = |dir: &Path| Fault::Io(kind.into()).at(dir);
            assert!(matches!(at(dir.path()), StoreError::NotWritable { .. }));
            assert!(matches!(at(&dir.path().join("missing")), StoreError::Io { .. }));
        }
        let other = Fault::Io(io::ErrorKind::NotFound.into()).at(dir.path());
        assert!(matches!(other, StoreError::Io { .. }));
    }
}
