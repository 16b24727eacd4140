//! Subcommands and flags of the programs that this repository builds.
//!
//! A flag is looked for where libraries for command lines define one; code that parses its arguments by hand has it as a
//! text with dashes. Which flag belongs to which subcommand is not decided: definitions are shared and nested in too many
//! ways, and to be wrong there would cost more than it finds.

mod flags;
mod libraries;
mod sites;
mod subcommands;

use super::closest;
use super::known::Packages;
use crate::facts::code::{Code, kebab, variants};
use crate::{Claim, Outcome, Place, Subject, Suggestion, World};
pub(super) use flags::spellings;
use flags::{flag_of_script, pieces};
use libraries::{LIBRARIES, uses_library};
use subcommands::subcommand;

pub(super) fn check(claim: &Claim, _file: &str, world: &World) -> Outcome {
    let Subject::OwnCli { program, subcommands, flag } = &claim.subject else { return Outcome::NotOurs };
    // A flag that stands alone belongs to a program of this repository, when it belongs to any.
    let is_alone = program.is_empty();
    if let Some(flag) = flag.as_deref().filter(|_| program.contains(['/', '.'])) {
        return flag_of_script(program, flag, world);
    }
    let packages = Packages::of(world);
    let is_ours = match is_alone {
        // A site or a service may have commands and no manifest that names a program.
        true => !packages.programs.is_empty() || uses_library(world),
        false => packages.programs.iter().any(|(name, _)| name == program),
    };
    if !is_ours {
        return Outcome::NotOurs;
    }
    // Words before a flag may be arguments, and a subcommand is a claim of its own.
    if let Some(flag) = flag {
        return flags::flag(flag, is_alone, world);
    }
    let mut found = Vec::new();
    for (at, name) in subcommands.iter().enumerate() {
        let above = at.checked_sub(1).and_then(|above| subcommands.get(above));
        match (subcommand(program, name, above, world), above) {
            (Outcome::Valid { found: places }, _) => found.extend(places),
            // The claim about the first one says that it is gone.
            (_, None) if subcommands.len() > 1 => return Outcome::NotOurs,
            (other, _) => return other,
        }
    }
    if found.is_empty() {
        // A program without anything behind it; the manifest names it.
        let programs = &Packages::of(world).programs;
        found.extend(
            programs.iter().find(|(name, _)| name == program).map(|(_, path)| Place::of(path.clone())),
        );
    }
    Outcome::Valid { found }
}

/// Whether the program is one of this repository, named with one of its flags.
pub(super) fn is_own_flag(claim: &Claim, world: &World) -> bool {
    let Subject::OwnCli { program, flag: Some(_), .. } = &claim.subject else { return false };
    Packages::of(world).programs.iter().any(|(name, _)| name == program)
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Subject::OwnCli { program, subcommands, flag } = &claim.subject else { return Vec::new() };
    let mut needles: Vec<String> = match flag {
        Some(flag) if flag.contains('.') => {
            let mut needles = spellings(flag);
            needles.extend(pieces(flag));
            needles
        }
        Some(flag) => spellings(flag),
        None => subcommands.iter().flat_map(|name| variants(name)).collect(),
    };
    if needles.is_empty() {
        needles.push(program.clone());
    }
    needles.sort();
    needles.dedup();
    needles
}

/// What else is looked for: libraries for command lines, whole commands, and where a subcommand can be defined.
pub(super) fn words(claim: &Claim) -> Vec<String> {
    let Subject::OwnCli { program, subcommands, flag } = &claim.subject else { return Vec::new() };
    let mut words: Vec<String> = LIBRARIES.iter().map(|&word| word.to_owned()).collect();
    let many = 1..=subcommands.len().min(2);
    words.extend(many.map(|many| format!("{program} {}", subcommands[..many].join(" "))));
    match flag {
        Some(flag) => words.extend(sites::words_of_flag(flag)),
        None => words.extend(subcommands.iter().flat_map(|name| sites::words_of_command(name))),
    }
    words
}

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::OwnCli { program, subcommands, flag } = &claim.subject else { return None };
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    let is_command = flag.is_none();
    let is_gone = |name: &&String| !subcommand(program, name, None, now).is_valid();
    let gone = || subcommands.iter().find(is_gone).map(String::as_str);
    let old = flag.as_deref().or_else(gone)?;
    let mut fresh = Vec::new();
    for place in found {
        let (Some(before), Some(after)) = (then.facts::<Code>(&place.path), now.facts::<Code>(&place.path))
        else {
            continue;
        };
        if is_command {
            let names = after.commands.iter().filter(|(name, _)| before.command(name).is_none());
            fresh.extend(names.map(|(name, _)| name.clone()));
        } else {
            let names = after.flags.iter().filter(|(name, _)| before.flag(name).is_none());
            fresh.extend(names.map(|(name, _)| format!("--{}", kebab(name))));
            // Options that are described in a table of the program's own.
            let texts = after.strings.iter().map(|(text, _)| text);
            fresh.extend(
                texts.filter(|text| text.starts_with("--") && before.string(text).is_none()).cloned(),
            );
        }
    }
    let new = closest::name(old, &fresh)?;
    let at = claim.named.rfind(old)?;
    let mut replacement = claim.named.clone();
    replacement.replace_range(at..at + old.len(), &new);
    Some(Suggestion {
        replacement,
        is_certain: false,
        reason: format!("`{new}` was added where `{old}` was defined"),
    })
}
