//! Conditions on fields of what is found, as the search of a library takes them.
//!
//! A condition on a document is decided here, over the documents of the snapshot that is searched, and reaches the store
//! as the rows that pass; one on a chunk reaches it as it is. Either way it counts before ranking.

mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use docent_index::{DocumentId, Filter, Snapshot};
use serde_json::Value;

use self::values::{Wanted, is_same};
use super::documents::modified_ms;
use super::{Details, LibraryDocument};
use crate::EngineError;
use crate::engine::Inner;
use crate::seal::Bound;

/// What the key of a field of the caller's own begins with.
const METADATA: &str = "metadata.";

/// Longest name and value, in bytes.
const MAX_BYTES: usize = 8 * 1024;

/// Fields that can be filtered by, besides those of the metadata.
const FIELDS: &[(&str, Field)] = &[
    ("doc_id", Field::DocId),
    ("library", Field::Library),
    ("source", Field::Source),
    ("title", Field::Title),
    ("content_hash", Field::ContentHash),
    ("created_at", Field::CreatedAt),
    ("last_modified", Field::LastModified),
    ("file_type", Field::FileType),
    ("page", Field::Page),
    ("chunk_index", Field::ChunkIndex),
];

/// A field that must have a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    field: Field,
    value: Wanted,
    /// As it was given.
    asked: (String, Value),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Field {
    DocId,
    Library,
    Source,
    Title,
    ContentHash,
    CreatedAt,
    LastModified,
    FileType,
    Page,
    ChunkIndex,
    Metadata(String),
}

impl Condition {
    /// Checks a field's name and value; the error lists the names that there are.
    pub fn new(name: &str, value: Value) -> Result<Self, EngineError> {
        let is_long = |text: &str| text.len() > MAX_BYTES || text.contains('\0');
        if value.as_str().is_some_and(is_long) || is_long(name) {
            return Err(EngineError::usage(
                format!("a field or a value of the filter has more than {MAX_BYTES} bytes, or a zero byte"),
                "filter by something shorter",
            ));
        }
        let field = FIELDS.iter().find(|(known, _)| *known == name).map(|(_, field)| field.clone());
        let own = || name.strip_prefix(METADATA).filter(|key| !key.is_empty());
        let Some(field) = field.or_else(|| own().map(|key| Field::Metadata(key.to_owned()))) else {
            return Err(EngineError::usage(
                format!("there is no field `{}` to filter by", docent_text::visible_line(name, 100)),
                format!("use one of {}", Self::fields().join(", ")),
            ));
        };
        let asked = (name.to_owned(), value.clone());
        Ok(Self { value: Wanted::new(&field, name, value)?, field, asked })
    }

    /// Names of the fields that can be filtered by.
    pub fn fields() -> Vec<&'static str> {
        FIELDS.iter().map(|(name, _)| *name).chain(["metadata.KEY"]).collect()
    }

    pub(crate) fn bind(&self, bound: &mut Bound) {
        bound.add("field", &self.asked.0);
        bound.add("equals", &self.asked.1.to_string());
    }

    /// Whether a document passes; one that depends on a chunk lets every document through.
    fn matches(&self, document: &LibraryDocument) -> bool {
        let LibraryDocument { record, details, .. } = document;
        let is = |text: &str| self.value == Wanted::Text(text.to_owned());
        match &self.field {
            Field::DocId => is(&record.uuid),
            Field::Library => is(&record.collection),
            // Answers show marks in the place of characters that are not seen.
            Field::Source => is(&record.path) || is(&docent_text::marked(&record.path)),
            Field::Title => is(&record.title),
            Field::ContentHash => is(&details.sha256),
            Field::CreatedAt => self.value.is_at(details.created_ms),
            Field::LastModified => self.value.is_at(modified_ms(record)),
            Field::FileType => is(&details.file_type),
            Field::Page | Field::ChunkIndex => true,
            Field::Metadata(key) => self.is_in(details, key),
        }
    }

    /// A key with dots is the name of a field, or leads into fields of fields.
    fn is_in(&self, details: &Details, key: &str) -> bool {
        let Wanted::Json(wanted) = &self.value else { return false };
        let direct = details.metadata.get(key);
        let inner = || {
            let (first, rest) = key.split_once('.')?;
            rest.split('.').try_fold(details.metadata.get(first)?, |value, part| value.get(part))
        };
        direct.or_else(inner).is_some_and(|value| is_same(value, wanted))
    }
}

impl Inner {
    /// The filter that conditions come down to in a snapshot.
    pub(crate) fn filter_of(
        &self,
        snapshot: &dyn Snapshot,
        filter: &Filter,
        conditions: &[Condition],
    ) -> Result<Filter, EngineError> {
        let mut filter = filter.clone();
        if conditions.is_empty() {
            return Ok(filter);
        }
        let mut is_impossible = false;
        for condition in conditions {
            let place = match condition.field {
                Field::Page => &mut filter.chunks.page,
                Field::ChunkIndex => &mut filter.chunks.ordinal,
                _ => continue,
            };
            let wanted = match condition.value {
                Wanted::Number(number) => u32::try_from(number).ok(),
                _ => None,
            };
            is_impossible |= wanted.is_none() || place.is_some_and(|known| Some(known) != wanted);
            *place = wanted;
        }
        let is_of_chunks =
            |condition: &&Condition| matches!(condition.field, Field::Page | Field::ChunkIndex);
        let of_documents: Vec<_> = conditions.iter().filter(|condition| !is_of_chunks(condition)).collect();
        let needs_hash = of_documents.iter().any(|condition| condition.field == Field::ContentHash);
        let mut rows: BTreeSet<DocumentId> = BTreeSet::new();
        if is_impossible {
            filter.only = Some(Arc::new(rows));
            return Ok(filter);
        }
        if of_documents.is_empty() {
            return Ok(filter);
        }
        for record in snapshot.documents(&filter) {
            let mut document = LibraryDocument::of(record);
            if needs_hash {
                self.add_hash(snapshot, &mut document)?;
            }
            if of_documents.iter().all(|condition| condition.matches(&document)) {
                rows.insert(document.record.id);
            }
        }
        filter.only = Some(Arc::new(rows));
        Ok(filter)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_are_refused_with_those_that_there_are() {
        for name in ["colour", "metadata", "metadata.", "Page", ""] {
            let error = Condition::new(name, json!("x")).unwrap_err();
            assert!(error.hint.contains("file_type") && error.hint.contains("metadata.KEY"), "{name}");
        }
    }

    #[test]
    fn metadata_is_compared_as_it_is_meant() {
        let metadata = json!({
            "n": 3, "f": 2.5, "b": false, "z": null, "a.b": "dot", "o": {"i": "x"}, "tags": ["x", 3, ["deep"]],
        });
        let metadata = metadata.as_object().cloned().unwrap();
        let details = Details { metadata, ..Details::default() };
        let is = |key: &str, value: Value| {
            Condition::new(&format!("metadata.{key}"), value).unwrap().is_in(&details, key)
        };
        assert!(is("n", json!(3)) && is("n", json!(3.0)) && is("n", json!("3")) && !is("n", json!("3.0")));
        assert!(is("f", json!(2.5)) && is("f", json!("2.5")) && !is("f", json!(2)));
        assert!(is("b", json!(false)) && is("b", json!("false")) && !is("b", json!(0)));
        assert!(is("tags", json!("x")) && is("tags", json!(3)) && is("tags", json!("3")));
        assert!(!is("tags", json!("deep")) && !is("tags", json!("y")));
        assert!(is("z", json!(null)) && !is("missing", json!(null)));
        assert!(is("a.b", json!("dot")) && is("o.i", json!("x")) && !is("o.j", json!("x")));
    }
}
