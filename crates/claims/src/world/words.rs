//! Which files hold which words, remembered for each content.
//!
//! A past state of a repository shares most of its contents with the present and with other past states. So words are
//! looked for once in each content, all words of a run together, and the answer is kept under the content's name. Looking
//! at a hundred old commits then costs reading what differs between them, instead of a hundred searches of everything.

use std::collections::HashMap;

/// Words that were asked for, and the contents that were searched.
#[derive(Debug, Default)]
pub(crate) struct WordBook {
    numbers: HashMap<String, u32>,
    /// A run of word characters → the words that hold it, and where in them it stands.
    by_run: HashMap<Box<[u8]>, Vec<(u32, usize)>>,
    words: Vec<String>,
    contents: HashMap<String, Searched>,
}

#[derive(Debug, Default)]
struct Searched {
    /// So many of the words were looked for.
    words: usize,
    found: Vec<u32>,
}

/// What a search of one content found.
#[derive(Debug)]
pub(crate) struct Found {
    id: String,
    from: usize,
    to: usize,
    found: Vec<u32>,
}

impl WordBook {
    /// Makes sure that these words are looked for from now on.
    pub(crate) fn add(&mut self, words: &[String]) {
        for word in words {
            if self.numbers.contains_key(word) {
                continue;
            }
            let number = self.words.len() as u32;
            self.numbers.insert(word.clone(), number);
            self.words.push(word.clone());
            // The longest run is the rarest one.
            if let Some((at, run)) = runs(word.as_bytes()).max_by_key(|(_, run)| run.len()) {
                self.by_run.entry(run.into()).or_default().push((number, at));
            }
        }
    }

    /// Whether a content has not been searched for all words yet.
    pub(crate) fn needs(&self, id: &str) -> bool {
        self.contents.get(id).is_none_or(|searched| searched.words < self.words.len())
    }

    /// Searches a content; `None` for one that cannot be read. The answer is for [`WordBook::note`], so that two can
    /// search at a time.
    pub(crate) fn search(&self, id: &str, bytes: Option<&[u8]>) -> Found {
        let known = self.contents.get(id).map_or(0, |searched| searched.words);
        let mut found = bytes.map(|bytes| self.find(bytes, known)).unwrap_or_default();
        found.sort_unstable();
        found.dedup();
        Found { id: id.to_owned(), from: known, to: self.words.len(), found }
    }

    /// Remembers what was found.
    pub(crate) fn note(&mut self, found: Found) {
        let searched = self.contents.entry(found.id).or_default();
        // Somebody else may have looked for a part of the same words meanwhile.
        let known = searched.words;
        if found.from <= known && known < found.to {
            searched.found.extend(found.found.into_iter().filter(|number| *number as usize >= known));
            searched.words = found.to;
        }
    }

    /// For each word the paths whose content holds it.
    pub(crate) fn files<'a>(
        &self,
        words: &[String],
        contents: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> HashMap<String, Vec<String>> {
        let wanted: HashMap<u32, &String> =
            words.iter().filter_map(|word| Some((*self.numbers.get(word)?, word))).collect();
        let mut files: HashMap<String, Vec<String>> = HashMap::new();
        for (path, id) in contents {
            for number in self.contents.get(id).map_or(&[][..], |searched| &searched.found) {
                if let Some(word) = wanted.get(number) {
                    files.entry((*word).clone()).or_default().push(path.to_owned());
                }
            }
        }
        files
    }

    /// Numbers of the words from `first` on that stand in a text.
    fn find(&self, bytes: &[u8], first: usize) -> Vec<u32> {
        let mut found = Vec::new();
        if is_binary(bytes) {
            return found;
        }
        for (start, run) in runs(bytes) {
            let Some(candidates) = self.by_run.get(run) else { continue };
            for (number, at) in candidates.iter().filter(|(number, _)| *number as usize >= first) {
                let Some(word) = self.words.get(*number as usize).map(String::as_bytes) else { continue };
                let Some(begin) = start.checked_sub(*at) else { continue };
                let before = begin.checked_sub(1).and_then(|at| bytes.get(at));
                let after = bytes.get(begin + word.len());
                let is_cut = [before, after].into_iter().flatten().any(|byte| is_word(*byte));
                if !is_cut && bytes.get(begin..begin + word.len()) == Some(word) {
                    found.push(*number);
                }
            }
        }
        found
    }
}

/// Letters, digits and `_`; every byte of a character beyond ASCII counts as a letter.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Runs of word characters with their positions.
fn runs(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|byte| !is_word(*byte)) {
            at += 1;
        }
        let start = at;
        while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            at += 1;
        }
        (at > start).then(|| (start, bytes.get(start..at).unwrap_or_default()))
    })
}

/// Like git: a zero byte among the first ones.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, words: &[&str], expected: &[&str]) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut book = WordBook::default();
        book.add(&words);
        let found = book.search("1", Some(text.as_bytes()));
        book.note(found);
        let files = book.files(&words, [("a", "1")].into_iter());
        let found: Vec<&String> = words.iter().filter(|word| files.contains_key(*word)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn words_count_as_a_whole() {
        check("let alpha_beta = 1;", &["alpha_beta", "alpha", "beta", "let"], &["alpha_beta", "let"]);
        check("MAX", &["max", "MAX"], &["MAX"]);
        check("größe", &["gr", "größe"], &["größe"]);
    }

    #[test]
    fn words_with_other_characters_are_found_too() {
        check(
            "\"test:unit\": \"x\"",
            &["test:unit", "test", "unit", "test:un"],
            &["test:unit", "test", "unit"],
        );
        check("--dry-run", &["--dry-run", "dry-run", "dry"], &["--dry-run", "dry-run", "dry"]);
        check("a--dry-run", &["--dry-run"], &[]);
        check("anything", &["--", ""], &[]);
    }

    #[test]
    fn words_that_come_later_are_looked_for_as_well() {
        let mut book = WordBook::default();
        book.add(&["a".to_owned()]);
        let found = book.search("1", Some(b"a b"));
        book.note(found);
        assert!(!book.needs("1"));
        book.add(&["b".to_owned()]);
        assert!(book.needs("1"));
        let found = book.search("1", Some(b"a b"));
        book.note(found);
        let words = ["a".to_owned(), "b".to_owned()];
        assert_eq!(book.files(&words, [("x", "1")].into_iter()).len(), 2);
    }

    #[test]
    fn two_searches_at_a_time_lose_nothing() {
        let mut book = WordBook::default();
        book.add(&["a".to_owned()]);
        let one = book.search("1", Some(b"a b"));
        book.add(&["b".to_owned()]);
        let other = book.search("1", Some(b"a b"));
        book.note(one);
        book.note(other);
        assert!(!book.needs("1"));
        let words = ["a".to_owned(), "b".to_owned()];
        let files = book.files(&words, [("x", "1")].into_iter());
        assert_eq!((files["a"].len(), files["b"].len()), (1, 1));
    }

    #[test]
    fn binary_files_hold_no_words() {
        check("a\0b", &["a", "b"], &[]);
    }
}
