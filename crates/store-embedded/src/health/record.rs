//! Puts what a verification found in the place of what was known.

use std::collections::{BTreeSet, HashMap};

use docent_index::health::{NewClaim, Recorded, RecordedDocument, RepoRow};
use rusqlite::{Row, Transaction, params};
use uuid::Uuid;

use super::queries::time;

/// The class of a claim that a person agreed has drifted.
pub(super) const REPORTED: &str = "reported";

pub(super) fn put_repo(tx: &Transaction<'_>, owner: &str, name: &str, now: i64) -> rusqlite::Result<RepoRow> {
    // Another process may have done it meanwhile.
    if let Some(known) = super::queries::repo(tx, owner, name)? {
        return Ok(known);
    }
    let id = Uuid::new_v4().to_string();
    tx.execute(
        "INSERT INTO repos (id, github_owner, github_repo, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4)",
        params![id, owner, name, time(now)],
    )?;
    Ok(RepoRow {
        id,
        github_owner: owner.to_owned(),
        github_repo: name.to_owned(),
        last_scanned_commit: None,
        updated_at: now,
    })
}

pub(super) fn record(tx: &Transaction<'_>, repo: &str, recorded: &Recorded) -> rusqlite::Result<u64> {
    let now = time(recorded.verified_at);
    for document in &recorded.documents {
        put_document(tx, repo, document, &now)?;
    }
    let mut confirm =
        tx.prepare_cached("UPDATE claims SET last_verified_at = ?3 WHERE repo_id = ?1 AND source_file = ?2")?;
    for file in &recorded.confirmed {
        confirm.execute(params![repo, file, now])?;
    }
    drop(confirm);
    if recorded.is_complete {
        let kept = recorded.documents.iter().map(|document| &document.source_file);
        forget_others(tx, repo, &kept.chain(&recorded.confirmed).map(String::as_str).collect())?;
    }
    tx.execute(
        "UPDATE repos SET updated_at = ?2, last_scanned_commit = coalesce(?3, last_scanned_commit),
             generation = generation + 1,
             health_score = (SELECT 1.0 * SUM(verification_status = 'verified') / COUNT(*) FROM claims
                 WHERE repo_id = ?1 AND (verification_status = 'verified'
                     OR (verification_status = 'drifted' AND suppressed IS NULL)))
         WHERE id = ?1",
        params![repo, now, recorded.commit],
    )?;
    super::queries::generation(tx, repo)
}

/// A claim as it was before.
struct Known {
    number: i64,
    id: String,
    claim_text: String,
    class: String,
}

fn put_document(
    tx: &Transaction<'_>,
    repo: &str,
    document: &RecordedDocument,
    now: &str,
) -> rusqlite::Result<()> {
    let file = &document.source_file;
    let mut known = known(tx, repo, file)?;
    let mut seen: HashMap<(&str, &str), u32> = HashMap::new();
    let mut kept = Vec::with_capacity(document.claims.len());
    for claim in &document.claims {
        let ordinal = seen.entry((&claim.claim_type, &claim.named)).or_default();
        let key = (claim.claim_type.clone(), claim.named.clone(), *ordinal);
        kept.push((claim, *ordinal, known.remove(&key)));
        *ordinal += 1;
    }
    // What is gone makes room first.
    for gone in known.into_values() {
        forget(tx, &gone)?;
    }
    for (claim, ordinal, known) in kept {
        match known {
            Some(known) => change(tx, &known, claim, now)?,
            None => add(tx, repo, file, claim, ordinal, now)?,
        }
    }
    let mut put = tx.prepare_cached(
        "INSERT INTO documents (repo_id, source_file, content_hash) VALUES (?1, ?2, ?3)
         ON CONFLICT (repo_id, source_file) DO UPDATE SET content_hash = excluded.content_hash",
    )?;
    put.execute(params![repo, file, document.content_hash])?;
    Ok(())
}

type Key = (String, String, u32);

fn known(tx: &Transaction<'_>, repo: &str, file: &str) -> rusqlite::Result<HashMap<Key, Known>> {
    let mut statement = tx.prepare_cached(
        "SELECT claim_type, named, ordinal, number, id, claim_text, class FROM claims
         WHERE repo_id = ?1 AND source_file = ?2",
    )?;
    let row = |row: &Row<'_>| {
        let known =
            Known { number: row.get(3)?, id: row.get(4)?, claim_text: row.get(5)?, class: row.get(6)? };
        Ok(((row.get(0)?, row.get(1)?, row.get(2)?), known))
    };
    statement.query_map([repo, file], row)?.collect()
}

fn add(
    tx: &Transaction<'_>,
    repo: &str,
    file: &str,
    claim: &NewClaim,
    ordinal: u32,
    now: &str,
) -> rusqlite::Result<()> {
    let id = Uuid::new_v4().to_string();
    let mut insert = tx.prepare_cached(
        "INSERT INTO claims (id, repo_id, source_file, claim_type, named, ordinal, line_number, end_line,
             section_heading, claim_text, kind, keywords, verification_status, class, confidence, severity,
             evidence, blame_commit, broke_commit, suppressed, last_verified_at, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'pending', '', NULL, '', '', NULL, NULL, NULL,
             NULL, ?13)",
    )?;
    let keywords = keywords(claim);
    insert.execute(params![
        id,
        repo,
        file,
        claim.claim_type,
        claim.named,
        ordinal,
        claim.line_number,
        claim.end_line,
        claim.section_heading,
        claim.claim_text,
        claim.kind,
        keywords,
        now
    ])?;
    let number = tx.last_insert_rowid();
    append_result(tx, &id, claim, now)?;
    put_verdict(tx, number, claim, now)
}

fn change(tx: &Transaction<'_>, known: &Known, claim: &NewClaim, now: &str) -> rusqlite::Result<()> {
    let keywords = keywords(claim);
    let mut update = tx.prepare_cached(
        "UPDATE claims SET line_number = ?2, end_line = ?3, section_heading = ?4, claim_text = ?5, kind = ?6,
             keywords = ?7, last_verified_at = ?8
         WHERE number = ?1",
    )?;
    update.execute(params![
        known.number,
        claim.line_number,
        claim.end_line,
        claim.section_heading,
        claim.claim_text,
        claim.kind,
        keywords,
        now
    ])?;
    append_result(tx, &known.id, claim, now)?;
    // Somebody looked at these very words and knows better than a check does.
    let is_settled = known.class == REPORTED && known.claim_text == claim.claim_text;
    if is_settled { Ok(()) } else { put_verdict(tx, known.number, claim, now) }
}

fn put_verdict(tx: &Transaction<'_>, number: i64, claim: &NewClaim, now: &str) -> rusqlite::Result<()> {
    let mut update = tx.prepare_cached(
        "UPDATE claims SET verification_status = ?2, class = ?3, confidence = ?4, severity = ?5, evidence = ?6,
             blame_commit = ?7, broke_commit = ?8, suppressed = ?9, last_verified_at = ?10
         WHERE number = ?1",
    )?;
    update.execute(params![
        number,
        claim.verification_status.name(),
        claim.class,
        claim.confidence,
        claim.severity,
        claim.evidence,
        claim.blame_commit,
        claim.broke_commit,
        claim.suppressed,
        now
    ])?;
    Ok(())
}

/// Adds a verdict to the history of a claim, unless it is the last one again.
fn append_result(tx: &Transaction<'_>, id: &str, claim: &NewClaim, now: &str) -> rusqlite::Result<()> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO verification_results (id, claim_id, repo_id, verdict, class, confidence, severity, evidence,
             blame_commit, broke_commit, created_at)
         SELECT ?1, ?2, (SELECT repo_id FROM claims WHERE id = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
         WHERE (?3, ?4, ?5, ?6, ?7) IS NOT
             (SELECT verdict, class, confidence, severity, evidence FROM verification_results
              WHERE claim_id = ?2 ORDER BY number DESC LIMIT 1)",
    )?;
    insert.execute(params![
        Uuid::new_v4().to_string(),
        id,
        claim.verification_status.name(),
        claim.class,
        claim.confidence,
        claim.severity,
        claim.evidence,
        claim.blame_commit,
        claim.broke_commit,
        now
    ])?;
    Ok(())
}

fn keywords(claim: &NewClaim) -> String {
    serde_json::to_string(&claim.keywords).unwrap_or_default()
}

fn forget(tx: &Transaction<'_>, gone: &Known) -> rusqlite::Result<()> {
    tx.prepare_cached("DELETE FROM claims WHERE number = ?1")?.execute([gone.number])?;
    Ok(())
}

/// Forgets the claims of documents that are not among these.
fn forget_others(tx: &Transaction<'_>, repo: &str, kept: &BTreeSet<&str>) -> rusqlite::Result<()> {
    let mut statement = tx.prepare_cached(
        "SELECT source_file FROM documents WHERE repo_id = ?1
         UNION SELECT source_file FROM claims WHERE repo_id = ?1",
    )?;
    let files = statement.query_map([repo], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    for file in files.iter().filter(|file| !kept.contains(file.as_str())) {
        for gone in known(tx, repo, file)?.into_values() {
            forget(tx, &gone)?;
        }
        tx.execute("DELETE FROM documents WHERE repo_id = ?1 AND source_file = ?2", params![repo, file])?;
    }
    Ok(())
}
