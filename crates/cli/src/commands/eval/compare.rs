//! `docent eval compare`: two kept runs, question by question.

use docent_eval::{Gate, Run};

use crate::errors::{CliError, Exit};
use crate::printer::Printer;

use super::args::{CompareArgs, GateArgs};
use super::compare_view;

pub(super) fn run(args: &CompareArgs, printer: &Printer) -> Result<Exit, CliError> {
    let gate = gate(&args.gate)?;
    let (old, new) = (Run::load(&args.old)?, Run::load(&args.new)?);
    let comparison = docent_eval::compare(&old, &new, gate)?;
    if args.json {
        printer.json(&comparison)?;
    } else if args.markdown {
        printer.raw(&compare_view::markdown(&comparison))?;
    } else {
        printer.view(&compare_view::view(&comparison))?;
    }
    Ok(if comparison.failed { Exit::Problems } else { Exit::Fine })
}

/// The gate that the flags describe.
pub(super) fn gate(args: &GateArgs) -> Result<Gate, CliError> {
    if !(0.0..=1.0).contains(&args.threshold) {
        return Err(CliError::usage(
            format!("--threshold is {} and must be from 0 to 1", args.threshold),
            "figures lie between 0 and 1; 0.02 is two points of a hundred",
        ));
    }
    Ok(args.into())
}
