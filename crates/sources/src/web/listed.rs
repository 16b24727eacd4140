//! A set of documents on the web: a manifest that lists files beside it.
//!
//! What was fetched before is kept; the server is asked whether it changed, and a file whose hash the manifest tells is not
//! asked for at all while the kept one has it. Files come from the same origin and below the manifest's folder; where the
//! manifest was redirected, that is where it was in the end.

use std::path::Path;

use super::address::Address;
use super::cache::{Kept, Note};
use super::client::{Client, Patience, Validators};
use super::transfer::{Brought, Job, bring};
use crate::digest::{self, Digest};
use crate::intake::Intake;
use crate::landing::{LARGEST_FILE, MOST_BYTES};
use crate::manifest::{self, Manifest};
use crate::{Context, Outcome, SourceError};

/// Writes the files that the manifest at `url` lists into the empty folder `into`.
pub(crate) fn fetch(url: &str, context: &Context<'_>, into: &Path) -> Result<Outcome, SourceError> {
    let expected = digest::expected(context.expected_hash)?;
    let address = Address::parse(url)?;
    let mut kept = Kept::open(url, context)?;
    let wanted = Wanted { address: address.clone(), most: manifest::LARGEST, digest: expected };
    update(&[wanted], &address, &mut kept, context)?;
    let manifest_bytes = body(&mut kept, &address)?;
    let base = match kept.note(url).and_then(|note| note.answered) {
        Some(answered) => Address::parse(&answered)?,
        None => address.clone(),
    };
    let manifest = Manifest::parse(&manifest_bytes)
        .map_err(|error| SourceError { message: error.message.replacen("manifest.json", url, 1), ..error })?;
    if !manifest.globs.is_empty() {
        let message = format!("{url} has \"sources.glob\", and a web server cannot be asked what there is");
        return Err(SourceError::failed(
            message,
            "whoever publishes it has to list the documents in sources.files",
        ));
    }
    let mut files = Vec::new();
    for path in &manifest.files {
        let digest = manifest.hashes.get(path).copied();
        files.push(Wanted { address: base.beside(path)?, most: LARGEST_FILE, digest });
    }
    // Still as the one who was sent there by `address`: a server that the user did not name is not trusted with more.
    update(&files, &address, &mut kept, context)?;
    let mut revision = blake3::Hasher::new();
    revision.update(&manifest_bytes);
    for (path, file) in manifest.files.iter().zip(&files) {
        let note = kept.note(&file.address.to_string()).ok_or_else(|| lost(&file.address))?;
        revision.update(format!("\n{}\0{}", path, note.hash).as_bytes());
    }
    let revision = Digest::Blake3(*revision.finalize().as_bytes()).to_string();
    kept.sweep();
    if context.known_revision == Some(&revision) {
        return Ok(Outcome::Unchanged);
    }
    let paths = manifest.files.clone();
    let mut intake = Intake::new(into, Some(manifest))?;
    for (path, file) in paths.iter().zip(&files) {
        context.go_on()?;
        let bytes = body(&mut kept, &file.address)?;
        if let Some(path) = intake.admit(path.as_bytes(), bytes.len() as u64, None) {
            intake.take(path, &bytes, None)?;
        }
    }
    let mut fetched = intake.finish(url)?;
    fetched.revision = Some(revision);
    Ok(Outcome::Fetched(Box::new(fetched)))
}

/// A file to have.
struct Wanted {
    address: Address,
    most: u64,
    digest: Option<Digest>,
}

/// Brings what is kept up to date with the server.
fn update(
    files: &[Wanted],
    first: &Address,
    kept: &mut Kept,
    context: &Context<'_>,
) -> Result<(), SourceError> {
    let (mut jobs, mut asked) = (Vec::new(), Vec::new());
    let mut total = 0u64;
    for file in files {
        context.go_on()?;
        let before = kept.body(&file.address.to_string());
        if let (Some(digest), Some((_, bytes))) = (file.digest, &before)
            && digest.same_of(bytes) == digest
        {
            total += bytes.len() as u64;
            continue;
        }
        // What has the wrong hash must come anew, whatever the server says of it.
        let known = match (before, file.digest) {
            (Some((Note { validators, .. }, _)), None) => validators,
            _ => Validators::default(),
        };
        jobs.push(Job { address: file.address.clone(), known, most: file.most, file: None });
        asked.push(file);
    }
    bring(Client::new(first, Patience::default()), jobs, context, |number, brought| {
        let Some(file) = asked.get(number) else { return Ok(()) };
        let url = file.address.to_string();
        let elsewhere = |answered: Address| (answered != file.address).then(|| answered.to_string());
        let (bytes, validators, answered) = match brought {
            Brought::Bytes { bytes, validators, answered } => (bytes, validators, elsewhere(answered)),
            Brought::NotModified { answered } => {
                let answered = elsewhere(answered);
                return match kept.note(&url) {
                    Some(note) if note.answered != answered => {
                        kept.keep_note(&url, &Note { answered, ..note })
                    }
                    _ => Ok(()),
                };
            }
            Brought::File(..) => return Ok(()),
        };
        if let Some(digest) = file.digest {
            digest.verify(&bytes, &url)?;
        }
        total += bytes.len() as u64;
        if total > MOST_BYTES {
            let message = format!("the files of {first} have more than {} GiB", MOST_BYTES >> 30);
            return Err(SourceError::failed(message, "ask whoever publishes it to split the set"));
        }
        kept.keep(&url, &bytes, validators, answered)
    })
}

fn body(kept: &mut Kept, address: &Address) -> Result<Vec<u8>, SourceError> {
    kept.body(&address.to_string()).map(|(_, bytes)| bytes).ok_or_else(|| lost(address))
}

fn lost(address: &Address) -> SourceError {
    let message = format!("what was kept of {address} has changed meanwhile");
    SourceError::failed(message, "try again; if it stays so, empty the cache of docent")
}
