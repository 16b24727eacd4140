//! `docent eval suggest`: a first set of questions, made from the documents.

use docent_engine::Cancel;
use serde_json::json;

use crate::errors::{CliError, Exit};
use crate::numbers::counted;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::wiring::Vectors;
use crate::{sync, wiring};

use super::args::SuggestArgs;

pub(super) fn run(
    args: &SuggestArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    if let Some(path) = args.output.as_deref().filter(|path| path.exists() && !args.force) {
        return Err(CliError::usage(
            format!("{} is there already, perhaps with your edits", path.display()),
            "choose another name, or replace it with --force",
        ));
    }
    let opened = wiring::open_own(settings, Vectors::Unused, printer)?;
    if let Some(exit) = sync::before_answer(&opened.engine, printer, cancel)? {
        return Ok(exit);
    }
    let drafts = docent_eval::suggest(&opened.engine, &opened.collections, args.count as usize)?;
    if drafts.is_empty() {
        return Err(CliError::problems(
            format!("nothing in {} makes a question", settings.docs.value.display()),
            "headings of two words and more that only one page has, or one for each value of a facet, links between pages and written questions are looked for",
        ));
    }
    let text = match args.json {
        false => docent_eval::to_yaml(&drafts),
        true => {
            let case = |draft: &docent_eval::Draft| {
                let mut case =
                    json!({"query": draft.query, "expected": draft.expected, "category": draft.category});
                if let Some((key, value)) = &draft.filter {
                    case["filters"] = json!({ key: value });
                }
                case
            };
            let cases: Vec<_> = drafts.iter().map(case).collect();
            // `docent eval run` takes this as it is.
            format!("{:#}\n", json!({ "cases": cases }))
        }
    };
    match &args.output {
        None => printer.raw(&text)?,
        Some(path) => {
            super::write(path, &text)?;
            printer.info(format_args!(
                "{} drafted in {}; put them into your users' words, then: docent eval run {}",
                counted(drafts.len(), "question"),
                path.display(),
                path.display()
            ));
        }
    }
    Ok(Exit::Fine)
}
