//! Files, folders, anchors and lines.

use docent_claims::{Outcome, World, checks, extract};

fn world() -> World {
    World::of_files(&[
        ("README.md", "# Start\n"),
        ("Makefile", ""),
        (".gitignore", "*.log\n/generated/\n"),
        ("src/main.rs", "a\nb\nc\n"),
        ("src/deep/a.rs", ""),
        ("crates/x/src/lib.rs", ""),
        (
            "docs/a.md",
            "# A page\n\n## Set up & run\n\n## Twice\n\n## Twice\n\n## 1. First\n\n## Named {#other-id}\n\n```{ .sh .no-copy #fenced }\nx\n```\n\n<a id=\"by-hand\"></a>\n\n## :rocket: Go\n",
        ),
        ("docs/guide/01-intro.md", "# Intro\n"),
        ("docs/guide/index.md", "# Guide\n"),
        ("docs/composed.md", "{{#include x.md}}\n"),
        ("docs/img/logo.png", ""),
        ("tests/data/only-here.txt", ""),
        ("website/static/img/x.png", ""),
    ])
}

/// One letter for each path claim of a page: `v`alid, `m`issing, `-` not ours.
fn check_in(file: &str, text: &str, expected: &str) {
    let world = world();
    let outcomes: String = extract(file, text)
        .iter()
        .filter(|claim| claim.claim_type == docent_claims::ClaimType::PathReference)
        .map(|claim| match checks::check(claim, file, &world) {
            Outcome::Valid { .. } => 'v',
            Outcome::Missing { .. } => 'm',
            Outcome::Differs { .. } => 'd',
            Outcome::NotOurs => '-',
        })
        .collect();
    assert_eq!(outcomes, expected, "{text} in {file}");
}

fn check(text: &str, expected: &str) {
    check_in("docs/a.md", text, expected);
}

#[test]
fn spans_are_looked_up_from_the_page_the_root_and_anywhere() {
    check(
        "`guide/index.md` `src/main.rs` `deep/a.rs` `main.rs` `readme.md` `src/deep` `src/deep/a`",
        "vvvvvvv",
    );
    check("`src/gone.rs` `gone/x.rs` `src/gone` `gone.rs`", "mmmm");
}

#[test]
fn what_many_projects_have_is_not_looked_for_everywhere() {
    let files = [
        ("site/src/routes/+page.svelte", ""),
        ("site/src/lib/tokens.ts", ""),
        ("site/deep/index.ts", ""),
        ("packages/circus/package.json", r#"{"name": "our-circus"}"#),
        ("packages/our-circus/runner.js", ""),
        ("docs/a.md", ""),
    ];
    let text =
        "`src/routes` `src/routes/+page.svelte` `src/lib` `src/` `our-circus/runner` `src/lib/tokens.ts`";
    check_site(&files, "docs/a.md", text, "---m-v");
    check_site(&files, "site/README.md", text, "vvvv-v");
    // A package that lies under its own name, and a module without its ending.
    let own = [("web/package.json", r#"{"name": "web"}"#), ("web/src/Form.types.ts", ""), ("docs/a.md", "")];
    check_site(&own, "docs/a.md", "`web/src/Form.types` `web/src/Gone.types`", "vm");
    let own = [("auth/package.json", r#"{"name": "auth"}"#), ("cli/auth/devices/revoke/index.ts", "")];
    check_site(&own, "cli/a.md", "`auth/devices/revoke/` `auth/devices/gone/`", "vm");
    // A drawing of somebody's project.
    check_site(&files, "docs/a.md", "```\n.\n└── deep/\n    └── index.ts\n```", "mm");
}

#[test]
fn what_is_not_ours_cannot_be_missing() {
    check(
        "`owner/repo` `config.toml` `target/x.rs` `dist/a.js` `.vscode/settings.json` `src/x.log` `generated/a.rs`",
        "-------",
    );
    check_in("README.md", "[a](../other/x.md)", "-");
    // What only tests have is no file that a page speaks of, and a folder's name alone is not one that is far away.
    check("`only-here.txt` `data/only-here.txt` `deep/` `thread/goal/set`", "--m-");
    check("Create `gone.rs`, for example.", "-");
    check("```\n.\n├── package.json\n├── test/\n└── gone.rs\n```", "--m");
}

#[test]
fn lines_are_in_range_or_not() {
    check("`src/main.rs:3`", "vv");
    check("`src/main.rs:4`", "vm");
    check("`src/gone.rs:1`", "m-");
    check("[a](../src/main.rs#L2-L3)", "vv");
}

#[test]
fn links_lead_to_files_pages_and_folders() {
    check(
        "[a](guide/index.md) [b](guide/) [c](guide) [d](../src/main.rs) [e](../) [f](img/logo.png)",
        "vvvvvv",
    );
    check("[a](gone.md) [b](guide/gone.md) [c](../src/gone.rs) ![d](img/gone.png)", "mmmm");
}

#[test]
fn links_lead_to_where_pages_are_served() {
    check(
        "[a](./guide/intro) [b](guide/intro/) [c](/guide/intro) [d](/docs/guide/intro.html) [e](/guide/)",
        "vvvvv",
    );
    check_in("docs/guide/01-intro.md", "[a](../../a/) [b](../a.html) ![c](/img/x.png)", "vvv");
    check("[a](/guide/gone) [b](/elsewhere/x)", "m-");
    // A folder of the repository is no prefix of a site.
    check("[a](/src/main.rs) [b](/src/a.rs)", "vm");
}

#[test]
fn anchors_of_any_style() {
    check(
        "[a](#set-up--run) [b](#set-up-run) [c](#set_up__run) [d](#twice-1) [e](#first) [f](#1-first)",
        "vvvvvv",
    );
    check(
        "[a](#other-id) [b](#named) [c](#by-hand) [d](#go) [e](#rocket-go) [f](../README.md#start)",
        "vvvvvvv",
    );
    check("[a](#fenced)", "v");
    check("[a](#gone) [b](../README.md#gone) [c](gone.md#x)", "mvmm-");
    check("[a](composed.md#x) [b](#fn1) [c](guide/#guide)", "v--vv");
}

#[test]
fn drawings_of_folders() {
    check("```\n.\n├── src/\n│   ├── main.rs\n│   └── gone.rs\n└── gone/\n    └── below.rs\n```", "vvmm-");
    check("```\nrepo/\n├── src/\n│   ├── main.rs\n│   └── gone.rs\n```", "vvm");
    check("```\nproject/\n├── gone/\n│   ├── main.rs\n```", "");
    check("```\nelse/\n├── gadget/\n│   ├── one.rs\n```", "m-");
}

/// What the first missing claim of a page would be replaced with.
fn check_suggestion(file: &str, text: &str, now: &[(&str, &str)], expected: Option<(&str, bool)>) {
    let (now, then) = (World::of_files(now), world());
    let claims = extract(file, text);
    let missing = claims
        .iter()
        .find(|claim| matches!(checks::check(claim, file, &now), Outcome::Missing { .. }))
        .unwrap();
    let found = checks::suggest(missing, file, &now, &then);
    assert_eq!(found.as_ref().map(|found| (found.replacement.as_str(), found.is_certain)), expected);
}

#[test]
fn suggestions_are_written_like_what_they_replace() {
    let moved = &[("docs/a.md", ""), ("app/main.rs", "a\nb\nc\n")];
    check_suggestion("docs/a.md", "`src/main.rs`", moved, Some(("app/main.rs", true)));
    check_suggestion("docs/a.md", "[a](../src/main.rs)", moved, Some(("../app/main.rs", true)));
    check_suggestion("README.md", "[a](src/main.rs)", moved, Some(("app/main.rs", true)));
    let other = &[("docs/a.md", ""), ("app/main.rs", "changed")];
    check_suggestion("docs/a.md", "[a](../src/main.rs)", other, Some(("../app/main.rs", false)));
    check_suggestion("docs/a.md", "[a](../src/main.rs)", &[("docs/a.md", "")], None);
    let renamed = &[("docs/a.md", "# A page\n\n## How to set up & run it\n\n## Other\n")];
    check_suggestion("docs/a.md", "[a](#set-up--run)", renamed, Some(("#how-to-set-up--run-it", false)));
}

#[test]
fn a_common_name_without_ending_is_not_looked_for_everywhere() {
    check("`src/lib`", "m");
    check("`x/src/lib`", "v");
}

/// As `check`, in a site of its own.
fn check_site(files: &[(&str, &str)], file: &str, text: &str, expected: &str) {
    let world = World::of_files(files);
    let outcome = |claim: &docent_claims::Claim| match checks::check(claim, file, &world) {
        Outcome::Valid { .. } => 'v',
        Outcome::Missing { .. } => 'm',
        Outcome::Differs { .. } => 'd',
        Outcome::NotOurs => '-',
    };
    let outcomes: String = extract(file, text).iter().map(outcome).collect();
    assert_eq!(outcomes, expected, "{text} in {file}");
}

#[test]
fn pages_are_found_under_their_aliases_and_slugs() {
    let site = [
        ("content/scout/deep/sources.md", "---\ntitle: Sources\naliases:\n  - /scout/sources/\n---\n"),
        ("content/scout/other.md", "---\nslug: renamed\n---\n"),
        ("content/scout/a.md", ""),
    ];
    check_site(
        &site,
        "content/scout/a.md",
        "[a](/scout/sources) [b](/scout/renamed/) [c](/scout/gone)",
        "vvm",
    );
    check_site(&site, "content/scout/a.md", "[b](renamed) [c](gone)", "vm");
}

#[test]
fn redirects_lead_somewhere() {
    let site =
        [("docs/guide/a.md", ""), ("docs/guide/b.md", ""), ("data/redirects.yml", "b:\n  - /guide/old/\n")];
    check_site(&site, "docs/guide/a.md", "[a](/guide/old) [b](/guide/ol) [c](/guide/b)", "vmv");
    let listed = r#"{"redirects": [{"source": "guide/x", "destination": "/guide/a"}, {"source": "/guide/y/:path*", "destination": "/guide/a"}]}"#;
    let site = [("docs/guide/a.md", ""), ("docs/guide/y/a.md", ""), ("docs/docs.json", listed)];
    check_site(&site, "docs/guide/a.md", "[a](/guide/x) [b](/guide/y/b) [c](/guide/z)", "vvm");
    // What is listed, where a redirect leads, other prefixes and parameters are no redirects.
    let listed = r#"{"pages": ["guide/p"], "redirects": [{"source": "/old/:path*", "destination": "/guide/q"}, {"source": "/v1/guide/:path*", "destination": "/x"}, {"source": "/guide/:id/edit", "destination": "/x"}]}"#;
    let site = [("docs/guide/a.md", ""), ("docs/docs.json", listed)];
    check_site(&site, "docs/guide/a.md", "[a](/guide/p) [b](/guide/q) [c](/guide/r)", "mmm");
}

#[test]
fn nobody_knows_the_pages_that_are_made_from_data() {
    let site = [
        ("content/reference/cli/_content.gotmpl", ""),
        ("content/reference/cli/a.md", ""),
        ("content/reference/b.md", ""),
        ("src/pages/blog/[slug].tsx", ""),
        ("src/pages/blog/index.tsx", ""),
    ];
    check_site(
        &site,
        "content/reference/b.md",
        "[a](/reference/cli/docker) [b](/reference/gone) [c](/blog/x)",
        "-m-",
    );
}

#[test]
fn hugo_finds_pages_by_their_names() {
    let site = [
        ("hugo.yaml", ""),
        ("content/logging/tags.md", ""),
        ("content/logging/_index.md", ""),
        ("content/logging/drivers/syslog.md", ""),
        ("content/x/twice.md", ""),
        ("content/y/twice.md", ""),
    ];
    let page = "content/logging/drivers/syslog.md";
    check_site(&site, page, "[a](tags.md) [b](../index.md) [c](twice.md) [d](gone.md)", "vvmm");
    check_site(&site[1..], page, "[a](tags.md)", "m");
}
