//! Environment variables that code, CI, a compose file or a script reads or sets.
//!
//! In code that we parse the name must be a text, a constant or a member of the environment; anywhere else it is enough
//! that it stands there. Libraries compose names from a prefix and a key (`APP_` and `server.port`), so a known prefix with
//! a defined rest counts as well.

use super::known::{Known, is_aside, is_vendored};
use super::{closest, has_own_prefix, is_weak};
use crate::facts::code::{Code, Definition, Kind, kebab, parts, variants};
use crate::facts::settings::Settings;
use crate::{Claim, Facts, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, _file: &str, world: &World) -> Outcome {
    let Subject::Variable { name } = &claim.subject else { return Outcome::NotOurs };
    let known = Known::about(name, world);
    let mut found = known.places(|_, _| true);
    // A text in code that has nothing to do with the environment is the name of something else.
    let reads = |place: &&Place| {
        let bytes = world.read(&place.path).unwrap_or_default();
        !Code::applies(&place.path) || bytes.windows(3).any(|word| word.eq_ignore_ascii_case(b"env"))
    };
    found.extend(known.texts.iter().take(MOST_TEXTS).filter(reads).cloned());
    let sets = |path: &&String| {
        // A large one is data.
        let is_small = |bytes: &[u8]| bytes.len() <= MOST_SETTINGS || !path.ends_with(".json");
        is_setting(path) && world.read(path).is_some_and(|bytes| is_small(&bytes) && is_set(&bytes, name))
    };
    found.extend(known.files.iter().filter(sets).take(3).map(|path| Place::of(path.clone())));
    if is_weak(claim) {
        found.retain(|place| !is_aside(&place.path));
    }
    if found.is_empty() {
        match composed(name, world) {
            Composed::Surely(places) => found = places,
            Composed::Perhaps => return Outcome::NotOurs,
            Composed::No => {}
        }
    }
    if !found.is_empty() {
        return Outcome::Valid { found };
    }
    // A key of a service may be read by what we depend on.
    let is_key = || name.ends_with("_API_KEY") && !has_own_prefix(name, world);
    // Settings may have their own names in lower case, and a prefix that the page leaves out.
    let is_setting = || {
        let is_field = |path: &str, found: &Definition| {
            matches!(found.kind(), Kind::Field | Kind::Key) && !is_aside(path)
        };
        // Of two words anything may be made.
        let is_distinct = name.matches('_').count() >= 2 && !has_own_prefix(name, world);
        is_distinct && !Known::about(&field(name), world).places(is_field).is_empty()
    };
    if known.is_mentioned() || is_foreign(name) || is_key() || is_setting() || is_nested(name, world) {
        return Outcome::NotOurs;
    }
    Outcome::missing("code, CI, containers, scripts and `.env` files")
}

/// Texts of one name that are looked at.
const MOST_TEXTS: usize = 5;
/// Bytes of a file of settings.
const MOST_SETTINGS: usize = 128 << 10;

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Subject::Variable { name } = &claim.subject else { return Vec::new() };
    let mut needles = vec![name.clone(), field(name)];
    for (_, rest) in splits(name) {
        needles.extend(spellings(&rest));
    }
    needles.extend(nested(name));
    needles.sort();
    needles.dedup();
    needles
}

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Variable { name } = &claim.subject else { return None };
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    let mut fresh = Vec::new();
    for place in found {
        let (Some(before), Some(after)) = (then.facts::<Code>(&place.path), now.facts::<Code>(&place.path))
        else {
            continue;
        };
        let is_variable = |text: &str| text.contains('_') && text == text.to_uppercase();
        let texts = after.strings.iter().map(|(text, _)| text);
        fresh.extend(texts.filter(|text| is_variable(text) && before.string(text).is_none()).cloned());
    }
    let new = closest::name(name, &fresh)?;
    let reason = format!("`{new}` was added where `{name}` was read");
    Some(Suggestion { replacement: claim.named.replacen(name.as_str(), &new, 1), is_certain: false, reason })
}

/// The texts that a prefix of the name may be.
pub(super) fn prefixes(name: &str) -> Vec<String> {
    splits(name).iter().flat_map(|(prefix, _)| texts_of(prefix)).collect()
}

fn texts_of(prefix: &str) -> [String; 5] {
    let lower = prefix.to_lowercase();
    [format!("{prefix}_"), prefix.to_owned(), format!("{prefix}__"), format!("{lower}_"), lower]
}

/// Whether a name is put together from a prefix and a key.
enum Composed {
    Surely(Vec<Place>),
    /// Both are there, and nothing says that they belong together.
    Perhaps,
    No,
}

/// Whether code may put the name together.
pub(super) fn may_be_composed(name: &str, world: &World) -> bool {
    !matches!(composed(name, world), Composed::No)
}

/// The definition of the rest of a name whose prefix is a text in code.
fn composed(name: &str, world: &World) -> Composed {
    let mut is_possible = false;
    for (prefix, rest) in splits(name) {
        let Some(is_told) = prefix_of(&prefix, world) else { continue };
        for spelling in spellings(&rest) {
            let known = Known::about(&spelling, world);
            // A local variable is no key.
            let is_key = |path: &str, found: &Definition| {
                matches!(found.kind(), Kind::Field | Kind::Key)
                    || world.facts::<Code>(path).is_some_and(|code| code.flag(&spelling).is_some())
            };
            let mut found = known.places(is_key);
            found.extend(known.texts.iter().filter(is_text).take(5).cloned());
            found.retain(|place| !is_aside(&place.path));
            if !found.is_empty() && is_told {
                return Composed::Surely(found);
            }
            is_possible |= !found.is_empty();
        }
    }
    match fields(name, world) {
        found if !found.is_empty() => Composed::Surely(found),
        _ if is_possible => Composed::Perhaps,
        _ => Composed::No,
    }
}

/// Whether code puts a prefix in front of keys: surely where a library is told so, perhaps where a text ends like one.
fn prefix_of(prefix: &str, world: &World) -> Option<bool> {
    let texts = texts_of(prefix);
    let has = |path: &str, words: &[&str]| {
        words.iter().any(|word| world.mentioning(word).iter().any(|mentioning| mentioning == path))
    };
    let is_told = |text: &String| {
        // Where variables are read one by one, only a text that ends like a prefix is one. Others are common words, and
        // few of the files that hold them are of interest.
        if text.ends_with('_') {
            let known = Known::about(text, world);
            let is_composer = |place: &Place| has(&place.path, COMPOSERS) || has(&place.path, READERS);
            return known.texts.iter().filter(is_text).any(is_composer);
        }
        let files = world.mentioning(text);
        let mut composing = files.iter().filter(|path| !is_vendored(path) && has(path, COMPOSERS));
        composing.any(|path| world.facts::<Code>(path).is_some_and(|code| code.string(text).is_some()))
    };
    let is_prefix = |text: &String| text.ends_with('_') && !Known::about(text, world).texts.is_empty();
    if texts.iter().any(is_told) { Some(true) } else { texts.iter().any(is_prefix).then_some(false) }
}

/// Whether a word is a text of its own. In code that we do not parse every word counts as one, which says nothing about a
/// part of a name.
fn is_text(place: &&Place) -> bool {
    place.line.is_some()
}

/// What libraries call the prefix of variables.
pub(super) const COMPOSERS: &[&str] = &[
    "EnvPrefix",
    "EnvironmentVariablePrefix",
    "SetEnvPrefix",
    "addEnvironmentVariables",
    "auto_env_var_prefix",
    "auto_envvar_prefix",
    "envPrefix",
    "env_prefix",
    "envconfig",
    "envvar_prefix",
    "prefixed",
    "with_prefix",
];

/// What reads variables, whose names may be put together there.
pub(super) const READERS: &[&str] = &["Environment", "Getenv", "LookupEnv", "environ", "getenv"];

/// Fields that are read from a variable of the same name: settings of pydantic, arguments of clap.
fn fields(name: &str, world: &World) -> Vec<Place> {
    Known::about(&field(name), world).places(|path, found| {
        let Some(code) = world.facts::<Code>(path) else { return false };
        let is_setting = |(owner, base): &(String, String)| {
            Some(owner.as_str()) == found.within() && base.ends_with("Settings")
        };
        code.string(name).is_some() || code.bases.iter().any(is_setting)
    })
}

/// The keys of nested settings that a name spells: `APP_DB__MAX_AGE` → `max_age`, `APP__DB__MAX_AGE` → `db`, `max_age`,
/// `APP_ERROR_REPORTS__ON` → `error_reports`, `on`.
fn nested(name: &str) -> Vec<String> {
    let Some((first, keys)) = name.split_once("__") else { return Vec::new() };
    let section = first.split_once('_').map(|(_, section)| section).filter(|section| section.contains('_'));
    let keys = section.into_iter().chain(keys.split("__"));
    keys.filter(|key| !key.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a file of ours still has all keys that a name spells: what reads it may not be seen.
fn is_nested(name: &str, world: &World) -> bool {
    let keys = nested(name);
    let Some((last, others)) = keys.split_last() else { return false };
    // One short word stands everywhere.
    let is_distinct = last.contains('_') || !others.is_empty();
    let has_others = |path: &str| others.iter().all(|key| world.mentioning(key).iter().any(|it| it == path));
    let is_ours = |path: &String| {
        (Code::applies(path) || Settings::applies(path)) && !is_vendored(path) && !is_aside(path)
    };
    is_distinct && world.mentioning(last).iter().any(|path| is_ours(path) && has_others(path))
}

fn field(name: &str) -> String {
    parts(name).join("_")
}

/// A prefix and the rest, at every underscore.
fn splits(name: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
    (1..words.len().min(4))
        .filter_map(|at| Some((words.get(..at)?.join("_"), words.get(at..)?.join("_"))))
        .filter(|(prefix, rest)| prefix.len() > 1 && rest.len() > 2)
        .collect()
}

fn spellings(rest: &str) -> Vec<String> {
    let mut all = variants(&kebab(rest));
    all.push(parts(rest).join("."));
    all.push(rest.to_owned());
    all
}

/// Whether a file is one that sets variables or passes them on: CI, containers, `.env`, build files.
fn is_setting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_no_ending = !name.contains('.');
    // `env-stub.liquid`, `app.env.tmpl`
    let is_env = || name.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "env");
    (Settings::applies(path) || has_no_ending || name.contains("Dockerfile") || is_env())
        && !Code::applies(path)
        && !name.contains("lock")
}

/// Whether a text gives a variable a value or asks for it, and does not merely speak about it.
fn is_set(bytes: &[u8], name: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        before.is_some_and(|before| "${.\"'%(".contains(before))
            || after.is_some_and(|after| "=:}\"'%)?".contains(after))
    })
}

/// Variables of shells, runtimes and services that no repository of its own defines.
pub(super) fn is_foreign(name: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "AWS_",
        "AZURE_",
        "CARGO_",
        "CI_",
        "CMAKE_",
        "CUDA_",
        "DOCKER_",
        "ERROR_",
        "ERR_",
        "GCP_",
        "GITHUB_",
        "GITLAB_",
        "GIT_",
        "GOOGLE_",
        "HTTPS_",
        "HTTP_",
        "JAVA_",
        "LC_",
        "LD_",
        "MARIADB_ROOT_",
        "MINIO_ROOT_",
        "MONGO_INITDB_",
        "MYSQL_ROOT_",
        "NODE_",
        "NO_",
        "NPM_",
        "OPENAI_",
        "OTEL_",
        "PG",
        "PIP_",
        "PYTHON",
        "QT_",
        "RABBITMQ_DEFAULT_",
        "RUST_",
        "SSL_",
        "XCURSOR_",
        "XDG_",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || !name.contains('_')
}
