//! What a page gives its reader: scripts of a manifest that it shows, functions that its code defines or imports from files
//! beside it, the project that it draws. Who follows the page has those; this repository need not. And what it has from
//! others: names that its code imports, or that link into another repository.

use std::collections::{HashMap, HashSet};

use super::page::{Kind, Page};
use super::snippets::is_code;
use crate::genre::is_for_developers;
use crate::{Claim, Link, Source, Subject};

/// Claims that are about this repository, as far as the page itself can tell.
pub(super) fn without_readers_own(
    page: &Page<'_>,
    drawn: &HashSet<String>,
    mut claims: Vec<Claim>,
) -> Vec<Claim> {
    let (mut scripts, mut names, mut written) = (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut given, mut titled, mut started) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut modules: HashMap<&str, Option<&str>> = HashMap::new();
    for piece in &page.pieces {
        let Kind::Fence(language) = &piece.kind else { continue };
        let source = page.source(&piece.bytes);
        titled.extend(title_of(page.text, piece.bytes.start));
        if is_code(language) {
            written.extend(source.lines().filter_map(defined));
        }
        given.extend(source.lines().filter_map(|line| type_of(line).or_else(|| set_by(line))));
        started.extend(source.lines().filter_map(started_by));
        for (name, module) in source.lines().flat_map(imported) {
            let known = modules.entry(name).or_insert(Some(module));
            *known = known.filter(|known| *known == module);
        }
        match language.as_str() {
            "json" | "jsonc" => scripts.extend(scripts_of(source)),
            "py" | "python" => names.extend(source.lines().flat_map(of_python)),
            "js" | "jsx" | "ts" | "tsx" | "javascript" | "typescript" => {
                names.extend(source.lines().flat_map(of_script));
            }
            _ => {}
        }
    }
    let yours: HashSet<&str> = page.text.split("your `").skip(1).filter_map(named_first).collect();
    claims.retain(|claim| match &claim.subject {
        Subject::Defined { by, name, within: None } if by.starts_with("npm_script") => {
            !scripts.contains(name.as_str())
        }
        Subject::Path { target, link: Link::Span, .. } => {
            let path = target.trim_start_matches("./");
            let top = path.split_once('/').map(|(top, _)| top);
            let is_shown = titled.contains(path) && !is_for_developers(&claim.file);
            !is_shown
                && !yours.contains(path)
                && !top.is_some_and(|top| drawn.contains(top) || started.contains(top))
        }
        Subject::Symbol { path, is_call, .. } => {
            // A type that a page shows may be ours as well.
            let is_function = claim.kind == "name" || *is_call && path.len() == 1;
            let is_own = |name: &str| names.contains(name) || is_function && written.contains(name);
            !path.first().is_some_and(|name| is_own(name))
        }
        _ => true,
    });
    let about = subject_of(page, &claims);
    for claim in &mut claims {
        let is_told = matches!(
            &claim.subject,
            Subject::Symbol { .. } | Subject::Variable { .. } | Subject::Key { .. } | Subject::Value { .. }
        );
        claim.source = about.clone().filter(|_| is_told && claim.kind != "import");
        let name = match &claim.subject {
            Subject::Symbol { path, .. } if claim.kind != "import" => path.first(),
            Subject::Variable { name } => Some(name),
            _ => None,
        };
        let Some(name) = name.map(String::as_str) else { continue };
        claim.cues.is_given = given.contains(name);
        if matches!(claim.subject, Subject::Symbol { .. }) {
            let module = modules.get(name).copied().flatten();
            let module = module.map(|module| Source::Module(module.to_owned()));
            let told = module.or_else(|| linked(page.text, claim.span.end));
            claim.source = told.or(claim.source.take());
        }
    }
    claims
}

/// What stands in the rest of a code span.
fn named_first(rest: &str) -> Option<&str> {
    let name = rest.split('`').next().filter(|name| name.len() < 200)?;
    Some(name.trim_start_matches("./"))
}

/// The file that a fence is said to be, in the line that opens it: `title="src/a.ts"`, `filename=a.ts`.
fn title_of(text: &str, content: usize) -> Option<&str> {
    let opening = text.get(..content)?.trim_end_matches(['\n', '\r']).rsplit('\n').next()?;
    let mut marks = ["title=", "filename=", "file="].iter().filter_map(|mark| opening.split_once(mark));
    let (_, title) = marks.next()?;
    let title = match title.chars().next()? {
        quote @ ('"' | '\'') => title.get(1..)?.split(quote).next()?,
        _ => title.split_whitespace().next()?,
    };
    Some(title.trim_start_matches("./"))
}

/// What a page is about, when its headings are names of modules or all files that it leads to are in one repository.
fn subject_of(page: &Page<'_>, claims: &[Claim]) -> Option<Source> {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let is_module = |text: &&str| text.matches('.').count() > 1 && text.split('.').all(is_part);
    // Keys of settings look the same; nobody imports those.
    let is_imported = |module: &&str| {
        let first = module.split('.').next().unwrap_or_default();
        page.text.contains(&format!("from {first}.")) || page.text.contains(&format!("import {first}."))
    };
    let mut headings = page.headings.iter().map(|heading| heading.text.trim_matches('`'));
    if let Some(module) = headings.find(is_module).filter(is_imported) {
        return Some(Source::PageOfModule(module.to_owned()));
    }
    let hosted = |claim: &Claim| match &claim.subject {
        Subject::Hosted { repository, .. } => Some(repository.clone()),
        _ => None,
    };
    // `CONTRIBUTING.md` is about this one, wherever it leads to.
    let name = claims.first().map_or("", |claim| claim.file.rsplit('/').next().unwrap_or_default());
    let mut repositories =
        claims.iter().filter(|_| name.starts_with(|c: char| c.is_lowercase())).filter_map(hosted);
    let first = repositories.next()?;
    repositories.all(|other| other == first).then_some(Source::PageOfRepository(first))
}

/// The repository to which a name leads that is the label of a link.
fn linked(text: &str, end: usize) -> Option<Source> {
    let behind = text.get(end..)?.trim_start_matches(['(', ')', '`']);
    let address = behind.strip_prefix("](https://github.com/")?;
    let mut slashes = address.match_indices(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let (_, (end, _)) = (slashes.next()?, slashes.next()?);
    Some(Source::Repository(address.get(..end)?.to_owned()))
}

/// The type that a line of code begins to define: `class UploadView(APIView):`, `export interface Props {`.
fn type_of(line: &str) -> Option<&str> {
    const WORDS: &[&str] = &["abstract", "data", "default", "export", "final", "pub", "public", "sealed"];
    let mut words = line.split_whitespace().skip_while(|word| WORDS.contains(word));
    let is_type =
        matches!(words.next()?, "class" | "enum" | "interface" | "record" | "struct" | "trait" | "type");
    let name = words.next()?.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
    Some(name).filter(|name| is_type && !name.is_empty())
}

/// The variable that a line sets: `NAME=value`, `export NAME=value`.
fn set_by(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (name, _) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let is_name = name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    Some(name).filter(|_| is_name)
}

/// The folder of a new project that a command starts: `npx create-app@latest site`, `cargo new site`.
fn started_by(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("$ ");
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
    let is_start = match (words.next()?, words.next()?) {
        ("npx" | "bunx", program) => program.rsplit('/').next()?.starts_with("create-"),
        ("npm" | "pnpm" | "yarn" | "bun", "create" | "init") => words.next().is_some(),
        ("cargo" | "rails" | "ng", "new") | ("django-admin" | "scrapy", "startproject") => true,
        _ => false,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    words.next().filter(|folder| is_start && folder.chars().all(is_name))
}

/// The names that a line of code imports, and the module: `from a.b import C`, `import { c } from "pkg"`. Files beside the
/// page, and those of the reader's project, are none.
fn imported(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let line = line.trim();
    let python = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "));
    let script = || {
        let (names, module) = line.strip_prefix("import ")?.rsplit_once(" from ")?;
        let quoted = module.trim_end_matches(';').trim();
        let module = quoted.trim_matches(['"', '\'']);
        (module.len() + 2 == quoted.len()).then_some((module, names))
    };
    let (module, names) = python.or_else(script).unwrap_or_default();
    let is_package = module.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
        && !module.starts_with("@/")
        && !module.contains(' ');
    listed(if is_package { names } else { "" }).map(move |name| (name, module))
}

/// The names under `"scripts"` in a manifest.
fn scripts_of(source: &str) -> impl Iterator<Item = &str> {
    let listed = source.split_once("\"scripts\"").map_or("", |(_, rest)| rest);
    let listed = listed.split('}').next().unwrap_or_default();
    listed.lines().filter_map(|line| {
        let (name, _) =
            line.trim_start_matches([' ', '\t', ':', '{']).strip_prefix('"')?.split_once("\":")?;
        Some(name)
    })
}

/// `from .crews.poems import PoemCrew`
fn of_python(line: &str) -> impl Iterator<Item = &str> {
    let imported = line.trim_start().strip_prefix("from .").and_then(|rest| rest.split_once(" import "));
    listed(imported.map_or("", |(_, names)| names))
}

/// `import { Media } from './collections/Media'`
fn of_script(line: &str) -> impl Iterator<Item = &str> {
    let imported = line.trim_start().strip_prefix("import ").and_then(|rest| rest.rsplit_once(" from "));
    let is_beside = |specifier: &str| specifier.trim_start_matches(['"', '\'', ' ']).starts_with('.');
    listed(imported.filter(|(_, specifier)| is_beside(specifier)).map_or("", |(names, _)| names))
}

/// Names between commas and braces, each as it is called from then on.
fn listed(names: &str) -> impl Iterator<Item = &str> {
    names
        .split(['{', '}', ',', '(', ')'])
        .filter_map(|name| name.rsplit(" as ").next()?.split_whitespace().next_back())
}

/// The function that a line begins to define: `async deleteProduct(id) {`, `def read_rows(`.
fn defined(line: &str) -> Option<&str> {
    const WORDS: &[&str] = &[
        "async",
        "const",
        "def",
        "default",
        "export",
        "fn",
        "func",
        "function",
        "let",
        "private",
        "protected",
        "pub",
        "public",
        "static",
    ];
    let mut rest = line.trim_start();
    let mut is_told = false;
    while let Some((_, behind)) = rest.split_once(' ').filter(|(word, _)| WORDS.contains(word)) {
        rest = behind.trim_start();
        is_told = true;
    }
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (name, behind) = rest.split_at(end);
    // `read(id) {`, `read: tool({`
    let is_body = line.trim_end().ends_with('{') && (behind.starts_with('(') || behind.starts_with(": "));
    (is_told || is_body).then_some(name).filter(|name| !name.is_empty())
}
