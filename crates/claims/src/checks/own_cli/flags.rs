//! Flags: where libraries define them, where code has them as texts, and what else is written with two dashes.

use super::libraries::uses_library;
use super::sites::FlagSites;
use crate::checks::known::is_aside;
use crate::facts::code::{Code, Definition, Kind, variants};
use crate::{Facts, Outcome, Place, World};

/// A flag of a script that is named by its path, or of a module: what stands in the script itself decides.
pub(super) fn flag_of_script(script: &str, flag: &str, world: &World) -> Outcome {
    // A letter stands everywhere.
    if flag.len() < 3 || matches!(flag, "--help" | "--version") {
        return Outcome::NotOurs;
    }
    let mut files = Vec::new();
    for ending in ["", ".py", "/__main__.py", "/main.go", "/main.py"] {
        files.extend(
            world
                .ending(&format!("{script}{ending}"))
                .into_iter()
                .filter(|path| world.content(path).is_some()),
        );
    }
    if files.is_empty() {
        return Outcome::NotOurs;
    }
    let spellings = spellings(flag);
    // A single word may stand there as anything: as a flag it is a text.
    let name = flag.trim_start_matches('-');
    let quoted = [format!("--{name}"), format!("\"{name}\""), format!("'{name}'")];
    let written: &[String] = if name.contains(['-', '_']) { &spellings } else { &quoted };
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    for path in files {
        let Some(bytes) = world.read(path) else { return Outcome::NotOurs };
        let text = String::from_utf8_lossy(&bytes);
        let stands = |spelling: &String| {
            text.match_indices(spelling.as_str()).find(|(at, _)| {
                let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
                !is_word(before) && !is_word(text.as_bytes().get(at + spelling.len()))
            })
        };
        if let Some((at, _)) = written.iter().find_map(stands) {
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            return Outcome::valid(Place::at(path, u32::try_from(line).unwrap_or(u32::MAX)));
        }
    }
    // A script may leave its arguments to another file.
    match spellings.iter().any(|spelling| !world.mentioning(spelling).is_empty()) {
        true => Outcome::NotOurs,
        false => Outcome::missing(format!("`{script}` and all other code for the flag `{flag}`")),
    }
}

pub(super) fn flag(flag: &str, is_alone: bool, world: &World) -> Outcome {
    let name = flag.trim_start_matches('-');
    if matches!(name, "help" | "version") || name.len() < 2 {
        return Outcome::NotOurs;
    }
    let opposite = name.strip_prefix("no-").map_or_else(|| format!("no-{name}"), str::to_owned);
    let mut found = Vec::new();
    let mut is_mentioned = false;
    let mut is_text = false;
    let sites = FlagSites::of(flag, world);
    // A name of several words that stands alone may be a key of anything.
    let is_anywhere = is_alone && name.contains('-');
    for spelling in spellings(flag) {
        let files = world.mentioning(&spelling);
        is_mentioned |= !files.is_empty();
        let is_site = |path: &&String| is_anywhere || !Code::applies(path) || sites.may_hold(path);
        world.expect::<Code>(files.iter().filter(is_site));
        for path in files.iter().filter(is_site) {
            let Some(code) = world.facts::<Code>(path) else {
                // Completions, help texts and other languages: a name of several words is distinctive enough.
                let is_listed = || spelling.contains('-') && !path.contains("lock");
                let is_there = if is_alone { is_property(name, path, world) } else { is_listed() };
                if spelling == name && is_there {
                    found.push(Place::of(path.clone()));
                }
                is_text |= spelling == name && name.contains(['-', '.']) && !is_aside(path);
                continue;
            };
            let is_distinct = |other: &str| other == name || other.contains('-') && other.len() < name.len();
            let text = || {
                let mut names = [name, &opposite].into_iter().filter(|other| is_distinct(other));
                names.find_map(|name| code.string(name))
            };
            let is_literal = || text().or_else(|| code.string(flag)).is_some();
            is_text |= !is_aside(path) && is_literal();
            let defined = [name, &opposite, &spelling].into_iter().find_map(|name| code.flag(name));
            let written = || [name, &opposite].into_iter().find_map(|name| code.string(&format!("--{name}")));
            let is_option = |kind: Kind| matches!(kind, Kind::Key | Kind::Parameter | Kind::Field);
            let listed = || {
                let mut options =
                    code.defining(&spelling).iter().filter(|found| code.is_cli && is_option(found.kind()));
                options.next().map(|found| found.line())
            };
            // A name of several words says by itself what it is, when nothing else has it.
            let named = || {
                let is_told = is_alone && name.contains('-') && !is_aside(path);
                let key = || code.defining(&spelling).iter().find(|found| is_option(found.kind()));
                let line = || key().map(Definition::line).or_else(text);
                is_told.then(line).flatten()
            };
            // Without its program, a flag that is only a text may be passed to another one.
            let defined = defined
                .or_else(listed)
                .or_else(|| if is_alone && uses_library(world) { named() } else { written().or_else(named) });
            found.extend(defined.map(|line| Place::at(path.clone(), line)));
        }
    }
    if found.is_empty() {
        found.extend(made_up(name, world));
    }
    if !found.is_empty() {
        found.sort_by(|left, right| {
            (left.line.is_none(), &left.path).cmp(&(right.line.is_none(), &right.path))
        });
        found.dedup();
        found.truncate(5);
        return Outcome::Valid { found };
    }
    // Words that stand in code without a library may be read by hand, in a way that we do not see; and something that we
    // do not know may make a flag of a text. A variable of that name, or a comment, makes none.
    if is_mentioned && !uses_library(world) || is_text && is_alone {
        return Outcome::NotOurs;
    }
    Outcome::missing(format!("definitions of `{flag}`"))
}

/// Whether a sheet of styles has it: `--accent-color` is a custom property there.
fn is_property(name: &str, path: &str, world: &World) -> bool {
    const SHEETS: &[&str] = &["astro", "css", "less", "pcss", "sass", "scss", "styl", "svelte", "vue"];
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let property = format!("--{name}");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let stands = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.match_indices(&property).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + property.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    SHEETS.contains(&ending) && world.read(path).is_some_and(|bytes| stands(&bytes))
}

/// Parts of a flag between dots that are looked at.
const MOST_PARTS: usize = 6;

/// Where the end of a flag such as `store.cache.size` stands, when texts in code make it up: a prefix that is handed down,
/// and what is appended to it.
fn made_up(name: &str, world: &World) -> Option<Place> {
    // Every way to cut it is tried.
    if name.split('.').count() > MOST_PARTS {
        return None;
    }
    let stands = |piece: &str| {
        let spelt = [piece.to_owned(), format!(".{piece}"), format!("{piece}."), format!(".{piece}.")];
        world.mentioning(piece).iter().find_map(|path| {
            let code = world.facts::<Code>(path)?;
            let line = spelt.iter().find_map(|text| code.string(text).or_else(|| code.flag(text)))?;
            Some(Place::at(path.clone(), line))
        })
    };
    name.match_indices('.').find_map(|(at, _)| {
        let (prefix, rest) = (name.get(..at)?, name.get(at + 1..)?);
        stands(prefix)?;
        stands(rest).or_else(|| made_up(rest, world))
    })
}

/// Everything between the dots of a flag that code may have as a text of its own.
pub(super) fn pieces(flag: &str) -> Vec<String> {
    let parts: Vec<&str> = flag.trim_start_matches('-').split('.').take(MOST_PARTS).collect();
    let starts = 0..parts.len();
    let piece = |from: usize, to: usize| parts.get(from..to).map(|piece| piece.join("."));
    starts.flat_map(|from| (from + 1..=parts.len()).filter_map(move |to| piece(from, to))).collect()
}

/// The flag in every spelling, with and without the `no-` that libraries add and take away by themselves.
pub(in crate::checks) fn spellings(flag: &str) -> Vec<String> {
    let name = flag.trim_start_matches('-');
    let mut all = variants(name);
    if let Some(positive) = name.strip_prefix("no-") {
        all.extend(variants(positive));
    } else {
        all.push(format!("no-{name}"));
    }
    all
}
