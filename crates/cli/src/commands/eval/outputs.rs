//! What `docent eval run` may write over: earlier outcomes of its own, and nothing that somebody wrote by hand.

use std::path::Path;

use docent_eval::Run;

use crate::errors::CliError;

use super::args::RunArgs;

/// Refuses before anything is measured, so that no run is wasted.
pub(super) fn check(args: &RunArgs) -> Result<(), CliError> {
    let sources = [
        (Some(args.cases.as_path()), "the cases"),
        (args.baseline.as_deref(), "the baseline of this run"),
        (args.queries.as_deref(), "the queries"),
        (args.qrels.as_deref(), "the judgements"),
    ];
    let outcomes = [("--out", args.out.as_deref()), ("--report", args.report.as_deref())];
    for (flag, path) in outcomes.into_iter().filter_map(|(flag, path)| Some((flag, path?))) {
        if let Some((_, what)) =
            sources.iter().find(|(source, _)| source.is_some_and(|source| is_same(source, path)))
        {
            return Err(CliError::usage(
                format!("{flag} {} would replace {what}", path.display()),
                "choose another name",
            ));
        }
    }
    if let (Some(out), Some(report)) = (&args.out, &args.report)
        && (out == report || is_same(out, report))
    {
        return Err(CliError::usage(
            format!("--out and --report both name {}", out.display()),
            "choose another name for one of them",
        ));
    }
    if let Some(path) = args.out.as_deref().filter(|path| holds_something(path)) {
        Run::load(path).map_err(|_| foreign("--out", path, "run"))?;
    }
    match args.report.as_deref().filter(|path| holds_something(path)) {
        Some(path) if !docent_eval::is_report(path) => Err(foreign("--report", path, "report")),
        _ => Ok(()),
    }
}

fn foreign(flag: &str, path: &Path, what: &str) -> CliError {
    CliError::usage(
        format!("{flag} {} is there already and is not an earlier {what}", path.display()),
        "choose another name, or remove the file first",
    )
}

/// Whether two names lead to one file that is there.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// An empty file, as `mktemp` makes it, holds nothing that could be lost.
fn holds_something(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0)
}
