//! Reads the files of a commit out of the object database, without a checkout: nothing that a repository says about its files
//! (attributes, filters, links) is ever acted upon.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use super::command::{Failure, Git, end};
use super::listening::Listener;
use crate::landing::MOST_FILES;
use crate::selection::Selection;

/// Files and folders that are listed, wanted or not.
const MOST_PATHS: u64 = 1_000_000;
/// Bytes of their paths and of what stands beside them.
const MOST_BYTES: u64 = 256 << 20;

/// A file of a commit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeEntry {
    /// Path from the root that was asked for.
    pub(super) path: Vec<u8>,
    /// Name of its content.
    pub(super) object: String,
    /// Why it is not a regular file.
    pub(super) obstacle: Option<&'static str>,
    is_folder: bool,
}

/// The file at `path` below `root`, which is a commit or `commit:folder`.
pub(super) fn file(git: &Git<'_>, root: &str, path: &str) -> Result<Option<TreeEntry>, Failure> {
    let listed = git.local(&["ls-tree", "-z", "--full-tree", root, "--", path])?;
    let mut entries = listed.split(|byte| *byte == 0).filter_map(entry);
    Ok(entries.find(|entry| entry.path == path.as_bytes()))
}

/// The files below `root` that `selection` takes.
pub(super) fn files(git: &Git<'_>, root: &str, selection: Selection) -> Result<Vec<TreeEntry>, Failure> {
    let listing = Listing { selection, paths: 0, bytes: 0, unfinished: Vec::new(), documents: Vec::new() };
    // With the folders: there can be very many of them without a single file.
    let args = ["ls-tree", "-r", "-t", "-z", "--full-tree", root];
    git.local_heard(&args, listing).map(|listing| listing.documents)
}

/// Keeps the documents of a listing while git still talks, and ends it when there are too many.
///
/// A handful of folders, each of which has the one before several times, lists billions of paths.
#[derive(Debug)]
struct Listing {
    selection: Selection,
    paths: u64,
    bytes: u64,
    /// The beginning of an entry whose end has not come yet.
    unfinished: Vec<u8>,
    documents: Vec<TreeEntry>,
}

impl Listing {
    fn take(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.paths += 1;
        if self.paths > MOST_PATHS {
            return Err(Failure::Endless(format!("has more than {MOST_PATHS} files and folders")));
        }
        let Some(entry) = entry(line) else { return Ok(()) };
        if entry.is_folder || !self.selection.takes(&String::from_utf8_lossy(&entry.path)) {
            return Ok(());
        }
        self.documents.push(entry);
        if self.documents.len() as u64 > MOST_FILES {
            return Err(Failure::Endless(format!("has more than {MOST_FILES} documents")));
        }
        Ok(())
    }
}

impl Listener for Listing {
    fn hear(&mut self, part: &[u8]) -> Result<(), Failure> {
        self.bytes += part.len() as u64;
        if self.bytes > MOST_BYTES {
            let message = format!("has paths of more than {} MiB together", MOST_BYTES >> 20);
            return Err(Failure::Endless(message));
        }
        let mut rest = part;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let (head, tail) = rest.split_at(end);
            if self.unfinished.is_empty() {
                self.take(head)?;
            } else {
                let mut line = std::mem::take(&mut self.unfinished);
                line.extend_from_slice(head);
                self.take(&line)?;
            }
            rest = tail.get(1..).unwrap_or_default();
        }
        self.unfinished.extend_from_slice(rest);
        Ok(())
    }
}

/// `MODE TYPE OBJECT\tPATH`.
fn entry(line: &[u8]) -> Option<TreeEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(line.get(..tab)?).ok()?;
    let mut fields = head.split(' ');
    let (mode, kind, object) = (fields.next()?, fields.next()?, fields.next()?);
    let obstacle = match mode {
        "100644" | "100755" | "100664" => None,
        "120000" => Some("links are not followed"),
        "160000" => Some("submodules are not fetched"),
        _ => Some("not a regular file"),
    };
    let path = line.get(tab + 1..)?.to_vec();
    Some(TreeEntry { path, object: object.to_owned(), obstacle, is_folder: kind == "tree" })
}

/// Hands out contents by name, one after another.
pub(super) struct Contents {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What is known of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Bytes(Vec<u8>),
    /// Larger than was asked for.
    Large,
    /// Not in the repository.
    Missing,
}

impl Contents {
    pub(super) fn open(git: &Git<'_>) -> Result<Self, Failure> {
        let mut child = git.conversation(&["cat-file", "--batch"])?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(asks), Some(output)) => {
                Ok(Self { child, asks, answers: BufReader::with_capacity(64 << 10, output) })
            }
            _ => {
                end(&mut child);
                Err(Failure::Failed("git cat-file has no pipes".to_owned()))
            }
        }
    }

    /// The content of a file, if it has at most `most` bytes.
    pub(super) fn get(&mut self, object: &str, most: u64) -> Result<Content, Failure> {
        let broken = |_| Failure::Failed("the copy of the repository is damaged".to_owned());
        writeln!(self.asks, "{object}").and_then(|()| self.asks.flush()).map_err(broken)?;
        let mut head = String::new();
        self.answers.by_ref().take(300).read_line(&mut head).map_err(broken)?;
        let mut fields = head.trim_end().rsplit(' ');
        let last = fields.next().unwrap_or_default();
        if last == "missing" {
            return Ok(Content::Missing);
        }
        let size = last.parse::<u64>().ok().filter(|_| fields.next() == Some("blob"));
        let Some(size) = size else {
            return Err(Failure::Failed(format!("the copy of the repository is damaged: {}", head.trim())));
        };
        if size > most {
            std::io::copy(&mut self.answers.by_ref().take(size + 1), &mut std::io::sink()).map_err(broken)?;
            return Ok(Content::Large);
        }
        let mut bytes = Vec::new();
        self.answers.by_ref().take(size + 1).read_to_end(&mut bytes).map_err(broken)?;
        match bytes.pop() {
            Some(b'\n') if bytes.len() as u64 == size => Ok(Content::Bytes(bytes)),
            _ => Err(Failure::Failed("the copy of the repository is damaged".to_owned())),
        }
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
