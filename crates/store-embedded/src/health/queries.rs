//! Everything that only reads.

use docent_index::health::{ClaimFilter, ClaimRow, HealthCount, NewClaim, RepoRow, StaleRow, Status, Within};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

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

pub(super) fn claims(conn: &Connection, repo: &str, filter: &ClaimFilter) -> rusqlite::Result<Vec<ClaimRow>> {
    let (place, name) = condition(&filter.within);
    let sql = format!(
        "SELECT {CLAIM} FROM claims c
         WHERE c.repo_id = ?1 AND {place} AND (?3 IS NULL OR c.verification_status = ?3)
         ORDER BY c.source_file, c.line_number, c.number"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let status = filter.status.map(Status::name);
    statement.query_map(params![repo, name, status], claim)?.collect()
}

/// A condition on `c.source_file`, and what stands for `?2` in it. Folders are compared by whole components.
fn condition(within: &Within) -> (&'static str, Option<String>) {
    match within {
        Within::Repo => ("?2 IS NULL", None),
        Within::File(path) => ("c.source_file = ?2", Some(path.clone())),
        // Everything that begins with the folder and a slash, which the index has side by side; `0` comes after `/`.
        Within::Folder(path) => {
            ("c.source_file > ?2 || '/' AND c.source_file < ?2 || '0'", Some(path.clone()))
        }
    }
}

pub(super) fn search(
    conn: &Connection,
    repo: &str,
    query: &str,
    limit: usize,
) -> rusqlite::Result<Vec<(String, u32)>> {
    let any = words(query).iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
    let place = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    if !any.is_empty() {
        let mut statement = conn.prepare_cached(
            // The best are found among the words alone: looking up thousands of claims to sort them takes longer.
            "SELECT c.source_file, c.line_number
             FROM (SELECT rowid, rank FROM claims_fulltext WHERE claims_fulltext MATCH ?1 ORDER BY rank LIMIT ?2) f
             CROSS JOIN claims c ON c.number = f.rowid
             ORDER BY f.rank, c.source_file, c.line_number",
        )?;
        let sought = format!("({any}) AND \"{}\"", repo_word(repo));
        let found = statement.query_map(params![sought, limit as u64], place)?;
        let found = found.collect::<rusqlite::Result<Vec<_>>>()?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    if query.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(
        "SELECT c.source_file, c.line_number FROM claims c
         WHERE c.repo_id = ?1 AND (instr(lower(c.claim_text), lower(?2)) > 0
             OR EXISTS (SELECT 1 FROM json_each(c.keywords) WHERE value = ?2))
         ORDER BY c.last_verified_at DESC NULLS LAST, c.source_file, c.line_number LIMIT ?3",
    )?;
    statement.query_map(params![repo, query.trim(), limit as u64], place)?.collect()
}

/// A word that stands with all claims of a repository, so that words can be looked for in one of several.
pub(super) fn repo_word(repo: &str) -> String {
    let letters: String = repo.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    format!("repo0{letters}")
}

/// The words of a text as they stand in `claims_fulltext`: those of the index, in letters and digits alone, because SQLite
/// would take them apart again.
pub(super) fn words(text: &str) -> Vec<String> {
    let all = docent_text::tokens(text);
    let has_content = all.iter().any(|token| !docent_text::is_stop_word(token));
    let plain = |token: &String| {
        let mut word = String::with_capacity(token.len());
        for letter in token.chars() {
            match letter.is_alphanumeric() {
                true => word.push(letter),
                false => word.push_str(&format!("u{:x}", u32::from(letter))),
            }
        }
        word
    };
    let is_wanted = |token: &&String| !has_content || !docent_text::is_stop_word(token);
    let mut words: Vec<String> = all.iter().filter(is_wanted).map(plain).collect();
    words.sort_unstable();
    words.dedup();
    words
}

pub(super) fn counts(conn: &Connection, repo: &str, within: &Within) -> rusqlite::Result<Vec<HealthCount>> {
    let (place, name) = condition(within);
    let sql = format!(
        "SELECT c.source_file, c.claim_type, c.verification_status, c.suppressed IS NOT NULL, COUNT(*),
             MAX(c.last_verified_at)
         FROM claims c WHERE c.repo_id = ?1 AND {place}
         GROUP BY c.source_file, c.claim_type, c.verification_status, c.suppressed IS NOT NULL"
    );
    let mut statement = conn.prepare_cached(&sql)?;
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
    statement.query_map(params![repo, name], row)?.collect()
}

pub(super) fn stale(
    conn: &Connection,
    repo: &str,
    before: i64,
    limit: usize,
) -> rusqlite::Result<Vec<StaleRow>> {
    let mut statement = conn.prepare_cached(
        "SELECT source_file,
             COUNT(*) FILTER (WHERE verification_status = 'drifted' AND suppressed IS NULL) AS drifted,
             COUNT(*) FILTER (WHERE verification_status = 'uncertain' AND suppressed IS NULL) AS uncertain,
             MAX(last_verified_at) AS last_verified
         FROM claims WHERE repo_id = ?1
         GROUP BY source_file
         HAVING drifted > 0 OR uncertain > 0 OR last_verified < ?2 OR last_verified IS NULL
         ORDER BY drifted DESC, uncertain DESC, last_verified ASC NULLS FIRST, source_file LIMIT ?3",
    )?;
    let row = |row: &Row<'_>| {
        Ok(StaleRow {
            file: row.get(0)?,
            drifted_claims: row.get(1)?,
            uncertain_claims: row.get(2)?,
            last_verified: row.get::<_, Option<String>>(3)?.as_deref().and_then(seconds),
        })
    };
    statement.query_map(params![repo, time(before), limit as u64], row)?.collect()
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
