//! The tools with the facets of the index in their schemas, as clients see them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};

use crate::caller::Scope;
use crate::facets::Facets;
use crate::table::{Effect, ToolSpec};

/// The tools as clients see them at one moment.
#[derive(Default)]
pub(crate) struct Offer {
    pub(crate) facets: Facets,
    pub(crate) tools: Vec<(Scope, Tool)>,
}

impl Offer {
    pub(crate) fn new(tools: &[&ToolSpec], facets: Facets) -> Self {
        let tools = tools.iter().map(|tool| (tool.effect.scope(), Self::describe(tool, &facets))).collect();
        Self { facets, tools }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().map(|(_, tool)| tool).find(|tool| tool.name == name)
    }

    pub(crate) fn schema(&self, name: &str) -> Option<&JsonObject> {
        self.tool(name).map(|tool| &*tool.input_schema)
    }

    fn describe(tool: &ToolSpec, facets: &Facets) -> Tool {
        Tool::new(tool.name, tool.description, (tool.input)(facets))
            .with_title(tool.title)
            .with_raw_output_schema(Arc::new((tool.output)()))
            .with_annotations(
                ToolAnnotations::with_title(tool.title)
                    .read_only(tool.effect == Effect::Reads)
                    .destructive(tool.effect == Effect::Deletes)
                    // Whatever is done twice is done once: what is here already is skipped, what is gone stays gone. Only what
                    // somebody says twice was said twice.
                    .idempotent(tool.effect != Effect::Reports)
                    .open_world(tool.effect == Effect::Fetches),
            )
    }
}
