//! Answers that are kept for a minute, because agents ask the same again.
//!
//! An entry is as good as the generation that it was made from: a new verification makes all of them worthless at once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long an answer is kept.
const TTL: Duration = Duration::from_secs(60);
/// How many are kept; when there are more, the older half goes.
const MAX_ENTRIES: usize = 200;

/// Answers by what was asked.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    generation: u64,
    entries: HashMap<String, (Instant, T)>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { generation: 0, entries: HashMap::new() }
    }
}

impl<T: Clone> Cache<T> {
    /// What was kept for `key`, when it is of this generation and not too old.
    pub(crate) fn get(&mut self, key: &str, generation: u64, now: Instant) -> Option<T> {
        if self.generation != generation {
            self.entries.clear();
            self.generation = generation;
        }
        let (made, kept) = self.entries.get(key)?;
        if now.duration_since(*made) < TTL {
            return Some(kept.clone());
        }
        self.entries.remove(key);
        None
    }

    /// Keeps an answer that was made from this generation.
    pub(crate) fn put(&mut self, key: String, generation: u64, now: Instant, value: T) {
        if self.generation != generation {
            return;
        }
        if self.entries.len() >= MAX_ENTRIES {
            let mut ages: Vec<Instant> = self.entries.values().map(|(made, _)| *made).collect();
            ages.sort_unstable();
            let bar = ages[MAX_ENTRIES / 2];
            // Where all are of one age, all go.
            self.entries.retain(|_, (made, _)| *made > bar);
        }
        self.entries.insert(key, (now, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_minute() {
        let (mut cache, begun) = (Cache::default(), Instant::now());
        assert_eq!(cache.get("a", 1, begun), None);
        cache.put("a".to_owned(), 1, begun, 7);
        assert_eq!(cache.get("a", 1, begun + Duration::from_secs(59)), Some(7));
        assert_eq!(cache.get("a", 1, begun + Duration::from_secs(60)), None);
    }

    #[test]
    fn a_new_generation_makes_all_worthless() {
        let (mut cache, now) = (Cache::default(), Instant::now());
        assert_eq!(cache.get("a", 1, now), None);
        cache.put("a".to_owned(), 1, now, 7);
        assert_eq!(cache.get("a", 2, now), None);
        // What was begun before the change must not be kept after it.
        cache.put("a".to_owned(), 1, now, 7);
        assert_eq!(cache.get("a", 2, now), None);
    }

    #[test]
    fn beyond_two_hundred_the_older_half_goes() {
        let (mut cache, begun) = (Cache::default(), Instant::now());
        cache.get("", 1, begun);
        for number in 0..=200u64 {
            cache.put(number.to_string(), 1, begun + Duration::from_millis(number), number);
        }
        let now = begun + Duration::from_secs(1);
        assert_eq!((cache.get("0", 1, now), cache.get("200", 1, now)), (None, Some(200)));
        assert!((100..=101).contains(&cache.entries.len()), "{}", cache.entries.len());
    }
}
