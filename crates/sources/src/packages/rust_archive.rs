//! The texts of a crate, from its unpacked folder or from the archive that cargo downloaded.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::BufReader;
use std::path::{Component, Path};

use flate2::read::GzDecoder;

use super::files::{Passed, file_name, is_markdown, read_limited, read_text, text, walk};

/// Texts of one crate that are kept in memory at a time.
const MAX_TOTAL: usize = 256 << 20;
/// What an archive may unpack to.
const MAX_UNPACKED: u64 = 1 << 30;

/// Texts by their paths inside of the crate.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) notes: Vec<String>,
    total: usize,
}

impl Texts {
    /// Reads an unpacked crate.
    pub(super) fn of_folder(folder: &Path) -> Texts {
        let mut found = Texts::default();
        let enter = |path: &str| !matches!(file_name(path), "target" | ".git" | "node_modules");
        for path in walk(folder, &enter).into_iter().filter(|path| is_wanted(path)) {
            let text = read_text(&folder.join(&path));
            found.add(path, text);
        }
        found
    }

    /// Reads a `.crate`, without unpacking it to the disk. All of the crate is in a folder of the archive's own name.
    pub(super) fn of_archive(archive: &Path) -> Result<Texts, std::io::Error> {
        let file = BufReader::new(std::fs::File::open(archive)?);
        let unpacked = std::io::Read::take(GzDecoder::new(file), MAX_UNPACKED);
        let top = archive.file_stem().unwrap_or_default();
        let mut found = Texts::default();
        for entry in tar::Archive::new(unpacked).entries()? {
            let entry = entry?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let Some(path) = inner_path(top, &entry.path()?).filter(|path| is_wanted(path)) else { continue };
            let text = read_limited(entry).and_then(text);
            found.add(path, text);
        }
        Ok(found)
    }

    fn add(&mut self, path: String, text: Result<String, Passed>) {
        match text {
            Ok(text) if self.total + text.len() <= MAX_TOTAL => {
                self.total += text.len();
                self.texts.insert(path, text);
            }
            Ok(_) => self.notes.push(Passed::TooLarge.about(&path)),
            Err(passed) => self.notes.push(passed.about(&path)),
        }
    }
}

/// The path below the folder that all of an archive is in; nothing for a path that leads elsewhere.
fn inner_path(top: &OsStr, path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            _ => return None,
        }
    }
    let (first, inner) = parts.split_first()?;
    let inner = inner.iter().map(|part| part.to_str()).collect::<Option<Vec<&str>>>()?;
    (*first == top && !inner.is_empty()).then(|| inner.join("/"))
}

fn is_wanted(path: &str) -> bool {
    let is_test = ["tests/", "benches/"].iter().any(|folder| path.starts_with(folder));
    path == "Cargo.toml" || (!is_test && (path.ends_with(".rs") || is_markdown(path)))
}
