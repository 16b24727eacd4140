//! A claim: something that a document says and that a repository can confirm or refute.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// What a claim is about, in the words of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimType {
    /// A file, a folder, an anchor or a line of a file.
    PathReference,
    /// Something to type into a shell.
    Command,
    /// An environment variable, or the version of a runtime.
    Environment,
    /// The version of a dependency.
    DependencyVersion,
    /// A verb and a path of an HTTP interface.
    ApiRoute,
    /// A symbol, an import or a snippet of code.
    CodeExample,
    /// A key of a configuration, its default, a port.
    Config,
    /// The licence, the name of the package, the edition.
    Convention,
    /// Prose about how parts fit together; never judged.
    Architecture,
    /// Prose about what something does; never judged.
    Behavior,
}

impl ClaimType {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::PathReference,
        Self::Command,
        Self::Environment,
        Self::DependencyVersion,
        Self::ApiRoute,
        Self::CodeExample,
        Self::Config,
        Self::Convention,
        Self::Architecture,
        Self::Behavior,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PathReference => "path_reference",
            Self::Command => "command",
            Self::Environment => "environment",
            Self::DependencyVersion => "dependency_version",
            Self::ApiRoute => "api_route",
            Self::CodeExample => "code_example",
            Self::Config => "config",
            Self::Convention => "convention",
            Self::Architecture => "architecture",
            Self::Behavior => "behavior",
        }
    }
}

/// Something that a document says about its repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The document, by its path in the repository.
    pub file: String,
    /// First line, from 1.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// Where in the document's text [`Claim::named`] stands, in bytes.
    pub span: Range<usize>,
    /// Where else on its line it stands; it is told once.
    #[serde(default)]
    pub again: Vec<Range<usize>>,
    /// The nearest heading; `None` above the first one.
    pub section_heading: Option<String>,
    /// What it is about.
    pub claim_type: ClaimType,
    /// A finer word for it, such as `link`, `npm_script` or `flag`.
    pub kind: String,
    /// What the document writes, exactly: `src/main.rs`, `make server`.
    pub named: String,
    /// The sentence, or the line, in which it stands; bounded.
    pub text: String,
    /// What has to be looked up.
    pub subject: Subject,
    /// What the words around it say.
    pub cues: Cues,
    /// Whose it is, where the page tells.
    #[serde(default)]
    pub source: Option<Source>,
}

/// From where a page has a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Its code imports the name from this module.
    Module(String),
    /// The name is a link into this repository, `owner/name`.
    Repository(String),
    /// It stands behind a command that clones this repository, `owner/name`.
    Clone(String),
    /// The page is about this module, by its headings.
    PageOfModule(String),
    /// All files to which the page leads at a host are of this repository, `owner/name`.
    PageOfRepository(String),
}

/// What has to be looked up in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "subject")]
pub enum Subject {
    /// A file or a folder.
    Path {
        /// As written, without anchor and line, percent-decoded.
        target: String,
        /// What follows `#`; an empty target means the document itself.
        anchor: Option<String>,
        /// Lines of the file that are named.
        lines: Option<(u32, u32)>,
        /// How it is named.
        link: Link,
    },
    /// A file or a folder by its address at the repository's host.
    Hosted {
        /// `owner/name`
        repository: String,
        /// The branch that the address names.
        branch: String,
        /// From the root, percent-decoded.
        path: String,
    },
    /// A script, target, task, package, feature … that a manifest defines.
    Defined {
        /// What kind of definition: `npm_script`, `make_target`, `just_recipe`, `cargo_feature` …
        by: String,
        /// Its name.
        name: String,
        /// Where to look first: a folder that the command changes to, or a package that it names.
        within: Option<String>,
    },
    /// A program of this repository with a subcommand and a flag.
    OwnCli {
        /// The name of the program.
        program: String,
        /// Subcommands, in order.
        subcommands: Vec<String>,
        /// A flag with its dashes.
        flag: Option<String>,
    },
    /// An environment variable.
    Variable {
        /// Its name.
        name: String,
    },
    /// A value that something in the repository also states.
    Value {
        /// What states it: `runtime`, `dependency`, `default`, `port`, `licence`, `edition`, `package_name` …
        of: String,
        /// Whose value: `node`, `serde`, `server.port`.
        name: String,
        /// The value in the document.
        value: String,
    },
    /// A route of an HTTP interface.
    Route {
        /// In capitals; `None` when the document names none.
        method: Option<String>,
        /// With its parameters as `{}`.
        path: String,
    },
    /// A name that code defines.
    Symbol {
        /// As written without arguments: `Engine::search`, `search`, `pkg.mod.f`.
        path: Vec<String>,
        /// Whether it is called.
        is_call: bool,
        /// The language of the fence that it stands in.
        language: Option<String>,
    },
    /// A key of the configuration.
    Key {
        /// `server.port`
        path: Vec<String>,
    },
    /// A fence that repeats a region of a file.
    Snippet {
        /// The language of the fence.
        language: String,
        /// Its text.
        text: String,
    },
}

/// How a path is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// `[x](path)`
    Link,
    /// `![x](path)`
    Image,
    /// `` `path` ``
    Span,
    /// In a drawing of a folder.
    Tree,
    /// In a command.
    Argument,
}

/// What the words around a claim say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cues {
    /// It is told of the past: no longer, formerly, was moved, removed, deprecated, "Before".
    pub is_past: bool,
    /// It is an example or a placeholder: for example, suppose.
    pub is_example: bool,
    /// The reader, or a program, is going to make it: create, generate, writes to.
    pub is_created: bool,
    /// The page gives it to its readers: a type that its code defines, a variable that its settings set.
    #[serde(default)]
    pub is_given: bool,
}
