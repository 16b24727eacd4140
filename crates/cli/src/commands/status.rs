//! `docent status`: what is indexed, how far the vectors are, and what could not be read.

use std::fmt::Write;

use docent_engine::{Cancel, Status};
use owo_colors::OwoColorize;

use crate::args::{ScopeArgs, StatusArgs};
use crate::errors::{CliError, Exit};
use crate::numbers::{bytes, count, counted};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::Vectors;
use crate::{sync, wiring};

pub(super) fn run(
    args: &StatusArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let opened = wiring::open(settings, &ScopeArgs::default(), Vectors::Wanted, printer)?;
    // What is passed over is part of the report itself.
    let reports = sync::bring_up_to_date(&opened.engine, Some(sync::PATIENCE), printer, cancel)?;
    if cancel.is_cancelled() {
        return sync::stopped(&opened.engine, &reports, printer);
    }
    let status = opened.engine.status()?;
    if args.json {
        printer.json(&status)?;
    } else {
        printer.view(&view(&status, &opened.collections))?;
    }
    Ok(Exit::Fine)
}

fn view(status: &Status, own: &[String]) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{:>9}  {value}", name.bold());
    };
    let index = &status.index;
    let no_folder = "none here: answers come from what was indexed";
    row("docs", clean(status.server.docs_root.as_deref().unwrap_or(no_folder)));
    row(
        "index",
        format!("{} · {} · format {}", clean(&index.db_path), bytes(index.db_size_bytes), index.format),
    );
    row(
        "content",
        format!(
            "{} · {} · {}",
            counted(index.total_pages, "page"),
            counted(index.total_chunks, "chunk"),
            counted(index.total_passages, "passage")
        ),
    );
    row("vectors", vectors(status));
    if let Some(built) = &index.built {
        let commit = built.commit.as_deref().map(|commit| format!(" · from {}", clean(commit)));
        let dirty = if built.dirty == Some(true) { ", with changes" } else { "" };
        row("built", format!("{} · read-only{}{dirty}", clean(&built.at), commit.unwrap_or_default()));
    } else if let Some(time) = &index.last_indexed {
        row("changed", format!("{time} · generation {}", index.generation));
    }
    if let Some(git) = &status.git {
        let state = match git.dirty {
            Some(true) => "with changes",
            Some(false) => "clean",
            None => "state unknown",
        };
        row("git", format!("{}, {state}", git.head_commit.as_deref().unwrap_or("no commit yet")));
    }
    if index.collections.len() > 1 {
        for collection in &index.collections {
            let mark = if own.contains(&collection.name) { "" } else { ", not looked at now" };
            let sizes =
                format!("{}, {}", counted(collection.documents, "page"), counted(collection.chunks, "chunk"));
            let place = if collection.root.is_empty() {
                String::new()
            } else {
                format!(" {}", clean(&collection.root))
            };
            row("also", format!("{} ({sizes}{mark}){place}", clean(&collection.name)));
        }
    }
    for problem in &status.failed_files {
        let _ = writeln!(
            text,
            "{:>9}  {}: {}",
            "skipped".yellow().bold(),
            clean(&problem.path),
            clean(&problem.reason)
        );
    }
    for reason in &status.degraded {
        let _ = writeln!(text, "{:>9}  {}", "note".yellow().bold(), clean(reason));
    }
    text
}

fn vectors(status: &Status) -> String {
    let Some(embedding) = &status.embedding else { return "none, search by words only".to_owned() };
    let total = embedding.embedded + embedding.pending;
    let progress = match embedding.pending {
        0 => format!("all {} done", count(total)),
        _ => format!("{} of {} done", count(embedding.embedded), count(total)),
    };
    format!(
        "{progress} · {}, {} dimensions, {}",
        clean(&embedding.model),
        embedding.dimensions,
        embedding.provider
    )
}
