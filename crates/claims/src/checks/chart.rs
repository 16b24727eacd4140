//! Pages beside the values of a chart of Helm tell what these are, and so do long keys anywhere.

use std::sync::Arc;

use super::known::is_vendored;
use super::paths::folder;
use crate::facts::chart::Chart;
use crate::{Place, World};

/// The values of the chart in a folder, with their path.
fn values_in(folder: &str, world: &World) -> Option<(Arc<Chart>, String)> {
    let inside = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    world.entry(&inside("Chart.yaml"))?;
    let path =
        ["values.yaml", "values.yml"].map(inside).into_iter().find(|path| world.entry(path).is_some())?;
    Some((world.facts::<Chart>(&path)?, path))
}

/// Whether a page is beside the values of a chart.
pub(super) fn is_beside(file: &str, world: &World) -> bool {
    values_in(folder(file), world).is_some()
}

/// Charts that are asked about a key.
const MOST_CHARTS: usize = 50;
/// A key of so many parts is the same in two charts only where one is a copy of the other.
const PARTS: usize = 3;

type Stated = (Option<String>, Place);

/// Where a value of the chart beside a page stands whose whole key this is, and what it is, when that is a word. A part of the
/// chart may be a chart in a folder of its own. For a page that is beside no chart the only one decides that has a long key.
pub(super) fn stated(key: &str, file: &str, world: &World) -> Option<Stated> {
    let home = folder(file);
    if !is_beside(file, world) {
        return in_one(key, world);
    }
    let below = |part: &str| if home.is_empty() { part.to_owned() } else { format!("{home}/{part}") };
    stands(home, key, world).or_else(|| {
        let (part, rest) = key.split_once('.')?;
        [below(part), below(&format!("charts/{part}"))].iter().find_map(|folder| stands(folder, rest, world))
    })
}

fn stands(folder: &str, key: &str, world: &World) -> Option<Stated> {
    let (chart, path) = values_in(folder, world)?;
    let (value, line) = chart.key(key)?;
    Some((value.map(str::to_owned), Place::at(path, line)))
}

fn in_one(key: &str, world: &World) -> Option<Stated> {
    if key.split('.').count() < PARTS {
        return None;
    }
    let charts = world.ending("Chart.yaml").into_iter().filter(|path| !is_vendored(path)).take(MOST_CHARTS);
    let mut found = charts.filter_map(|path| stands(folder(path), key, world));
    let only = found.next();
    only.filter(|_| found.next().is_none())
}

/// Whether a value that a chart had went from it, and nothing in the chart speaks of the whole key.
pub(crate) fn has_lost(key: &str, file: &str, then: &World, now: &World) -> bool {
    let Some((_, place)) = stated(key, file, then) else { return false };
    let home = folder(&place.path);
    let leaf = key.rsplit('.').next().unwrap_or(key);
    let is_inside =
        |path: &str| home.is_empty() || path.strip_prefix(home).is_some_and(|rest| rest.starts_with('/'));
    let names = |path: &String| {
        let bytes = now.read(path).unwrap_or_default();
        is_inside(path) && !path.ends_with(".md") && String::from_utf8_lossy(&bytes).contains(key)
    };
    values_in(home, now).is_some_and(|(chart, _)| chart.key(key).is_none())
        && stated(key, file, now).is_none()
        && !now.mentioning(leaf).iter().any(names)
}

/// Whether the chart beside a page has a part of that name and not this value, which nothing else of the chart names.
pub(super) fn lacks(key: &str, file: &str, world: &World) -> bool {
    let (Some((part, _)), Some((_, leaf))) = (key.split_once('.'), key.rsplit_once('.')) else {
        return false;
    };
    let home = folder(file);
    let Some((chart, _)) = values_in(home, world) else { return false };
    let is_of_chart =
        |path: &str| home.is_empty() || path.strip_prefix(home).is_some_and(|below| below.starts_with('/'));
    let names = |path: &String| is_of_chart(path) && !path.ends_with(".md");
    chart.key(part).is_some() && chart.key(key).is_none() && !world.mentioning(leaf).iter().any(names)
}
