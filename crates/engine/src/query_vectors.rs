//! An embedder that remembers the queries of late. Agents page through answers and repeat a question with another
//! filter; the model need not run again for that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docent_index::{EmbedError, Embedder, Model};

/// Queries that are kept. Each takes about a kilobyte and a half, and a team asks the same things all day.
const KEPT: usize = 1024;

/// Remembers vectors by query. When it is full, those go that were not asked for since half of it was filled.
pub(crate) struct QueryVectors {
    embedder: Arc<dyn Embedder>,
    kept: Mutex<Kept>,
}

/// Queries come back from `old` to `young` when they are asked again.
#[derive(Default)]
struct Kept {
    young: HashMap<String, Vec<f32>>,
    old: HashMap<String, Vec<f32>>,
}

impl QueryVectors {
    pub(crate) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self { embedder, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn get(&mut self, query: &str) -> Option<Vec<f32>> {
        if let Some((query, vector)) = self.old.remove_entry(query) {
            self.put(query, vector);
        }
        self.young.get(query).cloned()
    }

    fn put(&mut self, query: String, vector: Vec<f32>) {
        if self.young.len() >= KEPT / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(query, vector);
    }
}

impl Embedder for QueryVectors {
    fn model(&self) -> &Model {
        self.embedder.model()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.embedder.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if let Some(vector) = self.kept().get(text) {
            return Ok(vector);
        }
        let vector = self.embedder.embed_query(text)?;
        self.kept().put(text.to_owned(), vector.clone());
        Ok(vector)
    }

    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut known: HashMap<&str, Option<Vec<f32>>> =
            texts.iter().map(|text| (*text, self.kept().get(text))).collect();
        let mut unknown: Vec<&str> = texts.iter().copied().filter(|text| known[text].is_none()).collect();
        unknown.sort_unstable();
        unknown.dedup();
        for (text, vector) in unknown.iter().zip(self.embedder.embed_queries(&unknown)?) {
            self.kept().put((*text).to_owned(), vector.clone());
            known.insert(text, Some(vector));
        }
        Ok(texts.iter().filter_map(|text| known[text].clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Counting(Model, AtomicUsize);

    impl Embedder for Counting {
        fn model(&self) -> &Model {
            &self.0
        }

        fn embed_documents(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
            Ok(Vec::new())
        }

        fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(vec![text.len() as f32])
        }
    }

    #[test]
    fn a_query_is_embedded_once_and_forgotten_when_many_others_came() {
        let model = Model { id: "m".into(), name: "m".into(), provider: "p".into(), dimensions: 1 };
        let counting = Arc::new(Counting(model, AtomicUsize::new(0)));
        let vectors = QueryVectors::new(Arc::clone(&counting) as Arc<dyn Embedder>);
        for _ in 0..3 {
            assert_eq!(vectors.embed_query("abc").unwrap(), [3.0]);
        }
        assert_eq!(counting.1.load(Ordering::Relaxed), 1);
        for number in 0..2 * KEPT {
            vectors.embed_query(&number.to_string()).unwrap();
        }
        let count = |kept: &Kept| kept.young.len() + kept.old.len();
        assert!(count(&vectors.kept()) <= KEPT);
        vectors.embed_query("abc").unwrap();
        assert_eq!(counting.1.load(Ordering::Relaxed), 2 + 2 * KEPT);
    }

    #[test]
    fn of_several_queries_only_the_new_ones_are_embedded() {
        let model = Model { id: "m".into(), name: "m".into(), provider: "p".into(), dimensions: 1 };
        let counting = Arc::new(Counting(model, AtomicUsize::new(0)));
        let vectors = QueryVectors::new(Arc::clone(&counting) as Arc<dyn Embedder>);
        vectors.embed_query("ab").unwrap();
        let found = vectors.embed_queries(&["abc", "ab", "a", "abc"]).unwrap();
        assert_eq!(found, [[3.0], [2.0], [1.0], [3.0]]);
        assert_eq!(counting.1.load(Ordering::Relaxed), 3);
        assert_eq!(vectors.embed_query("a").unwrap(), [1.0]);
        assert_eq!(counting.1.load(Ordering::Relaxed), 3);
        assert!(vectors.embed_queries(&[]).unwrap().is_empty());
    }

    #[test]
    fn a_query_that_is_asked_again_and_again_stays() {
        let model = Model { id: "m".into(), name: "m".into(), provider: "p".into(), dimensions: 1 };
        let counting = Arc::new(Counting(model, AtomicUsize::new(0)));
        let vectors = QueryVectors::new(Arc::clone(&counting) as Arc<dyn Embedder>);
        for number in 0..4 * KEPT {
            vectors.embed_query("abc").unwrap();
            vectors.embed_query(&number.to_string()).unwrap();
        }
        assert_eq!(counting.1.load(Ordering::Relaxed), 1 + 4 * KEPT);
    }
}
