//! Which documents speak about the present state of this repository.
//!
//! Changelogs, posts, plans and guides for moving between versions name what is gone on purpose; examples, fixtures and
//! vendored copies describe another project. A check of those only finds false alarms, so they are not read at all. A
//! comment in a page has the last word: `<!-- docent:check -->` opts in, `<!-- docent:ignore-file -->` out.

mod records;
mod said;
mod skills;
mod versions;
mod work;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use records::{is_plan, lists_releases};
use said::{
    is_deprecated, is_draft, is_of_client, is_of_version, is_release, is_taken_once, says_generated, titles,
};
pub(crate) use skills::{LOCK as SKILLS_LOCK, skill_of, taken as taken_skills};
pub(crate) use versions::{is_of_older_version, version_of};
pub(crate) use work::{is_of_work, is_paper};

/// Why a document is read, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Genre {
    /// It describes the repository as it is.
    Documentation,
    /// The same, where people or agents start: README, CONTRIBUTING, AGENTS.md, getting started.
    Entrance,
    /// A program makes it from the code. It is read like the others; who mends it mends what it is made from.
    Generated,
    /// It tells of the past or the future, or of something else: a changelog, a plan, an example.
    Skipped,
}

/// How much of a page is read for what it says about itself.
const HEAD: usize = 4096;

/// Folders whose pages tell of another time or of another project.
#[rustfmt::skip]
const SKIPPED_FOLDERS: &[&str] = &[
    ".changes", ".changeset", "__fixtures__", "__snapshots__", "__tests__", "_posts", "_site", "_vendor", "adr",
    "adrs", "announcements", "archive", "archived", "archives", "attic", "audits", "blog", "blogs", "bower_components",
    "brainstorms", "change-logs", "changelog", "changelog.d", "changelogs", "changes", "decisions", "defunct", "deprecated",
    "design-proposals", "designs", "devlog", "devlogs", "drafts", "e2e", "enhancements",
    "example", "examples", "explorations", "fixture", "fixtures", "generated", "historical", "history", "investigations", "kep",
    "keps", "legacy", "mdtest", "meeting-notes", "meetings", "migrate", "migrating", "migration",
    "migration-guide", "migration-guides", "migrations", "minutes", "news", "newsfragments", "newsletter",
    "newsletters", "node_modules", "obsolete", "old", "outdated", "planning", "plans", "playground",
    "playgrounds", "postmortems", "posts", "proposals", "release-notes", "release_notes", "releasenotes",
    "releases", "reports", "retrospectives", "rfc", "rfcs", "samples", "scratch", "snapshots", "temp", "template", "templates",
    "test", "test-data", "test_data", "testdata", "tests", "third-party", "third_party", "thirdparty", "tmp",
    "transcripts", "upgrade-guides", "upgrade-notes", "upgrading", "vendor", "vendored", "versioned_docs",
    "whats-new", "whatsnew", "wip",
];

/// How the names of such pages begin, in lower case and with `-` for `_` and spaces.
#[rustfmt::skip]
const SKIPPED_NAMES: &[&str] = &[
    "adr-", "advisory", "breaking-changes", "change-log", "changelog", "changes", "copying", "cve", "ghsa", "history",
    "initiative", "journal", "licence", "license", "licensing", "migrate", "migrating", "migration", "news", "notice", "pending-changes", "postmortem", "proposal",
    "release-", "release-notes", "releasenotes", "releases", "rfc-", "roadmap", "third-party", "todo", "transcript",
    "updating", "upgrade", "upgrading", "whats-new",
];

/// The same inside a name, between its words.
#[rustfmt::skip]
const SKIPPED_ENDINGS: &[&str] = &[
    "-announcement", "-changelog", "-log", "-migration", "-migration-guide", "-plan", "-postmortem", "-proposal", "-redesign", "-release-notes", "-legacy-releases", "-report",
    "-rfc", "-roadmap", "-to-delete", "-to-remove", "-transcript", "-upgrade-guide", ".bak", ".old", "-old", "-archived", "-deprecated", "-legacy",
];

#[rustfmt::skip]
const ENTRANCES: &[&str] = &[
    "agents", "building", "claude", "contributing", "copilot-instructions", "developing", "development",
    "gemini", "getting-started", "hacking", "install", "installation", "installing", "quick-start",
    "quickstart", "readme", "setup", "skill",
];

/// The genre of a document, by its path and what it says.
pub fn genre(path: &str, text: &str) -> Genre {
    let Some(name) = document_name(path) else { return Genre::Skipped };
    let head = head(text);
    let says = |what: &str| has_mark(text, what);
    if says("ignore-file") {
        return Genre::Skipped;
    }
    let by_path = by_path(path, &name);
    let is_report = || ["benchmark", "coverage", "report", "result"].iter().any(|word| name.contains(word));
    let is_skipped = by_path == Genre::Skipped
        || is_of_client(head)
        || is_of_version(head)
        || is_deprecated(head)
        || is_draft(head)
        || is_release(head)
        || is_taken_once(head)
        || is_plan(head, text)
        || lists_releases(text)
        || titles(head).iter().any(|title| is_skipped_name(title));
    if is_skipped {
        return if says("check") { Genre::Documentation } else { Genre::Skipped };
    }
    match says_generated(head) {
        true if is_report() => Genre::Skipped,
        true => Genre::Generated,
        false => by_path,
    }
}

/// The genre of a document that lies among others, some of which are skills that were taken from elsewhere.
pub(crate) fn genre_among(
    path: &str,
    text: &str,
    is_there: impl Fn(&str) -> bool,
    taken: &HashSet<String>,
) -> Genre {
    let is_taken = || skill_of(path).is_some_and(|skill| taken.contains(skill));
    match genre(path, text) {
        Genre::Skipped => Genre::Skipped,
        _ if (is_of_work(path, &is_there) || is_of_older_version(path, &is_there) || is_taken())
            && !has_mark(text, "check") =>
        {
            Genre::Skipped
        }
        genre => genre,
    }
}

/// Whether a comment of the page says something to us.
fn has_mark(text: &str, what: &str) -> bool {
    ["<!--", "{/*"].iter().any(|mark| text.contains(&format!("{mark} docent:{what}")))
}

/// Whether a page is for those who work on the repository, by its path: `CONTRIBUTING.md`, `docs/dev/a.md`, `.agents/a.md`.
pub(crate) fn is_for_developers(path: &str) -> bool {
    const STARTS: &[&str] = &["agent", "arch", "contrib", "dev", "hack", "intern", "maint", "skill", "test"];
    let is_such = |part: &str| {
        let part = part.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        STARTS.iter().any(|start| part.starts_with(start))
    };
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    // `README.md`, but not `Getting Started.md`.
    let stem = name.split('.').next().unwrap_or(name);
    let is_loud = stem.len() > 3
        && !stem.contains(|c: char| c.is_lowercase())
        && !matches!(stem, "GUIDE" | "TROUBLESHOOTING" | "USAGE");
    is_loud || folders.split('/').any(is_such) || is_such(name)
}

/// Whether a page is a design, by its path: `docs/design/a.md`, `specs/a.md`, `a-design.md`.
pub(crate) fn is_design(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_folder = |folder: &str| {
        matches!(
            hyphenated(&folder.to_lowercase()).as_str(),
            "design" | "design-docs" | "design-doc" | "specs"
        )
    };
    folders.split('/').any(is_folder)
        || document_name(name).is_some_and(|name| name.ends_with("-design") || name.ends_with("-design-doc"))
}

/// The name of a Markdown file without its ending, in lower case and with `-` between words.
fn document_name(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (stem, ending) = name.rsplit_once('.')?;
    matches!(ending, "md" | "mdx" | "markdown").then(|| hyphenated(stem))
}

fn by_path(path: &str, name: &str) -> Genre {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let skipped = |folder: &str| {
        // `4.examples` only says where it stands.
        let name = folder.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = name.len() < folder.len() && name.starts_with(['.', '-', '_']);
        let name = if is_numbered { &name[1..] } else { folder };
        let folder = if name.starts_with(|c: char| c.is_alphabetic()) { name } else { folder };
        let folder = folder.to_ascii_lowercase();
        let last = folder.rsplit(['-', '_']).next().unwrap_or(&folder);
        SKIPPED_FOLDERS.binary_search(&folder.as_str()).is_ok()
            || SKIPPED_FOLDERS.binary_search(&hyphenated(&folder).as_str()).is_ok()
            || matches!(
                last,
                "tests"
                    | "fixtures"
                    | "examples"
                    | "snapshots"
                    | "temp"
                    | "template"
                    | "templates"
                    | "tmp"
                    | "wip"
            )
            || ["example-", "migrate-", "migrating-", "migration-", "upgrade-", "upgrading-"]
                .iter()
                .any(|start| hyphenated(&folder).starts_with(start))
            || is_version(&folder)
            || folder.rsplit_once('-').is_some_and(|(_, end)| end.contains('.') && is_version(end))
    };
    let is_proposed = |folder: &str| is_proposal(&folder.to_ascii_lowercase());
    if folders.split('/').any(|folder| skipped(folder) || is_proposed(folder)) || is_skipped_name(name) {
        return Genre::Skipped;
    }
    let stem = name.split('.').next().unwrap_or(name);
    if ENTRANCES.contains(&stem) { Genre::Entrance } else { Genre::Documentation }
}

fn is_skipped_name(name: &str) -> bool {
    let begins = |start: &&str| {
        let rest = name.strip_prefix(start.trim_end_matches('-'));
        rest.is_some_and(|rest| match start.ends_with('-') {
            true => rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())),
            false => rest.is_empty() || rest.starts_with(['-', '.', ':']),
        })
    };
    SKIPPED_NAMES.iter().any(begins)
        || SKIPPED_ENDINGS.iter().any(|end| name.ends_with(end))
        || is_dated(name)
        || is_proposal(name)
        || is_between_versions(name)
        || ["-migration-", "meeting-minutes", "meeting-notes"].iter().any(|word| name.contains(word))
        || name.strip_prefix("release-v").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || name.matches('.').count() > 1 && is_version(name)
}

/// `kip-12`, `swip-10-title`, `pep-8`: improvement and enhancement proposals.
fn is_proposal(name: &str) -> bool {
    const KINDS: &[&str] = &[
        "aip", "bep", "bip", "cep", "cip", "eip", "fip", "flip", "gep", "hip", "jep", "kep", "kip", "nep",
        "nip", "pep", "sep", "sip", "swip", "tep",
    ];
    let (kind, rest) = name.split_once('-').unwrap_or((name, ""));
    KINDS.contains(&kind) && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// `6-to-7-change-summary`, `tool-v1-to-v2`: what one version has and the other had.
fn is_between_versions(name: &str) -> bool {
    let words: Vec<&str> = name.split('-').collect();
    let is_number = |word: &str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let is_version = |word: &str| is_number(word) && (word.starts_with('v') || word.contains('.'));
    let is_change = || words.iter().any(|word| word.starts_with("chang") || word.starts_with("migrat"));
    words
        .windows(3)
        .any(|it| it[1] == "to" && is_number(it[0]) && is_number(it[2]) && (is_version(it[0]) || is_change()))
}

/// `2024-05-01-title`, `20240501-title`, `notes-2024-05-01`
fn is_dated(name: &str) -> bool {
    let is_year = |year: &str| year.starts_with("19") || year.starts_with("20");
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 && is_year(name) {
        return true;
    }
    let number = |part: &str, digits: usize| {
        let is_such = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u16>().ok().filter(|_| is_such)
    };
    let parts: Vec<&str> = name.split(['-', '.']).collect();
    parts.windows(3).any(|it| {
        let [year, month, day] = it else { return false };
        is_year(year)
            && number(year, 4).is_some()
            && number(month, 2).is_some_and(|month| month <= 12)
            && number(day, 2).is_some_and(|day| day <= 31)
    })
}

/// `v1.2`, `version-2.x`, `1.0.x`: a copy of the documents as they were.
fn is_version(folder: &str) -> bool {
    let number = folder.strip_prefix("version-").or_else(|| folder.strip_prefix('v')).unwrap_or(folder);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &number[digits..];
    digits > 0
        && rest.starts_with('.')
        && rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x'))
}

fn head(text: &str) -> &str {
    let mut end = text.len().min(HEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn hyphenated(name: &str) -> String {
    name.replace(['_', ' '], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: Genre) {
        assert_eq!(genre(path, text), expected, "{path} {text:?}");
    }

    #[test]
    fn the_table_of_folders_is_sorted() {
        assert!(SKIPPED_FOLDERS.is_sorted());
    }

    #[test]
    fn entrances_are_told_from_other_pages() {
        check("README.md", "", Genre::Entrance);
        check("ui/Readme.zh-CN.md", "", Genre::Entrance);
        check("AGENTS.md", "", Genre::Entrance);
        check("docs/getting_started.mdx", "", Genre::Entrance);
        check("docs/design.md", "", Genre::Documentation);
        check("src/main.rs", "", Genre::Skipped);
    }

    #[test]
    fn pages_about_another_time_or_project_are_skipped() {
        for path in [
            "CHANGELOG.md",
            "docs/CHANGES-2.0.md",
            "HISTORY.md",
            "docs/release_notes.md",
            "docs/migration.md",
            "docs/Upgrading to 3.md",
            "UPDATING.md",
            "website/blog/hello.md",
            "docs/adr/0001-x.md",
            "docs/rfc-12.md",
            "docs/2024-05-01-plan.md",
            "docs/storage-proposal.md",
            "docs/20190724-only-one.md",
            "doc/wg/core/notes/core-notes-2020-07-10.md",
            "doc/weekly_2026_07_03.md",
            "docs/en/SWIP-11.md",
            "docs/security/GHSA-DRAFT-RCE.md",
            "JOURNAL.md",
            "cookbook/TEST_LOG.md",
            "docs/en/swip/SWIP-10/SWIP.md",
            "docs/enhancements/one.md",
            "docs/4.examples/one.md",
            "docs/3.0-announcement.md",
            "designs/phase-1.md",
            "explorations/agent.md",
            "docs/upgrade-to/v5.md",
            "change_logs/release_v0.17.0.md",
            "docs/release_v1.md",
            "S3_LIFECYCLE_REDESIGN.md",
            "docs/upgrading_sdk/a.md",
            "docs/versions/v1.0.0.md",
            "lib/c-ares-1.34.6/INSTALL.md",
            "new/base_template/README.md",
            "CONTRIBUTING.old.md",
            "docs/defunct/one.md",
            "docs/v1/migrating/sdk.mdx",
            "Release Notes/v1.2.0.md",
            "examples/basic/README.md",
            "crates/x/tests/data/README.md",
            "scripts/unit-tests/README.md",
            "vendor/x/README.md",
            "website/versioned_docs/version-1.0/a.md",
            "docs/v1.2/a.md",
            "LICENSE.md",
        ] {
            check(path, "", Genre::Skipped);
        }
        check("docs/newsletter.md", "", Genre::Documentation);
        check("docs/ports-8080-80-90.md", "", Genre::Documentation);
        check("docs/v2/a.md", "", Genre::Documentation);
        check("docs/changeset.md", "", Genre::Documentation);
        check("docs/step-1.md", "", Genre::Documentation);
        check("docs/chip-8.md", "", Genre::Documentation);
        check("docs/tip.md", "", Genre::Documentation);
    }

    #[test]
    fn pages_that_say_so_are_skipped() {
        check("docs/a.md", "# A\n\nauthor: x\nstatus: future task\n", Genre::Skipped);
        check("docs/a.md", "# Migrating from 1.x\n", Genre::Skipped);
        check("docs/a.md", "# Changelog\n", Genre::Skipped);
        check("docs/a.md", "# Storage\n\n* Owner: X\n* Status: Accepted, revision 1\n", Genre::Skipped);
        check("docs/a.md", "# Storage\n\n**Status:** Proposed\n", Genre::Skipped);
        check("RELEASE.md", "# Release 1.2.0\n\n# Release 1.1.0\n\n# Release 1.0.1\n", Genre::Skipped);
        check("docs/a.md", "## 1.1 One\n\n## 1.2.1 Two\n\n## 1.2.2 Three\n\n## 1.3\n", Genre::Documentation);
        check("docs/a.md", "# Storage\n\nThis document proposes a cache.\n", Genre::Skipped);
        let sections = "# Storage\n\n## Background\n\n## Goals\n\n## 3. Proposal\n";
        check("docs/a.md", sections, Genre::Skipped);
        check(
            "docs/a.md",
            "# Storage\n\n## Background\n\n## Goals\n\n## Goals of it\n",
            Genre::Documentation,
        );
        check("docs/a.md", "---\ntitle: What’s New in v3\n---\n", Genre::Skipped);
        check("docs/a.md", "# Storage\n\nStatus: stable\n", Genre::Documentation);
        check("docs/a.md", "---\n# todo: internal\n---\n\n# Storage\n", Genre::Documentation);
        check("docs/a.md", "---\ntitle: x\n---\n\n# Changelog\n", Genre::Skipped);
        check("docs/a.md", "\u{feff}---\r\n# todo: x\r\n---\r\n\r\n# Storage\r\n", Genre::Documentation);
        check("docs/a.md", "<h1>Tool</h1>\n\n```sh\n# Upgrade pip first\n```\n", Genre::Documentation);
        check("docs/a.md", "<!-- Generated by x, do not edit -->\n", Genre::Generated);
        check("docs/coverage-report.md", "<!-- Generated by x, do not edit -->\n", Genre::Skipped);
        check("docs/a.md", "# History of generated code\n", Genre::Skipped);
        let client =
            "# Go API client\n\nThis client was generated by the [OpenAPI Generator](https://x.y) project.\n";
        check("client/README.md", client, Genre::Skipped);
        check("docs/a.md", "# Tests\n\n**This document is for acme v1 only**\n", Genre::Skipped);
        check("docs/a.md", "# hinting\n\n*Deprecated starting in version 2*, use x.\n", Genre::Skipped);
        let banner = "# Checks\n\n> [!WARNING]\n> This documentation is outdated.\n";
        check("docs/a.md", banner, Genre::Skipped);
        check("docs/a.md", "# [OUT OF DATE] Releases\n\nRun it.\n", Genre::Skipped);
        let banner = "# Kernel\n\n!!! warning\n    This is a historical document about the first one.\n";
        check("docs/a.md", banner, Genre::Skipped);
        check("docs/a.md", "# Friction\n\nSnapshot: 2026-04-30. It guides us.\n", Genre::Skipped);
        check("docs/a.md", "# Snapshots\n\nSnapshot: a copy of 2026-04-30.\n", Genre::Documentation);
        check(
            "docs/a.md",
            "# VM\n\n> Release: 2.13 · Derived from commit: `499283a` · Generated: today\n",
            Genre::Skipped,
        );
        check("docs/a.md", "# VM\n\nIt is derived from commit messages.\n", Genre::Documentation);
        check("docs/a.md", "# hinting\n\nDeprecations are told apart.\n", Genre::Documentation);
        check("docs/a.md", "# Tests\n\nThis is for v1 and v2, only faster.\n", Genre::Documentation);
        check("docs/a.md", "---\ntitle: A\ndraft: true\n---\n# A\n", Genre::Skipped);
        check("docs/a.md", "---\ndraft: false\n---\n# A\n\ndraft: true\n", Genre::Documentation);
        check("v2-refactor-temp/docs/a.md", "# Sessions\n", Genre::Skipped);
        check("docs/a.md", "# Phase 0 — Inventory of types to delete\n", Genre::Skipped);
        check("docs/a.md", "# Core Meeting Notes, Friday\n", Genre::Skipped);
        check("docs/a.md", "+++\ntitle = \"Roadmap\"\n+++\n\nA.\n", Genre::Skipped);
        check("docs/a.md", "+++\ndraft = true\n+++\n\nA.\n", Genre::Skipped);
        let release = "+++\ndescription = \"Acme-005 Release Notes.\"\ntitle = \"Acme-005 Release\"\n+++\n";
        check("notes/acme-005.md", release, Genre::Skipped);
        let about = "---\ndescription: How to write release notes for us\n---\n";
        check("docs/a.md", about, Genre::Documentation);
        check("docs/a.md", "# Code that is generated\n\nDo not edit.\n", Genre::Documentation);
    }

    #[test]
    fn pages_for_developers_are_known_by_their_paths() {
        for path in
            ["README.md", "lib/README.fr.md", "docs/contributing/a.md", "docs/dev-guide.md", ".agents/x.md"]
        {
            assert!(is_for_developers(path), "{path}");
        }
        for path in ["docs/guide.md", "docs/en/start.mdx", "Getting Started.md", "docs/API.md", "USAGE.md"] {
            assert!(!is_for_developers(path), "{path}");
        }
    }

    #[test]
    fn designs_are_known_by_their_paths() {
        for path in ["design/a.md", "docs/Design_Docs/a.md", "docs/cache-design.md", "docs/specs/a.md"] {
            assert!(is_design(path), "{path}");
        }
        for path in ["docs/design-system/a.md", "docs/designer.md", "design.md", "docs/spec/a.md"] {
            assert!(!is_design(path), "{path}");
        }
    }

    #[test]
    fn pages_between_two_versions_and_legacy_ones_are_skipped() {
        check("docs/6-to-7-change-summary.md", "", Genre::Skipped);
        check("docs/tool-v1-to-v2.md", "", Genre::Skipped);
        check("docs/a.md", "# Tool 6.x to 7.x Detailed Change List\n", Genre::Skipped);
        check("prompts/a-to-b-migration-prompt.md", "", Genre::Skipped);
        check("LICENSING.md", "", Genre::Skipped);
        check("docs/a.md", "# From 1 to 10 users\n", Genre::Documentation);
        check("docs/a.md", "---\ntitle: Addresses (Legacy, pre-v1.63)\n---\n", Genre::Skipped);
        check("docs/a.md", "# Map\n\n**Status:** FROZEN\n", Genre::Skipped);
    }

    #[test]
    fn a_page_can_opt_in_and_out() {
        check("examples/README.md", "<!-- docent:check -->", Genre::Documentation);
        check("docs/a.md", "<!-- docent:check -->\n# Changelog\n", Genre::Documentation);
        check("README.md", "<!-- docent:ignore-file reason=\"x\" -->", Genre::Skipped);
        check("docs/a.mdx", "{/* docent:ignore-file reason=\"x\" */}", Genre::Skipped);
    }
}
