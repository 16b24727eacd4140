//! `docent reports`: what agents reported as wrong, for a person to decide.

pub(crate) mod args;

use std::fmt::Write;

use docent_health::{Decision, Health, ReportRow, iso};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use self::args::{ListArgs, ReportsArgs, ReportsCommand};
use crate::errors::{CliError, Exit};
use crate::health;
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::settings::Settings;

/// Letters of an id that are shown.
const SHORT: usize = 8;

pub(super) fn run(args: &ReportsArgs, settings: &Settings, printer: &Printer) -> Result<Exit, CliError> {
    let health = health::open(settings)?;
    match &args.command {
        None => list(&health, &ListArgs::default(), args.json, printer),
        Some(ReportsCommand::List(asked)) => list(&health, asked, args.json, printer),
        Some(ReportsCommand::Show(asked)) => {
            let report = find(&health, &asked.id)?;
            match args.json {
                true => printer.json(&shown(&report))?,
                false => printer.view(&view(&report))?,
            }
            Ok(Exit::Fine)
        }
        Some(ReportsCommand::Accept(asked)) => {
            decide(&health, &asked.id, Decision::Accepted, args.json, printer)
        }
        Some(ReportsCommand::Reject(asked)) => {
            decide(&health, &asked.id, Decision::Rejected, args.json, printer)
        }
    }
}

fn list(health: &Health, asked: &ListArgs, json: bool, printer: &Printer) -> Result<Exit, CliError> {
    let reports = health.reports(asked.status.decision())?;
    if json {
        let reports: Vec<Value> = reports.iter().map(shown).collect();
        printer.json(&json!({ "reports": reports }))?;
        return Ok(Exit::Fine);
    }
    let mut text = String::new();
    for row in &reports {
        let _ = writeln!(
            text,
            "{}  {:<8}  {}  {}",
            row.id.get(..SHORT).unwrap_or(&row.id).cyan(),
            row.verification_status.name(),
            clean(&place(row)).bold(),
            clean(&docent_text::visible_line(&row.report.claim_text, 60)).dimmed()
        );
    }
    printer.view(&text)?;
    if reports.is_empty() {
        let kind = asked.status.decision().map(|status| format!("{} ", status.name())).unwrap_or_default();
        printer.note(format_args!("there are no {kind}reports for {}", health.identity()));
    }
    Ok(Exit::Fine)
}

fn decide(
    health: &Health,
    id: &str,
    decision: Decision,
    json: bool,
    printer: &Printer,
) -> Result<Exit, CliError> {
    let known = find(health, id)?;
    let decided = health.decide(&known.id, decision)?.ok_or_else(|| no_report(id))?;
    if json {
        printer.json(&shown(&decided))?;
        return Ok(Exit::Fine);
    }
    let effect = match (decision, &decided.report.claim_id) {
        (Decision::Accepted, Some(_)) => "; its claim counts as drifted until the line is rewritten",
        (Decision::Accepted, None) => "; it names no claim that is checked, so no verdict changes",
        _ => "",
    };
    printer.info(format_args!("{} {}{effect}", decision.name(), clean(&place(&decided))));
    Ok(Exit::Fine)
}

/// The report whose id is this or begins with it.
fn find(health: &Health, id: &str) -> Result<ReportRow, CliError> {
    let mut found: Vec<ReportRow> =
        health.reports(None)?.into_iter().filter(|row| !id.is_empty() && row.id.starts_with(id)).collect();
    match (found.pop(), found.len()) {
        (Some(report), 0) => Ok(report),
        (Some(_), more) => Err(CliError::usage(
            format!("{} begin with {id}", counted(more + 1, "report")),
            "give more of the id; `docent reports --json` shows it whole",
        )),
        (None, _) => Err(no_report(id)),
    }
}

fn no_report(id: &str) -> CliError {
    CliError::problems(
        format!("there is no report {}", clean(id)),
        "`docent reports list --status all` shows the reports there are",
    )
}

fn place(row: &ReportRow) -> String {
    match row.report.line_number {
        Some(line) => format!("{}:{line}", row.report.doc_file),
        None => row.report.doc_file.clone(),
    }
}

fn shown(row: &ReportRow) -> Value {
    let report = &row.report;
    json!({
        "report_id": row.id,
        "verification_status": row.verification_status.name(),
        "doc_file": report.doc_file,
        "line_number": report.line_number,
        "claim_id": report.claim_id,
        "claim_text": report.claim_text,
        "actual_behavior": report.actual_behavior,
        "evidence_files": report.evidence_files,
        "agent_type": report.agent_type,
        "created_at": iso(report.created_at),
        "decided_at": row.decided_at.map(iso),
    })
}

fn view(row: &ReportRow) -> String {
    let report = &row.report;
    let claim = report.claim_id.as_deref().unwrap_or("none that is checked");
    let files = report.evidence_files.join(", ");
    let decided = row.decided_at.map(|at| format!("{} on {}", row.verification_status.name(), iso(at)));
    let rows = [
        ("report", row.id.as_str()),
        ("document", &place(row)),
        ("says", &report.claim_text),
        ("but", &report.actual_behavior),
        ("evidence", &files),
        ("claim", claim),
        ("by", &report.agent_type),
        ("on", &iso(report.created_at)),
        ("decision", decided.as_deref().unwrap_or("none yet")),
    ];
    let mut text = String::new();
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "{:>8}  {}", name.dimmed(), clean(value));
    }
    text
}
