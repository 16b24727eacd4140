//! A manifest back to text, for where what the settings say has to travel as a file.

use std::collections::BTreeSet;

use docent_text::Strategy;
use serde_json::{Value, json};

use crate::Manifest;
use crate::manifest::{Override, TaxonomyField, VERSION};

impl Manifest {
    /// The text of a file that says the same.
    pub fn to_text(&self) -> String {
        let mut said = json!({ "version": VERSION });
        if let Some(own) = self.strategy {
            said["strategy"] = strategy(own);
        }
        if !self.metadata.is_empty() {
            said["metadata"] = json!(self.metadata);
        }
        if !self.taxonomy.0.is_empty() {
            let fields = self.taxonomy.0.iter().map(|(key, own)| (key.clone(), field(own)));
            said["taxonomy"] = fields.collect();
        }
        if !self.overrides.is_empty() {
            said["overrides"] = self.overrides.iter().map(exception).collect();
        }
        if let Some(instructions) = &self.instructions {
            said["mcpServerInstructions"] = json!(instructions);
        }
        format!("{said:#}")
    }
}

fn strategy(own: Strategy) -> Value {
    let mut said = json!({ "chunk_by": own.chunk_by.as_str() });
    for (key, size) in [("max_chunk_size", own.max_chunk_size), ("min_chunk_size", own.min_chunk_size)] {
        if let Some(size) = size {
            said[key] = json!(size);
        }
    }
    said
}

fn field(own: &TaxonomyField) -> Value {
    let mut said = json!({ "vector_collapse": own.vector_collapse });
    if let Some(description) = &own.description {
        said["description"] = json!(description);
    }
    if let Some(values) = &own.values {
        said["values"] = json!(values);
    }
    if !own.resources.is_empty() {
        said["properties"] = properties(&own.resources);
    }
    said
}

fn properties(resources: &BTreeSet<String>) -> Value {
    resources.iter().map(|value| (value.clone(), json!({ "mcp_resource": true }))).collect()
}

fn exception(own: &Override) -> Value {
    let mut said = json!({ "pattern": own.pattern });
    if let Some(its) = own.strategy {
        said["strategy"] = strategy(its);
    }
    if !own.metadata.is_empty() {
        said["metadata"] = json!(own.metadata);
    }
    said
}
