//! `docent convert`: the Markdown that a file becomes, on stdout or in a folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use docent_engine::Cancel;
use docent_library::{Conversion, Convert, LibraryError, convert_file};
use serde_json::{Value, json};

use super::args::ConvertArgs;
use super::out::Out;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;

/// Files at once.
const AT_ONCE: usize = 2;

pub(crate) fn run(
    args: &ConvertArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let converter = crate::library::converter(&settings.library)?;
    let max_bytes = settings.library.max_bytes.value;
    let out = |folder: &Path| Out::new(&here.join(folder), here, &args.files, args.force);
    let out = args.out.as_deref().map(out).transpose()?;
    let task = Task { args, here, converter: &converter, max_bytes, out: out.as_ref(), printer, cancel };
    let rows = task.run()?;
    if args.json {
        printer.json(&json!({ "files": rows }))?;
    }
    Ok(match () {
        () if cancel.is_cancelled() => Exit::Interrupted,
        () if rows.iter().any(|row| row.get("error").is_some()) => Exit::Problems,
        () => Exit::Fine,
    })
}

/// All that the workers share.
struct Task<'a> {
    args: &'a ConvertArgs,
    here: &'a Path,
    converter: &'a dyn Convert,
    max_bytes: u64,
    out: Option<&'a Out>,
    printer: &'a Printer,
    cancel: &'a Cancel,
}

impl Task<'_> {
    /// Converts all files, two at a time, and shows them in the order in which they were named.
    fn run(&self) -> Result<Vec<Value>, CliError> {
        let files = &self.args.files;
        let next = AtomicUsize::new(0);
        let waiting: Mutex<Vec<Option<Result<Conversion, LibraryError>>>> =
            Mutex::new(files.iter().map(|_| None).collect());
        let shown = Mutex::new((0, Vec::new(), None));
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(files.len()) {
                scope.spawn(|| {
                    while let Some((at, file)) = take(&next, files).filter(|_| !self.cancel.is_cancelled()) {
                        let full = self.here.join(file);
                        let outcome = match full.is_dir() {
                            true => Err(folder(file)),
                            false => convert_file(&full, self.max_bytes, self.converter, self.cancel),
                        };
                        if let Some(place) = lock(&waiting).get_mut(at) {
                            *place = Some(outcome);
                        }
                        self.show_ready(&waiting, &shown);
                    }
                });
            }
        });
        let (_, rows, error) = shown.into_inner().unwrap_or_else(PoisonError::into_inner);
        error.map_or(Ok(rows), Err)
    }

    /// Shows what comes next, as far as it is there.
    fn show_ready(
        &self,
        waiting: &Mutex<Vec<Option<Result<Conversion, LibraryError>>>>,
        shown: &Mutex<(usize, Vec<Value>, Option<CliError>)>,
    ) {
        let mut shown = lock(shown);
        while let Some(outcome) = lock(waiting).get_mut(shown.0).and_then(Option::take) {
            let Some(file) = self.args.files.get(shown.0) else { break };
            match self.show(file, outcome) {
                Ok(row) => shown.1.push(row),
                Err(error) => shown.2 = Some(error),
            }
            shown.0 += 1;
        }
    }

    fn show(&self, file: &Path, outcome: Result<Conversion, LibraryError>) -> Result<Value, CliError> {
        let source = file.display().to_string();
        let written = outcome.and_then(|converted| {
            let path = self.out.map(|out| out.write(file, &converted.markdown)).transpose()?;
            Ok((converted, path))
        });
        let (converted, path) = match written {
            Ok(written) => written,
            Err(error) => {
                if !self.args.json {
                    self.printer.error(&error.message, &error.hint);
                }
                return Ok(json!({ "source": source, "error": error.message, "hint": error.hint }));
            }
        };
        let mut row = json!({
            "source": source,
            "format": converted.format.extension(),
            "title": converted.title,
            "pages": converted.origins.iter().filter_map(|origin| origin.page).max(),
            "notes": converted.notes,
        });
        for note in &converted.notes {
            self.printer.note(format_args!("{}: {note}", clean(&source)));
        }
        match path {
            Some(path) => {
                if !self.args.json {
                    self.printer.info(format_args!(
                        "{} → {}",
                        clean(&source),
                        clean(&path.display().to_string())
                    ));
                }
                row["path"] = json!(path.display().to_string());
            }
            None if self.args.json => row["markdown"] = json!(converted.markdown),
            None => {
                if self.args.files.len() > 1 {
                    self.printer.raw(&format!("<!-- {} -->\n\n", clean(&source).replace("--", "- -")))?;
                }
                self.printer.raw(&converted.markdown)?;
                if self.args.files.len() > 1 {
                    self.printer.raw("\n")?;
                }
            }
        }
        Ok(row)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take<'a>(next: &AtomicUsize, files: &'a [PathBuf]) -> Option<(usize, &'a PathBuf)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    files.get(at).map(|file| (at, file))
}

fn folder(path: &Path) -> LibraryError {
    let path = path.display();
    LibraryError {
        message: format!("{path} is a folder"),
        hint: format!(
            "name the files in it, e.g. {path}/*.pdf; `docent ingest {path}` takes in the whole folder"
        ),
    }
}
