//! Everything that only reads what docent found.

use deadpool_postgres::GenericClient;
use docent_index::health::{ClaimRow, HealthCount, NewClaim, RepoRow, Status};
use tokio_postgres::Row;

use crate::fault::{Fault, Outcome};

/// Seconds since 1970 of a column, for a statement.
pub(super) fn seconds(column: &str) -> String {
    format!("CASE WHEN isfinite({column}) THEN floor(extract(epoch FROM {column}))::bigint END")
}

/// Which of two tables of repositories is asked.
pub(super) async fn repo(
    client: &impl GenericClient,
    table: &str,
    owner: &str,
    name: &str,
) -> Outcome<Option<RepoRow>> {
    let updated = seconds("updated_at");
    let row = client
        .query_opt(
            &format!(
                "SELECT id::text, github_owner::text, github_repo::text, last_scanned_commit::text, {updated} FROM {table}
                 WHERE github_owner = $1 AND github_repo = $2 ORDER BY updated_at DESC LIMIT 1"
            ),
            &[&owner, &name],
        )
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(RepoRow {
        id: row.try_get(0)?,
        github_owner: row.try_get(1)?,
        github_repo: row.try_get(2)?,
        last_scanned_commit: row.try_get(3)?,
        updated_at: row.try_get::<_, Option<i64>>(4)?.unwrap_or(0),
    }))
}

pub(super) async fn generation(client: &impl GenericClient, repo: &str) -> Outcome<u64> {
    let row = client.query_opt("SELECT generation FROM docent.repos WHERE id = $1", &[&repo]).await?;
    Ok(row.map_or(0, |row| row.get::<_, i64>(0) as u64))
}

pub(super) async fn documents(client: &impl GenericClient, repo: &str) -> Outcome<Vec<(String, String)>> {
    let rows = client
        .query(
            "SELECT source_file, content_hash FROM docent.verified_documents WHERE repo_id = $1
             ORDER BY source_file COLLATE \"C\"",
            &[&repo],
        )
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

pub(super) async fn claims(client: &impl GenericClient, repo: &str) -> Outcome<Vec<ClaimRow>> {
    let verified = seconds("last_verified_at");
    let rows = client
        .query(
            &format!(
                "SELECT id, source_file, line_number, end_line, section_heading, claim_text, claim_type, kind, named, keywords,
                     verification_status, class, confidence, severity, evidence, blame_commit, broke_commit, suppressed,
                     {verified}
                 FROM docent.claims WHERE repo_id = $1 ORDER BY source_file COLLATE \"C\", line_number, number"
            ),
            &[&repo],
        )
        .await?;
    rows.iter().map(claim).collect()
}

/// Counts the claims of a table, of which `id` is the repository.
pub(super) async fn counts(
    client: &impl GenericClient,
    table: &str,
    id: &str,
    suppressed: &str,
    repo: &str,
) -> Outcome<Vec<HealthCount>> {
    let verified = seconds("max(last_verified_at)");
    let rows = client
        .query(
            &format!(
                "SELECT source_file::text, claim_type::text, verification_status::text, {suppressed}, count(*), {verified}
                 FROM {table} WHERE repo_id = {id} GROUP BY 1, 2, 3, 4"
            ),
            &[&repo],
        )
        .await?;
    let count = |row: &Row| {
        Ok(HealthCount {
            source_file: row.try_get(0)?,
            claim_type: row.try_get(1)?,
            status: Status::parse(row.try_get(2)?),
            is_suppressed: row.try_get(3)?,
            count: row.try_get::<_, i64>(4)? as u64,
            last_verified_at: row.try_get(5)?,
        })
    };
    rows.iter().map(count).collect()
}

/// A claim from the columns of [`claims`], in their order.
pub(super) fn claim(row: &Row) -> Outcome<ClaimRow> {
    let line = |at: usize| Ok::<_, Fault>(u32::try_from(row.try_get::<_, i32>(at)?).unwrap_or(0));
    Ok(ClaimRow {
        id: row.try_get(0)?,
        source_file: row.try_get(1)?,
        claim: NewClaim {
            line_number: line(2)?,
            end_line: line(3)?,
            section_heading: row.try_get(4)?,
            claim_text: row.try_get(5)?,
            claim_type: row.try_get(6)?,
            kind: row.try_get(7)?,
            named: row.try_get(8)?,
            keywords: row.try_get(9)?,
            verification_status: Status::parse(row.try_get(10)?),
            class: row.try_get(11)?,
            confidence: row.try_get::<_, Option<f64>>(12)?.unwrap_or(0.0),
            severity: row.try_get(13)?,
            evidence: row.try_get(14)?,
            blame_commit: row.try_get(15)?,
            broke_commit: row.try_get(16)?,
            suppressed: row.try_get(17)?,
        },
        last_verified_at: row.try_get(18)?,
    })
}
