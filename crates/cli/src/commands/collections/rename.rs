//! `docent rename`: another name for a collection, in the settings and in the index. Nothing is read or embedded again.

use docent_engine::Cancel;
use serde_json::json;

use super::args::RenameArgs;
use super::entries;
use super::fetching::Desk;
use crate::collections::check_name;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::Vectors;

pub(crate) fn run(
    args: &RenameArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let (from, to) = (&args.from, &args.to);
    check_name(to)?;
    let desk = Desk::open(settings, Vectors::Unused, printer, cancel)?;
    desk.refuse_library(to)?;
    let is_library = desk.opened.engine.libraries()?.contains(from);
    if entries::find(settings, to).is_some() || desk.entry(to)?.is_some() {
        return Err(CliError::usage(
            format!("there is a collection `{to}` already"),
            "choose another name, or remove that one first",
        ));
    }
    if is_library {
        // No file lists it, and an alias would be one of a listed collection.
        desk.opened.engine.rename_collection(from, to)?;
        return tell(from, to, None::<String>, args.json, printer);
    }
    let listed = super::sync::find(settings, from)?;
    // The file may not be writable, so it comes first; it is put back when the index cannot follow.
    let file = entries::change(&listed.file, |entries| entries.rename(&listed.name, to))?;
    if desk.entry(&listed.name)?.is_some()
        && let Err(error) = desk.opened.engine.rename_collection(&listed.name, to)
    {
        entries::change(&listed.file, |entries| entries.rename(to, &listed.name))?;
        return Err(error.into());
    }
    tell(&listed.name, to, Some(file), args.json, printer)
}

fn tell(
    from: &str,
    to: &str,
    listed_in: Option<impl serde::Serialize>,
    json: bool,
    printer: &Printer,
) -> Result<Exit, CliError> {
    if json {
        printer.json(&json!({ "from": from, "to": to, "listed_in": listed_in }))?;
    } else if !printer.is_quiet() {
        printer.view(&format!("Renamed {} to {}\n", clean(from), clean(to)))?;
    }
    Ok(Exit::Fine)
}
