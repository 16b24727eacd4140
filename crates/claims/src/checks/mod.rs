//! Says of one claim whether it holds in one state of the repository.
//!
//! The same code looks at the present and at the past, so that a mistake in it is made on both sides and cancels out.
//! This file only decides which check a subject belongs to; each kind of subject has a module with the same three
//! functions.

mod chart;
mod closest;
mod commands;
mod hosted;
mod keys;
mod known;
mod own_cli;
mod paths;
mod routes;
mod snippets;
mod symbols;
mod used;
mod values;
mod variables;

pub(crate) use chart::has_lost;
pub(crate) use known::{is_aside, is_of_site};
pub(crate) use used::{is_defined_elsewhere, is_read, is_used};

use crate::facts::code::Kind;
use crate::{Claim, Outcome, Source, Subject, Suggestion, World};

/// Whether a claim holds. `file` is the path of the document in that state, which may have been another one.
pub fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    if is_of_others(claim, world) {
        return Outcome::NotOurs;
    }
    let outcome = look(claim, file, world);
    let is_about_code =
        !matches!(claim.subject, Subject::Path { .. } | Subject::Hosted { .. } | Subject::Defined { .. });
    match outcome {
        Outcome::Missing { .. } if is_about_code && known::is_of_documents(world) => Outcome::NotOurs,
        outcome => outcome,
    }
}

/// Whether the page tells that what it names is somebody else's.
fn is_of_others(claim: &Claim, world: &World) -> bool {
    let is_ours = |module: &str| known::Packages::of(world).is_ours(module);
    match &claim.source {
        Some(Source::Module(module) | Source::PageOfModule(module)) => !is_ours(module),
        Some(Source::Clone(repository)) => {
            let name = repository.rsplit('/').next().unwrap_or_default();
            hosted::is_another(repository, world) && !is_ours(name)
        }
        Some(Source::Repository(repository)) => hosted::is_another(repository, world),
        Some(Source::PageOfRepository(repository)) => hosted::is_sibling(repository, world),
        None => false,
    }
}

fn look(claim: &Claim, file: &str, world: &World) -> Outcome {
    match &claim.subject {
        Subject::Path { .. } => paths::check(claim, file, world),
        Subject::Hosted { .. } => hosted::check(claim, file, world),
        Subject::Defined { .. } => commands::check(claim, file, world),
        Subject::OwnCli { .. } => own_cli::check(claim, file, world),
        Subject::Variable { .. } => variables::check(claim, file, world),
        Subject::Value { .. } => values::check(claim, file, world),
        Subject::Route { .. } => routes::check(claim, file, world),
        Subject::Symbol { .. } => symbols::check(claim, file, world),
        Subject::Key { .. } => keys::check(claim, file, world),
        Subject::Snippet { .. } => snippets::check(claim, file, world),
    }
}

/// Words of which at least one stands in every file that could make the claim valid (a leaf name, a script's name). A
/// change of a file without any of them does not concern the claim. Empty when it can be decided by paths alone.
pub fn needles(claim: &Claim) -> Vec<String> {
    match &claim.subject {
        Subject::Path { .. } => paths::needles(claim),
        Subject::Hosted { .. } => hosted::needles(claim),
        Subject::Defined { .. } => commands::needles(claim),
        Subject::OwnCli { .. } => own_cli::needles(claim),
        Subject::Variable { .. } => variables::needles(claim),
        Subject::Value { .. } => values::needles(claim),
        Subject::Route { .. } => routes::needles(claim),
        Subject::Symbol { .. } => symbols::needles(claim),
        Subject::Key { .. } => keys::needles(claim),
        Subject::Snippet { .. } => snippets::needles(claim),
    }
}

/// All words that a check of the claim may ask for: its needles, and what says whether the repository has such things at
/// all. To look for many words at once costs as much as to look for one.
pub fn words(claim: &Claim) -> Vec<String> {
    let mut words = needles(claim);
    match &claim.subject {
        Subject::OwnCli { .. } => words.extend(own_cli::words(claim)),
        Subject::Route { .. } => words.extend(routes::words(claim)),
        Subject::Variable { name } => {
            words.extend(variables::prefixes(name));
            let composers = variables::COMPOSERS.iter().chain(variables::READERS);
            words.extend(composers.map(|&word| word.to_owned()));
        }
        _ => {}
    }
    words
}

/// What to look for to find files that may have a name behind a mark, a quote or a slash: where words of this kind stand is
/// known without reading files again. Of a name of several words it is the first.
fn marked(mark: char, name: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let mut runs = name.split(|c: char| !is_word(c));
    match runs.next().filter(|first| !first.is_empty()) {
        Some(first) => format!("{mark}{first}"),
        None => runs.find(|run| !run.is_empty()).unwrap_or(name).to_owned(),
    }
}

/// Whether a claim is a word that may be anything, too: a name without a sign of code around it. It counts only where the
/// code of a program has it, and only as long as it stands nowhere else.
pub(crate) fn is_weak(claim: &Claim) -> bool {
    matches!(claim.kind.as_str(), "name" | "plain_path" | "plain_variable" | "setting")
}

/// Whether a claim names a variable of a shell, a runtime or a service, which means something without this repository.
pub(crate) fn is_foreign_variable(claim: &Claim) -> bool {
    matches!(&claim.subject, Subject::Variable { name } if variables::is_foreign(name))
}

/// Whether the name of a variable may be put together from texts and keys of the code.
pub(crate) fn may_be_composed(name: &str, world: &World) -> bool {
    variables::may_be_composed(name, world)
}

/// Whether a variable begins with the name of a program or package of this repository.
pub(crate) fn has_own_prefix(name: &str, world: &World) -> bool {
    let prefix = name.split('_').next().unwrap_or(name).to_lowercase();
    let packages = known::Packages::of(world);
    let is_same = |own: &String| own.split(['_', '-']).next() == Some(prefix.as_str());
    packages.names.iter().chain(packages.programs.iter().map(|(name, _)| name)).any(is_same)
}

/// The packages and programs of this repository and what it calls itself, in short: whether they are the same as in
/// another state.
pub(crate) fn packages(world: &World) -> String {
    let packages = known::Packages::of(world);
    let about = format!("{:?} {:?} {:?}", packages.names, packages.programs, own_name(world));
    blake3::hash(about.as_bytes()).to_hex().to_string()
}

/// Whether patterns of this repository tell git to ignore a path.
pub(crate) fn is_ignored(path: &str, world: &World) -> bool {
    paths::is_ignored(world, "", path)
}

/// Whether a claim names a flag of a program that this repository builds, by the name of the program.
pub(crate) fn is_own_flag(claim: &Claim, world: &World) -> bool {
    own_cli::is_own_flag(claim, world)
}

/// Whether this is a repository of documents about the code of others.
pub(crate) fn is_of_documents(world: &World) -> bool {
    known::is_of_documents(world)
}

/// `owner/name`, as this repository calls itself.
pub(crate) fn own_name(world: &World) -> Option<String> {
    hosted::own_name(world)
}

/// Whether the first of two versions is the lower one.
pub(crate) fn is_lower(one: &str, other: &str) -> bool {
    values::is_lower(one, other)
}

/// Whether code of ours, other than tests and examples, defines a type of this name.
pub(crate) fn is_own_type(name: &str, world: &World) -> bool {
    let known = known::Known::about(name, world);
    !known.places(|path, found| found.kind() == Kind::Type && !is_aside(path)).is_empty()
}

/// Whether a package of this name is made here.
pub(crate) fn is_own_package(name: &str, world: &World) -> bool {
    known::Packages::of(world).is_ours(name)
}

/// What the manifests of this repository depend on, by name.
pub(crate) fn dependencies(world: &World) -> std::sync::Arc<values::Dependencies> {
    values::Dependencies::of(world)
}

/// Whether a file is code that we parse.
pub(crate) fn is_code(path: &str) -> bool {
    <crate::facts::code::Code as crate::Facts>::applies(path)
}

/// Whether this repository builds a program.
pub(crate) fn is_own_program(program: &str, world: &World) -> bool {
    known::Packages::of(world).programs.iter().any(|(name, _)| name == program)
}

/// Whether a link leads to where pages are made from data.
pub(crate) fn is_made_from_data(claim: &Claim, file: &str, world: &World) -> bool {
    paths::is_made_from_data(claim, file, world)
}

/// What to write instead of a claim that held in `then` and does not in `now`.
pub fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    match &claim.subject {
        Subject::Path { .. } => paths::suggest(claim, file, now, then),
        Subject::Hosted { .. } => hosted::suggest(claim, file, now, then),
        Subject::Defined { .. } => commands::suggest(claim, file, now, then),
        Subject::OwnCli { .. } => own_cli::suggest(claim, file, now, then),
        Subject::Variable { .. } => variables::suggest(claim, file, now, then),
        Subject::Value { .. } => values::suggest(claim, file, now, then),
        Subject::Route { .. } => routes::suggest(claim, file, now, then),
        Subject::Symbol { .. } => symbols::suggest(claim, file, now, then),
        Subject::Key { .. } => keys::suggest(claim, file, now, then),
        Subject::Snippet { .. } => snippets::suggest(claim, file, now, then),
    }
}
