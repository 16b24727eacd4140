//! `man:NAME`, `man:NAME.SECTION`, `man:SECTION` and `man:*`: manual pages that are installed here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use flate2::read::GzDecoder;

use super::files::{Passed, read_bytes, read_limited};
use super::pages::{Pages, stop_if_cancelled};
use super::places::Places;
use crate::{Context, Fetched, Outcome, SourceError};

/// Links to links that are followed.
const MAX_LINKS: usize = 2;
/// Pages that are held in memory at a time.
const BATCH: usize = 500;

pub(super) fn fetch(
    places: &Places,
    wanted: &str,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    let (installed, passed) = installed(places);
    let (scope, selected) = select(&installed, wanted);
    if selected.is_empty() {
        return Err(not_found(places, wanted, &passed));
    }
    let revision = revision(&selected);
    if context.known_revision == Some(revision.as_str()) {
        return Ok(Outcome::Unchanged);
    }
    let roots: Vec<PathBuf> = places.manuals.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let own = selected.iter().filter(|manual| !manual.is_alias());
    let files: BTreeSet<&Path> = own.map(|manual| manual.file.as_path()).collect();
    let mut pages = Pages::default();
    for note in passed {
        pages.note(note);
    }
    let mut first = None;
    for manual in &selected {
        stop_if_cancelled(context)?;
        match manual.read(&roots) {
            // The page that it stands for is here under its own name.
            Ok((file, _)) if (file != manual.file || manual.is_alias()) && files.contains(file.as_path()) => {
            }
            Ok((_, source)) => {
                let page = docent_convert::man::to_markdown(&source, &manual.name, &manual.section);
                first.get_or_insert((page.title, page.summary));
                pages.add(&manual.page_path(), page.text);
            }
            Err(passed) => pages.note(passed.about(&manual.path.display().to_string())),
        }
        if pages.len() % BATCH == 0 {
            pages.write(context, into)?;
        }
    }
    pages.write(context, into)?;
    let (title, summary) = first.unwrap_or_default();
    let description = match (&scope, pages.len(), summary) {
        (_, 0, _) => return Err(not_found(places, wanted, &pages.notes())),
        (Scope::All, count, _) => format!("Manual pages ({})", counted(count)),
        (Scope::Section, count, _) => format!("Manual pages of section {wanted} ({})", counted(count)),
        (Scope::Name(_), 1, Some(summary)) => format!("Manual page {title}: {summary}"),
        (Scope::Name(_), 1, None) => format!("Manual page {title}"),
        (Scope::Name(_), count, _) => format!("Manual pages: {title} and {} more", count - 1),
    };
    let name = match scope {
        Scope::Name(name) => name,
        Scope::All | Scope::Section => "man".to_owned(),
    };
    Ok(Outcome::Fetched(Box::new(Fetched {
        root: into.to_owned(),
        name: Some(name),
        description: Some(description),
        revision: Some(revision),
        notes: pages.notes(),
        ..Fetched::default()
    })))
}

/// `1 page`, `22,211 pages`.
fn counted(pages: usize) -> String {
    let digits = pages.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {}", if pages == 1 { "page" } else { "pages" })
}

/// What was asked for.
#[derive(Debug)]
enum Scope {
    All,
    Section,
    /// A page, and those whose names begin with its own.
    Name(String),
}

/// A page on the disk.
struct Manual {
    name: String,
    /// `1`, `3p`, `1ssl`.
    section: String,
    /// Where it is listed.
    path: PathBuf,
    /// The file itself, behind links of the file system.
    file: PathBuf,
}

impl Manual {
    fn page_path(&self) -> String {
        let folder: String = self.section.chars().take(1).collect();
        format!("man{folder}/{}.{}.md", self.name, self.section)
    }

    /// Whether it is a link to a page of another name.
    fn is_alias(&self) -> bool {
        self.path.file_name() != self.file.file_name()
    }

    /// The text, and the file that it was in the end read from.
    fn read(&self, roots: &[PathBuf]) -> Result<(PathBuf, String), Passed> {
        let mut file = self.file.clone();
        let mut source = read_source(&file)?;
        let mut links = 0;
        while let Some(target) = docent_convert::man::link_target(&source) {
            if links == MAX_LINKS {
                return Err(Passed::Endless);
            }
            links += 1;
            file = find_link(&file, target, roots).ok_or(Passed::Unreadable)?;
            source = read_source(&file)?;
        }
        Ok((file, source))
    }
}

/// The page that `.so` names, if it is below the folders of manual pages.
fn find_link(from: &Path, target: &str, roots: &[PathBuf]) -> Option<PathBuf> {
    let root = roots.iter().find(|root| from.starts_with(root))?;
    let beside = from.parent().filter(|_| !target.contains('/'));
    let candidates = [beside.map(|folder| folder.join(target)), Some(root.join(target))];
    for candidate in candidates.into_iter().flatten() {
        for ending in ["", ".gz"] {
            let mut path = candidate.clone().into_os_string();
            path.push(ending);
            if let Ok(file) = PathBuf::from(path).canonicalize()
                && roots.iter().any(|root| file.starts_with(root))
            {
                return Some(file);
            }
        }
    }
    None
}

/// Text of a page: UTF-8, or else Latin-1, as older pages have it.
fn read_source(file: &Path) -> Result<String, Passed> {
    let mut bytes = read_bytes(file)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        bytes = read_limited(GzDecoder::new(bytes.as_slice()))?;
    }
    if bytes.contains(&0) {
        return Err(Passed::NotText);
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().copied().map(char::from).collect()))
}

/// All pages by name and section, and notes about those that cannot be read. The first folder that has a page wins.
fn installed(places: &Places) -> (BTreeMap<(String, String), Manual>, Vec<String>) {
    let mut found = BTreeMap::new();
    let mut packed = 0_usize;
    let roots: Vec<PathBuf> = places.manuals.iter().filter_map(|root| root.canonicalize().ok()).collect();
    for folder in roots.iter().flat_map(|root| sorted(root)) {
        let Some(number) = section_of_folder(&folder) else { continue };
        for path in sorted(&folder) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if [".bz2", ".xz", ".zst", ".Z"].iter().any(|ending| name.ends_with(ending)) {
                packed += 1;
                continue;
            }
            let unpacked = name.strip_suffix(".gz").unwrap_or(name);
            let Some((name, section)) = unpacked.rsplit_once('.') else { continue };
            if !section.starts_with(number) || name.is_empty() {
                continue;
            }
            let key = (name.to_owned(), section.to_owned());
            if let Some(file) = file_behind(&path, &roots)
                && !found.contains_key(&key)
            {
                let (name, section) = key.clone();
                found.insert(key, Manual { name, section, path, file });
            }
        }
    }
    let note = || {
        format!("{packed} pages are packed with xz, bzip2 or zstd and were passed over; only gzip is read")
    };
    (found, (packed > 0).then(note).into_iter().collect())
}

/// `man3` holds section 3; folders of other languages hold none.
fn section_of_folder(folder: &Path) -> Option<char> {
    let number = folder.file_name()?.to_str()?.strip_prefix("man")?.chars().next()?;
    (number.is_ascii_digit() || number == 'n').then_some(number)
}

/// The file itself; nothing for a link that leads out of the folders of manual pages.
fn file_behind(path: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
    let about = std::fs::symlink_metadata(path).ok()?;
    if about.is_file() {
        return Some(path.to_owned());
    }
    let file = path.canonicalize().ok().filter(|_| about.is_symlink())?;
    (file.is_file() && roots.iter().any(|root| file.starts_with(root))).then_some(file)
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The pages that are meant; the page of that very name first.
fn select<'a>(installed: &'a BTreeMap<(String, String), Manual>, wanted: &str) -> (Scope, Vec<&'a Manual>) {
    let all = || installed.values();
    if wanted == "*" {
        return (Scope::All, all().collect());
    }
    let is_digit = wanted.len() == 1 && wanted.starts_with(|char: char| char.is_ascii_digit() || char == 'n');
    if !is_digit {
        let prefix = format!("{wanted}-");
        let mut named: Vec<&Manual> =
            all().filter(|manual| manual.name == wanted || manual.name.starts_with(&prefix)).collect();
        named.sort_by_key(|manual| manual.name != wanted);
        if !named.is_empty() {
            return (Scope::Name(wanted.to_owned()), named);
        }
        if let Some((name, section)) = wanted.rsplit_once('.') {
            let in_section = |manual: &&Manual| manual.name == name && manual.section.starts_with(section);
            let exact: Vec<&Manual> = all().filter(in_section).collect();
            return (Scope::Name(name.to_owned()), if section.is_empty() { Vec::new() } else { exact });
        }
    }
    let is_section = wanted.starts_with(|char: char| char.is_ascii_digit() || char == 'n');
    (Scope::Section, all().filter(|manual| is_section && manual.section.starts_with(wanted)).collect())
}

/// A hash of what the files look like from outside, so that nothing needs to be read to see that nothing has changed.
fn revision(selected: &[&Manual]) -> String {
    let mut hasher = blake3::Hasher::new();
    for manual in selected {
        let about = std::fs::metadata(&manual.file);
        let length = about.as_ref().map_or(0, std::fs::Metadata::len);
        let changed = about.and_then(|about| about.modified()).ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        hasher.update(manual.page_path().as_bytes());
        hasher.update(&length.to_le_bytes());
        hasher.update(&changed.as_nanos().to_le_bytes());
    }
    format!("blake3:{}", hasher.finalize().to_hex())
}

fn not_found(places: &Places, wanted: &str, notes: &[String]) -> SourceError {
    let folders: Vec<String> = places.manuals.iter().map(|folder| folder.display().to_string()).collect();
    let mut message = format!("no manual page for {wanted}: looked in {}", folders.join(" and "));
    for note in notes {
        message.push_str(&format!("; {note}"));
    }
    SourceError::failed(message, "write man:NAME, man:NAME.SECTION, man:SECTION or man:*, or set MANPATH")
}
