//! Judged queries, metrics and reports.
