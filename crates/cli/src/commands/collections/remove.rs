//! `docent remove`: take collections out of the settings and out of the index. Files on disk are not touched.

use docent_engine::Cancel;
use serde_json::json;

use super::args::RemoveArgs;
use super::entries;
use super::fetching::Desk;
use crate::errors::{CliError, Exit};
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::Vectors;

pub(crate) fn run(
    args: &RemoveArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let desk = Desk::open(settings, Vectors::Unused, printer, cancel)?;
    // All are looked for before any is taken out.
    let own = settings.docs.value.display().to_string();
    for name in &args.names {
        if entries::find(settings, name).is_none()
            && desk.entry(name)?.and_then(|it| it.root) == Some(own.clone())
        {
            return Err(CliError::usage(
                format!("{name} is the project's own documents folder, which is always indexed"),
                "choose another folder with --docs or `docs` in docent.toml",
            ));
        }
        if let Some(listed) = entries::find(settings, name)
            && desk.opened.engine.libraries()?.contains(name)
        {
            return Err(CliError::usage(
                format!("`{name}` is a library, and a collection that {} lists", listed.file.display()),
                format!(
                    "give the library another name with `docent rename {name} OTHER`, then remove one of the two"
                ),
            ));
        }
        if entries::find(settings, name).is_none() && desk.entry(name)?.is_none() && !desk.has_lost(name) {
            let ids = desk.opened.engine.collections()?;
            let listed = settings.collections.iter().map(|listed| listed.name.clone());
            let mut known: Vec<String> = ids.into_iter().chain(listed).collect();
            known.sort();
            known.dedup();
            let hint = match known.is_empty() {
                true => "there are none".to_owned(),
                false => format!("there are: {}", known.join(", ")),
            };
            return Err(CliError::problems(format!("there is no collection `{name}`"), hint));
        }
    }
    let mut removed = Vec::new();
    for name in &args.names {
        let documents = desk.entry(name)?.map_or(0, |entry| entry.documents);
        let mut from = None;
        if let Some(listed) = entries::find(settings, name) {
            from = Some(entries::change(&listed.file, |entries| entries.take(name).map(|_| ()))?);
        }
        if desk.entry(name)?.is_some() {
            desk.opened.engine.remove_collection(name)?;
        } else if desk.has_lost(name) {
            desk.opened.engine.take_out_library(name)?;
        }
        removed.push(json!({ "name": name, "documents": documents, "unlisted_from": from }));
        if !args.json && !printer.is_quiet() {
            printer.view(&format!("Removed {} ({})\n", clean(name), counted(documents, "document")))?;
        }
    }
    if args.json {
        printer.json(&json!({ "removed": removed }))?;
    }
    Ok(Exit::Fine)
}
