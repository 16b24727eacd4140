//! Drafts questions from the documents themselves: headings, links and written questions.
//!
//! A draft is a start, not a test: its words are the documents' own, which makes it easier than what users ask. What cannot
//! be told apart (a heading on two pages, unless a facet tells which is meant) or says nothing ("Overview", "here") is left
//! out. The same documents give the same drafts, spread over the folders.

mod candidates;
mod siblings;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use docent_engine::{Engine, EngineError};

use crate::cases::{Expected, Target};
use crate::targets::Targets;
use crate::url_map::UrlMap;
use candidates::{Candidate, Destination};
use siblings::Siblings;

/// A drafted question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What would be asked.
    pub query: String,
    /// The page or section that answers it.
    pub expected: String,
    /// `heading`, `link` or `question`.
    pub category: &'static str,
    /// The facet and its value that say which of several pages is meant.
    pub filter: Option<(String, String)>,
}

/// A candidate whose answer is known.
#[derive(Debug, Clone)]
struct Located {
    candidate: Candidate,
    target: String,
    filter: Option<(String, String)>,
}

/// Drafts up to `count` questions.
pub fn suggest(engine: &Engine, collections: &[String], count: usize) -> Result<Vec<Draft>, EngineError> {
    let entries = engine.indexed_entries(collections)?;
    let paths: BTreeSet<String> = entries.iter().map(|entry| entry.path.clone()).collect();
    let urls = UrlMap::new(paths.iter().cloned());
    let mut all: Vec<Candidate> = Vec::new();
    for path in &paths {
        all.extend(candidates::of(&engine.outline(collections, path)?));
    }
    let mut targets = Targets::new(engine, collections);
    let siblings = Siblings::new(entries, engine.facets(collections)?);
    let mut queues = spread(&unambiguous(all, &paths, &urls, &siblings));
    let mut drafts = Vec::new();
    // Categories take turns, so that a few links stand beside many headings.
    while drafts.len() < count && queues.iter().any(|queue| !queue.is_empty()) {
        for queue in &mut queues {
            while let Some(Located { candidate, target, filter }) = queue.pop_front() {
                let name = Expected { target: Target::Name(target), gain: 1.0 };
                // What a run could not find must not be drafted.
                if let Ok(wanted) = targets.find(&name)? {
                    drafts.push(Draft {
                        query: candidate.query,
                        expected: wanted.name,
                        category: candidate.category,
                        filter,
                    });
                    break;
                }
            }
        }
    }
    drafts.truncate(count);
    drafts.sort_by(|a, b| (a.category, &a.expected, &a.query).cmp(&(b.category, &b.expected, &b.query)));
    Ok(drafts)
}

/// The drafts as a file that `docent eval run` takes as it is.
pub fn to_yaml(drafts: &[Draft]) -> String {
    let mut text = "\
# Questions for `docent eval run`, drafted by `docent eval suggest`.
#
# Edit them before you trust any figure: they repeat the words of the documents, which makes them too easy. Put each query
# into the words of somebody who does not know the page yet, and delete those that nobody would ask. `expected` is a page or
# a section, as `docent get` takes it; a list means that several are right.
cases:
"
    .to_owned();
    for draft in drafts {
        text.push_str(&format!(
            "  - query: {}\n    expected: {}\n    category: {}\n",
            quoted(&draft.query),
            quoted(&draft.expected),
            draft.category
        ));
        if let Some((key, value)) = &draft.filter {
            text.push_str(&format!("    filters: {{{}: {}}}\n", quoted(key), quoted(value)));
        }
    }
    if drafts.is_empty() {
        text.push_str("  []\n");
    }
    text
}

/// A double-quoted scalar: JSON's spelling is YAML's, once what YAML cannot print is spelled out.
fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let is_plain = |c: char| !c.is_control() && !('\u{2028}'..='\u{2029}').contains(&c) && c != '\u{feff}';
    json.chars()
        .map(|c| if is_plain(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
        .collect()
}

/// Candidates whose words lead to one place only, or to one of several pages that a facet tells apart.
fn unambiguous(
    all: Vec<Candidate>,
    paths: &BTreeSet<String>,
    urls: &UrlMap,
    siblings: &Siblings,
) -> Vec<Located> {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut located = Vec::new();
    for candidate in all {
        let Some(target) = locate(&candidate, paths, urls) else { continue };
        let key = words::normalised(&candidate.query);
        places.entry(key.clone()).or_default().insert(page_of(&target).to_owned());
        located.push((key, candidate, target));
    }
    let told: BTreeMap<&str, (&str, (String, String))> = places
        .iter()
        .filter(|(_, pages)| pages.len() > 1)
        .filter_map(|(key, pages)| Some((key.as_str(), siblings.told_apart(key, pages)?)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut chosen = Vec::new();
    for (key, candidate, target) in located {
        let is_only = places.get(&key).is_some_and(|pages| pages.len() == 1);
        // A link is read on its page, without a filter; what stands on the page itself needs one.
        let is_heading = matches!(candidate.destination, Destination::Here(_));
        let sibling = told.get(key.as_str()).filter(|(page, _)| is_heading && page_of(&target) == *page);
        let filter = sibling.map(|(_, filter)| filter.clone());
        if (is_only || filter.is_some()) && seen.insert(key) {
            chosen.push(Located { candidate, target, filter });
        }
    }
    chosen
}

/// A link to a section and one to its page do not contradict each other.
fn page_of(target: &str) -> &str {
    target.split('#').next().unwrap_or_default()
}

fn locate(candidate: &Candidate, paths: &BTreeSet<String>, urls: &UrlMap) -> Option<String> {
    let address = match &candidate.destination {
        Destination::Here(target) => return Some(target.clone()),
        Destination::Link(address) => address,
    };
    let (place, fragment) = match address.split_once('#') {
        Some((place, fragment)) => (place, Some(fragment)),
        None => (address.as_str(), None),
    };
    let path = if place.is_empty() {
        candidate.path.clone()
    } else {
        let joined = words::joined(&candidate.path, place);
        if paths.contains(&joined) { joined } else { urls.find(&joined).ok()?.0 }
    };
    // A page that links to itself says nothing new.
    (path != candidate.path || fragment.is_some()).then(|| {
        match fragment.filter(|fragment| !fragment.is_empty()) {
            Some(fragment) => format!("{path}#{fragment}"),
            None => path,
        }
    })
}

/// One queue for each category, in which folders take turns.
fn spread(all: &[Located]) -> Vec<VecDeque<Located>> {
    ["question", "link", "heading"]
        .map(|category| {
            let mut folders: BTreeMap<(u64, String), Vec<Located>> = BTreeMap::new();
            for one in all.iter().filter(|one| one.candidate.category == category) {
                let folder = one.candidate.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                folders.entry((words::hash(&folder), folder)).or_default().push(one.clone());
            }
            let mut queues: Vec<VecDeque<Located>> = Vec::new();
            for (_, mut folder) in folders {
                folder.sort_by_key(|one| (words::hash(&one.candidate.query), one.target.clone()));
                queues.push(folder.into());
            }
            let mut queue = VecDeque::new();
            while queues.iter().any(|folder| !folder.is_empty()) {
                queue.extend(queues.iter_mut().filter_map(VecDeque::pop_front));
            }
            queue
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_queries_stay_one_value_each() {
        let hostile = "a \"b\"\n- c: #\\ \u{85}\u{2028}\u{7f}\t: [";
        let draft = Draft {
            query: hostile.to_owned(),
            expected: "a.md".to_owned(),
            category: "heading",
            filter: Some(("a: {b".to_owned(), "c}, \"d".to_owned())),
        };
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("cases.yaml");
        std::fs::write(&file, to_yaml(&[draft])).unwrap();
        let set = crate::CaseSet::load(&file, None, None).unwrap();
        assert_eq!(set.cases[0].query, hostile.trim());
        assert_eq!(set.cases[0].category.as_deref(), Some("heading"));
        assert_eq!(set.cases[0].filters, [("a: {b".to_owned(), vec!["c}, \"d".to_owned()])]);
    }
}
