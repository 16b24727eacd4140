//! Findings, and the table of all rules: the source of the output, of the reference page and of the tests.
//!
//! A code never changes its meaning. A rule that goes away leaves its number unused.

use std::fmt;
use std::ops::Range;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something that the author wrote does not count, or leads nowhere.
    Error,
    /// It works, and probably not as meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// Something that an author can put right. The path of the file is known to whoever handed its text in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which rule.
    pub code: Code,
    /// Where, from 1.
    pub line: usize,
    /// What is wrong with what: a sentence without a full stop.
    pub message: String,
    /// The next step.
    pub hint: String,
    /// A change of the file that puts it right, where there is only one.
    pub fix: Option<Fix>,
}

impl Finding {
    /// A finding without a fix.
    pub fn new(code: Code, line: usize, message: impl Into<String>, hint: impl Into<String>) -> Finding {
        Finding { code, line: line.max(1), message: message.into(), hint: hint.into(), fix: None }
    }

    /// The same with a fix.
    pub fn with_fix(mut self, fix: Option<Fix>) -> Finding {
        self.fix = fix;
        self
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.code.rule().severity
    }
}

/// Bytes of a file and what is to stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What goes.
    pub bytes: Range<usize>,
    /// What comes.
    pub replacement: String,
}

/// A row of the table of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// As in the code.
    pub code: Code,
    /// `DM010`
    pub id: &'static str,
    /// `manifest-json`
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub description: &'static str,
    /// What to do about it.
    pub help: &'static str,
}

impl Code {
    /// Its row of the table.
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule().id)
    }
}

macro_rules! rules {
    ($($code:ident $id:literal $name:literal $severity:ident: $description:literal, $help:literal;)*) => {
        /// The rules by name. See [`RULES`] for what each means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "the table below says it")]
        pub enum Code {
            $($code,)*
        }

        /// Every rule, in the order of their codes.
        pub const RULES: &[Rule] = &[
            $(Rule {
                code: Code::$code,
                id: $id,
                name: $name,
                severity: Severity::$severity,
                description: $description,
                help: $help,
            },)*
        ];
    };
}

rules! {
    Unreadable "DM001" "unreadable-file" Error:
        "The file cannot be read, is not UTF-8, or is larger than `max_file_bytes`",
        "Save the file as UTF-8, make it readable, or leave it out with `exclude` in docent.toml.";
    FrontMatter "DM002" "front-matter" Error:
        "The front matter is not valid YAML or TOML, so none of its fields count",
        "Put the front matter right at the line that is named. A value with a colon or a bracket needs quotes.";
    NoFrontMatter "DM003" "no-front-matter" Warning:
        "What stands between two `---` lines at the top is no front matter and is read as text",
        "Write `key: value` lines if it is meant as front matter; otherwise put a blank line after the first `---`.";
    ManifestJson "DM010" "manifest-json" Error:
        "A `.docs-mcp.json` is not a JSON object",
        "Put the JSON right at the line that is named. Comments and trailing commas are not JSON.";
    ManifestVersion "DM011" "manifest-version" Error:
        "A `.docs-mcp.json` does not say `\"version\": \"1\"`",
        "Add `\"version\": \"1\"` to the manifest.";
    ManifestKey "DM012" "manifest-key" Error:
        "A manifest has a key that is not known, which is ignored",
        "Correct the spelling, or take the key out.";
    ManifestType "DM013" "manifest-type" Error:
        "A value in a manifest has the wrong type or size, or there are more facets or values than count",
        "Give the key a value of the type that the message names.";
    ManifestPattern "DM014" "manifest-pattern" Error:
        "The pattern of an override is not a glob that docent understands",
        "Write a glob such as `guides/**/*.md`, relative to the manifest's folder.";
    UnmatchedPattern "DM015" "unmatched-pattern" Warning:
        "The pattern of an override matches no document",
        "Correct the pattern, or take the override out. Patterns are relative to the manifest's folder.";
    UnknownStrategy "DM016" "unknown-strategy" Error:
        "A strategy has an unknown `chunk_by`, a size that is not positive, or a minimum above its maximum",
        "Use file, h1, h2, h3 or heading for `chunk_by`, and positive whole numbers for the sizes.";
    DanglingHint "DM020" "dangling-hint" Error:
        "A chunking hint governs nothing: it is broken, the second one of its page, overruled by front matter, or no heading of the page starts a chunk",
        "Keep one hint for each page and take the others out.";
    HintWithoutLevel "DM021" "hint-without-level" Warning:
        "A chunking hint cuts at a level of headings that the page does not have",
        "Name the level that the page's headings have, or take the hint out.";
    OrphanedMetadata "DM022" "orphaned-metadata" Error:
        "A metadata comment does not count: it is broken, or it does not stand before the page's second heading",
        "Move the comment to the top of the page; it counts for the whole page.";
    UnknownComment "DM023" "unknown-comment" Error:
        "A comment starts with `mcp_` and is neither a chunking hint nor metadata",
        "Use `mcp_chunking_hint` or `mcp_metadata`, or another name for a comment of your own.";
    FacetValue "DM030" "facet-value" Error:
        "A facet has a value that the taxonomy does not list",
        "Use one of the listed values, or add the value to the taxonomy.";
    FacetKey "DM031" "facet-key" Error:
        "A facet is not named in a taxonomy that is closed, because it lists values",
        "Use a key of the taxonomy, or add the key to it.";
    FacetKeyOpen "DM032" "facet-key-open" Warning:
        "A facet is not named in the taxonomy, which lists no values",
        "Add the key to the taxonomy if it is meant.";
    FacetType "DM033" "facet-type" Error:
        "Metadata is not a map from keys to text, numbers or truth values",
        "Write metadata as a map, e.g. `language: go`.";
    DuplicateAnchor "DM040" "duplicate-anchor" Error:
        "Two headings of a page have the same explicit anchor",
        "Give each heading an anchor of its own.";
    DuplicateHeading "DM041" "duplicate-heading" Warning:
        "Two sections of a page have the same headings above them, so only a number tells them apart",
        "Name the headings apart, or put them below different ones.";
    CaseConflict "DM042" "case-conflict" Error:
        "The paths of two files differ only in case, which many file systems cannot keep apart",
        "Rename one of the files.";
    OversizeBlock "DM050" "oversize-block" Warning:
        "A code block, table or paragraph is longer than the longest chunk and is cut inside",
        "Break the block up, or raise `max_chunk_size`.";
    OversizeFrontMatter "DM051" "oversize-front-matter" Warning:
        "The front matter is larger than the limit and was not read",
        "Keep front matter short.";
    ManyHeadings "DM052" "many-headings" Warning:
        "The page has more headings than are read as sections",
        "Break the page up.";
    MissingPage "DM060" "missing-page" Error:
        "A relative link leads to a page that does not exist",
        "Correct the link, or create the page.";
    MissingAnchor "DM061" "missing-anchor" Warning:
        "A link leads to a page that has no such anchor",
        "Correct the part after `#`.";
    MissingRootPage "DM062" "missing-root-page" Warning:
        "A link that starts with `/` leads to no page of the documents",
        "Correct the link. The rule is silent where hardly any such link leads to a page of the folder.";
    NoStrategy "DM070" "no-strategy" Warning:
        "No manifest, setting or hint says how the file is cut, so the fallback is used",
        "Run `docent fix`, which proposes a `.docs-mcp.json`.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_in_the_order_of_their_codes() {
        for pair in RULES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} {}", pair[0].id, pair[1].id);
        }
        for rule in RULES {
            assert_eq!(rule.code.rule().id, rule.id);
            assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.name);
            assert!(!rule.description.ends_with('.') && rule.help.ends_with('.'), "{}", rule.id);
        }
    }
}
