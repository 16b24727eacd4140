//! A command line that cannot be read, told in the two lines of every other error.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::GlobalArgs;
use crate::errors::Exit;
use crate::printer::Printer;

/// Prints help or version where that was asked for, else the error.
pub(crate) fn tell(error: &clap::Error) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // The reader may have gone; help needs no error of its own.
            let _ = error.print();
            Exit::Fine
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            Exit::Usage
        }
        _ => {
            let (message, hint) = two_lines(error);
            Printer::new(&GlobalArgs::default()).error(&message, &hint);
            Exit::Usage
        }
    }
}

fn two_lines(error: &clap::Error) -> (String, String) {
    let rendered = error.to_string();
    let mut message = String::new();
    for line in rendered.lines().take_while(|line| !line.is_empty() && !line.contains("[possible values")) {
        message.push_str(line.trim().strip_prefix("error: ").unwrap_or(line.trim()));
        message.push(' ');
    }
    let hint = suggestion(error).unwrap_or_else(|| help_command(&rendered));
    (message.trim_end().to_owned(), hint)
}

/// What clap thinks was meant.
fn suggestion(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(many) if !many.is_empty() => Some(many.join(", ")),
        _ => None,
    };
    let meant = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    if let Some(name) = meant.into_iter().find_map(text) {
        return Some(format!("did you mean {name}?"));
    }
    text(ContextKind::ValidValue).map(|values| format!("use one of: {values}"))
}

/// The `--help` of the command that was typed.
fn help_command(rendered: &str) -> String {
    let usage = rendered.lines().find_map(|line| line.strip_prefix("Usage: docent "));
    let command = usage
        .and_then(|usage| usage.split_whitespace().next())
        .filter(|word| word.starts_with(char::is_alphabetic));
    match command {
        Some(command) => format!("`docent {command} --help` shows what it takes"),
        None => "`docent --help` shows the commands".to_owned(),
    }
}
