//! Everything that only reads.

use docent_index::health::{ClaimRow, HealthCount, NewClaim, RepoRow, Status};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};

/// The columns of a claim, as [`claim`] reads them.
const CLAIM: &str =
    "c.id, c.source_file, c.line_number, c.end_line, c.section_heading, c.claim_text, c.claim_type,
    c.kind, c.named, c.keywords, c.verification_status, c.class, c.confidence, c.severity, c.evidence,
    c.blame_commit, c.broke_commit, c.suppressed, c.last_verified_at";

/// A time as it is written into tables.
pub(super) fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// A time as it is read out of tables.
pub(super) fn seconds(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}

pub(super) fn repo(conn: &Connection, owner: &str, name: &str) -> rusqlite::Result<Option<RepoRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT id, github_owner, github_repo, last_scanned_commit, updated_at FROM repos
         WHERE github_owner = ?1 AND github_repo = ?2 ORDER BY updated_at DESC LIMIT 1",
    )?;
    let row = |row: &Row<'_>| {
        Ok(RepoRow {
            id: row.get(0)?,
            github_owner: row.get(1)?,
            github_repo: row.get(2)?,
            last_scanned_commit: row.get(3)?,
            updated_at: seconds(&row.get::<_, String>(4)?).unwrap_or(0),
        })
    };
    statement.query_row([owner, name], row).optional()
}

pub(super) fn generation(conn: &Connection, repo: &str) -> rusqlite::Result<u64> {
    let mut statement = conn.prepare_cached("SELECT generation FROM repos WHERE id = ?1")?;
    Ok(statement.query_row([repo], |row| row.get(0)).optional()?.unwrap_or(0))
}

pub(super) fn documents(conn: &Connection, repo: &str) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = conn.prepare_cached(
        "SELECT source_file, content_hash FROM documents WHERE repo_id = ?1 ORDER BY source_file",
    )?;
    statement.query_map([repo], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

pub(super) fn claims(conn: &Connection, repo: &str) -> rusqlite::Result<Vec<ClaimRow>> {
    let sql = format!(
        "SELECT {CLAIM} FROM claims c WHERE c.repo_id = ?1 ORDER BY c.source_file, c.line_number, c.number"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    statement.query_map([repo], claim)?.collect()
}

pub(super) fn counts(conn: &Connection, repo: &str) -> rusqlite::Result<Vec<HealthCount>> {
    let mut statement = conn.prepare_cached(
        "SELECT source_file, claim_type, verification_status, suppressed IS NOT NULL, COUNT(*), MAX(last_verified_at)
         FROM claims WHERE repo_id = ?1
         GROUP BY source_file, claim_type, verification_status, suppressed IS NOT NULL",
    )?;
    let row = |row: &Row<'_>| {
        Ok(HealthCount {
            source_file: row.get(0)?,
            claim_type: row.get(1)?,
            status: Status::parse(row.get_ref(2)?.as_str()?),
            is_suppressed: row.get(3)?,
            count: row.get(4)?,
            last_verified_at: row.get::<_, Option<String>>(5)?.as_deref().and_then(seconds),
        })
    };
    statement.query_map([repo], row)?.collect()
}

fn claim(row: &Row<'_>) -> rusqlite::Result<ClaimRow> {
    Ok(ClaimRow {
        id: row.get(0)?,
        source_file: row.get(1)?,
        claim: NewClaim {
            line_number: row.get(2)?,
            end_line: row.get(3)?,
            section_heading: row.get(4)?,
            claim_text: row.get(5)?,
            claim_type: row.get(6)?,
            kind: row.get(7)?,
            named: row.get(8)?,
            keywords: serde_json::from_str(row.get_ref(9)?.as_str()?).unwrap_or_default(),
            verification_status: Status::parse(row.get_ref(10)?.as_str()?),
            class: row.get(11)?,
            confidence: row.get::<_, Option<f64>>(12)?.unwrap_or(0.0),
            severity: row.get(13)?,
            evidence: row.get(14)?,
            blame_commit: row.get(15)?,
            broke_commit: row.get(16)?,
            suppressed: row.get(17)?,
        },
        last_verified_at: row.get::<_, Option<String>>(18)?.as_deref().and_then(seconds),
    })
}
