//! How the lines of a hit agree with the code: said with every hit of every search, and asked for with `verified_only`.
//!
//! Only pages of folders inside the repository are ever verified. What cannot be found out is left out: a search must not
//! fail because of it.

use std::path::PathBuf;

use docent_engine::{Filter, SearchHit};
use docent_health::Marker;
use serde_json::{Value, json};

use crate::call::{Call, Failure};
use crate::schema::{flag, integer, list, nullable, object, text};

impl Call<'_> {
    /// The folders that are served, by collection.
    pub(crate) fn folders(&self) -> Vec<(String, PathBuf)> {
        let is_served = |name: &str| self.facets.names.ids().iter().any(|id| id == name);
        let mut folders = self.engine.folders();
        folders.retain(|(name, _)| is_served(name));
        folders
    }

    /// Says of each hit how its lines agree with the code.
    pub(crate) fn mark(&self, hits: &mut [SearchHit]) {
        let Some(health) = self.health else { return };
        health.ask_for_verification();
        let (mut marker, folders) = (Marker::new(health), self.engine.folders());
        for hit in hits {
            let about = &hit.metadata;
            let folder = folders.iter().find(|(name, _)| *name == about.collection);
            let Some((_, folder)) = folder else { continue };
            let lines = about.start_line..=about.end_line;
            let known = marker.lines(folder, &about.file_path, lines, &about.content_hash);
            hit.verification = known.map(|known| json!(known));
        }
    }

    /// Narrows a filter to what was verified, when the call asks for it.
    pub(crate) fn narrow(&self, filter: &mut Filter) -> Result<(), Failure> {
        if !self.args.flag("verified_only", false)? {
            return Ok(());
        }
        let Some(health) = self.health else {
            return Err(Failure::told("verified_only: docs health is not kept here. Leave it out."));
        };
        let snapshot = self.engine.snapshot()?;
        let chosen = health.verified(&*snapshot, &self.folders());
        filter.chosen =
            Some(chosen.map_err(|error| Failure::told(format!("{error}. Leave out verified_only.")))?);
        Ok(())
    }
}

/// The schema of the parameter.
pub(crate) fn verified_only() -> Value {
    json!({
        "type": "boolean", "default": false,
        "description": "Only passages whose every checked claim about the code holds. Passages that claim nothing are left out, too.",
    })
}

/// The schema of what is said of a hit.
pub(crate) fn verification() -> Value {
    let mut schema = object(
        json!({
            "status": text("Worst of its claims: verified, pending, uncertain or drifted."),
            "verified": integer("Claims that hold."),
            "drifted": integer("Claims that do not hold any more: do not rely on them."),
            "uncertain": integer("Claims that nobody can tell of."),
            "last_verified": nullable(text("When it was checked, ISO 8601.")),
            "reasons": list("What is wrong, and what to write instead.", json!({"type": "string"})),
            "outdated": flag("True when the page has changed since it was checked."),
        }),
        &["status", "verified", "drifted", "last_verified"],
    );
    schema.insert(
        "description".to_owned(),
        "How what these lines claim agrees with the code; absent where they claim nothing that can be checked.".into(),
    );
    Value::Object(schema)
}
