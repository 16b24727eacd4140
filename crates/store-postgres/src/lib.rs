//! Store on PostgreSQL.
#![forbid(unsafe_code)]
