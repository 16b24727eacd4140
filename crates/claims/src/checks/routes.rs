//! Routes of an HTTP interface.
//!
//! Code defines a route in pieces: a router is mounted under a prefix, a class has one, a proxy adds one. So a route is
//! valid when pieces that stand in the code make it up, or when its end is a defined route and only the start is unknown.

mod pieces;

use super::closest;
use crate::facts::code::{Code, Route};
use crate::facts::openapi::OpenApi;
use crate::{Claim, Facts, Outcome, Subject, Suggestion, World};
use pieces::Pieces;

pub(super) fn check(claim: &Claim, _file: &str, world: &World) -> Outcome {
    let Subject::Route { method, path } = &claim.subject else { return Outcome::NotOurs };
    let segments = segments(path);
    let words = literals(&segments);
    if words.is_empty() || !serves(world) || is_of_others(&words) {
        return Outcome::NotOurs;
    }
    let method = method.as_deref();
    let pieces = Pieces::of(&segments, method, &words, world);
    let (mut found, has_other_verb) = pieces.defining(&segments, method);
    // One word stands anywhere.
    if words.len() > 1 {
        found.extend(pieces.unparsed.iter().cloned());
    }
    if found.is_empty() && !has_other_verb && pieces.make_up(&segments) {
        found.extend(pieces.texts.first().map(|(_, place)| place.clone()));
    }
    // Its end is a text of the code; the start may be put before it in a way that we do not see.
    if found.is_empty() && !has_other_verb {
        let is_end = |piece: &[String]| literals(piece).len() > 1 && segments.ends_with(piece);
        found.extend(pieces.texts.iter().find(|(piece, _)| is_end(piece)).map(|(_, place)| place.clone()));
    }
    if found.is_empty() && is_written(&segments, &words, world) {
        return Outcome::NotOurs;
    }
    if found.is_empty() {
        return Outcome::missing("routes in code and OpenAPI documents");
    }
    found.truncate(5);
    Outcome::Valid { found }
}

/// Whether the words at the end stand in code just so, as in `f"{base}/api/v1/contents"`: then something is still asked
/// for there, or made of it.
fn is_written(segments: &[String], words: &[&str], world: &World) -> bool {
    let from = segments.iter().rposition(|segment| segment == "{}").map_or(0, |at| at + 1);
    let end = segments.get(from..).unwrap_or_default();
    let Some(last) = words.last().filter(|_| end.len() > 1) else { return false };
    let text = format!("/{}", end.join("/"));
    let holds = |path: &&String| {
        let bytes = world.read(path).unwrap_or_default();
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
        let text_of = String::from_utf8_lossy(&bytes);
        let mut found = text_of.match_indices(&text);
        found.any(|(at, _)| {
            text_of.get(at + text.len()..).is_none_or(|rest| rest.is_empty() || rest.starts_with(is_end))
        })
    };
    let files = world.mentioning(last);
    let mut code = files.iter().filter(|path| Code::applies(path) && !super::known::is_aside(path));
    code.by_ref().take(MOST_FILES).any(|path| holds(&path))
}

/// Files that are read for one route.
const MOST_FILES: usize = 100;

/// Whether it is a route of a cluster, which every program there may ask, or one that Go's library adds by itself.
fn is_of_others(words: &[&str]) -> bool {
    const RESOURCES: &[&str] =
        &["configmaps", "endpoints", "events", "namespaces", "nodes", "pods", "secrets", "services"];
    matches!(words, ["debug", "pprof", ..])
        || matches!(words, ["api", "v1", resource, ..] if RESOURCES.contains(resource))
}

pub(super) fn needles(claim: &Claim) -> Vec<String> {
    let Subject::Route { path, .. } = &claim.subject else { return Vec::new() };
    literals(&segments(path)).into_iter().map(str::to_owned).collect()
}

/// What else is looked for: the words behind a slash, and what says that a file has routes.
pub(super) fn words(claim: &Claim) -> Vec<String> {
    let Subject::Route { path, .. } = &claim.subject else { return Vec::new() };
    let starts = literals(&segments(path)).into_iter().map(pieces::start).collect::<Vec<String>>();
    let markers = FRAMEWORKS.iter().chain(pieces::ANNOTATIONS).map(|&word| word.to_owned());
    starts.into_iter().chain(markers).collect()
}

pub(super) fn suggest(claim: &Claim, file: &str, now: &World, then: &World) -> Option<Suggestion> {
    let Subject::Route { path, .. } = &claim.subject else { return None };
    let Outcome::Valid { found } = check(claim, file, then) else { return None };
    let mut fresh = Vec::new();
    for place in found {
        if let (Some(before), Some(after)) = (then.facts::<Code>(&place.path), now.facts::<Code>(&place.path))
        {
            let is_known = |route: &Route| before.routes.iter().any(|known| known.1 == route.1);
            fresh.extend(after.routes.iter().filter(|route| !is_known(route)).map(|route| route.1.clone()));
        }
        if let (Some(before), Some(after)) =
            (then.facts::<OpenApi>(&place.path), now.facts::<OpenApi>(&place.path))
        {
            let is_known = |path: &String| before.routes.iter().any(|(_, known, _)| known == path);
            fresh
                .extend(after.routes.iter().map(|(_, path, _)| path).filter(|path| !is_known(path)).cloned());
        }
    }
    fresh.sort();
    fresh.dedup();
    let new = closest::name(path, &fresh)?;
    let reason = format!("`{new}` was added where it was defined");
    Some(Suggestion { replacement: written_in(&claim.named, path, &new)?, is_certain: false, reason })
}

/// What a page wrote with another path in it: its verb, its host and what stands around stay.
fn written_in(named: &str, path: &str, new: &str) -> Option<String> {
    let host = named.find("://").map_or(0, |at| at + "://".len());
    let start = host + named.get(host..)?.find('/')?;
    let (before, rest) = named.split_at(start);
    let end = match rest.strip_prefix(path) {
        Some(after) => rest.len() - after.len(),
        None => rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '?' | '#'))
            .unwrap_or(rest.len()),
    };
    Some(format!("{before}{new}{}", rest.get(end..)?))
}

/// The parts of a path, with every way to write a parameter as `{}`.
fn segments(path: &str) -> Vec<String> {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let is_parameter = |segment: &str| {
        segment.starts_with([':', '{', '<', '*', '$'])
            || segment.contains("${")
            || (segment.starts_with('[') && segment.ends_with(']'))
            || (segment.len() > 2 && segment.starts_with('_') && segment.ends_with('_'))
    };
    let parts = path.split('/').filter(|segment| !segment.is_empty());
    parts.map(|segment| if is_parameter(segment) { "{}".to_owned() } else { segment.to_owned() }).collect()
}

/// The words of a path.
fn literals(segments: &[String]) -> Vec<&str> {
    segments.iter().map(String::as_str).filter(|segment| *segment != "{}").collect()
}

/// Whether anything here serves routes.
fn serves(world: &World) -> bool {
    struct Serves(bool);
    let serves = world.once(|world| {
        let words: Vec<String> = FRAMEWORKS.iter().map(|&word| word.to_owned()).collect();
        world.look_for(&words);
        let is_server = |path: &String| {
            Code::applies(path)
                || OpenApi::applies(path)
                || OTHER_SERVERS.iter().any(|ending| path.ends_with(ending))
        };
        Serves(FRAMEWORKS.iter().any(|word| world.mentioning(word).iter().any(is_server)))
    });
    serves.0
}

/// Words that stand where routes are served.
const FRAMEWORKS: &[&str] = &[
    "APIRouter",
    "Blueprint",
    "FastAPI",
    "GetMapping",
    "HandleFunc",
    "RequestMapping",
    "Router",
    "actix_web",
    "aiohttp",
    "axum",
    "chi",
    "createServer",
    "django",
    "express",
    "fastify",
    "fiber",
    "flask",
    "gin",
    "hono",
    "koa",
    "openapi",
    "rails",
    "rocket",
    "sinatra",
    "starlette",
    "swagger",
    "urlpatterns",
    "warp",
];
const OTHER_SERVERS: &[&str] = &[".rb", ".php", ".kt", ".cs", ".ex", ".exs", ".scala", ".proto"];
