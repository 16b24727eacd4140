//! Which files hold which words, remembered for each content.
//!
//! A past state of a repository shares most of its contents with the present and with other past states. So words are
//! looked for once in each content, all words of a run together, and the answer is kept under the content's name. Looking
//! at a hundred old commits then costs reading what differs between them, instead of a hundred searches of everything. A
//! word that comes later is looked for in what is known of the words of a content ([`Sketch`]).

use std::collections::HashMap;

use super::sketch::{Sketch, hash};

/// Words that were asked for, and the contents that were searched.
#[derive(Debug, Default)]
pub(crate) struct WordBook {
    numbers: HashMap<String, u32>,
    /// A run of word characters → the words that hold it, and where in them it stands.
    by_run: HashMap<Box<[u8]>, Vec<(u32, usize)>>,
    words: Vec<String>,
    /// Of the runs in `by_run`: nearly everything that stands in a content is none of them.
    asked: Vec<u64>,
    /// The runs of each word, by number, and whether one is all of it.
    hashes: Vec<(Box<[u64]>, bool)>,
    /// Names of contents → their numbers.
    names: HashMap<String, u32>,
    contents: Vec<Searched>,
}

/// So many bits say whether a run may be one that is asked for.
const ASKED: usize = 1 << 19;

#[derive(Debug, Default)]
struct Searched {
    /// So many of the words were looked for.
    words: usize,
    /// Numbers of those that were found, sorted.
    found: Vec<u32>,
    /// `None` for a content that nobody has read.
    sketch: Option<Sketch>,
}

/// What a search of one content found.
#[derive(Debug)]
pub(crate) struct Found {
    content: u32,
    from: usize,
    to: usize,
    found: Vec<u32>,
    /// Of a content that was searched for the first time.
    sketch: Option<Sketch>,
}

impl Found {
    /// What is to be kept of a content that was read for the first time.
    pub(super) fn sketch(&self) -> Option<&Sketch> {
        self.sketch.as_ref()
    }

    /// Whether any word stands in the content.
    pub(crate) fn is_any(&self) -> bool {
        !self.found.is_empty()
    }
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
            let longest = runs(word.as_bytes()).max_by_key(|(_, run)| run.len());
            let (hashes, is_whole): (Box<[u64]>, bool) = match longest {
                // A run behind a mark is in the sketch as it is.
                Some((1, run)) if run.len() + 1 == word.len() && is_marked(word.as_bytes(), 1) => {
                    ([hash(word.as_bytes())].into(), true)
                }
                _ => {
                    let hashes = runs(word.as_bytes()).map(|(_, run)| hash(run)).collect();
                    (hashes, longest.is_some_and(|(_, run)| run.len() == word.len()))
                }
            };
            self.hashes.push((hashes, is_whole));
            if let Some((at, run)) = longest {
                self.by_run.entry(run.into()).or_default().push((number, at));
                let bit = hash(run) as usize % ASKED;
                self.asked.resize(ASKED / 64, 0);
                if let Some(bits) = self.asked.get_mut(bit / 64) {
                    *bits |= 1 << (bit % 64);
                }
            }
        }
    }

    /// The number of the content of that name. Names are long, and looked up for each file of each state.
    pub(crate) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.contents.len() as u32;
        self.names.insert(name.to_owned(), number);
        self.contents.push(Searched::default());
        number
    }

    /// Whether nobody has read a content yet.
    pub(super) fn is_unread(&self, content: u32) -> bool {
        self.contents.get(content as usize).is_some_and(|searched| searched.sketch.is_none())
    }

    /// Takes the sketch of a content that an earlier run has read.
    pub(super) fn sketched(&mut self, content: u32, sketch: Sketch) {
        if let Some(searched) = self.contents.get_mut(content as usize) {
            searched.sketch = Some(sketch);
        }
    }

    /// Whether a content has to be read to know all words in it.
    pub(crate) fn needs(&mut self, content: u32) -> bool {
        let Some(searched) = self.contents.get_mut(content as usize) else { return false };
        let Some(sketch) = &searched.sketch else { return true };
        let new = self.hashes.get(searched.words..).unwrap_or_default();
        let mut found = Vec::new();
        for (number, (hashes, is_whole)) in (searched.words..).zip(new) {
            let is_out = hashes.is_empty() || hashes.iter().any(|hash| !sketch.may_hold(*hash));
            if is_out {
                continue;
            }
            // Only the content tells how several runs stand together.
            if !is_whole || !sketch.is_exact() {
                return true;
            }
            found.push(number as u32);
        }
        searched.found.extend(found);
        searched.words = self.words.len();
        false
    }

    /// Searches a content; `None` for one that cannot be read. The answer is for [`WordBook::note`], so that two can
    /// search at a time.
    pub(crate) fn search(&self, content: u32, bytes: Option<&[u8]>) -> Found {
        let searched = self.contents.get(content as usize);
        let from = searched.map_or(0, |searched| searched.words);
        let is_first = searched.is_none_or(|searched| searched.sketch.is_none());
        let bytes = bytes.filter(|bytes| !is_binary(bytes) && !is_told(bytes)).unwrap_or_default();
        let mut sketch = is_first.then(Sketch::default);
        let mut found = self.find(bytes, from, sketch.as_mut());
        if let Some(sketch) = &mut sketch {
            sketch.finish();
        }
        found.sort_unstable();
        found.dedup();
        Found { content, from, to: self.words.len(), found, sketch }
    }

    /// Remembers what was found.
    pub(crate) fn note(&mut self, found: Found) {
        let Some(searched) = self.contents.get_mut(found.content as usize) else { return };
        searched.sketch = searched.sketch.take().or(found.sketch);
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
        contents: impl Iterator<Item = (&'a str, u32)>,
    ) -> HashMap<String, Vec<String>> {
        let mut wanted: Vec<(u32, &String)> =
            words.iter().filter_map(|word| Some((*self.numbers.get(word)?, word))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut files: HashMap<String, Vec<String>> = HashMap::new();
        for (path, content) in contents {
            let found = self.contents.get(content as usize).map_or(&[][..], |searched| &searched.found);
            let mut add = |word: &String| match files.get_mut(word) {
                Some(paths) => paths.push(path.to_owned()),
                None => drop(files.insert(word.clone(), vec![path.to_owned()])),
            };
            // Both are sorted: the shorter one asks the longer one.
            if wanted.len() < found.len() {
                let holds = |(number, _): &&(u32, &String)| found.binary_search(number).is_ok();
                wanted.iter().filter(holds).for_each(|(_, word)| add(word));
            } else {
                let word = |number: &u32| wanted.binary_search_by_key(number, |(number, _)| *number).ok();
                found.iter().filter_map(word).filter_map(|at| wanted.get(at)).for_each(|(_, word)| add(word));
            }
        }
        files
    }

    /// Numbers of the words from `first` on that stand in a text; everything in it goes into the sketch.
    fn find(&self, bytes: &[u8], first: usize, mut sketch: Option<&mut Sketch>) -> Vec<u32> {
        let mut found = Vec::new();
        for (start, run) in runs(bytes) {
            let hash = hash(run);
            if let Some(sketch) = &mut sketch {
                sketch.add(hash);
                if is_marked(bytes, start) {
                    let marked = bytes.get(start - 1..start + run.len()).unwrap_or_default();
                    sketch.add(super::sketch::hash(marked));
                }
            }
            let bit = hash as usize % ASKED;
            if self.asked.get(bit / 64).is_none_or(|bits| bits & (1 << (bit % 64)) == 0) {
                continue;
            }
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

/// Whether a run begins behind a mark, by which texts, paths and flags are told from other words: `"run`, `/users`, `--all`.
fn is_marked(bytes: &[u8], start: usize) -> bool {
    let before = |many: usize| start.checked_sub(many).and_then(|at| bytes.get(at)).copied();
    before(1).is_some_and(|mark| b"\"'`/|-".contains(&mark)) && !before(2).is_some_and(is_word)
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

/// Whether it is what docent wrote down about documents, under whatever name: a baseline, a report.
fn is_told(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(1000)).unwrap_or_default();
    let has = |word: &[u8]| head.windows(word.len()).any(|run| run == word);
    head.trim_ascii_start().starts_with(b"{") && has(b"\"findings\"") && has(b"\"claim_type\"")
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
        let number = book.number("1");
        let found = book.search(number, Some(text.as_bytes()));
        book.note(found);
        let files = book.files(&words, [("a", number)].into_iter());
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
        let number = book.number("1");
        book.add(&["a".to_owned()]);
        let found = book.search(number, Some(b"a b"));
        book.note(found);
        assert!(!book.needs(number));
        book.add(&["b".to_owned(), "c".to_owned()]);
        assert!(!book.needs(number));
        let words = ["a", "b", "c", "a b"].map(str::to_owned);
        assert_eq!(book.files(&words, [("x", number)].into_iter()).len(), 2);
        book.add(&words);
        assert!(book.needs(number));
        let found = book.search(number, Some(b"a b"));
        book.note(found);
        assert_eq!(book.files(&words, [("x", number)].into_iter()).len(), 3);
    }

    #[test]
    fn a_content_is_only_read_again_for_words_of_several_that_it_has() {
        let mut book = WordBook::default();
        let number = book.number("1");
        book.add(&["a".to_owned()]);
        let found = book.search(number, Some(b"a and b"));
        book.note(found);
        book.add(&["elsewhere", "--", "b", "and-elsewhere"].map(str::to_owned));
        assert!(!book.needs(number));
        book.add(&["and-b".to_owned()]);
        assert!(book.needs(number));
    }

    #[test]
    fn words_behind_a_mark_are_known_without_the_content() {
        let text = "run(\"go\", '/users', --all, x\"raw\", a/b) `tick`";
        let words = ["\"go", "'go", "/users", "-all", "\"raw", "/b", "`tick", "\"run"].map(str::to_owned);
        let mut book = WordBook::default();
        let number = book.number("1");
        let found = book.search(number, Some(text.as_bytes()));
        book.note(found);
        book.add(&words);
        assert!(!book.needs(number));
        let files = book.files(&words, [("x", number)].into_iter());
        let found: Vec<&String> = words.iter().filter(|word| files.contains_key(*word)).collect();
        assert_eq!(found, ["\"go", "/users", "-all", "`tick"]);
        check(text, &words.each_ref().map(String::as_str), &["\"go", "/users", "-all", "`tick"]);
    }

    #[test]
    fn two_searches_at_a_time_lose_nothing() {
        let mut book = WordBook::default();
        let number = book.number("1");
        book.add(&["a".to_owned()]);
        let one = book.search(number, Some(b"a b"));
        book.add(&["b".to_owned()]);
        let other = book.search(number, Some(b"a b"));
        book.note(one);
        book.note(other);
        assert!(!book.needs(number));
        let words = ["a".to_owned(), "b".to_owned()];
        let files = book.files(&words, [("x", number)].into_iter());
        assert_eq!((files["a"].len(), files["b"].len()), (1, 1));
    }

    #[test]
    fn what_docent_wrote_down_holds_no_words() {
        let baseline =
            r#"{ "findings": [{ "file": "a.md", "claim_type": "environment", "named": "APP_X" }] }"#;
        check(baseline, &["APP_X"], &[]);
        check(r#"{ "findings": ["APP_X"] }"#, &["APP_X"], &["APP_X"]);
    }

    #[test]
    fn binary_files_hold_no_words() {
        check("a\0b", &["a", "b"], &[]);
    }
}
