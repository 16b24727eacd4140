//! The times in a built index: when it was built, and when each document last changed.
//!
//! A document's time is that of the last commit that changed it. One that no commit has as it is takes the time that the
//! file system tells, which differs between two copies of a folder; `SOURCE_DATE_EPOCH` takes its place where set.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use docent_engine::git;

use crate::env_vars;
use crate::errors::CliError;

/// The moment that counts as now, when somebody fixed it, in milliseconds since 1970.
pub(super) fn fixed_ms() -> Result<Option<i64>, CliError> {
    let Some(text) = env_vars::process(env_vars::SOURCE_DATE_EPOCH) else { return Ok(None) };
    let seconds: Option<i64> = text.to_str().and_then(|text| text.parse().ok());
    match seconds.and_then(|seconds| seconds.checked_mul(1000)) {
        Some(ms) if ms >= 0 => Ok(Some(ms)),
        _ => Err(CliError::usage(
            format!("{} is `{}`, which is no time", env_vars::SOURCE_DATE_EPOCH, text.to_string_lossy()),
            "give the seconds since 1970, e.g. $(git log -1 --format=%ct)",
        )),
    }
}

pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// When each document last changed, from when each file did.
pub(super) fn of_documents(
    docs: &Path,
    files_ms: BTreeMap<String, i64>,
    fixed_ms: Option<i64>,
) -> BTreeMap<String, i64> {
    let committed = git::last_commits(docs, &files_ms.keys().cloned().collect());
    let time = |(path, file_ms): (String, i64)| {
        let committed_ms = committed.get(&path).map(|seconds| seconds.saturating_mul(1000));
        (path, committed_ms.or(fixed_ms).unwrap_or(file_ms))
    };
    files_ms.into_iter().map(time).collect()
}
