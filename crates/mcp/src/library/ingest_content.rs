//! `ingest_content`: a text that the caller has at hand becomes a document of a library.

use rmcp::model::JsonObject;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::into::{into, into_parameters, receipt, receipt_schema};
use super::{line, required};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Longest part of a heading that goes into a name, in characters.
const MAX_SLUG: usize = 60;
/// Bytes of the content's hash that go into a name.
const HASH_BYTES: usize = 6;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "ingest_content",
    toolset: Toolset::Library,
    effect: Effect::Adds,
    title: "Take in a text",
    description: "Takes a text into a library as a document: notes, a summary, an answer worth keeping. Its `name` is its source \
and says by its extension what it is (`notes.html`); Markdown otherwise. The same name again is `skipped` when the text is the same \
and `replaced`, under the same `doc_id`, when it is not. Without a name one is made from the first heading and the content, so \
another text never takes its place. What is in a file or on the web is better taken in with ingest_file or ingest_url; to find what \
is in it, use `search`.",
    input,
    output: receipt_schema,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let mut properties = json!({
        "content": text("The text, in Markdown unless the name says otherwise."),
        "name": text("Name of the document, e.g. `meeting-2025-06-01.md`. Not a path or an address. Default: made from its first heading and its content."),
    });
    into_parameters(&mut properties);
    arguments(properties, &["content"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let content = required(call, "content", "the text of the document")?;
    let name = match call.args.text("name")?.map(str::trim) {
        Some("") => {
            return Err(Failure::told(
                "name is empty. Give one, e.g. `notes.md`, or leave it out to have one made.",
            ));
        }
        Some(name) if names_a_place(name) => {
            let name = line(name);
            return Err(Failure::told(format!(
                "`{name}` is no name for a text, because it is where a file or a page is, whose place it would take. Give a \
                 plain name, e.g. `notes.md`. What is in that file or on that page is taken in with ingest_file or ingest_url."
            )));
        }
        Some(name) => name.to_owned(),
        None => name_of(content),
    };
    let into = into(call)?;
    Ok(receipt(call.library()?.ingest_content(content, &name, &into, &call.work.cancel)?).into())
}

/// Whether something is an absolute path or an address: the sources of files and pages, which nothing else may be known by.
fn names_a_place(name: &str) -> bool {
    let is_drive = |name: &str| match name.as_bytes() {
        [letter, b':', rest @ ..] => {
            letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/' | b'\\'))
        }
        _ => false,
    };
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    name.starts_with(['/', '\\'])
        || is_drive(name)
        || name.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// A name that says what a text is about, and that no other text has.
fn name_of(content: &str) -> String {
    let heading = |line: &str| {
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        ((1..=6).contains(&level) && text.starts_with(' ')).then(|| docent_text::slug(text.trim()))
    };
    let slug = content.lines().find_map(heading).filter(|slug| !slug.is_empty());
    let slug: String = slug.as_deref().unwrap_or("text").chars().take(MAX_SLUG).collect();
    let hash = Sha256::digest(content.as_bytes());
    let hash: String = hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hash}.md", slug.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::{name_of, names_a_place};

    fn check(content: &str, expected: &str) {
        let name = name_of(content);
        let (slug, hash) = name.rsplit_once('-').unwrap();
        assert_eq!((slug, hash.len()), (expected, 15), "{name}");
    }

    #[test]
    fn a_name_is_no_place() {
        for name in [
            "/etc/hosts",
            "//host/x",
            "\\\\host\\x",
            "C:\\a.md",
            "c:/a.md",
            "d:",
            "https://x.org/a",
            "FILE:///a",
        ] {
            assert!(names_a_place(name), "{name}");
        }
        for name in ["notes.md", "a/b.md", "../a.md", "a: b", "c:d", "see https://x.org", "://x", "Q&A 1/2"] {
            assert!(!names_a_place(name), "{name}");
        }
    }

    #[test]
    fn a_name_is_made_from_the_first_heading_and_the_content() {
        check("# Release notes\n\nNew.\n", "release-notes");
        check("before\n## Set up & run\n", "set-up-run");
        check("#hashtag\n\nno heading", "text");
        check("plain", "text");
        check(
            &format!("# {}", "long ".repeat(50)),
            "long-long-long-long-long-long-long-long-long-long-long-long",
        );
        assert_ne!(name_of("# A\n\none"), name_of("# A\n\ntwo"));
        assert_eq!(name_of("# A\n\none"), name_of("# A\n\none"));
    }
}
