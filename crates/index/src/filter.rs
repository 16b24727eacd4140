//! Which documents and chunks a search may answer from. Stores apply a filter before ranking, never after cutting to k.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};

use crate::{DocumentId, DocumentRecord};

/// All conditions must hold. The default lets everything through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Names of the collections to search; `None` means all.
    pub collections: Option<Vec<String>>,
    /// Paths to search.
    pub path: Option<PathGlob>,
    /// Condition on the facets.
    pub facets: Option<FacetExpr>,
    /// A document to leave out. Another version of it has another row and is not left out.
    pub except: Option<DocumentId>,
    /// Rows of the documents to search; `None` means all. A caller that knows more of documents than a store decides
    /// which ones pass, in the snapshot that it searches.
    pub only: Option<Arc<BTreeSet<DocumentId>>>,
    /// Which chunks of a document.
    pub chunks: ChunkFilter,
    /// Chunks that somebody who knows more of them has chosen; `None` means all.
    pub chosen: Option<Arc<Chosen>>,
}

impl Filter {
    /// Whether everything passes.
    pub fn is_empty(&self) -> bool {
        self.collections.is_none() && self.is_open()
    }

    /// Whether every document and chunk of the named collections passes.
    pub fn is_open(&self) -> bool {
        self.path.is_none()
            && self.facets.is_none()
            && self.except.is_none()
            && self.only.is_none()
            && !self.picks_chunks()
    }

    /// Whether there is a condition on chunks.
    pub fn picks_chunks(&self) -> bool {
        !self.chunks.is_empty() || self.chosen.is_some()
    }

    /// Ordinals of the document's chunks that pass.
    pub fn ordinals_of<'a>(&'a self, document: &'a DocumentRecord) -> impl Iterator<Item = u32> + 'a {
        let chosen = self.chosen.as_ref().map(|chosen| chosen.chunks.get(&document.id));
        let is_chosen = move |ordinal: &u32| {
            chosen.is_none_or(|chunks| chunks.is_some_and(|chunks| chunks.contains(ordinal)))
        };
        self.chunks.of(document).filter(is_chosen)
    }

    /// Whether `document` passes: at least one of its chunks does.
    pub fn matches(&self, document: &DocumentRecord) -> bool {
        self.collections.as_ref().is_none_or(|names| names.contains(&document.collection))
            && self.path.as_ref().is_none_or(|glob| glob.matches(&document.path))
            && self.facets.as_ref().is_none_or(|expr| expr.matches(document))
            && self.except != Some(document.id)
            && self.only.as_ref().is_none_or(|rows| rows.contains(&document.id))
            && (!self.picks_chunks() || self.ordinals_of(document).next().is_some())
    }
}

/// Chunks that somebody has chosen: by document, their ordinals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// What tells two choices apart: pages of an answer belong to one of them.
    pub name: String,
    /// The chunks.
    pub chunks: BTreeMap<DocumentId, BTreeSet<u32>>,
}

/// Which chunks of a document pass. All conditions must hold; the default lets every chunk through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChunkFilter {
    /// The page that they stand on; 0 for chunks of documents without pages.
    pub page: Option<u32>,
    /// Their position in the document, from 0.
    pub ordinal: Option<u32>,
}

impl ChunkFilter {
    /// Whether every chunk passes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Ordinals of the document's chunks that pass.
    pub fn of(self, document: &DocumentRecord) -> impl Iterator<Item = u32> {
        let all = match self.ordinal {
            Some(ordinal) => ordinal..document.chunk_count.min(ordinal.saturating_add(1)),
            None => 0..document.chunk_count,
        };
        all.filter(move |ordinal| self.page.is_none_or(|page| document.page(*ordinal) == page))
    }
}

/// A boolean expression over facet values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FacetExpr {
    /// The facet has this value.
    Is {
        /// Facet key.
        key: String,
        /// Wanted value.
        value: String,
    },
    /// All of these hold.
    All(Vec<FacetExpr>),
    /// At least one of these holds.
    Any(Vec<FacetExpr>),
}

impl FacetExpr {
    fn matches(&self, document: &DocumentRecord) -> bool {
        match self {
            Self::Is { key, value } => document.facets.get(key) == Some(value),
            Self::All(parts) => parts.iter().all(|part| part.matches(document)),
            Self::Any(parts) => parts.iter().any(|part| part.matches(document)),
        }
    }
}

/// Longer patterns are refused: matching them against every path would be slow.
const MAX_PATTERN_BYTES: usize = 1024;
/// No matcher can be made of patterns with hundreds of braces inside each other.
const MAX_BRACES: usize = 32;

/// A checked path pattern: `*` stays inside one folder, `**` crosses folders, a plain folder name means all below it.
#[derive(Debug, Clone)]
pub struct PathGlob {
    pattern: String,
    matcher: GlobMatcher,
    folder: Option<String>,
}

impl PathGlob {
    /// Checks `pattern`; the error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let clean = pattern.trim_start_matches("./").trim_start_matches('/');
        let is_deep = clean.matches('{').count() > MAX_BRACES;
        if clean.is_empty()
            || is_deep
            || clean.len() > MAX_PATTERN_BYTES
            || clean.split('/').any(|part| part == "..")
        {
            let shown: String = pattern.chars().take(40).collect();
            return Err(format!(
                "not a path pattern: {shown} (it must name something inside the documents, in at most {MAX_PATTERN_BYTES} bytes)"
            ));
        }
        let glob = GlobBuilder::new(clean)
            .literal_separator(true)
            .build()
            .map_err(|error| format!("not a path pattern: {pattern} ({})", error.kind()))?;
        let is_plain = !clean.contains(['*', '?', '[', '{']);
        let folder = is_plain.then(|| format!("{}/", clean.trim_end_matches('/')));
        Ok(Self { pattern: pattern.to_owned(), matcher: glob.compile_matcher(), folder })
    }

    /// The pattern as it was given.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Whether `path` matches. The slash before an absolute path counts in neither of the two.
    pub fn matches(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        self.matcher.is_match(path) || self.folder.as_ref().is_some_and(|folder| path.starts_with(folder))
    }
}

/// Equal patterns match the same paths.
impl PartialEq for PathGlob {
    fn eq(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }
}

#[cfg(test)]
mod tests {
    use super::PathGlob;

    fn check(pattern: &str, path: &str, expected: bool) {
        let glob = PathGlob::new(pattern).unwrap();
        assert_eq!(glob.matches(path), expected, "{pattern} on {path}");
    }

    #[test]
    fn star_stays_inside_a_folder() {
        check("*.md", "a.md", true);
        check("*.md", "guides/a.md", false);
        check("guides/*.md", "guides/a.md", true);
    }

    #[test]
    fn double_star_crosses_folders() {
        check("**/*.md", "a.md", true);
        check("**/*.md", "x/y/a.md", true);
        check("guides/**", "guides/x/y.md", true);
    }

    #[test]
    fn a_plain_name_is_a_file_or_a_folder() {
        check("guides", "guides/a.md", true);
        check("guides/", "guides/x/a.md", true);
        check("guides", "guides2/a.md", false);
        check("guides/a.md", "guides/a.md", true);
        check("./guides/a.md", "guides/a.md", true);
        check("/home/me", "/home/me/a.pdf", true);
        check("/home/**/*.pdf", "/home/me/a.pdf", true);
        check("me/*.pdf", "/home/me/a.pdf", false);
    }

    #[test]
    fn a_broken_pattern_is_an_error() {
        assert!(PathGlob::new("a[").unwrap_err().contains("a["));
        let deep = "{a,".repeat(300) + &"}".repeat(300);
        assert!(PathGlob::new(&deep).is_err());
    }
}
