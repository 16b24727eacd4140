//! What documents must be like to be built: nothing is built from a folder in which anything is wrong.

use docent_engine::{Problem, Source};

use crate::errors::CliError;
use crate::numbers::counted;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::sync;

/// Fails when a document cannot be read or has broken front matter, and names each.
pub(super) fn gate(settings: &Settings, printer: &Printer) -> Result<(), CliError> {
    let source = Source::new("docs", &settings.docs.value, &settings.rules())?;
    let look = source.look()?;
    if look.documents.is_empty() && look.problems.is_empty() {
        return Err(CliError::problems(
            format!("there are no documents in {}", settings.docs.value.display()),
            "name the folder that holds them with --docs-dir; `docent config` shows which files count",
        ));
    }
    let mut problems = look.problems;
    for path in look.documents {
        match source.read(&path) {
            Some(Ok(text)) => problems.extend(broken_front_matter(&path, &text)),
            Some(Err(reason)) => problems.push(Problem { path, reason }),
            None => {}
        }
    }
    check(&problems, printer)
}

/// Fails when there are problems, and names them.
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

fn broken_front_matter(path: &str, text: &str) -> Option<Problem> {
    let document = docent_text::parse(path, text);
    // A block that is no front matter at all is text between two rules, which is fine.
    let broken =
        document.warnings.into_iter().find(|warning| warning.message.starts_with("front matter is"))?;
    let reason = format!("line {}: {}", broken.line, broken.message);
    Some(Problem { path: path.to_owned(), reason })
}
