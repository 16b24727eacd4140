//! Many rows at once.

use std::pin::pin;

use deadpool_postgres::Transaction;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use crate::fault::Outcome;

/// Rows on their way into a table. Each goes in with [`Rows::push`], and all of them with [`Rows::send`].
pub(crate) struct Rows<'a, const N: usize> {
    statement: String,
    types: [Type; N],
    rows: Vec<[Cell<'a>; N]>,
}

/// A value of a row.
pub(crate) type Cell<'a> = Box<dyn ToSql + Sync + 'a>;

impl<'a, const N: usize> Rows<'a, N> {
    /// Rows of these columns of a table.
    pub(crate) fn new(table: &str, columns: &str, types: [Type; N]) -> Self {
        let statement = format!("COPY docent.{table} ({columns}) FROM STDIN BINARY");
        Self { statement, types, rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: [Cell<'a>; N]) {
        self.rows.push(row);
    }

    /// Writes all rows, and says how many that were.
    pub(crate) async fn send(self, tx: &Transaction<'_>) -> Outcome<usize> {
        if self.rows.is_empty() {
            return Ok(0);
        }
        let sink = tx.copy_in(&self.statement).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &self.types));
        for row in &self.rows {
            let cells: [&(dyn ToSql + Sync); N] = std::array::from_fn(|at| &*row[at]);
            writer.as_mut().write(&cells).await?;
        }
        Ok(writer.finish().await? as usize)
    }
}

/// Text as the server takes it: it has no zero byte. Only what is derived from a document goes through here; its own text
/// is kept as bytes.
pub(crate) fn clean(text: &str) -> String {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}"),
        false => text.to_owned(),
    }
}
