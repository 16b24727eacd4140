//! Keys of the configuration: fields of structs with their renames, options of objects, keys of configuration files.

use super::known::Known;
use super::{chart, closest};
use crate::facts::code::{Code, variants};
use crate::facts::settings::Settings;
use crate::{Claim, Outcome, Place, Subject, Suggestion, World};

pub(super) fn check(claim: &Claim, file: &str, world: &World) -> Outcome {
    let Some(leaf) = leaf(claim) else { return Outcome::NotOurs };
    if let Subject::Key { path } = &claim.subject {
        let key = path.join(".");
        if let Some((_, place)) = chart::stated(&key, file, world) {
            return Outcome::Valid { found: vec![place] };
        }
        if chart::lacks(&key, file, world) {
            return Outcome::missing("the values of the chart beside the page");
        }
    }
    let mut found = Vec::new();
    let mut is_mentioned = false;
    for spelling in variants(leaf) {
        let known = Known::about(&spelling, world);
        is_mentioned |= known.is_mentioned();
        found.extend(known.places(|_, _| true));
        found.extend(known.text_places());
        for path in known.files.iter() {
            if found.len() >= MAX_PLACES {
                break;
            }
            let Some(settings) = world.facts::<Settings>(path) else { continue };
            found.extend(settings.key(&spelling).first().map(|(_, _, line)| Place::at(path.clone(), *line)));
        }
    }
    if found.is_empty() {
        return if is_mentioned {
            Outcome::NotOurs
        } else {
            Outcome::missing("fields, options and configuration files")
        };
    }
    found.truncate(MAX_PLACES);
    Outcome::Valid { found }
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    leaf(claim).map(variants).unwrap_or_default()
}

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let leaf = leaf(claim)?;
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    let mut fresh = Vec::new();
    for place in found {
        if let (Some(before), Some(after)) = (then.facts::<Code>(&place.path), now.facts::<Code>(&place.path))
        {
            let names = after.definitions.iter().map(|definition| definition.name());
            fresh.extend(names.filter(|name| before.defining(name).is_empty()).map(str::to_owned));
        }
        if let (Some(before), Some(after)) =
            (then.facts::<Settings>(&place.path), now.facts::<Settings>(&place.path))
        {
            let names = after.keys.iter().map(|(name, ..)| name);
            fresh.extend(names.filter(|name| before.key(name).is_empty()).cloned());
        }
    }
    let new = closest::name(leaf, &fresh)?;
    let at = claim.named.rfind(leaf)?;
    let mut replacement = claim.named.clone();
    replacement.replace_range(at..at + leaf.len(), &new);
    Some(Suggestion {
        replacement,
        is_certain: false,
        reason: format!("`{new}` was added where `{leaf}` was defined"),
    })
}

/// More places tell a reader nothing new.
const MAX_PLACES: usize = 5;

fn leaf(claim: &Claim) -> Option<&str> {
    let Subject::Key { path } = &claim.subject else { return None };
    path.last().map(|leaf| leaf.trim_start_matches('-')).filter(|leaf| leaf.len() > 1)
}
