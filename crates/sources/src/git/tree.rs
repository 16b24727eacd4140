//! Reads the files of a commit out of the object database, without a checkout: nothing that a repository says about its files
//! (attributes, filters, links) is ever acted upon.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use super::command::{Failure, Git, end};

/// A file of a commit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TreeEntry {
    /// Path from the root that was asked for.
    pub(super) path: Vec<u8>,
    /// Name of its content.
    pub(super) object: String,
    /// Why it is not a regular file.
    pub(super) obstacle: Option<&'static str>,
}

/// All files below `root`, which is a commit or `commit:folder`.
pub(super) fn files(git: &Git<'_>, root: &str) -> Result<Vec<TreeEntry>, Failure> {
    let listed = git.local(&["ls-tree", "-r", "-z", "--full-tree", root])?;
    Ok(listed.split(|byte| *byte == 0).filter_map(entry).collect())
}

/// `MODE TYPE OBJECT\tPATH`.
fn entry(line: &[u8]) -> Option<TreeEntry> {
    let tab = line.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(line.get(..tab)?).ok()?;
    let mut fields = head.split(' ');
    let (mode, _kind, object) = (fields.next()?, fields.next()?, fields.next()?);
    let obstacle = match mode {
        "100644" | "100755" | "100664" => None,
        "120000" => Some("links are not followed"),
        "160000" => Some("submodules are not fetched"),
        _ => Some("not a regular file"),
    };
    Some(TreeEntry { path: line.get(tab + 1..)?.to_vec(), object: object.to_owned(), obstacle })
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
