//! Which files of a set are documents: the usual endings, or what its manifest says.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::SourceError;
use crate::manifest::Manifest;

/// Endings of documents where nobody says otherwise.
const ENDINGS: &[&str] = &["md", "markdown", "mdx", "mdown", "mkd"];
/// What authors say about the documents of a folder; taken along wherever it is.
const AUTHORING: &str = ".docs-mcp.json";

/// A decision about every path of a set.
#[derive(Debug)]
pub(crate) enum Selection {
    /// By ending.
    Usual,
    /// What a manifest lists or matches.
    Listed {
        /// Patterns for whoever indexes the folder.
        include: Vec<String>,
        globs: GlobSet,
        files: BTreeSet<String>,
    },
}

impl Selection {
    /// What `manifest` selects, the usual documents without one.
    pub(crate) fn of(manifest: Option<&Manifest>) -> Result<Self, SourceError> {
        let Some(manifest) = manifest else { return Ok(Self::Usual) };
        let mut globs = GlobSetBuilder::new();
        for pattern in &manifest.globs {
            globs.add(glob(pattern)?);
        }
        let globs = globs.build().map_err(|error| bad_glob(&manifest.globs.join(", "), &error))?;
        let escaped = manifest.files.iter().map(|path| globset::escape(path));
        Ok(Self::Listed {
            include: manifest.globs.iter().cloned().chain(escaped).collect(),
            globs,
            files: manifest.files.iter().cloned().collect(),
        })
    }

    /// Whether the file at `path` is taken.
    pub(crate) fn takes(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == AUTHORING {
            return true;
        }
        match self {
            Self::Usual => name
                .rsplit_once('.')
                .is_some_and(|(_, ending)| ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))),
            Self::Listed { globs, files, .. } => files.contains(path) || globs.is_match(path),
        }
    }

    /// Patterns of the documents; empty for the usual ones.
    pub(crate) fn include(&self) -> Vec<String> {
        match self {
            Self::Usual => Vec::new(),
            Self::Listed { include, .. } => include.clone(),
        }
    }
}

/// A pattern of a manifest, where `*` stays inside a folder.
pub(crate) fn glob(pattern: &str) -> Result<globset::Glob, SourceError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).build();
    glob.map_err(|error| bad_glob(pattern, &error))
}

fn bad_glob(pattern: &str, error: &globset::Error) -> SourceError {
    SourceError::failed(
        format!("the pattern \"{pattern}\" in manifest.json cannot be used: {}", error.kind()),
        "whoever publishes the manifest has to correct sources.glob",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_documents_go_by_their_ending() {
        for path in ["a.md", "README.MD", "x/a.markdown", "a.mdx", ".docs-mcp.json", "x/.docs-mcp.json"] {
            assert!(Selection::Usual.takes(path), "{path}");
        }
        for path in ["md", "a.txt", "a.md.bak", "manifest.json", "x.docs-mcp.json"] {
            assert!(!Selection::Usual.takes(path), "{path}");
        }
        assert!(Selection::Usual.include().is_empty());
    }

    #[test]
    fn a_manifest_decides() {
        let manifest = br#"{"sources":{"glob":"docs/*.txt","files":["[x].md"]}}"#;
        let selection = Selection::of(Manifest::in_set(manifest).unwrap().as_ref()).unwrap();
        for path in ["docs/a.txt", "[x].md", "docs/.docs-mcp.json"] {
            assert!(selection.takes(path), "{path}");
        }
        for path in ["a.md", "docs/x/a.txt", "x.md"] {
            assert!(!selection.takes(path), "{path}");
        }
        assert_eq!(selection.include(), ["docs/*.txt", "[[]x[]].md"]);
    }
}
