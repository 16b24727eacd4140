//! What a database is good for, before anything is made in it.

use std::time::Duration;

use docent_index::StoreError;

use crate::health::docalign;
use crate::link::Link;
use crate::options::PostgresOptions;

/// How long the server goes on with the question.
const STATEMENT: Duration = Duration::from_secs(3);

/// What a database is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The tables of an index are there, or this role may make them.
    pub has_index: bool,
    /// It cannot hold an index, and DocAlign's tables are there to be read.
    pub is_docaligns: bool,
}

impl Standing {
    /// Asks the database at `url`.
    pub fn of(url: &str) -> Result<Self, StoreError> {
        let link = link(url)?;
        let asked = link.wait_for(link.trifle(), async {
            let client = link.client().await?;
            let row = client
                .query_one(
                    "SELECT CASE WHEN to_regnamespace('docent') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
                                 ELSE has_schema_privilege('docent', 'USAGE') END,
                            to_regnamespace('docent') IS NOT NULL, pg_is_in_recovery()",
                    &[],
                )
                .await?;
            let (may, is_made, is_copy): (bool, bool, bool) = (row.get(0), row.get(1), row.get(2));
            let has_index = may && (is_made || !is_copy);
            // Nobody asks for the other where an index can be kept.
            let is_docaligns = !has_index && docalign::is_there(&client).await?;
            Ok(Self { has_index, is_docaligns })
        });
        asked.map_err(|fault| link.told(fault.while_reading()))
    }

    /// Whether the role may write to the index at `url`, for who would rather know before the work than after it.
    pub fn check_writable(url: &str) -> Result<(), StoreError> {
        let link = link(url)?;
        let asked = link.wait_for(link.trifle(), async {
            let client = link.client().await?;
            let row = client
                .query_one(
                    "SELECT pg_is_in_recovery(), has_table_privilege('docent.collections', 'INSERT')",
                    &[],
                )
                .await?;
            Ok((row.get(0), row.get(1)))
        });
        let place = link.place.clone();
        match asked.map_err(|fault| link.told(fault.while_reading()))? {
            (true, _) => Err(StoreError::Standby { place, detail: "it is in recovery".to_owned() }),
            (_, false) => Err(StoreError::Forbidden {
                place,
                detail: "this role may not write to the tables".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

fn link(url: &str) -> Result<Link, StoreError> {
    Link::reading(url, 1, PostgresOptions::default().outage, STATEMENT)
        .map_err(|detail| StoreError::Refused { place: "the address given".to_owned(), detail })
}
