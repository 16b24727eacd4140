//! `docent ingest`: files, folders, pages and texts become documents of a library.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use docent_engine::{Cancel, Engine, Outcome};
use docent_library::{CrawlRules, FileReport, FolderRules, Into, Library, LibraryError, Report};
use docent_sources::without_credentials;
use docent_store_postgres::Standing;

use super::args::IngestArgs;
use super::bar::Bar;
use super::lines;
use super::outcome::Tally;
use super::targets::{Targets, metadata};
use crate::errors::{CliError, Exit, plain_io};
use crate::library::{self, Reach};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::settings::Settings;
use crate::wiring::{Opened, Vectors};
use crate::{sync, wiring};

/// Files at once; conversions are limited further.
const AT_ONCE: usize = 4;

pub(crate) fn run(
    args: &IngestArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let targets = Targets::of(args, here)?;
    let into = Into { library: args.library.clone(), metadata: metadata(&args.meta)?, force: args.force };
    docent_engine::check_library_name(&into.library)?;
    let opened = wiring::open_alone(settings, vectors(args), printer)?;
    // Otherwise every file would be converted first and fail by itself.
    if let Some(url) = settings.postgres() {
        Standing::check_writable(url)?;
    }
    check_name(settings, &opened, &into.library)?;
    let engine = Arc::new(opened.engine);
    let roots = targets.files.iter().chain(&targets.folders).map(PathBuf::from).collect();
    let bar = Bar::new(here, printer);
    let seen = Arc::clone(&bar);
    let reach = Reach { roots, base: here.to_owned(), allow_private_networks: args.allow_private_networks };
    let told = move |source: &str| seen.current(source);
    let library = library::open(Arc::clone(&engine), &settings.library, reach, told)?;
    bar.expect(expected(args, &targets, &library, cancel)?);
    let is_from_settings = settings.library.allow_private_networks.value && !args.allow_private_networks;
    if is_from_settings && !targets.addresses.is_empty() {
        printer.always(
            "warning: library.allow_private_networks lets pages come from private networks and this machine",
        );
    }
    let begun = Instant::now();
    let mut tally = Tally::new(&into.library, args.json, bar, printer);
    let max_bytes = settings.library.max_bytes.value;
    let taken = take(args, targets, &library, &into, &tally, max_bytes, cancel);
    tally.add(taken?);
    if !args.no_embed && !cancel.is_cancelled() && tally.has_new() {
        tally.clear_bar();
        embed(&engine, &into.library, printer, cancel);
    }
    tally.finish(begun.elapsed(), cancel.is_cancelled())
}

/// A name that the settings give to a collection, or that the documents folder will have, is not made a library's, even if nothing of it is
/// here yet.
fn check_name(settings: &Settings, opened: &Opened, library: &str) -> Result<(), CliError> {
    if opened.engine.libraries()?.iter().any(|known| known == library) {
        return Ok(());
    }
    let known = opened.store.snapshot()?.collections();
    let docs = &settings.docs.value;
    let listed = settings.collections.iter().find(|listed| listed.name == library);
    let whose = match listed {
        Some(listed) => format!("a collection that {} lists", listed.file.display()),
        None if docs.is_dir() && wiring::collection_name(settings, &known) == library => {
            format!("the documents folder {}", docs.display())
        }
        None => return Ok(()),
    };
    Err(CliError::usage(format!("`{library}` is the name of {whose}"), "name another library with --library"))
}

fn vectors(args: &IngestArgs) -> Vectors {
    if args.no_embed { Vectors::Refused } else { Vectors::Wanted }
}

/// Takes everything in and says what came of it.
fn take(
    args: &IngestArgs,
    targets: Targets,
    library: &Library,
    into: &Into,
    tally: &Tally<'_>,
    max_bytes: u64,
    cancel: &Cancel,
) -> Result<Report, CliError> {
    let told = |file: &FileReport| tally.told(file);
    let mut all = Report::default();
    let mut add = |report: Report| {
        all.files.extend(report.files);
        all.notes.extend(report.notes);
    };
    targets.odd.iter().for_each(&told);
    add(Report { files: targets.odd, ..Report::default() });
    if !targets.files.is_empty() {
        add(library.ingest_files(&targets.files, AT_ONCE, into, &told, cancel).map_err(lines::error)?);
    }
    let rules = folder_rules(args);
    for folder in &targets.folders {
        add(library.ingest_folder(folder, &rules, into, &told, cancel).map_err(lines::error)?);
    }
    let one = |source: &str, outcome| {
        let file = FileReport { source: without_credentials(source), outcome };
        told(&file);
        Report { files: vec![file], ..Report::default() }
    };
    for address in targets.addresses.iter().take_while(|_| !cancel.is_cancelled()) {
        let crawled = || library.crawl(address, &crawl_rules(args), into, &told, cancel);
        add(match args.crawl {
            true => crawled().unwrap_or_else(|error| one(address, Err(error))),
            false => one(address, library.ingest_url(address, into, cancel)),
        });
    }
    if targets.stdin && !cancel.is_cancelled() {
        let name = args.name.as_deref().unwrap_or_default();
        let outcome =
            stdin_text(max_bytes).and_then(|text| library.ingest_content(&text, name, into, cancel));
        add(one(name, outcome));
    }
    Ok(all)
}

/// How many files and pages there will be; 0 when that cannot be known.
fn expected(
    args: &IngestArgs,
    targets: &Targets,
    library: &Library,
    cancel: &Cancel,
) -> Result<usize, CliError> {
    if args.crawl {
        return Ok(0);
    }
    let named = targets.files.len() + targets.addresses.len() + targets.odd.len();
    let mut total = named + usize::from(targets.stdin);
    for folder in &targets.folders {
        total += library.count_folder(folder, &folder_rules(args), cancel).map_err(lines::error)?;
    }
    Ok(total)
}

fn folder_rules(args: &IngestArgs) -> FolderRules {
    FolderRules { max_concurrency: AT_ONCE, include: args.include.clone(), max_files: usize::MAX }
}

fn crawl_rules(args: &IngestArgs) -> CrawlRules {
    CrawlRules {
        max_pages: usize::try_from(args.max_pages).unwrap_or(usize::MAX),
        max_depth: usize::try_from(args.max_depth).unwrap_or(usize::MAX),
        per_second: args.rate,
    }
}

/// What comes on stdin, and one byte more than may be taken in, so that too much is noticed.
fn stdin_text(max_bytes: u64) -> Result<String, LibraryError> {
    let mut bytes = Vec::new();
    std::io::stdin().take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| {
        LibraryError {
            message: format!("cannot read stdin: {}", plain_io(&error)),
            hint: "check where it comes from".to_owned(),
        }
    })?;
    String::from_utf8(bytes).map_err(|_| LibraryError {
        message: "what came on stdin is not UTF-8 text".to_owned(),
        hint: "save it as a file and name that".to_owned(),
    })
}

/// Gives new passages their vectors. A provider that fails leaves search by words.
fn embed(engine: &Engine, library: &str, printer: &Printer, cancel: &Cancel) {
    let progress = Progress::new(printer);
    let outcome = engine.embed_in(&[library.to_owned()], None, &progress, cancel);
    drop(progress);
    match outcome {
        Ok(Outcome::Complete) => {}
        Ok(_) => printer.note("not all vectors are made yet; the next run goes on"),
        Err(error) => printer.note(format_args!("no new vectors: {} ({})", error.message, error.hint)),
    }
    let counts = sync::counts(engine, vec![library.to_owned()]);
    if let Ok(counts) = counts {
        printer.detail(format_args!("{} of {} passages have vectors", counts.embedded, counts.passages));
    }
}
