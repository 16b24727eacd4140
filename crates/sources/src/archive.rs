//! Documents out of a `.tar.gz`: read twice, first to see that it is whole and what it has, then to take the documents.
//!
//! Only regular files are taken. A path that is there twice refuses the archive, because two readers could see different
//! documents in it. A single folder at the top, as hosts of repositories make it, is taken for the root.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;
use std::time::{Duration, SystemTime};

use flate2::bufread::MultiGzDecoder;

use crate::digest::{self, Digest};
use crate::intake::Intake;
use crate::manifest::{self, Manifest};
use crate::names::{self, Names, Refusal};
use crate::tarball::{Damage, Entry, Kind, Tarball};
use crate::unpacked::{Counted, Unpacked};
use crate::{Context, Outcome, Place, SourceError, web};

type Reader<'f> = Tarball<Unpacked<MultiGzDecoder<Counted<BufReader<&'f File>>>>>;

/// Writes the documents of the archive at `place` into the empty folder `into`.
pub(crate) fn fetch(place: &Place, context: &Context<'_>, into: &Path) -> Result<Outcome, SourceError> {
    let expected = digest::expected(context.expected_hash)?;
    let (file, digest) = match place {
        Place::Path(path) => open(path, expected)?,
        Place::Url(url) => match web::download(url, context, expected)? {
            Some(download) => (download.file, download.digest),
            None => return Ok(Outcome::Unchanged),
        },
    };
    let revision = digest.to_string();
    if context.known_revision == Some(&revision) {
        return Ok(Outcome::Unchanged);
    }
    let what = place.to_string();
    let damaged = |damage: Damage| {
        if damage.is_limit {
            let hint = "if you trust it, unpack it yourself and add the folder that has the documents";
            return SourceError::failed(format!("{what} is not unpacked: {}", damage.what), hint);
        }
        let hint = "it may have been cut short on its way: get it again, or tell whoever publishes it";
        SourceError::failed(format!("{what} cannot be read as a .tar.gz: {}", damage.what), hint)
    };
    let Survey { top, manifest } =
        survey(reader(&file)?, context).map_err(|stop| stop.into_error(damaged))?;
    let manifest = match manifest {
        Some(bytes) => Manifest::in_set(&bytes)?,
        None => None,
    };
    let folder = if top.is_empty() { into.to_owned() } else { into.join(&top) };
    let mut intake = Intake::new(&folder, manifest)?;
    let prefix = if top.is_empty() { String::new() } else { format!("{top}/") };
    let unpacked = unpack(reader(&file)?, &prefix, &mut intake, context);
    let fetched = unpacked.map_err(|stop| stop.into_error(damaged)).and_then(|()| intake.finish(&what));
    match fetched {
        Ok(mut fetched) => {
            fetched.revision = Some(revision);
            Ok(Outcome::Fetched(Box::new(fetched)))
        }
        Err(error) => {
            // The documents are gone already; this is the folder that was made around them.
            if !top.is_empty() {
                let _ = std::fs::remove_dir(&folder);
            }
            Err(error)
        }
    }
}

/// Opens a local file whose hash is right.
pub(crate) fn open(path: &Path, expected: Option<Digest>) -> Result<(File, Digest), SourceError> {
    let file = File::open(path).map_err(|error| {
        let message = format!("{} cannot be opened: {error}", path.display());
        SourceError::failed(message, "check the path and its permissions")
    })?;
    let digest = digest::verify_file(&file, expected, &path.display().to_string())?;
    Ok((file, digest))
}

/// What a first reading finds.
struct Survey {
    /// The single folder at the top; empty if there is none.
    top: String,
    /// `manifest.json` at the root.
    manifest: Option<Vec<u8>>,
}

/// Why a reading ends early.
enum Stop {
    Damage(Damage),
    Error(SourceError),
}

impl Stop {
    fn into_error(self, damaged: impl Fn(Damage) -> SourceError) -> SourceError {
        match self {
            Self::Damage(damage) => damaged(damage),
            Self::Error(error) => error,
        }
    }
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Error(error)
    }
}

fn survey(mut tar: Reader<'_>, context: &Context<'_>) -> Result<Survey, Stop> {
    let mut tops = BTreeSet::new();
    let mut names = Names::default();
    let mut manifests: Vec<(String, Vec<u8>)> = Vec::new();
    while let Some(entry) = tar.next()? {
        context.go_on()?;
        let Ok(path) = names::check(relative(&entry)) else { continue };
        if entry.kind == Kind::Folder {
            continue;
        }
        if names.take(path) == Err(Refusal::Duplicate) {
            return Err(Damage::new(format!("{path} is in it twice")).into());
        }
        let (top, rest) = path.split_once('/').unwrap_or(("", path));
        tops.insert(top.to_owned());
        // Of two folders at the top none is the root, so that more than the first manifest is never wanted.
        let may_be_root = top.is_empty() || tops.len() == 1;
        let is_manifest = rest == manifest::FILE && entry.kind == Kind::File;
        if is_manifest && may_be_root && entry.size <= manifest::LARGEST {
            manifests.push((top.to_owned(), tar.bytes(manifest::LARGEST)?));
        }
    }
    let mut tops = tops.into_iter();
    let top = match (tops.next(), tops.next()) {
        (Some(top), None) => top,
        _ => String::new(),
    };
    let manifest = manifests.into_iter().find(|(folder, _)| *folder == top).map(|(_, bytes)| bytes);
    Ok(Survey { top, manifest })
}

fn unpack(mut tar: Reader<'_>, prefix: &str, intake: &mut Intake, context: &Context<'_>) -> Result<(), Stop> {
    while let Some(entry) = tar.next()? {
        context.go_on()?;
        if entry.kind == Kind::Folder {
            continue;
        }
        let path = relative(&entry);
        let path = path.strip_prefix(prefix.as_bytes()).unwrap_or(path);
        let obstacle = (entry.kind == Kind::Other).then_some("links and devices are not taken");
        let Some(path) = intake.admit(path, entry.size, obstacle) else { continue };
        let bytes = tar.bytes(entry.size)?;
        let modified = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(entry.modified));
        intake.take(path, &bytes, modified)?;
    }
    Ok(())
}

/// The path as it is usually written: archives of `.` begin every one with `./`.
fn relative(entry: &Entry) -> &[u8] {
    let mut path = entry.path.as_slice();
    while let Some(rest) = path.strip_prefix(b"./") {
        path = rest;
    }
    path
}

fn reader(mut file: &File) -> Result<Reader<'_>, SourceError> {
    file.rewind().map_err(|error| SourceError::failed(format!("cannot be read: {error}"), "try again"))?;
    let (packed, count) = Counted::new(BufReader::with_capacity(64 << 10, file));
    Ok(Tarball::new(Unpacked::new(MultiGzDecoder::new(packed), count)))
}
