//! Opens a path below a root so that neither a link nor a swap on the way can lead out of it.
//!
//! Linux can be told to stay beneath a folder (`openat2`). Elsewhere links are resolved first, the result is opened without
//! following another one, and afterwards the name must still mean the file that was opened. Nothing that is opened waits: a pipe
//! without a writer would do so for ever.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::LibraryError;

/// A file or folder, and where below the root it really is, as far as the system tells.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) below: Option<PathBuf>,
}

/// Why nothing was opened.
#[derive(Debug)]
pub(super) enum OpenError {
    /// It is not below the root.
    LeadsOut,
    Io(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Opens `below` inside of `root`, which is absolute and without links; an empty path means the root itself.
pub(super) fn beneath(root: &Path, below: &Path) -> Result<Opened, OpenError> {
    if below.as_os_str().is_empty() {
        return Ok(Opened { file: open_plainly(root, true)?, below: None });
    }
    #[cfg(target_os = "linux")]
    if let Some(opened) = linux::beneath(root, below) {
        return opened;
    }
    resolved_first(root, below)
}

/// Words for an error of the system.
pub(super) fn unreadable(path: &str, error: &io::Error) -> LibraryError {
    let path = super::shown(path);
    let (message, hint) = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            // A shell makes paths absolute before they come here; where a relative one starts only agents need to know.
            let hint = match Path::new(&path).is_absolute() {
                true => "check the path",
                false => "check the path; relative paths start at the project folder",
            };
            (format!("there is no file {path}"), hint)
        }
        io::ErrorKind::PermissionDenied => (
            format!("cannot read {path}: permission denied"),
            "make it readable for the user that runs docent",
        ),
        _ => {
            let text = error.to_string();
            let reason = text.split(" (os error").next().unwrap_or(&text).to_lowercase();
            (format!("cannot read {path}: {reason}"), "check the path and try again")
        }
    };
    LibraryError { message, hint: hint.to_owned() }
}

#[cfg(unix)]
fn open_plainly(path: &Path, follow: bool) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let follow = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let file = rustix::fs::open(path, FLAGS | follow, Mode::empty())?;
    Ok(File::from(file))
}

#[cfg(unix)]
const FLAGS: rustix::fs::OFlags = {
    use rustix::fs::OFlags;
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY)
};

#[cfg(not(unix))]
fn open_plainly(path: &Path, _: bool) -> io::Result<File> {
    File::open(path)
}

/// Resolves links, opens what they lead to, and looks whether that is still what the name means.
pub(super) fn resolved_first(root: &Path, below: &Path) -> Result<Opened, OpenError> {
    let named = root.join(below);
    let real = std::fs::canonicalize(&named)?;
    let Ok(inside) = real.strip_prefix(root).map(Path::to_owned) else { return Err(OpenError::LeadsOut) };
    let file = open_plainly(&real, false)?;
    let is_same = std::fs::canonicalize(&named)? == real && is_same_file(&file, &real)?;
    if !is_same {
        return Err(OpenError::Io(io::Error::other("it was replaced while it was opened")));
    }
    Ok(Opened { file, below: Some(inside) })
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (opened, named) = (file.metadata()?, std::fs::symlink_metadata(path)?);
    Ok((opened.dev(), opened.ino()) == (named.dev(), named.ino()))
}

#[cfg(not(unix))]
fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    let (opened, named) = (file.metadata()?, std::fs::symlink_metadata(path)?);
    Ok(opened.len() == named.len() && opened.modified()? == named.modified()? && !named.is_symlink())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::path::{Path, PathBuf};

    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    use super::{FLAGS, OpenError, Opened};

    /// How often a folder may be renamed under our feet before that is an error.
    const TRIES: usize = 8;

    /// Opens with the system's own promise to stay beneath the root; `None` where the system knows no such promise.
    pub(super) fn beneath(root: &Path, below: &Path) -> Option<Result<Opened, OpenError>> {
        let handle =
            match rustix::fs::open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
                Ok(handle) => handle,
                Err(error) => return Some(Err(OpenError::Io(error.into()))),
            };
        match open(&handle, below, ResolveFlags::empty()) {
            // Kernels before 5.6, and containers that refuse calls which they do not know.
            Err(Errno::NOSYS | Errno::PERM) => None,
            // An absolute link counts as leading out, even where it leads back in.
            Err(Errno::XDEV) => Some(through_links(&handle, root, below)),
            Err(error) => Some(Err(OpenError::Io(error.into()))),
            Ok(file) => Some(placed(file, root)),
        }
    }

    fn open(handle: &OwnedFd, below: &Path, more: ResolveFlags) -> Result<OwnedFd, Errno> {
        let stay = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | more;
        let mut outcome = Err(Errno::AGAIN);
        for _ in 0..TRIES {
            outcome = openat2(handle, below, FLAGS, Mode::empty(), stay);
            if !matches!(outcome, Err(Errno::AGAIN)) {
                break;
            }
        }
        outcome
    }

    fn through_links(handle: &OwnedFd, root: &Path, below: &Path) -> Result<Opened, OpenError> {
        let Ok(real) = std::fs::canonicalize(root.join(below)) else { return Err(OpenError::LeadsOut) };
        let Ok(inside) = real.strip_prefix(root) else { return Err(OpenError::LeadsOut) };
        match open(handle, inside, ResolveFlags::NO_SYMLINKS) {
            Ok(file) => placed(file, root),
            Err(Errno::XDEV | Errno::LOOP) => Err(OpenError::LeadsOut),
            Err(error) => Err(OpenError::Io(error.into())),
        }
    }

    /// Asks the system where the file that is open really is.
    fn placed(file: OwnedFd, root: &Path) -> Result<Opened, OpenError> {
        let real = std::fs::read_link(PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())));
        let below = match real {
            Ok(real) => match real.strip_prefix(root) {
                Ok(below) => Some(below.to_owned()),
                Err(_) => return Err(OpenError::LeadsOut),
            },
            // Without /proc the promise of the call must do.
            Err(_) => None,
        };
        Ok(Opened { file: File::from(file), below })
    }
}
