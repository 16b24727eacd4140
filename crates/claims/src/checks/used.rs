//! Whether anything still uses a name that nothing defines any more, or defines it in another place.

use super::known::{is_aside, is_of_site, is_vendored};
use super::own_cli;
use crate::facts::code::{Code, variants};
use crate::facts::outline::Outline;
use crate::facts::settings::Settings;
use crate::{Claim, Facts, Subject, World};

/// Files that are read for one name.
const MOST_FILES: usize = 40;

/// Whether code or settings, other than those of tests and examples, still have the name outside of comments: it may come
/// from elsewhere now. `before` is the state in which it was defined.
pub(crate) fn is_used(claim: &Claim, world: &World, before: &World) -> bool {
    // What a site is made from only tells.
    is_used_in(claim, world, before, |path| Settings::applies(path) && !is_of_site(path))
}

/// The same of code alone, for what settings only set.
pub(crate) fn is_read(claim: &Claim, world: &World, before: &World) -> bool {
    is_used_in(claim, world, before, |_| false)
}

fn is_used_in(claim: &Claim, world: &World, before: &World, is_settings: impl Fn(&str) -> bool) -> bool {
    // `REMOVE_TOKENS` may be the setting `remove_tokens` now.
    let setting = match &claim.subject {
        Subject::Variable { name } => Some(name.to_lowercase()).filter(|_| name.contains('_')),
        _ => None,
    };
    let names = match &claim.subject {
        Subject::Symbol { path, .. } => path.last().cloned().into_iter().collect(),
        Subject::Variable { name } => std::iter::once(name).chain(&setting).cloned().collect(),
        Subject::Key { path } => path.last().map(|leaf| variants(leaf)).unwrap_or_default(),
        Subject::Value { of, name, .. } if of == "default" => {
            variants(name.rsplit('.').next().unwrap_or(name))
        }
        _ => return false,
    };
    // No setting is called like a type; and a member is used where its type is.
    let (is_type, container) = match &claim.subject {
        Subject::Symbol { path, .. } => {
            let is_type = path.last().is_some_and(|name| name.starts_with(char::is_uppercase));
            (is_type, path.len().checked_sub(2).and_then(|at| path.get(at)))
        }
        _ => (false, None),
    };
    let is_code = |path: &str| Code::applies(path) || Outline::applies(path);
    let may_use = |path: &&String| {
        (is_code(path) || !is_type && is_settings(path))
            && !is_aside(path)
            && !is_vendored(path)
            && !is_migration(path)
    };
    let is_with_container =
        |path: &String| container.is_none_or(|container| stands_in(container, path, world, false));
    // What was called so beside the variable all along is something else.
    let is_other = |name: &String, path: &String| {
        let held = |name: &str| before.mentioning(name).contains(path);
        setting.as_ref() == Some(name) && held(name) && !held(&name.to_uppercase())
    };
    names.iter().any(|name| {
        let files = world.mentioning(name);
        let mut code = files.iter().filter(may_use).filter(|path| !is_other(name, path));
        code.clone().count() > MOST_FILES
            || code.any(|path| stands_in(name, path, world, !is_code(path)) && is_with_container(path))
    })
}

/// Whether a file tells how the tables of a database came to be: what it names was there on its day.
fn is_migration(path: &str) -> bool {
    path.split('/').any(|folder| matches!(folder, "alembic" | "migrate" | "migrations"))
}

/// Words of a line of settings that tells something to people.
const WORDS_OF_PROSE: usize = 8;

/// Whether a line has the name that is no comment and, in settings, no sentence.
fn stands_in(name: &str, path: &str, world: &World, is_settings: bool) -> bool {
    let bytes = world.read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let is_comment = |line: &str| {
        ["//", "/*", "*", "#", "--", ";"].iter().any(|mark| line.starts_with(mark))
            || is_settings && line.split_whitespace().nth(WORDS_OF_PROSE).is_some()
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().map(str::trim_start).filter(|line| !is_comment(line)).any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (line.get(..at), line.get(at + name.len()..));
            !before.is_some_and(|it| it.ends_with(is_word))
                && !after.is_some_and(|it| it.starts_with(is_word))
        })
    })
}

/// Whether a flag or a subcommand is defined now where it was not before.
pub(crate) fn is_defined_elsewhere(claim: &Claim, now: &World, before: &World) -> bool {
    let Subject::OwnCli { subcommands, flag, .. } = &claim.subject else { return false };
    let has = |path: &str, world: &World| {
        let Some(code) = world.facts::<Code>(path) else { return false };
        match flag {
            Some(flag) => own_cli::spellings(flag)
                .iter()
                .any(|name| code.flag(name).is_some() || code.string(&format!("--{name}")).is_some()),
            None => subcommands.iter().any(|name| {
                variants(name).iter().any(|name| code.command(name).is_some() || code.string(name).is_some())
            }),
        }
    };
    let names: Vec<String> = match flag {
        Some(flag) => own_cli::spellings(flag),
        None => subcommands.iter().flat_map(|name| variants(name)).collect(),
    };
    let is_new = |path: &String| {
        now.content(path) != before.content(path) && !is_aside(path) && has(path, now) && !has(path, before)
    };
    names.iter().any(|name| now.mentioning(name).iter().any(is_new))
}
