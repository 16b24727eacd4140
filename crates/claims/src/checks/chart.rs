//! Pages beside the values of a chart of Helm tell what these are.

use crate::facts::chart::Chart;
use crate::{Place, World};

/// The values beside a page, with their path.
fn beside(file: &str, world: &World) -> Option<(std::sync::Arc<Chart>, String)> {
    let folder = folder_of(file);
    let is_chart = world.entry(&format!("{folder}Chart.yaml")).is_some();
    let path = ["values.yaml", "values.yml"].into_iter().map(|name| format!("{folder}{name}"));
    path.filter(|path| is_chart && world.entry(path).is_some())
        .find_map(|path| Some((world.facts::<Chart>(&path)?, path)))
}

/// Where a value of the chart stands whose whole key this is, and what it is, when that is a word. A part of the chart may be
/// a chart in a folder of its own.
pub(super) fn stated(key: &str, file: &str, world: &World) -> Option<(Option<String>, Place)> {
    let (chart, path) = beside(file, world)?;
    if let Some((value, line)) = chart.key(key) {
        return Some((value.map(str::to_owned), Place::at(path, line)));
    }
    let (part, rest) = key.split_once('.')?;
    let folder = folder_of(&path);
    [format!("{folder}{part}/README.md"), format!("{folder}charts/{part}/README.md")].iter().find_map(
        |page| {
            let (chart, path) = beside(page, world)?;
            let (value, line) = chart.key(rest)?;
            Some((value.map(str::to_owned), Place::at(path, line)))
        },
    )
}

/// Whether the chart beside a page has a part of that name and not this value, which nothing else of the chart names.
pub(super) fn lacks(path: &[String], file: &str, world: &World) -> bool {
    let [part, .., leaf] = path else { return false };
    let Some((chart, values)) = beside(file, world) else { return false };
    let folder = folder_of(&values);
    let names = |other: &String| other.starts_with(folder) && !other.ends_with(".md");
    chart.key(part).is_some()
        && chart.key(&path.join(".")).is_none()
        && !world.mentioning(leaf).iter().any(names)
}

/// `deploy/` of `deploy/README.md`
fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| path.get(..=end).unwrap_or_default())
}
