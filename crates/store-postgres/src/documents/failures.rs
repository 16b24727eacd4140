//! Files that could not be indexed.

use docent_index::Failure;

use super::stats;
use crate::batch::Batch;
use crate::copy::clean;
use crate::fault::Outcome;
use crate::rows::GenericClient;

/// Forgets that files could not be indexed.
pub(crate) async fn clear_failures(batch: &mut Batch<'_>, places: &[(i32, String)]) -> Outcome<()> {
    if places.is_empty() {
        return Ok(());
    }
    let collections: Vec<i32> = places.iter().map(|(of, _)| *of).collect();
    let paths: Vec<&str> = places.iter().map(|(_, path)| path.as_str()).collect();
    batch
        .tx
        .execute(
            "DELETE FROM docent.failures f USING unnest($1::integer[], $2::text[]) AS gone(collection_id, path)
             WHERE f.collection_id = gone.collection_id AND f.path = gone.path",
            &[&collections, &paths],
        )
        .await?;
    batch.changed = true;
    Ok(())
}

/// Notes that files could not be indexed.
pub(super) async fn fail(batch: &mut Batch<'_>, failed: &[(i32, &Failure)]) -> Outcome<()> {
    if failed.is_empty() {
        return Ok(());
    }
    let collections: Vec<i32> = failed.iter().map(|(of, _)| *of).collect();
    let paths: Vec<&str> = failed.iter().map(|(_, failure)| failure.path.as_str()).collect();
    let reasons: Vec<String> = failed.iter().map(|(_, failure)| clean(&failure.reason)).collect();
    let (size, mtime, ctime, inode, settled) = stats(failed.iter().map(|(_, failure)| &failure.stat));
    batch
        .tx
        .execute(
            "INSERT INTO docent.failures (collection_id, path, reason, size, mtime_ns, ctime_ns, inode, settled)
             SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
                                  $7::bigint[], $8::boolean[])
             ON CONFLICT (collection_id, path) DO UPDATE SET reason = excluded.reason, size = excluded.size,
                 mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, inode = excluded.inode,
                 settled = excluded.settled",
            &[&collections, &paths, &reasons, &size, &mtime, &ctime, &inode, &settled],
        )
        .await?;
    batch.changed = true;
    Ok(())
}
