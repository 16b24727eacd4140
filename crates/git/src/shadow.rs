//! A git folder of our own over the objects of somebody's repository.
//!
//! Git does what the configuration of a repository says: it starts hooks, filters, a file monitor, text converters and
//! signature programs. So it never sees that configuration. It works in a temporary folder that has a configuration of
//! ours, `HEAD`, a copy of the index and an empty store of objects, and is told to take the objects from where they are.
//! The price is a copy of the index for each run (about 100 bytes a file); in return there is nothing that a hostile
//! repository could act with, and nothing of it is ever written.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::RepoError;
use crate::place::{Place, read_small};

/// A branch that nobody has, for repositories without a commit.
const UNBORN: &str = "ref: refs/heads/none\n";
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
/// So many references are copied at most.
const MOST_REFERENCES: usize = 200_000;

/// The folder; deleted when dropped.
#[derive(Debug)]
pub struct Shadow {
    folder: TempDir,
    /// Where the objects are, as git wants to be told.
    objects: OsString,
    empty_tree: &'static str,
    work_tree: Option<PathBuf>,
}

impl Shadow {
    /// A folder for a repository whose `HEAD` is that commit; `None` when there is none yet.
    pub fn new(place: &Place, head: Option<&str>) -> Result<Self, RepoError> {
        let folder = tempfile::Builder::new().prefix("docent-git-").tempdir();
        let folder = folder.map_err(RepoError::file(std::env::temp_dir()))?;
        let is_sha256 = place.is_sha256(head);
        let shadow = Self {
            folder,
            objects: if place.is_plain { OsString::new() } else { quoted(&place.common.join("objects")) },
            empty_tree: if is_sha256 { EMPTY_TREE_SHA256 } else { EMPTY_TREE },
            work_tree: place.work_tree.clone(),
        };
        for name in ["refs/heads", "objects/info", "objects/pack", "info", "nothing"] {
            let path = shadow.path(name);
            std::fs::create_dir_all(&path).map_err(RepoError::file(path))?;
        }
        shadow.write("config", &configuration(is_sha256))?;
        shadow.write("HEAD", &head.map_or_else(|| UNBORN.to_owned(), |id| format!("{id}\n")))?;
        if place.is_plain {
            return Ok(shadow);
        }
        check_objects(&place.common.join("objects"))?;
        for name in ["shallow", "info/exclude"] {
            if let Some(text) = read_small(&place.common.join(name))? {
                shadow.write(name, &text)?;
            }
        }
        if shadow.work_tree.is_some() {
            shadow.copy_index(place)?;
        }
        Ok(shadow)
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder without files, for commands that need to stand somewhere.
    fn nothing(&self) -> PathBuf {
        self.path("nothing")
    }

    /// Where files are checked out.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, text: &str) -> Result<(), RepoError> {
        let path = self.path(name);
        std::fs::write(&path, text).map_err(RepoError::file(path))
    }

    /// An index may be split, and then the larger half has a file of its own. The copy is as old as the original: git
    /// looks closer at files that are not older than its index, because they may have changed within the same second.
    fn copy_index(&self, place: &Place) -> Result<(), RepoError> {
        let entries = std::fs::read_dir(&place.own).map_err(RepoError::file(&place.own))?;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_wanted = name == "index" || name.to_string_lossy().starts_with("sharedindex.");
            if is_wanted && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                copy_with_time(&entry.path(), &self.folder.path().join(&name))
                    .map_err(RepoError::file(entry.path()))?;
            }
        }
        Ok(())
    }

    /// Copies the references of the repository, so that names of branches and tags mean something.
    pub fn copy_references(&self, place: &Place) -> Result<(), RepoError> {
        if let Some(packed) = read_small(&place.common.join("packed-refs"))? {
            self.write("packed-refs", &packed)?;
        }
        let mut left = MOST_REFERENCES;
        copy_folder(&place.common.join("refs"), &self.path("refs"), &mut left)
    }

    /// Git with fixed settings over this folder; nothing of the caller's environment for git reaches it.
    pub fn command(&self) -> Command {
        let nothing = self.nothing();
        let mut command = self.bare_command();
        command.env("GIT_WORK_TREE", &nothing).current_dir(&nothing);
        command
    }

    /// The same with files, standing in a folder of them.
    pub fn command_in(&self, work_tree: &Path, folder: &Path) -> Command {
        let mut command = self.bare_command();
        command.env("GIT_WORK_TREE", work_tree).current_dir(folder);
        command
    }

    fn bare_command(&self) -> Command {
        let mut command = Command::new("git");
        // Ctrl-C is for whoever asks git, not for git itself: half an answer would look like a whole one.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().to_ascii_uppercase().starts_with("GIT_") {
                command.env_remove(&name);
            }
        }
        command
            .env("GIT_DIR", self.folder.path())
            .env("GIT_OBJECT_DIRECTORY", self.path("objects"))
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.objects)
            .env("GIT_INDEX_FILE", self.path("index"))
            // Attributes of the repository decide nothing that matters here, and name programs.
            .env("GIT_ATTR_SOURCE", self.empty_tree)
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path())
            .env("GIT_ALLOW_PROTOCOL", "")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("LC_ALL", "C")
            .arg("--no-pager");
        command
    }
}

/// Git opens what lies beside the objects and waits for ever on a pipe.
fn check_objects(objects: &Path) -> Result<(), RepoError> {
    for folder in ["info", "pack"] {
        let Ok(entries) = std::fs::read_dir(objects.join(folder)) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            // A link that leads nowhere is none of git's worries.
            if std::fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
                return Err(RepoError::Damaged { path, problem: "it is not a file".to_owned() });
            }
        }
    }
    Ok(())
}

/// A path in a list of paths: in quotes, so that nothing in it ends it.
fn quoted(path: &Path) -> OsString {
    let needs_quotes = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\' | b':' | b';');
    let bytes = path.as_os_str().as_encoded_bytes();
    if !bytes.iter().any(needs_quotes) {
        return path.as_os_str().to_owned();
    }
    let mut text = OsString::from("\"");
    for chunk in bytes.chunk_by(|one, other| !needs_quotes(one) && !needs_quotes(other)) {
        match chunk {
            [byte] if needs_quotes(byte) => text.push(format!("\\{byte:03o}")),
            // Chunks end beside ASCII characters, so that they are whole ones.
            _ => text.push(as_os_str(chunk)),
        }
    }
    text.push("\"");
    text
}

#[cfg(unix)]
fn as_os_str(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[cfg(not(unix))]
fn as_os_str(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

fn configuration(is_sha256: bool) -> String {
    // Whatever is not said here is what git does by itself, so that an answer is the same on every machine.
    let mut text = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tfilemode = false\n\
        \tautocrlf = input\n\tsafecrlf = false\n\tquotepath = false\n\tfsmonitor = false\n\tuntrackedcache = false\n\
        \thookspath = /dev/null\n\tattributesfile = /dev/null\n\
        [diff]\n\trenamelimit = 1000\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
        [blame]\n\tshowroot = true\n[advice]\n\tdetachedhead = false\n"
        .to_owned();
    if cfg!(any(target_os = "macos", windows)) {
        text.push_str("[core]\n\tignorecase = true\n\tprecomposeunicode = true\n");
    }
    if is_sha256 {
        let _ = writeln!(text, "[extensions]\n\tobjectformat = sha256");
    }
    text
}

fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let (mut from, mut to) = (File::open(from)?, File::create(to)?);
    // Asked first, so that an index that is replaced meanwhile counts as too old rather than as too young.
    let modified = from.metadata()?.modified()?;
    std::io::copy(&mut from, &mut to)?;
    to.set_modified(modified)
}

fn copy_folder(from: &Path, to: &Path, left: &mut usize) -> Result<(), RepoError> {
    let Ok(entries) = std::fs::read_dir(from) else { return Ok(()) };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let target = to.join(entry.file_name());
        *left = left.saturating_sub(1);
        if *left == 0 {
            return Ok(());
        }
        if kind.is_dir() {
            std::fs::create_dir_all(&target).map_err(RepoError::file(&target))?;
            copy_folder(&entry.path(), &target, left)?;
        } else if kind.is_file()
            && let Some(text) = read_small(&entry.path())?
        {
            std::fs::write(&target, text).map_err(RepoError::file(&target))?;
        }
    }
    Ok(())
}
