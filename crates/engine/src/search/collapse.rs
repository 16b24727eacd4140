//! Folds the same passage of sibling pages into the best one.
//!
//! Documentation that exists once per language, per version or per platform answers a question five times with the same
//! words. Where the authors say so (`vector_collapse`), pages that differ only in such a facet count as one: their paths
//! are the same once the facet's value is taken out of them. Of their passages, those under the same heading, or at the
//! same place of equally long pages when the headings are translated, are folded into the one that scores best. Where
//! most headings of two pages agree nothing was translated, and another heading is another subject. A search that
//! filters by the facet has chosen already and folds nothing.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use docent_index::{ChunkId, DocumentId, DocumentRecord, Snapshot};
use docent_text::strip_part;

use super::rank::Ranking;
use crate::EngineError;

/// Stands for a facet's value in paths and headings.
const ANY: &str = "*";

/// Folds the hits of a ranking, best first. `keys` are the facets to fold over.
pub(crate) fn collapse(
    snapshot: &dyn Snapshot,
    keys: &[String],
    ranking: &mut Ranking,
) -> Result<(), EngineError> {
    if keys.is_empty() {
        return Ok(());
    }
    let families = families(snapshot, keys, ranking);
    if families.is_empty() {
        return Ok(());
    }
    let in_family: Vec<ChunkId> =
        ranking.hits.iter().filter(|hit| families.contains_key(&hit.document)).map(|hit| hit.chunk).collect();
    let headings: HashMap<ChunkId, String> =
        snapshot.chunks(&in_family)?.into_iter().map(|chunk| (chunk.id, chunk.heading_path)).collect();

    let mut best: HashMap<Place<'_>, (DocumentId, ChunkId)> = HashMap::new();
    let mut folded: HashMap<ChunkId, Vec<ChunkId>> = HashMap::new();
    ranking.hits.retain(|hit| {
        let Some(member) = families.get(&hit.document) else { return true };
        let heading = headings.get(&hit.chunk).map(|path| member.common(path));
        let position = member.chunks.iter().position(|chunk| *chunk == hit.chunk);
        let places = [
            heading.map(|heading| Place::Heading(&member.family, heading)),
            position.map(|at| Place::Position(&member.family, at, member.chunks.len())),
        ];
        let is_same = |place: &Place<'_>, document: &DocumentId| match place {
            Place::Heading(..) => true,
            Place::Position(..) => families.get(document).is_some_and(|other| member.is_translation(other)),
        };
        let better = places.iter().flatten().find_map(|place| {
            let (document, chunk) = best.get(place)?;
            (*document != hit.document && is_same(place, document)).then_some(*chunk)
        });
        match better {
            Some(better) => folded.entry(better).or_default().push(hit.chunk),
            None => {
                for place in places.into_iter().flatten() {
                    if let Entry::Vacant(free) = best.entry(place) {
                        free.insert((hit.document, hit.chunk));
                    }
                }
            }
        }
        better.is_none()
    });
    ranking.folded = folded;
    Ok(())
}

/// Where a passage stands, whichever of the siblings it is in.
#[derive(PartialEq, Eq, Hash)]
enum Place<'f> {
    /// Under this heading path.
    Heading(&'f str, String),
    /// At this place of so many.
    Position(&'f str, usize, usize),
}

/// A page that has siblings.
struct Member {
    /// The same for all siblings.
    family: String,
    /// The facet values that tell it from them.
    values: Vec<String>,
    /// Headings of level 1 and 2, as all siblings would have them in one language.
    headings: BTreeSet<String>,
    chunks: Vec<ChunkId>,
}

impl Member {
    /// A heading path without what only this sibling says.
    fn common(&self, heading_path: &str) -> String {
        without(strip_part(heading_path), &self.values).0
    }

    /// Whether fewer than half of the headings are the same.
    fn is_translation(&self, other: &Member) -> bool {
        let same = self.headings.intersection(&other.headings).count();
        same * 2 < self.headings.len().min(other.headings.len())
    }
}

/// The pages among the hits that have a sibling among them.
fn families(snapshot: &dyn Snapshot, keys: &[String], ranking: &Ranking) -> HashMap<DocumentId, Member> {
    let mut members = HashMap::new();
    let mut sizes: HashMap<String, usize> = HashMap::new();
    for hit in &ranking.hits {
        let Entry::Vacant(free) = members.entry(hit.document) else { continue };
        let Some(document) = snapshot.document(hit.document) else { continue };
        let Some((family, values)) = family(&document, keys) else { continue };
        *sizes.entry(family.clone()).or_default() += 1;
        let headings = document.headings.iter().map(|heading| without(heading, &values).0).collect();
        free.insert(Member { family, values, headings, chunks: snapshot.chunk_ids(document.id) });
    }
    members.retain(|_, member| sizes.get(&member.family).is_some_and(|size| *size > 1));
    members
}

/// The collection and path without the facets' values, and these values; `None` when the path has none of them.
fn family(document: &DocumentRecord, keys: &[String]) -> Option<(String, Vec<String>)> {
    let values: Vec<String> = keys.iter().filter_map(|key| document.facets.get(key).cloned()).collect();
    let (path, changed) = without(&document.path, &values);
    changed.then(|| (format!("{}\0{path}", document.collection), values))
}

/// `text` with every word that is one of `values` taken out; whether there was any.
fn without(text: &str, values: &[String]) -> (String, bool) {
    let is_joint = |c: char| !(c.is_alphanumeric() || c == '+' || c == '#');
    let mut common = String::with_capacity(text.len());
    let mut changed = false;
    for piece in text.split_inclusive(is_joint) {
        let word = piece.trim_end_matches(is_joint);
        let is_value = values.iter().any(|value| value.to_lowercase() == word.to_lowercase());
        changed |= is_value;
        common.push_str(if is_value { ANY } else { word });
        common.push_str(&piece[word.len()..]);
    }
    (common, changed)
}

#[cfg(test)]
mod tests {
    use super::without;

    fn check(text: &str, values: &[&str], expected: &str) {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        assert_eq!(without(text, &values), (expected.to_owned(), text != expected), "{text}");
    }

    #[test]
    fn values_are_taken_out_of_folders_and_file_names() {
        check("sdks/typescript/auth.md", &["typescript"], "sdks/*/auth.md");
        check("guide.fr.md", &["fr"], "guide.*.md");
        check("auth-python.md", &["python"], "auth-*.md");
        check("v2/linux/setup.md", &["v2", "linux"], "*/*/setup.md");
        check("c++/a.md", &["c++"], "*/a.md");
    }

    #[test]
    fn only_whole_words_count() {
        check("frames/fr-list.md", &["fr"], "frames/*-list.md");
        check("going/a.md", &["go"], "going/a.md");
    }

    #[test]
    fn headings_lose_their_language() {
        check("TypeScript Auth SDK > Errors", &["typescript"], "* Auth SDK > Errors");
    }
}
