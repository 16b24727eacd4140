//! Pages beside the values of a chart of Helm tell what these are.

use std::sync::Arc;

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

/// Where a value of the chart beside a page stands whose whole key this is, and what it is, when that is a word. A part of the
/// chart may be a chart in a folder of its own.
pub(super) fn stated(key: &str, file: &str, world: &World) -> Option<(Option<String>, Place)> {
    let stands = |folder: &str, key: &str| {
        let (chart, path) = values_in(folder, world)?;
        let (value, line) = chart.key(key)?;
        Some((value.map(str::to_owned), Place::at(path, line)))
    };
    let home = folder(file);
    let below = |part: &str| if home.is_empty() { part.to_owned() } else { format!("{home}/{part}") };
    stands(home, key).or_else(|| {
        values_in(home, world)?;
        let (part, rest) = key.split_once('.')?;
        [below(part), below(&format!("charts/{part}"))].iter().find_map(|folder| stands(folder, rest))
    })
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
