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
    let listed = super::sync::find(settings, from)?;
    if entries::find(settings, to).is_some() || desk.entry(to)?.is_some() {
        return Err(CliError::usage(
            format!("there is a collection `{to}` already"),
            "choose another name, or remove that one first",
        ));
    }
    // The file may not be writable, so it comes first; it is put back when the index cannot follow.
    let file = entries::change(&listed.file, |entries| entries.rename(&listed.name, to))?;
    if desk.entry(&listed.name)?.is_some()
        && let Err(error) = desk.opened.engine.rename_collection(&listed.name, to)
    {
        entries::change(&listed.file, |entries| entries.rename(to, &listed.name))?;
        return Err(error.into());
    }
    if args.json {
        printer.json(&json!({ "from": listed.name, "to": to, "listed_in": file }))?;
    } else if !printer.is_quiet() {
        printer.view(&format!("Renamed {} to {}\n", clean(&listed.name), clean(to)))?;
    }
    Ok(Exit::Fine)
}
