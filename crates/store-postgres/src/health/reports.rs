//! Reports of drift: kept as they were said, until a person decides.

use deadpool_postgres::{Client, GenericClient, Transaction};
use docent_index::health::{Decision, NewReport, ReportRow};
use tokio_postgres::Row;
use uuid::Uuid;

use super::queries::seconds;
use super::record::{REPORTED, writing};
use crate::fault::{Fault, Outcome};

/// The columns of a report, as [`report`] reads them. Files are JSON, whatever they are kept as.
pub(super) fn columns(decided: &str) -> String {
    let (created, decided) = (seconds("created_at"), seconds(decided));
    format!(
        "id::text, claim_id::text, doc_file::text, line_number::integer, claim_text::text, actual_behavior::text,
         to_jsonb(evidence_files)::text, agent_type::text, verification_status::text, {created}, {decided}"
    )
}

/// Somebody's words are kept as they are or not at all.
pub(super) fn check(report: &NewReport) -> Outcome<()> {
    let NewReport { doc_file, claim_text, actual_behavior, agent_type, evidence_files, .. } = report;
    let texts = [doc_file, claim_text, actual_behavior, agent_type];
    match texts.into_iter().chain(evidence_files).any(|text| text.contains('\0')) {
        true => Err(Fault::Internal(
            "the report holds a NUL character, which the database cannot keep".to_owned(),
        )),
        false => Ok(()),
    }
}

pub(super) async fn add(client: &mut Client, repo: &str, report: &NewReport) -> Outcome<String> {
    let tx = writing(client).await?;
    let id = Uuid::new_v4().to_string();
    tx.execute(
        "INSERT INTO docent.agent_drift_reports (id, repo_id, claim_id, doc_file, line_number, claim_text, actual_behavior,
             evidence_files, agent_type, verification_status, created_at)
         VALUES ($1, $2, (SELECT id FROM docent.claims WHERE id = $3), $4, $5, $6, $7, $8, $9, 'pending',
             to_timestamp($10::bigint))",
        &[
            &id,
            &repo,
            &report.claim_id,
            &report.doc_file,
            &line(report),
            &report.claim_text,
            &report.actual_behavior,
            &report.evidence_files,
            &report.agent_type,
            &report.created_at,
        ],
    )
    .await?;
    tx.commit().await?;
    Ok(id)
}

pub(super) fn line(report: &NewReport) -> Option<i32> {
    report.line_number.map(|line| i32::try_from(line).unwrap_or(i32::MAX))
}

pub(super) async fn list(
    client: &impl GenericClient,
    repo: &str,
    status: Option<Decision>,
) -> Outcome<Vec<ReportRow>> {
    let columns = columns("decided_at");
    let rows = client
        .query(
            &format!(
                "SELECT {columns} FROM docent.agent_drift_reports
                 WHERE repo_id = $1 AND ($2::text IS NULL OR verification_status = $2) ORDER BY number DESC"
            ),
            &[&repo, &status.map(Decision::name)],
        )
        .await?;
    rows.iter().map(report).collect()
}

pub(super) async fn decide(
    client: &mut Client,
    repo: &str,
    id: &str,
    decision: Decision,
    now: i64,
) -> Outcome<Option<ReportRow>> {
    let tx = writing(client).await?;
    // Whoever verifies waits, and the other way round.
    tx.execute("SELECT FROM docent.repos WHERE id = $1 FOR UPDATE", &[&repo]).await?;
    let decided_at = (decision != Decision::Pending).then_some(now);
    let columns = columns("decided_at");
    let row = tx
        .query_opt(
            &format!(
                "UPDATE docent.agent_drift_reports SET verification_status = $3, decided_at = to_timestamp($4::bigint)
                 WHERE repo_id = $1 AND id = $2 RETURNING {columns}"
            ),
            &[&repo, &id, &decision.name(), &decided_at],
        )
        .await?;
    let Some(decided) = row.as_ref().map(report).transpose()? else { return Ok(None) };
    if let Some(claim) = &decided.report.claim_id {
        mark(&tx, claim, now).await?;
        tx.execute("UPDATE docent.repos SET generation = generation + 1 WHERE id = $1", &[&repo]).await?;
    }
    tx.commit().await?;
    Ok(Some(decided))
}

/// Lets a claim stand as the reports that name it say: drifted while one of them is agreed to, else as it was last judged.
async fn mark(tx: &Transaction<'_>, claim: &str, now: i64) -> Outcome<()> {
    let marked = tx
        .execute(
            "UPDATE docent.claims SET verification_status = 'drifted', class = $2, confidence = 1.0, suppressed = NULL,
                 broke_commit = NULL, last_verified_at = to_timestamp($3::bigint), evidence = r.evidence
             FROM (SELECT json_build_object('reported', json_build_object('report', id, 'actual_behavior', actual_behavior,
                       'evidence_files', evidence_files, 'agent_type', agent_type))::text AS evidence
                   FROM docent.agent_drift_reports WHERE claim_id = $1 AND verification_status = 'accepted'
                   ORDER BY number DESC LIMIT 1) r
             WHERE id = $1",
            &[&claim, &REPORTED, &now],
        )
        .await?;
    if marked == 0 {
        tx.execute(
            "UPDATE docent.claims c SET verification_status = r.verdict, class = r.class, confidence = r.confidence,
                 severity = r.severity, evidence = r.evidence, blame_commit = r.blame_commit,
                 broke_commit = r.broke_commit, last_verified_at = r.created_at
             FROM (SELECT * FROM docent.verification_results WHERE claim_id = $1 ORDER BY number DESC LIMIT 1) r
             WHERE c.id = $1 AND c.class = $2",
            &[&claim, &REPORTED],
        )
        .await?;
    }
    Ok(())
}

/// A report from [`columns`].
pub(super) fn report(row: &Row) -> Outcome<ReportRow> {
    let files: Option<String> = row.try_get(6)?;
    let text = |at: usize| Ok::<_, Fault>(row.try_get::<_, Option<String>>(at)?.unwrap_or_default());
    Ok(ReportRow {
        id: row.try_get(0)?,
        report: NewReport {
            claim_id: row.try_get(1)?,
            doc_file: text(2)?,
            line_number: row.try_get::<_, Option<i32>>(3)?.and_then(|line| u32::try_from(line).ok()),
            claim_text: text(4)?,
            actual_behavior: text(5)?,
            evidence_files: files.and_then(|files| serde_json::from_str(&files).ok()).unwrap_or_default(),
            agent_type: text(7)?,
            created_at: row.try_get::<_, Option<i64>>(9)?.unwrap_or(0),
        },
        verification_status: Decision::parse(row.try_get::<_, Option<&str>>(8)?.unwrap_or_default()),
        decided_at: row.try_get(10)?,
    })
}
