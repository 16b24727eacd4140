//! Writing documents: what a list of changes does to the rows.
//!
//! Changes are taken in runs in which each place occurs once, so that a run is a handful of statements however many
//! documents it has. Vectors of passages whose text did not change are copied to the new version, so that an edit costs
//! only the passages it touched.

mod failures;
mod insert;

use std::collections::{BTreeSet, HashMap, HashSet};

use docent_index::{Change, Failure, FileStat, NewDocument, PassageHash, PassageId};
use docent_store_common::{check_shape, fingerprint};

pub(crate) use self::failures::clear_failures;
use self::failures::fail;
use self::insert::insert;
use crate::batch::Batch;
use crate::fault::{Fault, Outcome};
use crate::rows::{self, GenericClient};

/// A new row of a document.
pub(crate) struct Added {
    pub(crate) collection: i32,
    pub(crate) id: u64,
    pub(crate) passages: Vec<(PassageId, PassageHash)>,
}

/// A document that is there.
struct Old {
    id: i64,
    uuid: String,
    fingerprint: Vec<u8>,
    stat: FileStat,
}

/// What is there at some places.
#[derive(Default)]
struct There {
    documents: HashMap<(i32, String), Old>,
    failures: HashMap<(i32, String), (String, FileStat)>,
}

/// A document that gets a row.
struct Insert<'d> {
    document: &'d NewDocument,
    collection: i32,
    uuid: String,
    fingerprint: Vec<u8>,
    before: Option<i64>,
}

/// What a run does.
#[derive(Default)]
struct Plan<'d> {
    inserts: Vec<Insert<'d>>,
    removed: Vec<(i32, i64)>,
    touched: Vec<(i32, i64, FileStat)>,
    failed: Vec<(i32, &'d Failure)>,
    cleared: Vec<(i32, String)>,
}

/// The names of collections that changes touch, and of those that they make known.
pub(crate) fn names(changes: &[Change]) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let (mut names, mut made) = (BTreeSet::new(), BTreeSet::new());
    for change in changes {
        let (name, _) = place(change);
        names.insert(name);
        if matches!(change, Change::Put(_) | Change::Fail(_)) {
            made.insert(name);
        }
    }
    (names, made)
}

fn place(change: &Change) -> (&str, &str) {
    match change {
        Change::Put(document) => (&document.collection, &document.path),
        Change::Touch { collection, path, .. } | Change::Delete { collection, path } => (collection, path),
        Change::Fail(failure) => (&failure.collection, &failure.path),
    }
}

/// Applies changes and returns the rows that are new.
pub(crate) async fn apply(batch: &mut Batch<'_>, changes: &[&Change]) -> Outcome<Vec<Added>> {
    let mut added: Vec<Added> = Vec::new();
    let mut rest = changes;
    while !rest.is_empty() {
        let mut seen = HashSet::new();
        let end = rest.iter().position(|change| !seen.insert(place(change))).unwrap_or(rest.len());
        let (run, later) = rest.split_at(end);
        let (new, gone) = apply_run(batch, run).await?;
        added.retain(|row| !gone.contains(&(row.id as i64)));
        added.extend(new);
        rest = later;
    }
    Ok(added)
}

async fn apply_run(batch: &mut Batch<'_>, run: &[&Change]) -> Outcome<(Vec<Added>, HashSet<i64>)> {
    for change in run {
        if let Change::Put(document) = change {
            check_shape(document).map_err(Fault::Internal)?;
            // Places in it are columns of four bytes.
            if i32::try_from(document.text.len()).is_err() {
                return Err(Fault::Internal(format!("{}: too long for one document", document.path)));
            }
        }
        if matches!(change, Change::Put(_) | Change::Fail(_)) {
            batch.know(place(change).0, None).await?;
        }
    }
    let there = there(batch, run).await?;
    let plan = plan(batch, run, &there);
    let gone = plan.removed.iter().map(|(_, id)| *id).collect();
    batch.remove(&plan.removed).await?;
    touch(batch, &plan.touched).await?;
    clear_failures(batch, &plan.cleared).await?;
    fail(batch, &plan.failed).await?;
    Ok((insert(batch, plan.inserts).await?, gone))
}

async fn there(batch: &Batch<'_>, run: &[&Change]) -> Outcome<There> {
    let places = run.iter().map(|change| place(change));
    let known = places.filter_map(|(name, path)| Some((batch.held(name)?.id, path)));
    let (collections, paths): (Vec<i32>, Vec<&str>) = known.unzip();
    let statement = batch
        .tx
        .prepare_cached(
            "SELECT d.collection_id, d.path, d.id, d.uuid, d.fingerprint, d.size, d.mtime_ns, d.ctime_ns, d.inode, d.settled
             FROM unnest($1::integer[], $2::text[]) AS asked(collection_id, path)
             CROSS JOIN LATERAL (
                 SELECT * FROM docent.documents
                 WHERE collection_id = asked.collection_id AND path = asked.path AND died IS NULL OFFSET 0) d",
        )
        .await?;
    let mut there = There::default();
    for row in batch.tx.query(&statement, &[&collections, &paths]).await? {
        let old =
            Old { id: row.get(2), uuid: row.get(3), fingerprint: row.get(4), stat: rows::stat(&row, 5) };
        there.documents.insert((row.get(0), row.get(1)), old);
    }
    let statement = batch
        .tx
        .prepare_cached(
            "SELECT f.collection_id, f.path, f.reason, f.size, f.mtime_ns, f.ctime_ns, f.inode, f.settled
             FROM unnest($1::integer[], $2::text[]) AS asked(collection_id, path)
             JOIN docent.failures f ON f.collection_id = asked.collection_id AND f.path = asked.path",
        )
        .await?;
    for row in batch.tx.query(&statement, &[&collections, &paths]).await? {
        there.failures.insert((row.get(0), row.get(1)), (row.get(2), rows::stat(&row, 3)));
    }
    Ok(there)
}

/// Decides what is to be done.
fn plan<'d>(batch: &Batch<'_>, run: &[&'d Change], there: &There) -> Plan<'d> {
    let mut plan = Plan::default();
    for change in run.iter().copied() {
        let (name, path) = place(change);
        let Some(collection) = batch.held(name).map(|held| held.id) else { continue };
        let place = (collection, path.to_owned());
        let old = there.documents.get(&place);
        let failure = there.failures.get(&place);
        let mut touch = |old: &Old, stat: &FileStat| {
            if old.stat != *stat {
                plan.touched.push((collection, old.id, *stat));
            }
        };
        match change {
            Change::Touch { stat, .. } => {
                if let Some(old) = old {
                    touch(old, stat);
                }
                continue;
            }
            Change::Put(document) => {
                let fingerprint = fingerprint(document);
                match old {
                    Some(old) if old.fingerprint == fingerprint => touch(old, &document.stat),
                    old => {
                        let random = || uuid::Uuid::new_v4().to_string();
                        let uuid = match old {
                            Some(old) => old.uuid.clone(),
                            None => document.uuid.clone().unwrap_or_else(random),
                        };
                        plan.removed.extend(old.map(|old| (collection, old.id)));
                        let before = old.map(|old| old.id);
                        plan.inserts.push(Insert { document, collection, uuid, fingerprint, before });
                    }
                }
            }
            Change::Delete { .. } => plan.removed.extend(old.map(|old| (collection, old.id))),
            Change::Fail(new) => {
                plan.removed.extend(old.map(|old| (collection, old.id)));
                if failure.is_none_or(|(reason, stat)| *reason != new.reason || *stat != new.stat) {
                    plan.failed.push((collection, new));
                }
                continue;
            }
        }
        if failure.is_some() {
            plan.cleared.push(place);
        }
    }
    plan
}

/// Files' states by column: size, both times, inode, and whether it is settled.
type Stats = (Vec<i64>, Vec<i64>, Vec<i64>, Vec<i64>, Vec<bool>);

/// Files' states as lists.
fn stats<'s>(stats: impl Iterator<Item = &'s FileStat> + Clone) -> Stats {
    (
        stats.clone().map(|stat| stat.size as i64).collect(),
        stats.clone().map(|stat| stat.mtime_ns).collect(),
        stats.clone().map(|stat| stat.ctime_ns).collect(),
        stats.clone().map(|stat| stat.inode as i64).collect(),
        stats.map(|stat| stat.settled).collect(),
    )
}

/// Gives documents another state of their file.
pub(crate) async fn touch(batch: &mut Batch<'_>, touched: &[(i32, i64, FileStat)]) -> Outcome<()> {
    if touched.is_empty() {
        return Ok(());
    }
    let (collections, ids): (Vec<i32>, Vec<i64>) = touched.iter().map(|(of, id, _)| (*of, *id)).unzip();
    let (size, mtime, ctime, inode, settled) = stats(touched.iter().map(|(.., stat)| stat));
    let statement = batch
        .tx
        .prepare_cached(
            "UPDATE docent.documents d SET size = n.size, mtime_ns = n.mtime_ns, ctime_ns = n.ctime_ns,
                 inode = n.inode, settled = n.settled, changed = $8
             FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
                  AS n(collection_id, id, size, mtime_ns, ctime_ns, inode, settled)
             WHERE d.collection_id = n.collection_id AND d.id = n.id",
        )
        .await?;
    batch
        .tx
        .execute(&statement, &[&collections, &ids, &size, &mtime, &ctime, &inode, &settled, &batch.number])
        .await?;
    batch.changed = true;
    Ok(())
}
