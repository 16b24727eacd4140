//! The one table of all tools. Registration, the reference, `--toolsets`, `--tools`, `--read-only` and the tests walk it.

use rmcp::model::JsonObject;

use crate::call::{Answer, Call, Failure};
use crate::caller::Scope;
use crate::facets::Facets;
use crate::{collections, docs, health, library};

/// Every tool, in the order in which clients see them.
pub(crate) static TOOLS: &[ToolSpec] = &[
    docs::search_docs::TOOL,
    docs::get_doc::TOOL,
    docs::get_page::TOOL,
    docs::get_section::TOOL,
    docs::list_pages::TOOL,
    docs::get_status::TOOL,
    health::get_docs::TOOL,
    health::get_doc_health::TOOL,
    health::list_stale_docs::TOOL,
    health::report_drift::TOOL,
    collections::list_collections::TOOL,
    collections::list_documents::TOOL,
    collections::search::TOOL,
    collections::search_batch::TOOL,
    collections::get_document::TOOL,
    collections::get_outline::TOOL,
    collections::get_section::TOOL,
    collections::find_related::TOOL,
    library::ingest_file::TOOL,
    library::ingest_url::TOOL,
    library::ingest_content::TOOL,
    library::ingest_folder::TOOL,
    library::search::TOOL,
    library::list_documents::TOOL,
    library::list_libraries::TOOL,
    library::get_document::TOOL,
    library::delete_document::TOOL,
];

/// A tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) toolset: Toolset,
    pub(crate) effect: Effect,
    /// For people.
    pub(crate) title: &'static str,
    /// For agents: what it does, when to use it, when another is better.
    pub(crate) description: &'static str,
    /// Schema of the arguments; facets and collections of the index are in it.
    pub(crate) input: fn(&Facets) -> JsonObject,
    /// Schema of the structured result.
    pub(crate) output: fn() -> JsonObject,
    pub(crate) run: fn(&Call<'_>) -> Result<Answer, Failure>,
}

impl ToolSpec {
    /// Whether it reads files of this machine, which belong to no collection: it is not for callers who may know of some
    /// collections only.
    pub(crate) fn reads_files(&self) -> bool {
        [library::ingest_file::TOOL.name, library::ingest_folder::TOOL.name].contains(&self.name)
    }
}

/// Tools that belong together and are switched on together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Toolset {
    /// Search and read the documents.
    Docs,
    /// Say whether documents still agree with the code.
    Health,
    /// Browse, search and read many collections.
    Collections,
    /// Take documents in, search and read them, and delete them again.
    Library,
}

impl Toolset {
    /// All there are.
    pub const ALL: &[Toolset] = &[Self::Docs, Self::Health, Self::Collections, Self::Library];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docs => "docs",
            Self::Health => "health",
            Self::Collections => "collections",
            Self::Library => "library",
        }
    }

    /// What it is for, and how its tools say that something is wrong.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Docs => "Search and read the documents. On unless another choice is made.",
            Self::Health => {
                "Say whether documents still agree with the code of their repository, with evidence, and take reports of drift. On \
                 unless another choice is made; `--read-only` leaves out `report_drift`. Documents are named by their path in the \
                 repository. Whatever is wrong is an error of JSON-RPC: -32602 for a parameter, -32603 for the database, -32000 when \
                 nothing is claimed under a path."
            }
            Self::Collections => {
                "Browse, search and read many collections. On with `--toolsets collections`, `docs,collections` or `all`. A \
                 collection is named by its id, its alias, or its name without a version, which means the newest. What is not \
                 there is told as an ordinary answer: a sentence as text, and the same as `message` in the structured content."
            }
            Self::Library => {
                "Take files, folders, web pages and texts in, search and read them with page numbers to cite, and delete them again. \
                 On with `--toolsets library`, `docs,library` or `all`; `--read-only` leaves out `ingest_*` and `delete_document`, \
                 and so does an index that can only be read. A library is a collection of documents that were handed over; the \
                 reading tools cover every collection. Whatever is wrong is told as an ordinary answer: \
                 `{\"status\": \"error\", \"error\": \"what happened, and what to do next\"}`."
            }
        }
    }

    /// Whether what is wrong is told as an ordinary answer with `status` and `error`, rather than as an error of the protocol's.
    pub(crate) fn tells_errors(self) -> bool {
        matches!(self, Self::Library)
    }

    /// Whether what is wrong is an error of JSON-RPC with a code.
    pub(crate) fn has_codes(self) -> bool {
        matches!(self, Self::Health)
    }

    /// Whether it is on when nothing is said.
    fn is_default(self) -> bool {
        matches!(self, Self::Docs | Self::Health)
    }
}

/// What a tool does to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Reads,
    /// Adds a document, or puts a newer version in the place of its own older one.
    Adds,
    /// The same, with what it fetches from the network.
    Fetches,
    /// Writes down what the caller says, each time anew.
    Reports,
    /// Takes away what cannot be brought back.
    Deletes,
}

impl Effect {
    /// What a caller must be allowed to do.
    pub(crate) fn scope(self) -> Scope {
        match self {
            Self::Reads => Scope::Read,
            Self::Adds | Self::Fetches | Self::Reports | Self::Deletes => Scope::Write,
        }
    }
}

/// Which tools are offered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Names of toolsets, or `all`; none means the default ones.
    pub toolsets: Vec<String>,
    /// Names of single tools; with these, only these.
    pub tools: Vec<String>,
    /// Leave out every tool that changes something.
    pub read_only: bool,
}

impl Choice {
    /// Whether everything that is named exists; the error says what does not.
    pub fn check(&self) -> Result<(), String> {
        self.pick().map(|_| ())
    }

    /// The chosen tools in table order; the error names what does not exist and what does.
    pub(crate) fn pick(&self) -> Result<Vec<&'static ToolSpec>, String> {
        for name in &self.toolsets {
            if name != "all" && Toolset::ALL.iter().all(|toolset| toolset.name() != name) {
                let known: Vec<&str> = Toolset::ALL.iter().map(|toolset| toolset.name()).collect();
                return Err(format!("there is no toolset `{name}`; there are: {}, all", known.join(", ")));
            }
        }
        if let Some(name) = self.tools.iter().find(|name| TOOLS.iter().all(|tool| tool.name != **name)) {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err(format!("there is no tool `{name}`; there are: {}", known.join(", ")));
        }
        let wanted = |tool: &&ToolSpec| {
            let named = |name: &String| name == "all" || name == tool.toolset.name();
            match (self.tools.is_empty(), self.toolsets.is_empty()) {
                (true, true) => tool.toolset.is_default(),
                (true, false) => self.toolsets.iter().any(named),
                (false, _) => {
                    self.tools.iter().any(|name| name == tool.name) || self.toolsets.iter().any(named)
                }
            }
        };
        let allowed = |tool: &&ToolSpec| !self.read_only || tool.effect == Effect::Reads;
        let picked: Vec<&ToolSpec> = TOOLS.iter().filter(wanted).filter(allowed).collect();
        match picked.is_empty() {
            true => {
                Err("no tool is left to offer: every chosen tool writes, and --read-only is set".to_owned())
            }
            false => Ok(picked),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::schema::properties;

    #[test]
    fn names_are_unique_and_portable() {
        let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        assert_eq!(names.len(), TOOLS.len());
        for name in names {
            let plain = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            assert!(name.len() <= 64 && name.chars().all(plain), "{name}");
        }
    }

    #[test]
    fn descriptions_are_short_and_say_when_to_use_another() {
        for tool in TOOLS {
            assert!(tool.description.len() < 2048, "{}", tool.name);
            let words = |letter: char| !(letter.is_ascii_alphanumeric() || "_`".contains(letter));
            // A name that is also a word of English is meant where it is written as code.
            let meant = |word: &'static str| match word {
                "search" => "",
                word => word.trim_matches('`'),
            };
            let named: Vec<&ToolSpec> = tool
                .description
                .split(words)
                .map(meant)
                .filter_map(|word| TOOLS.iter().find(|other| other.name == word && other.name != tool.name))
                .collect();
            assert!(!named.is_empty(), "{} names no other tool", tool.name);
            let is_near = |other: &&ToolSpec| other.toolset == tool.toolset;
            assert!(named.iter().all(is_near), "{} names a tool that may not be offered", tool.name);
        }
    }

    #[test]
    fn every_parameter_and_every_field_is_described() {
        for tool in TOOLS {
            for (name, schema) in properties(&(tool.input)(&Facets::default())) {
                assert!(schema["description"].is_string(), "{}.{name}", tool.name);
                // A list of types is legal, and some clients drop such a parameter.
                assert!(schema["type"].is_string() || schema["anyOf"].is_array(), "{}.{name}", tool.name);
            }
            assert!(!properties(&(tool.output)()).is_empty(), "{}", tool.name);
        }
    }

    fn check(choice: Choice, expected: Result<&[&str], &str>) {
        let picked = choice.pick().map(|tools| tools.iter().map(|tool| tool.name).collect::<Vec<_>>());
        match (picked, expected) {
            (Ok(picked), Ok(expected)) => assert_eq!(picked, expected),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
            (picked, expected) => panic!("{picked:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn tools_are_picked_by_set_and_by_name_in_table_order() {
        let docs = ["search_docs", "get_doc", "get_page", "get_section", "list_pages", "get_status"];
        let asking = ["get_docs", "get_doc_health", "list_stale_docs"];
        let health = [asking.as_slice(), &["report_drift"]].concat();
        let default = [docs.as_slice(), &health].concat();
        let collections = [
            "documents_list_collections",
            "documents_list_documents",
            "documents_search",
            "documents_search_batch",
            "documents_get_document",
            "documents_get_outline",
            "documents_get_section",
            "documents_find_related",
        ];
        let reading = ["search", "list_documents", "list_libraries", "get_document"];
        let library = ["ingest_file", "ingest_url", "ingest_content", "ingest_folder"].into_iter();
        let library: Vec<&str> = library.chain(reading).chain(["delete_document"]).collect();
        let both: Vec<&str> = docs.into_iter().chain(collections).collect();
        let all = [default.as_slice(), &collections, &library].concat();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        check(Choice::default(), Ok(&default));
        check(Choice { toolsets: names(&["docs"]), ..Choice::default() }, Ok(&docs));
        check(Choice { toolsets: names(&["health"]), ..Choice::default() }, Ok(&health));
        check(Choice { toolsets: names(&["all"]), ..Choice::default() }, Ok(&all));
        check(Choice { toolsets: names(&["library"]), ..Choice::default() }, Ok(&library));
        let toolsets = names(&["library"]);
        check(Choice { toolsets, read_only: true, ..Choice::default() }, Ok(&reading));
        let tools = names(&["ingest_url", "delete_document"]);
        check(Choice { tools, read_only: true, ..Choice::default() }, Err("every chosen tool writes"));
        check(Choice { toolsets: names(&["collections"]), ..Choice::default() }, Ok(&collections));
        check(Choice { toolsets: names(&["collections", "docs"]), ..Choice::default() }, Ok(&both));
        let one = names(&["documents_search"]);
        check(Choice { tools: one, ..Choice::default() }, Ok(&["documents_search"]));
        let default_reading = [docs.as_slice(), &asking].concat();
        check(Choice { read_only: true, ..Choice::default() }, Ok(&default_reading));
        let tools = names(&["get_page", "search_docs"]);
        check(Choice { tools, ..Choice::default() }, Ok(&["search_docs", "get_page"]));
        check(Choice { toolsets: names(&["nope"]), ..Choice::default() }, Err("there is no toolset `nope`"));
        check(Choice { tools: names(&["nope"]), ..Choice::default() }, Err("there is no tool `nope`"));
    }
}
