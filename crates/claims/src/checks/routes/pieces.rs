//! Pieces of routes in code: prefixes, and what is appended to them.

use std::collections::HashSet;
use std::sync::Arc;

use super::{OTHER_SERVERS, literals, segments};
use crate::checks::marked;
use crate::facts::code::{Code, Route};
use crate::facts::openapi::OpenApi;
use crate::facts::parameters::Parameters;
use crate::{Facts, Place, World};

/// What stands in the files that hold a word of the route.
#[derive(Default)]
pub(super) struct Pieces {
    routes: Vec<(Vec<String>, Option<String>, Place)>,
    /// Texts that start like a path: prefixes, mostly.
    pub(super) texts: Vec<(Vec<String>, Place)>,
    /// Files in other languages that hold all words.
    pub(super) unparsed: Vec<Place>,
}

impl Pieces {
    /// What stands in the files that hold words of a route. Those with the most of them come first, and when one of these
    /// defines it, the others are not looked at: a word like `api` stands everywhere.
    pub(super) fn of(claimed: &[String], method: Option<&str>, words: &[&str], world: &World) -> Self {
        let mut paths: Vec<String> = words.iter().flat_map(|word| world.mentioning(word).to_vec()).collect();
        paths.sort();
        let mut files: Vec<&[String]> = paths.chunk_by(|left, right| left == right).collect();
        files.sort_by_key(|same| std::cmp::Reverse(same.len()));
        let routing = Routing::of(words, world);
        let mut pieces = Self::default();
        for group in files.chunk_by(|left, right| left.len() == right.len()) {
            let holds_all = group.first().is_some_and(|same| same.len() >= words.len());
            let group: Vec<&String> = group.iter().filter_map(|same| same.first()).collect();
            pieces.read(&group, holds_all, words, &routing);
            if !pieces.defining(claimed, method).0.is_empty() {
                break;
            }
        }
        pieces
    }

    fn read(&mut self, files: &[&String], holds_all: bool, words: &[&str], routing: &Routing<'_>) {
        let world = routing.world;
        let code = || files.iter().copied().filter(|path| Code::applies(path));
        world.expect::<Parameters>(code());
        world.expect::<Code>(code().filter(|path| routing.may_have(path)));
        for &path in files {
            let place = |line: u32| Place::at(path.clone(), line);
            if Code::applies(path) {
                let Some(code) = routing.may_have(path).then(|| world.facts::<Code>(path)).flatten() else {
                    continue;
                };
                for Route(method, route, line) in &code.routes {
                    self.routes.push((segments(route), method.clone(), place(*line)));
                }
                // A prefix starts with a word of the route.
                let is_start = |text: &str| {
                    text.strip_prefix('/').is_some_and(|rest| words.iter().any(|word| rest.starts_with(word)))
                };
                let texts = code.strings.iter().filter(|(text, _)| is_start(text));
                self.texts.extend(texts.map(|(text, line)| (segments(text), place(*line))));
            } else if let Some(document) = world.facts::<OpenApi>(path) {
                for (method, route, line) in &document.routes {
                    self.routes.push((segments(route), Some(method.clone()), place(*line)));
                }
            } else if holds_all && OTHER_SERVERS.iter().any(|ending| path.ends_with(ending)) {
                self.unparsed.push(Place::of(path.clone()));
            }
        }
    }

    /// Where it is defined with that verb, and whether it is with another.
    pub(super) fn defining(&self, claimed: &[String], method: Option<&str>) -> (Vec<Place>, bool) {
        let mut found = Vec::new();
        let mut has_other_verb = false;
        for (_, verb, place) in self.routes.iter().filter(|(piece, ..)| self.ends(claimed, piece)) {
            if verb.is_none() || method.is_none() || verb.as_deref() == method {
                found.push(place.clone());
            } else {
                has_other_verb = true;
            }
        }
        (found, has_other_verb)
    }

    /// Whether a route is the end of what is claimed, and what is before it is nothing, known, or unknown beside a piece
    /// that says enough by itself.
    fn ends(&self, claimed: &[String], piece: &[String]) -> bool {
        let Some(before) = claimed.len().checked_sub(piece.len()).and_then(|at| claimed.get(..at)) else {
            return false;
        };
        let end = claimed.get(before.len()..).unwrap_or_default();
        // A document may show a value in place of a parameter: `/users/42`.
        let has_words = !literals(piece).is_empty();
        let is_same = end.iter().zip(piece).all(|(left, right)| left == right || right == "{}" && has_words);
        is_same && !piece.is_empty() && (before.is_empty() || has_words || self.make_up(before))
    }

    /// Whether texts in the code, one after the other, are the whole path.
    pub(super) fn make_up(&self, claimed: &[String]) -> bool {
        let mut reached = vec![false; claimed.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        let pieces =
            || self.routes.iter().map(|(piece, ..)| piece).chain(self.texts.iter().map(|(piece, _)| piece));
        for at in 0..claimed.len() {
            if reached.get(at) != Some(&true) {
                continue;
            }
            for piece in pieces().filter(|piece| !piece.is_empty()) {
                let is_next = claimed.get(at..at + piece.len()).is_some_and(|part| part == piece.as_slice());
                if let (true, Some(end)) = (is_next, reached.get_mut(at + piece.len())) {
                    *end = true;
                }
            }
        }
        reached.last() == Some(&true) && !claimed.is_empty()
    }
}

/// Which files can have a piece of a route at all. The words of a route stand in half of a repository, and to parse all of
/// that in every past state costs more than everything else; where a word stands behind a slash is known from the search.
struct Routing<'a> {
    world: &'a World,
    starting: Vec<Arc<[String]>>,
    annotated: Arc<Annotated>,
}

/// Files with an annotation that may hold a path without a slash: `@Get('users')`.
struct Annotated(HashSet<String>);

impl<'a> Routing<'a> {
    fn of(words: &[&str], world: &'a World) -> Self {
        let annotated = world.once(|world| {
            let has_them = |path: &&String| ANNOTATING.iter().any(|ending| path.ends_with(ending));
            let files =
                |word: &&str| world.mentioning(word).iter().filter(has_them).cloned().collect::<Vec<_>>();
            Annotated(ANNOTATIONS.iter().flat_map(files).collect())
        });
        Self { world, starting: words.iter().map(|word| world.mentioning(&start(word))).collect(), annotated }
    }

    /// Whether a text of a file of code begins like the route, or with a parameter.
    fn may_have(&self, path: &String) -> bool {
        self.starting.iter().any(|files| files.binary_search(path).is_ok())
            || self.annotated.0.contains(path)
            || self.world.facts::<Parameters>(path).is_some_and(|found| found.is_first)
    }
}

/// A word as the start of a path.
pub(super) fn start(word: &str) -> String {
    marked('/', word)
}

/// Languages that have annotations.
const ANNOTATING: &[&str] = &[".java", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"];
/// Annotations of routes whose paths need no slash.
pub(super) const ANNOTATIONS: &[&str] = &[
    "Controller",
    "Delete",
    "DeleteMapping",
    "Get",
    "GetMapping",
    "Patch",
    "PatchMapping",
    "Path",
    "Post",
    "PostMapping",
    "Put",
    "PutMapping",
    "RequestMapping",
];
