//! The toolsets, resources, prompts and notices as a client sees them: over the stdio framing, on a real index.
//!
//! Every file is named after the part of the specification that it holds; every test after the rule.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod anvil_edge_cases;
mod anvil_get_page;
mod anvil_get_section;
mod anvil_get_status;
mod anvil_list_pages;
mod anvil_search_docs;
mod authored;
mod budget;
mod client;
mod docs_mcp_announced;
mod docs_mcp_collapse;
mod docs_mcp_context;
mod docs_mcp_facets;
mod docs_mcp_hints;
mod docs_mcp_hostile;
mod docs_mcp_identity;
mod docs_mcp_manifests;
mod docs_mcp_retrieval;
mod docs_mcp_sizes;
mod docs_mcp_stability;
mod docs_mcp_strategy;
mod docs_mcp_tools;
mod documents_announced;
mod documents_batch;
mod documents_budget;
mod documents_catalogue;
mod documents_fetched;
mod documents_hostile;
mod documents_names;
mod documents_outline;
mod documents_related;
mod documents_search;
mod documents_section;
mod documents_world;
mod dogfood;
mod malformed_frames;
mod mcpvectordb_announced;
mod mcpvectordb_documents;
mod mcpvectordb_hostile;
mod mcpvectordb_ingest;
mod mcpvectordb_live;
mod mcpvectordb_search;
mod mcpvectordb_url;
mod mcpvectordb_world;
mod notices;
mod odd_arguments;
mod prompts;
mod protocol;
mod reference;
mod resources;
mod schema_check;
mod schemas;
mod world;
