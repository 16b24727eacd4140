//! Fetching: one call, whatever the source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use docent_index::{PassageHash, QuantisedVector};

use crate::{SourceError, Spec, archive, bundle, git, packages, web};

/// What fetching works with.
pub struct Context<'a> {
    /// Folder of our own for what makes the next fetch cheaper, such as a copy of a repository.
    pub cache: &'a Path,
    /// The project around, where packages are looked for first.
    pub project: Option<&'a Path>,
    /// The revision that is indexed already; the same one is not fetched again.
    pub known_revision: Option<&'a str>,
    /// Hash that the fetched file must have, as the settings have it: `blake3:…` or `sha256:…`.
    pub expected_hash: Option<&'a str>,
    /// Asked now and then; true means stop.
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// What a fetch came to.
#[derive(Debug)]
pub enum Outcome {
    /// The source still has the revision that is known.
    Unchanged,
    /// The documents are in the folder.
    Fetched(Box<Fetched>),
}

/// What was fetched.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Folder of the documents, inside the one that was given.
    pub root: PathBuf,
    /// Patterns of the documents below it; empty for the usual ones.
    pub include: Vec<String>,
    /// What the source calls itself.
    pub name: Option<String>,
    /// Which version it is.
    pub version: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What its manifest says besides.
    pub metadata: BTreeMap<String, String>,
    /// What was fetched: a commit, or a hash.
    pub revision: Option<String>,
    /// Vectors that came along, by model id.
    pub vectors: Option<BundledVectors>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// Vectors of a bundle.
#[derive(Debug, Default)]
pub struct BundledVectors {
    /// Id of the model that made them.
    pub model: String,
    /// Each with the hash of the text that it stands for.
    pub vectors: Vec<(PassageHash, QuantisedVector)>,
}

impl Context<'_> {
    /// An error once whoever asked has changed their mind.
    pub(crate) fn go_on(&self) -> Result<(), SourceError> {
        if (self.is_cancelled)() { Err(SourceError::cancelled()) } else { Ok(()) }
    }
}

/// Writes the documents of a source that is not read in place into the empty folder `into`. When that fails, nothing is left
/// in the folder.
pub fn fetch(spec: &Spec, context: &Context<'_>, into: &Path) -> Result<Outcome, SourceError> {
    context.go_on()?;
    match spec {
        Spec::Folder(_) | Spec::File(_) => Err(SourceError::usage(
            format!("{spec} is read where it is"),
            "there is nothing to fetch: index it",
        )),
        Spec::Git { url, reference, folder } => {
            refuse_hash(context, "pin a commit instead: put it behind a # at the end of the address")?;
            let (reference, folder) = (reference.as_deref(), folder.as_deref());
            git::fetch(git::Request { url, reference, folder }, context, into)
        }
        Spec::Manifest(url) => web::fetch_manifest(url, context, into),
        Spec::Archive(place) => archive::fetch(place, context, into),
        Spec::Bundle(place) => bundle::fetch(place, context, into),
        Spec::Package(package) => packages::fetch(package, context, into),
    }
}

/// A hash that nothing would be compared with must not look as if it were.
fn refuse_hash(context: &Context<'_>, hint: &str) -> Result<(), SourceError> {
    match context.expected_hash {
        Some(_) => Err(SourceError::usage("a repository has no hash to compare with", hint)),
        None => Ok(()),
    }
}
