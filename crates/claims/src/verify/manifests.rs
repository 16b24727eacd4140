//! Commands whose definitions nobody can look up: the file is gone, or too large.

use std::collections::HashSet;

use super::Run;
use crate::{Claim, Entry, Subject};

/// Files that define what a command names, by the kind of definition.
const MANIFESTS: &[(&str, &[&str])] = &[
    ("make_target", &["Makefile", "makefile", "GNUmakefile"]),
    ("just_recipe", &["justfile", "Justfile", ".justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"]),
    ("npm_script", &["package.json"]),
    ("compose_service", &["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"]),
    ("deno_task", &["deno.json", "deno.jsonc"]),
    ("tox_environment", &["tox.ini", "tox.toml"]),
    ("nox_session", &["noxfile.py"]),
];

/// Kinds of definitions of which a file is here and too large to be read: nobody can tell what is in it.
struct Unread(HashSet<&'static str>);

/// Whether a file that may define a command is here and cannot be read.
pub(super) fn is_unread(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Defined { by, .. } = &claim.subject else { return false };
    let unread = run.now.once(|now| {
        let is_file = |path: &&String| now.entry(path) == Some(Entry::File);
        let is_unread =
            |name: &&str| now.named(name).iter().filter(is_file).any(|path| now.read(path).is_none());
        let kinds = MANIFESTS.iter().filter(|(_, names)| names.iter().any(is_unread));
        Unread(kinds.map(|(kind, _)| *kind).collect())
    });
    unread.0.contains(by.as_str())
}

/// Whether nothing can decide a command any more because the last manifest of its kind was deleted.
pub(super) fn is_lost(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Defined { by, .. } = &claim.subject else { return false };
    let names = MANIFESTS.iter().find(|(kind, _)| kind == by).map_or(&[][..], |(_, names)| names);
    let is_here = names.iter().any(|name| !run.now.named(name).is_empty());
    !is_here && names.iter().any(|name| run.history.has_deleted(name))
}
