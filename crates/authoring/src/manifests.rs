//! All manifests of a folder of documents, and what they and a page's own hints come to.
//!
//! The manifest of the nearest folder above a page governs it alone; manifests of folders further up do not count for
//! it. Later wins: fallback, manifest, matching overrides in order, comment in the page, front matter.

use std::collections::BTreeMap;
use std::fmt;

use docent_text::{ChunkBy, Document, Strategy};
use serde_json::json;

use crate::hints::PageHints;
use crate::manifest::{Manifest, Taxonomy};
use crate::reader::MAX_FACETS;

/// How a page is cut whose authors say something, but not this.
pub const FALLBACK: ChunkBy = ChunkBy::H2;

/// Longer instructions are cut: they stand in every agent's context.
const MAX_INSTRUCTIONS_CHARS: usize = 1500;

/// The manifests of a folder.
#[derive(Debug, Clone, Default)]
pub struct Manifests {
    base: Manifest,
    by_folder: BTreeMap<String, Manifest>,
}

/// What holds for one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// Where it is cut; `None` when nobody said anything.
    pub strategy: Option<Strategy>,
    /// Who said so last.
    pub origin: Origin,
    /// Its facets.
    pub metadata: BTreeMap<String, String>,
    /// Whether it has more facets than count.
    pub(crate) has_more_facets: bool,
}

/// Who said how a page is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody.
    Default,
    /// The settings file.
    Settings,
    /// The manifest of a folder.
    Manifest {
        /// Relative to the documents; empty for their own folder.
        folder: String,
    },
    /// An override of a manifest.
    Override {
        /// Folder of the manifest.
        folder: String,
        /// The override's pattern.
        pattern: String,
    },
    /// A comment in the page.
    Comment {
        /// Its line.
        line: usize,
    },
    /// The page's front matter.
    FrontMatter,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = |folder: &str| crate::manifest_path(folder);
        match self {
            Origin::Default => f.write_str("default"),
            Origin::Settings => f.write_str("settings"),
            Origin::Manifest { folder } => f.write_str(&file(folder)),
            Origin::Override { folder, pattern } => write!(f, "{} ({pattern})", file(folder)),
            Origin::Comment { line } => write!(f, "comment at line {line}"),
            Origin::FrontMatter => f.write_str("front matter"),
        }
    }
}

impl Manifests {
    /// No manifest files yet. `base` holds where none governs.
    pub fn new(base: Manifest) -> Self {
        Self { base, by_folder: BTreeMap::new() }
    }

    /// Adds the manifest of a folder, which is relative to the documents and has no slash at its end.
    pub fn insert(&mut self, folder: &str, manifest: Manifest) {
        self.by_folder.insert(folder.trim_matches('/').to_owned(), manifest);
    }

    /// The manifest file that governs a page, and its folder.
    pub fn nearest(&self, path: &str) -> Option<(&str, &Manifest)> {
        let mut folder = path;
        loop {
            folder = folder.rfind('/').map_or("", |slash| &folder[..slash]);
            if let Some((folder, manifest)) = self.by_folder.get_key_value(folder) {
                return Some((folder, manifest));
            }
            if folder.is_empty() {
                return None;
            }
        }
    }

    /// Whether a manifest or the settings have anything to say of a page.
    pub fn governs(&self, path: &str) -> bool {
        self.nearest(path).is_some() || !self.base.is_empty()
    }

    /// The taxonomy that holds for a page.
    pub fn taxonomy_of(&self, path: &str) -> &Taxonomy {
        self.nearest(path).map_or(&self.base.taxonomy, |(_, manifest)| &manifest.taxonomy)
    }

    /// What holds for a page.
    pub fn resolve(&self, path: &str, document: &Document) -> Resolved {
        self.resolve_hints(path, document, &PageHints::read(document))
    }

    pub(crate) fn resolve_hints(&self, path: &str, document: &Document, hints: &PageHints) -> Resolved {
        let Resolved { mut strategy, mut origin, mut metadata, mut has_more_facets } =
            self.resolve_path(path);
        if let Some((line, partial)) = &hints.comment {
            let under = strategy.unwrap_or_else(|| Strategy::by(FALLBACK));
            strategy = Some(partial.over(under));
            origin = Origin::Comment { line: *line };
        }
        has_more_facets |= lay_over(&mut metadata, &hints.comment_metadata);
        if let Some((_, front)) = &hints.front {
            strategy = Some(*front);
            origin = Origin::FrontMatter;
        }
        has_more_facets |= lay_over(&mut metadata, &document.front_matter.metadata);
        Resolved { strategy, origin, metadata, has_more_facets }
    }

    /// What holds for a page that says nothing itself.
    pub fn resolve_path(&self, path: &str) -> Resolved {
        let (folder, manifest, is_file) = match self.nearest(path) {
            Some((folder, manifest)) => (folder, manifest, true),
            None => ("", &self.base, false),
        };
        let mut strategy = manifest.strategy;
        let mut metadata = manifest.metadata.clone();
        let mut has_more_facets = false;
        let mut origin = match (strategy, is_file) {
            (None, _) => Origin::Default,
            (Some(_), true) => Origin::Manifest { folder: folder.to_owned() },
            (Some(_), false) => Origin::Settings,
        };
        for matching in manifest.matching(relative(path, folder)) {
            if matching.strategy.is_some() {
                strategy = matching.strategy;
                let pattern = matching.pattern.clone();
                origin = match is_file {
                    true => Origin::Override { folder: folder.to_owned(), pattern },
                    false => Origin::Settings,
                };
            }
            has_more_facets |= lay_over(&mut metadata, &matching.metadata);
        }
        Resolved { strategy, origin, metadata, has_more_facets }
    }

    /// What all manifests together say about facets.
    pub fn taxonomy(&self) -> Taxonomy {
        Taxonomy::joined(self.all().map(|(_, manifest)| &manifest.taxonomy))
    }

    /// What agents are told: the root's words first, then the others' in the order of their folders.
    pub fn instructions(&self) -> Option<String> {
        let said: Vec<String> = self
            .all()
            .filter_map(|(_, manifest)| manifest.instructions.as_deref())
            .map(|text| docent_text::visible(text).trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        let joined: String = said.join("\n\n").chars().take(MAX_INSTRUCTIONS_CHARS).collect();
        (!joined.is_empty()).then_some(joined)
    }

    /// Names everything that changes how pages are cut or labelled; empty when nothing does.
    pub fn fingerprint(&self) -> String {
        let strategy = |strategy: &Option<Strategy>| {
            strategy.map(|it| json!([it.chunk_by.as_str(), it.max_chunk_size, it.min_chunk_size]))
        };
        let mut hasher = blake3::Hasher::new();
        let mut says_something = false;
        for (folder, manifest) in self.all() {
            let overrides: Vec<_> = manifest
                .overrides
                .iter()
                .map(|it| json!([it.pattern, strategy(&it.strategy), it.metadata]))
                .collect();
            let own = json!([folder, strategy(&manifest.strategy), manifest.metadata, overrides]);
            hasher.update(own.to_string().as_bytes());
            // A manifest that says nothing still keeps the one above it away from its folder.
            says_something |= !folder.is_empty() || manifest.strategy.is_some() || !overrides.is_empty();
            says_something |= !manifest.metadata.is_empty();
        }
        if says_something { hasher.finalize().to_hex().to_string() } else { String::new() }
    }

    /// Whether nobody says anything.
    pub fn is_empty(&self) -> bool {
        self.by_folder.is_empty() && self.base.is_empty()
    }

    /// Every manifest that governs anything, with its folder: the root's first, then by path.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Manifest)> {
        let base = (!self.by_folder.contains_key("")).then_some(("", &self.base));
        base.into_iter().chain(self.by_folder.iter().map(|(folder, manifest)| (folder.as_str(), manifest)))
    }
}

/// Puts facets over those that are there, as far as a page may have them. Says whether some are left out.
fn lay_over<'m>(
    metadata: &mut BTreeMap<String, String>,
    more: impl IntoIterator<Item = (&'m String, &'m String)>,
) -> bool {
    let mut left_out = false;
    for (key, value) in more {
        if metadata.len() < MAX_FACETS || metadata.contains_key(key) {
            metadata.insert(key.clone(), value.clone());
        } else {
            left_out = true;
        }
    }
    left_out
}

/// A path relative to a folder above it.
pub(crate) fn relative<'p>(path: &'p str, folder: &str) -> &'p str {
    match path.strip_prefix(folder) {
        Some(rest) if !folder.is_empty() => rest.strip_prefix('/').unwrap_or(rest),
        _ => path,
    }
}
