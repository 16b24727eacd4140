//! The tables, by version. Names are those of DocAlign's tables where these have the column.

use std::path::Path;

use docent_index::health::HealthError;
use rusqlite::{Connection, TransactionBehavior};

use super::connection::failure;

/// Each entry brings the file from one format to the next.
const STEPS: &[&str] = &["
CREATE TABLE repos (
    id TEXT PRIMARY KEY,
    github_owner TEXT NOT NULL,
    github_repo TEXT NOT NULL,
    health_score REAL,
    last_scanned_commit TEXT,
    generation INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX idx_repos_name ON repos (github_owner, github_repo, updated_at);
CREATE TABLE documents (
    repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    source_file TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (repo_id, source_file)
) WITHOUT ROWID;
CREATE TABLE claims (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    source_file TEXT NOT NULL,
    line_number INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    section_heading TEXT,
    claim_text TEXT NOT NULL,
    claim_type TEXT NOT NULL,
    kind TEXT NOT NULL,
    named TEXT NOT NULL,
    ordinal INTEGER NOT NULL,  -- among the claims of this document with this type and name
    keywords TEXT NOT NULL,  -- JSON
    verification_status TEXT NOT NULL,
    class TEXT NOT NULL,
    confidence REAL,
    severity TEXT NOT NULL,
    evidence TEXT NOT NULL,  -- JSON
    blame_commit TEXT,
    broke_commit TEXT,
    suppressed TEXT,
    last_verified_at TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (repo_id, source_file, claim_type, named, ordinal)
);
CREATE INDEX idx_claims_repo ON claims (repo_id, source_file, line_number);
-- Covers the queries that count.
CREATE INDEX idx_claims_health
    ON claims (repo_id, source_file, claim_type, verification_status, suppressed, last_verified_at);
CREATE TABLE verification_results (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    claim_id TEXT NOT NULL REFERENCES claims (id) ON DELETE CASCADE,
    repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    verdict TEXT NOT NULL,
    class TEXT NOT NULL,
    confidence REAL,
    severity TEXT NOT NULL,
    evidence TEXT NOT NULL,  -- JSON
    blame_commit TEXT,
    broke_commit TEXT,
    created_at TEXT NOT NULL
);
CREATE INDEX idx_results_claim ON verification_results (claim_id, number);
CREATE TABLE agent_drift_reports (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    repo_id TEXT NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
    claim_id TEXT REFERENCES claims (id) ON DELETE SET NULL,
    doc_file TEXT NOT NULL,
    line_number INTEGER,
    claim_text TEXT NOT NULL,
    actual_behavior TEXT NOT NULL,
    evidence_files TEXT NOT NULL,  -- JSON
    agent_type TEXT NOT NULL,
    verification_status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    decided_at TEXT
);
CREATE INDEX idx_reports_claim ON agent_drift_reports (claim_id);
"];

/// The newest format that this program knows.
const FORMAT: i64 = STEPS.len() as i64;

/// Brings the file to the newest format.
pub(super) fn make(conn: &mut Connection, path: &Path) -> Result<(), HealthError> {
    if found(conn, path)? == FORMAT {
        return Ok(());
    }
    let told = |error: rusqlite::Error| failure(path, &error);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(told)?;
    // Another process may have done it meanwhile.
    let from = usize::try_from(found(&tx, path)?).unwrap_or(0);
    for step in STEPS.iter().skip(from) {
        tx.execute_batch(step).map_err(told)?;
    }
    tx.pragma_update(None, "user_version", FORMAT).map_err(told)?;
    tx.commit().map_err(told)
}

/// Whether the file has its tables. One of an older format counts as empty until somebody writes to it.
pub(super) fn is_made(conn: &Connection, path: &Path) -> Result<bool, HealthError> {
    Ok(found(conn, path)? == FORMAT)
}

fn found(conn: &Connection, path: &Path) -> Result<i64, HealthError> {
    let found = conn.pragma_query_value(None, "user_version", |row| row.get(0));
    match found.map_err(|error| failure(path, &error))? {
        found if found > FORMAT => {
            Err(HealthError::Newer { place: path.display().to_string(), found, supported: FORMAT })
        }
        found => Ok(found),
    }
}
