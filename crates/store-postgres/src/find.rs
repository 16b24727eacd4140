//! Lexical search of a view: brings the postings of a query together and hands them to [`lexical`](crate::lexical).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use docent_index::LexicalQuery;

use crate::fault::Outcome;
use crate::lexical::{Kept, PackedTerm, Scores, Segment as Searched, Totals, search, term_of};
use crate::rows::{self, GenericClient};
use crate::segments;
use crate::shared::{Reading, Shared};
use crate::view::{Segment, View};

/// Scores everything in these collections; `None` for all.
pub(crate) async fn scores(
    reading: Reading<'_>,
    query: &LexicalQuery,
    collections: Option<&HashSet<i32>>,
) -> Outcome<Scores> {
    let Reading { link, view, .. } = reading;
    let is_sound = |(word, weight): &&(String, f32)| !word.is_empty() && weight.is_finite() && *weight > 0.0;
    let query = LexicalQuery { terms: query.terms.iter().filter(is_sound).cloned().collect() };
    if query.terms.is_empty() || view.segments.is_empty() {
        return Ok(Scores::default());
    }
    if let Some(scores) = scores_in(reading, &view.segments, &query, collections).await? {
        return Ok(scores);
    }
    // Segments of this view were merged so long ago that they are gone: the newest ones hold the same documents.
    let client = link.client().await?;
    let newest = rows::segments(&client, view.only.as_deref()).await?;
    drop(client);
    let newest: Vec<_> =
        newest.into_iter().map(|row| Arc::new(Segment { row, entries: Default::default() })).collect();
    Ok(scores_in(reading, &newest, &query, collections).await?.unwrap_or_default())
}

/// Reads the entries of new segments of collections that were searched in the view before.
pub(crate) async fn prepare(Reading { link, view, .. }: Reading<'_>, before: &View) -> Outcome<()> {
    let is_read = |segment: &&Arc<Segment>| segment.entries.get().is_some();
    let searched: HashSet<i32> =
        before.segments.iter().filter(is_read).map(|segment| segment.row.collection).collect();
    let is_new = |segment: &&Arc<Segment>| !is_read(segment) && searched.contains(&segment.row.collection);
    let bare: Vec<&Arc<Segment>> = view.segments.iter().filter(is_new).collect();
    if bare.is_empty() {
        return Ok(());
    }
    let client = link.client().await?;
    read_entries(&client, &[], &bare).await.map(drop)
}

/// [`scores`] over given segments; `None` when some of them are gone.
async fn scores_in(
    Reading { shared, link, .. }: Reading<'_>,
    segments: &[Arc<Segment>],
    query: &LexicalQuery,
    collections: Option<&HashSet<i32>>,
) -> Outcome<Option<Scores>> {
    let is_searched =
        |segment: &Segment| collections.is_none_or(|named| named.contains(&segment.row.collection));
    let terms: Vec<i64> = query.terms.iter().map(|(word, _)| term_of(word)).collect();
    let mut found: HashMap<(i64, i64), Kept> = HashMap::new();
    let mut missing: Vec<&Arc<Segment>> = Vec::new();
    for segment in segments {
        let mut is_complete = true;
        for term in &terms {
            match shared.postings.get(segment.row.id, *term) {
                Some(Kept::Counts(_)) if is_searched(segment) => is_complete = false,
                Some(kept) => {
                    found.insert((segment.row.id, *term), kept);
                }
                None => is_complete = false,
            }
        }
        if !is_complete {
            missing.push(segment);
        }
    }
    let bare: Vec<&Arc<Segment>> =
        segments.iter().filter(|segment| is_searched(segment) && segment.entries.get().is_none()).collect();
    if !missing.is_empty() || !bare.is_empty() {
        let client = link.client().await?;
        read_postings(&client, shared, &missing, &terms, &is_searched, &mut found).await?;
        if !read_entries(&client, &missing, &bare).await? {
            return Ok(None);
        }
    }
    let searched = segments.iter().map(|segment| Searched {
        entries: segment.entries.get().filter(|_| is_searched(segment)).cloned(),
        chunks: Totals { entries: segment.row.chunks, words: segment.row.chunk_words },
        pages: Totals { entries: segment.row.documents, words: segment.row.page_words },
        terms: terms
            .iter()
            .map(|term| match found.get(&(segment.row.id, *term)) {
                Some(Kept::Whole(packed) | Kept::Counts(packed)) => Some(packed.clone()),
                _ => None,
            })
            .collect(),
    });
    Ok(Some(search(searched.collect(), query)))
}

async fn read_postings(
    client: &impl GenericClient,
    shared: &Shared,
    missing: &[&Arc<Segment>],
    terms: &[i64],
    is_searched: &impl Fn(&Segment) -> bool,
    found: &mut HashMap<(i64, i64), Kept>,
) -> Outcome<()> {
    let collections: Vec<i32> = missing.iter().map(|segment| segment.row.collection).collect();
    let ids: Vec<i64> = missing.iter().map(|segment| segment.row.id).collect();
    let whole: Vec<bool> = missing.iter().map(|segment| is_searched(segment)).collect();
    let statement = client
        .prepare_cached(
            "SELECT p.segment, p.term, p.chunks, p.pages, CASE WHEN s.whole THEN p.list END
             FROM unnest($1::integer[], $2::bigint[], $3::boolean[]) AS s(collection_id, segment, whole)
             CROSS JOIN unnest($4::bigint[]) AS t(term)
             CROSS JOIN LATERAL (
                 SELECT segment, term, chunks, pages, list FROM docent.postings
                 WHERE collection_id = s.collection_id AND segment = s.segment AND term = t.term OFFSET 0) p",
        )
        .await?;
    let read = client.query(&statement, &[&collections, &ids, &whole, &terms]).await?;
    for segment in missing {
        for term in terms {
            found.insert((segment.row.id, *term), Kept::None);
        }
    }
    for row in &read {
        let packed: PackedTerm = segments::packed(row, 2);
        let kept = match row.get::<_, Option<&[u8]>>(4) {
            Some(_) => Kept::Whole(packed),
            None => Kept::Counts(packed),
        };
        found.insert((row.get(0), row.get(1)), kept);
    }
    for segment in missing {
        for term in terms {
            if let Some(kept) = found.get(&(segment.row.id, *term)) {
                shared.postings.put(segment.row.id, *term, kept.clone());
            }
        }
    }
    Ok(())
}

/// Reads entries that were not read yet, and says whether all segments are there. Postings go together with their segment,
/// so those that were read before this are whole when it is.
async fn read_entries(
    client: &impl GenericClient,
    missing: &[&Arc<Segment>],
    bare: &[&Arc<Segment>],
) -> Outcome<bool> {
    let ids: Vec<i64> = bare.iter().map(|segment| segment.row.id).collect();
    let read: HashMap<i64, _> = match ids.is_empty() {
        true => HashMap::new(),
        false => segments::entries(client, &ids).await?.into_iter().collect(),
    };
    let mut read = read;
    let mut is_whole = true;
    for segment in bare {
        match read.remove(&segment.row.id) {
            Some(entries) => {
                let _ = segment.entries.set(Arc::new(entries));
            }
            None => is_whole = false,
        }
    }
    let others: Vec<i64> =
        missing.iter().map(|segment| segment.row.id).filter(|id| !ids.contains(id)).collect();
    if is_whole && !others.is_empty() {
        let statement =
            client.prepare_cached("SELECT count(*) FROM docent.segments WHERE id = ANY($1)").await?;
        let there: i64 = client.query_one(&statement, &[&others]).await?.get(0);
        is_whole = there as usize == others.len();
    }
    Ok(is_whole)
}
