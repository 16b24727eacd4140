//! What is in a source's folder now: paths and states, no content.
//!
//! Respects .gitignore and .ignore files and leaves hidden files out, as developers expect. Links to folders are not
//! followed, so there are no loops; a link to a file counts when the file is inside the root. Whatever cannot be looked
//! at is reported beside the result and does not stop the walk. The manifests on the way are read as well, since they
//! decide how the documents are cut.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

use docent_authoring::{MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest, Manifests, Severity};
use docent_index::FileStat;
use ignore::{DirEntry, WalkBuilder};

use crate::source::{missing_root, plain_io};
use crate::{EngineError, Problem, Source};

/// The files of a source.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Documents by path relative to the root.
    pub files: BTreeMap<String, FileStat>,
    /// What could not be looked at: path and reason.
    pub problems: Vec<(String, String)>,
    /// Documents that are links, or have other names: the system does not tell of a write through another name.
    pub aliases: BTreeSet<String>,
    /// Texts of the manifests by path; empty for one that cannot be read, which still governs its folder.
    pub manifests: BTreeMap<String, String>,
}

/// Walks the source's folder.
pub(crate) fn scan(source: &Source) -> Result<Scan, EngineError> {
    walk(source, true)
}

/// Walks a folder that was filled with documents on purpose. Ignore files say nothing there: those above it are of another
/// project, and those in it are of somebody's working copy.
pub(crate) fn scan_fetched(source: &Source) -> Result<Scan, EngineError> {
    walk(source, false)
}

fn walk(source: &Source, heeds_ignore_files: bool) -> Result<Scan, EngineError> {
    check_root(source)?;
    let mut scan = Scan::default();
    let (mut manifests, mut problems) = (source.no_manifests(), Vec::new());
    let filter = source.clone();
    for entry in
        rules(source, heeds_ignore_files).filter_entry(move |entry| keep_folder(&filter, entry)).build()
    {
        match entry {
            Ok(entry) => {
                if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    problems.extend(read_manifest(source, entry.path(), &mut manifests, &mut scan.manifests));
                }
                visit(source, &entry, &mut scan);
            }
            Err(error) => scan.problems.push((source.root.display().to_string(), error.to_string())),
        }
    }
    source.set_manifests(manifests, problems);
    Ok(scan)
}

/// What every walk leaves out, whatever it looks for.
fn rules(source: &Source, heeds_ignore_files: bool) -> WalkBuilder {
    let mut rules = WalkBuilder::new(&source.root);
    rules.standard_filters(heeds_ignore_files).hidden(true).require_git(false).follow_links(false);
    rules
}

/// Those of `paths` that [`scan`] would find. Somebody names them who has not walked: a reader, or the system that tells
/// of a write. So the same walk is made, but only into the folders on the way to them.
pub(crate) fn taken(source: &Source, paths: &[String]) -> BTreeSet<String> {
    let wanted: HashSet<PathBuf> = paths
        .iter()
        .filter(|path| is_plain(path) && source.wants(path))
        .map(|path| source.root.join(path))
        .collect();
    if wanted.is_empty() {
        return BTreeSet::new();
    }
    let on_the_way: HashSet<PathBuf> =
        wanted.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
    let filter = source.clone();
    let leads_there = move |entry: &DirEntry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let sought = if is_folder { &on_the_way } else { &wanted };
        sought.contains(entry.path()) && keep_folder(&filter, entry)
    };
    let mut found = Scan::default();
    for entry in rules(source, true).filter_entry(leads_there).build().flatten() {
        visit(source, &entry, &mut found);
    }
    found.files.into_keys().collect()
}

/// Whether the path is written as a walk writes it: from the root downwards, with nothing that stands for another
/// folder. Any other spelling would make a second document of the same file, or lead out of the root.
pub(crate) fn is_plain(path: &str) -> bool {
    let mut parts = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str().unwrap_or_default()),
            _ => return false,
        }
    }
    parts.join("/") == path
}

/// Reads a folder's manifest, if it has one, and says what is wrong with it. What it says otherwise holds.
fn read_manifest(
    source: &Source,
    folder: &Path,
    manifests: &mut Manifests,
    texts: &mut BTreeMap<String, String>,
) -> Option<Problem> {
    let full = folder.join(MANIFEST_FILE);
    let path = relative(source, &full)?;
    let Some(stat) = look(source, &full) else {
        return full.exists().then(|| Problem { path, reason: "it is not a file".to_owned() });
    };
    let text = match stat.size > MAX_MANIFEST_BYTES as u64 {
        true => Err(format!("it has {} bytes and the limit is {MAX_MANIFEST_BYTES}", stat.size)),
        false if !is_inside(source, &full) => Err("the link leads out of the documents folder".to_owned()),
        false => std::fs::read_to_string(&full).map_err(|error| plain_io(&error)),
    };
    let (manifest, reason) = match &text {
        Ok(text) => {
            let (manifest, findings) = Manifest::parse(text);
            let first = findings.iter().find(|finding| finding.severity() == Severity::Error);
            (manifest, first.map(|finding| format!("line {}: {}", finding.line, finding.message)))
        }
        Err(reason) => (Manifest::default(), Some(reason.clone())),
    };
    texts.insert(path.clone(), text.unwrap_or_default());
    manifests.insert(path.strip_suffix(MANIFEST_FILE).unwrap_or_default(), manifest);
    reason.map(|reason| Problem { path, reason })
}

/// Whether the folder can be read; the error says why not.
pub(crate) fn check_root(source: &Source) -> Result<(), EngineError> {
    std::fs::read_dir(&source.root).map(|_| ()).map_err(|error| missing_root(&source.root, &error))
}

/// The state of one file, or `None` when there is no such document now. A link that leads nowhere or out of the root has
/// the state of the link: it is a document that reading will refuse, with the reason. A path that no walk would write so
/// is not even looked at: whether something is there is nobody's business.
pub(crate) fn stat(source: &Source, path: &str) -> Option<FileStat> {
    is_plain(path).then(|| look(source, &source.root.join(path))).flatten()
}

/// Translates the system's view of a file.
pub(crate) fn file_stat(metadata: &Metadata) -> FileStat {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        FileStat {
            size: metadata.len(),
            mtime_ns: metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec()),
            ctime_ns: metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()),
            inode: metadata.ino(),
            settled: true,
        }
    }
    #[cfg(not(unix))]
    {
        let mtime = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        FileStat {
            size: metadata.len(),
            mtime_ns: mtime.map_or(0, |age| i64::try_from(age.as_nanos()).unwrap_or(i64::MAX)),
            ctime_ns: 0,
            inode: 0,
            settled: true,
        }
    }
}

/// The path relative to the root with forward slashes; `None` when it is not Unicode or not below the root.
pub(crate) fn relative(source: &Source, full: &Path) -> Option<String> {
    let below = full.strip_prefix(&source.root).ok()?.to_str()?;
    Some(if std::path::MAIN_SEPARATOR == '/' { below.to_owned() } else { below.replace('\\', "/") })
}

fn keep_folder(source: &Source, entry: &DirEntry) -> bool {
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if !is_folder || entry.depth() == 0 {
        return true;
    }
    relative(source, entry.path()).is_none_or(|path| !source.prunes(&path))
}

fn visit(source: &Source, entry: &DirEntry, scan: &mut Scan) {
    let Some(kind) = entry.file_type() else { return };
    if kind.is_dir() {
        return;
    }
    let Some(path) = relative(source, entry.path()) else {
        let shown = entry.path().display().to_string();
        scan.problems.push((shown, "the file name is not valid Unicode".to_owned()));
        return;
    };
    if !source.wants(&path) {
        return;
    }
    if let Some((stat, is_shared)) = look_closely(source, entry.path()) {
        if kind.is_symlink() || is_shared {
            scan.aliases.insert(path.clone());
        }
        scan.files.insert(path, stat);
    }
}

fn look(source: &Source, full: &Path) -> Option<FileStat> {
    look_closely(source, full).map(|(stat, _)| stat)
}

/// Regular files only: opening a pipe or a device could wait for ever. The flag says whether the file has other names.
fn look_closely(source: &Source, full: &Path) -> Option<(FileStat, bool)> {
    match std::fs::metadata(full) {
        Ok(metadata) if metadata.is_file() && is_inside(source, full) => {
            Some((file_stat(&metadata), has_other_names(&metadata)))
        }
        Ok(metadata) if !metadata.is_file() => None,
        _ => {
            let link = std::fs::symlink_metadata(full).ok().filter(|metadata| metadata.is_symlink());
            link.map(|metadata| (file_stat(&metadata), false))
        }
    }
}

fn has_other_names(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(metadata) > 1
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

/// Whether the file behind `full` lies inside the root once all links are resolved.
pub(crate) fn is_inside(source: &Source, full: &Path) -> bool {
    resolved(full).is_some_and(|real| real.starts_with(&source.root))
}

fn resolved(full: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(full).ok()
}
