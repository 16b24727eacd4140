//! What documents must be like to be built: nothing is built from a folder in which `docent validate` finds an error.

use docent_authoring::{Code, FALLBACK, Severity};
use docent_engine::Problem;

use crate::commands::validate;
use crate::errors::CliError;
use crate::numbers::{count, counted};
use crate::printer::Printer;
use crate::settings::Settings;
use crate::survey::Survey;
use crate::sync;

/// Errors that are named; `docent validate` names all.
const MAX_NAMED: usize = 20;

/// Fails when validation finds errors, and names them. `allow` names rules that do not count. What is worth a note comes
/// back.
pub(super) fn gate(
    settings: &Settings,
    allow: &[String],
    printer: &Printer,
) -> Result<Vec<String>, CliError> {
    let survey = Survey::read(settings, allow)?;
    let checked = survey.check();
    let of = |severity| checked.findings.iter().filter(move |(_, finding)| finding.severity() == severity);
    let errors = of(Severity::Error).count();
    if errors > 0 {
        for (path, finding) in of(Severity::Error).take(MAX_NAMED) {
            printer.always(validate::told(path, finding));
        }
        if errors > MAX_NAMED {
            printer.always(format_args!(
                "… and {} more, which `docent validate` names",
                count(errors - MAX_NAMED)
            ));
        }
        return Err(CliError::problems(
            format!("nothing was built because of {}", counted(errors, "error")),
            "mend them, perhaps with `docent fix`, or let them pass with `validate.allow` in docent.toml",
        ));
    }
    if survey.folder.documents.is_empty() {
        return Err(CliError::problems(
            format!("there are no documents in {}", settings.docs.value.display()),
            "name the folder that holds them with --docs-dir; `docent config` shows which files count",
        ));
    }
    let mut notes = Vec::new();
    let open = of(Severity::Warning).filter(|(_, finding)| finding.code == Code::NoStrategy).count();
    if open > 0 {
        let files = counted(open, "file");
        notes.push(format!("{files} without a strategy: cut at {FALLBACK}; `docent fix` writes a manifest"));
    }
    let others = of(Severity::Warning).count() - open;
    if others > 0 {
        notes.push(format!("{}, which `docent validate` names", counted(others, "warning")));
    }
    Ok(notes)
}

/// Fails when files could not be read after all, and names them.
pub(super) fn check(problems: &[Problem], printer: &Printer) -> Result<(), CliError> {
    if problems.is_empty() {
        return Ok(());
    }
    sync::tell_problems(problems.iter(), printer);
    Err(CliError::problems(
        format!("nothing was built because of {}", counted(problems.len(), "problem")),
        "mend what is named above, or leave it out with `exclude` in docent.toml",
    ))
}
