//! Finds the claims of a document.
//!
//! The words that extraction and checks share, by [`Subject`](crate::Subject):
//!
//! - `Value`: `value` stands verbatim in [`Claim::named`], so that a replacement swaps it there. `of` is
//!   - `runtime`: `name` is `node`, `python`, `go`, `rust`, `java`, `ruby`, `php`, `deno`, `bun`, `dotnet`; `value` is the
//!     version alone (`18`, `3.9`), with `named` as in the document (`Node 18+`, `Python >= 3.9`).
//!   - `dependency`: `name` is the package as its manager writes it, prefixed with the ecosystem: `npm:react`,
//!     `cargo:serde`, `pypi:requests`, `go:github.com/x/y`, `maven:group:artifact`, or bare (`react`) where nothing tells.
//!   - `default`: `name` is the key, flag (`--port`) or variable whose default is told; `value` without quotes.
//!   - `port`: `name` is empty; `value` is the number.
//!   - `licence`: `name` is the SPDX id (empty for badges), `value` as written.
//!   - `edition`: Rust's edition; `name` is `rust`.
//!   - `package_name`: `name` is the ecosystem (`npm`, `cargo`, `pypi`, `go`); `value` the name in an install line.
//! - `Symbol`: `kind` is `symbol` (span) or `import` (fence); `path` holds the parts between `::`, `.`, `#`.
//! - `OwnCli`: emitted for every command whose first word is no well-known system program; the check answers `NotOurs`
//!   for programs that this repository does not build. One claim per subcommand chain (`flag: None`), and one per flag.
//!   `subcommands` are all leading bare words, so the last ones may be arguments. `program` is empty for a span that is
//!   nothing but a flag (`--verbose`), and for `cargo run -- --flag` without a name.
//! - `Route`: parameters are `{}` whatever the document writes.
//! - `Hosted`: `named` is the path alone, with the slash in front of it.
//! - `Key`: dotted keys from spans, and first columns of option tables.

mod clones;
mod commands;
mod conventions;
mod hosted;
mod page;
mod paths;
mod placeholders;
mod readers;
mod routes;
mod sentence;
mod settings;
mod shell;
mod sink;
mod snippets;
mod symbols;
mod trees;
mod variables;
mod versions;
mod words;

pub(crate) use page::as_html;
pub(crate) use placeholders::{has_known_ending, has_stand_in, is_generic};

use crate::Claim;
use page::Page;
use sink::Sink;

/// The claims in a Markdown document, in the order of its lines. Generous: what nothing in the repository could decide is
/// sorted out by the checks.
pub fn extract(path: &str, text: &str) -> Vec<Claim> {
    let page = Page::read(path, text);
    let mut sink = Sink::new(&page, path);
    paths::find(&mut sink);
    hosted::find(&mut sink);
    trees::find(&mut sink);
    commands::find(&mut sink);
    variables::find(&mut sink);
    versions::find(&mut sink);
    routes::find(&mut sink);
    symbols::find(&mut sink);
    settings::find(&mut sink);
    conventions::find(&mut sink);
    snippets::find(&mut sink);
    let drawn = std::mem::take(&mut sink.drawn);
    let mut claims = readers::without_readers_own(&page, &drawn, sink.finish());
    clones::in_clones(&page, &mut claims);
    claims
}

/// The headings of a page as written, with their lines.
pub(crate) fn headings(path: &str, text: &str) -> Vec<(String, u32)> {
    let page = Page::read(path, text);
    let line = |start: usize| u32::try_from(page.lines.line(start)).unwrap_or(u32::MAX);
    page.headings.iter().map(|heading| (heading.text.clone(), line(heading.start))).collect()
}

#[cfg(test)]
mod tests;
