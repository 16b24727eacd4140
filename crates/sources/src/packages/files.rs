//! Reads files of packages: only regular ones, only inside of the package, only as large as a document can be.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Larger files are passed over.
pub(super) const MAX_FILE: u64 = 16 << 20;
/// Folders inside of each other that are looked into.
const MAX_DEPTH: usize = 32;
/// Entries of a package that are looked at.
const MAX_ENTRIES: usize = 500_000;

/// Why a file was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// Over the limit.
    TooLarge,
    /// Not text in UTF-8.
    NotText,
    /// Could not be read.
    Unreadable,
    /// Stands for another page, which stands for another one, and so on.
    Endless,
}

impl Passed {
    /// For a note: `docs/big.md is over 16 MiB`.
    pub(super) fn about(self, path: &str) -> String {
        match self {
            Passed::TooLarge => format!("{path} is over 16 MiB and was passed over"),
            Passed::NotText => format!("{path} is not UTF-8 text and was passed over"),
            Passed::Unreadable => format!("{path} could not be read"),
            Passed::Endless => format!("{path} stands for pages that stand for others, and was passed over"),
        }
    }
}

/// The bytes of a regular file.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Passed> {
    let file = File::open(path).map_err(|_| Passed::Unreadable)?;
    let about = file.metadata().map_err(|_| Passed::Unreadable)?;
    if !about.is_file() {
        return Err(Passed::Unreadable);
    }
    read_limited(file)
}

/// What a reader has, up to the limit.
pub(super) fn read_limited(reader: impl Read) -> Result<Vec<u8>, Passed> {
    let mut bytes = Vec::new();
    reader.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|_| Passed::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE { Err(Passed::TooLarge) } else { Ok(bytes) }
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<String, Passed> {
    text(read_bytes(path)?)
}

/// Bytes as text, if they are.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, Passed> {
    let text = String::from_utf8(bytes).map_err(|_| Passed::NotText)?;
    if text.contains('\0') { Err(Passed::NotText) } else { Ok(text) }
}

/// Bytes as text in which a stray byte of another encoding may be, as older tools wrote it: that one is taken for Latin-1.
pub(super) fn forgiving_text(bytes: &[u8]) -> Result<String, Passed> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().copied().map(char::from));
    }
    if text.contains('\0') { Err(Passed::NotText) } else { Ok(text) }
}

/// Regular files below a folder, as paths with `/`, in order. Links are not followed; `enter` says which folders are.
pub(super) fn walk(root: &Path, enter: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, String, usize)> = vec![(root.to_owned(), String::new(), 0)];
    let mut looked_at = 0_usize;
    while let Some((folder, prefix, depth)) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > MAX_ENTRIES {
                break;
            }
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            let path = format!("{prefix}{name}");
            if kind.is_file() {
                found.push(path);
            } else if kind.is_dir() && depth < MAX_DEPTH && enter(&path) {
                waiting.push((entry.path(), format!("{path}/"), depth + 1));
            }
        }
    }
    found.sort();
    found
}

/// What a file is called, without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Whether a text about rights rather than about the package.
pub(super) fn is_legal(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    ["license", "licence", "copying", "copyright", "unlicense", "notice", "code_of_conduct", "authors"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Whether the name ends like Markdown.
pub(super) fn is_markdown(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    name.ends_with(".md") || name.ends_with(".markdown")
}
