//! Reports of drift: kept as they were said, until a person decides.

use docent_index::health::{Decision, NewReport, ReportRow};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use uuid::Uuid;

use super::queries::{seconds, time};
use super::record::REPORTED;

const REPORT: &str =
    "id, claim_id, doc_file, line_number, claim_text, actual_behavior, evidence_files, agent_type,
    verification_status, created_at, decided_at";

pub(super) fn add(tx: &Transaction<'_>, repo: &str, report: &NewReport) -> rusqlite::Result<String> {
    let id = Uuid::new_v4().to_string();
    tx.execute(
        "INSERT INTO agent_drift_reports (id, repo_id, claim_id, doc_file, line_number, claim_text, actual_behavior,
             evidence_files, agent_type, verification_status, created_at)
         VALUES (?1, ?2, (SELECT id FROM claims WHERE id = ?3), ?4, ?5, ?6, ?7, ?8, ?9, 'pending', ?10)",
        params![
            id,
            repo,
            report.claim_id,
            report.doc_file,
            report.line_number,
            report.claim_text,
            report.actual_behavior,
            serde_json::to_string(&report.evidence_files).unwrap_or_default(),
            report.agent_type,
            time(report.created_at)
        ],
    )?;
    Ok(id)
}

pub(super) fn list(
    conn: &Connection,
    repo: &str,
    status: Option<Decision>,
) -> rusqlite::Result<Vec<ReportRow>> {
    let sql = format!(
        "SELECT {REPORT} FROM agent_drift_reports
         WHERE repo_id = ?1 AND (?2 IS NULL OR verification_status = ?2) ORDER BY number DESC"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    statement.query_map(params![repo, status.map(Decision::name)], report)?.collect()
}

pub(super) fn decide(
    tx: &Transaction<'_>,
    repo: &str,
    id: &str,
    decision: Decision,
    now: i64,
) -> rusqlite::Result<Option<ReportRow>> {
    let changed = tx.execute(
        "UPDATE agent_drift_reports SET verification_status = ?3, decided_at = ?4 WHERE repo_id = ?1 AND id = ?2",
        params![repo, id, decision.name(), (decision != Decision::Pending).then(|| time(now))],
    )?;
    if changed == 0 {
        return Ok(None);
    }
    let sql = format!("SELECT {REPORT} FROM agent_drift_reports WHERE id = ?1");
    let decided = tx.query_row(&sql, [id], report)?;
    if let Some(claim) = &decided.report.claim_id {
        mark(tx, claim, now)?;
        tx.execute("UPDATE repos SET generation = generation + 1 WHERE id = ?1", [repo])?;
    }
    Ok(Some(decided))
}

/// Lets a claim stand as the reports that name it say: drifted while one of them is agreed to, else as it was last judged.
fn mark(tx: &Transaction<'_>, claim: &str, now: i64) -> rusqlite::Result<()> {
    let accepted = tx
        .query_row(
            "SELECT json_object('reported', json_object('report', id, 'actual_behavior', actual_behavior,
                 'evidence_files', json(evidence_files), 'agent_type', agent_type))
             FROM agent_drift_reports WHERE claim_id = ?1 AND verification_status = 'accepted'
             ORDER BY number DESC LIMIT 1",
            [claim],
            |row| row.get::<_, String>(0),
        )
        .optional()?;
    match accepted {
        Some(evidence) => tx.execute(
            "UPDATE claims SET verification_status = 'drifted', class = ?2, confidence = 1.0, evidence = ?3,
                 suppressed = NULL, broke_commit = NULL, last_verified_at = ?4
             WHERE id = ?1",
            params![claim, REPORTED, evidence, time(now)],
        )?,
        None => tx.execute(
            "UPDATE claims SET (verification_status, class, confidence, severity, evidence, blame_commit, broke_commit,
                 last_verified_at) =
                 (SELECT verdict, class, confidence, severity, evidence, blame_commit, broke_commit, created_at
                  FROM verification_results WHERE claim_id = ?1 ORDER BY number DESC LIMIT 1)
             WHERE id = ?1 AND class = ?2
                 AND EXISTS (SELECT 1 FROM verification_results WHERE claim_id = ?1)",
            params![claim, REPORTED],
        )?,
    };
    Ok(())
}

fn report(row: &Row<'_>) -> rusqlite::Result<ReportRow> {
    Ok(ReportRow {
        id: row.get(0)?,
        report: NewReport {
            claim_id: row.get(1)?,
            doc_file: row.get(2)?,
            line_number: row.get(3)?,
            claim_text: row.get(4)?,
            actual_behavior: row.get(5)?,
            evidence_files: serde_json::from_str(row.get_ref(6)?.as_str()?).unwrap_or_default(),
            agent_type: row.get(7)?,
            created_at: seconds(&row.get::<_, String>(9)?).unwrap_or(0),
        },
        verification_status: Decision::parse(row.get_ref(8)?.as_str()?),
        decided_at: row.get::<_, Option<String>>(10)?.as_deref().and_then(seconds),
    })
}
