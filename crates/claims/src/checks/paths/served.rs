//! Pages that a site serves under names which no file has: aliases in front matter, redirects, pages made from data.
//!
//! All pages have to be looked at to find these, so nobody asks before everything else has failed.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::site::normal;
use super::{folder, join};
use crate::world::is_document;
use crate::{Facts, World};

/// A file that lists redirects is not longer than this.
const LONGEST: usize = 1 << 20;
/// So many are looked at.
const MOST_LISTS: usize = 20;

/// Other names of one page, as its front matter gives them.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Names {
    /// From the root of the site.
    absolute: Vec<String>,
    /// In the place of the file's own name.
    own: Vec<String>,
    /// From the folder of the file.
    relative: Vec<String>,
    /// Labels of MyST, `(spawners)=`, to which links of any page lead by their name alone.
    labels: Vec<String>,
}

impl Facts for Names {
    const NAME: &'static str = "names";
    const VERSION: u32 = 2;

    fn applies(path: &str) -> bool {
        is_document(path)
    }

    fn read(_path: &str, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let label = |line: &str| line.strip_prefix('(')?.trim_end().strip_suffix(")=").map(str::to_owned);
        let labels = text.lines().filter_map(label).filter(|label| label.len() < 200).collect();
        let mut names = Self { labels, ..Self::default() };
        let Some(fence) = lines.next().map(str::trim_end).filter(|line| matches!(*line, "---" | "+++"))
        else {
            return names;
        };
        for line in lines.take_while(|line| line.trim_end() != fence).take(500) {
            for word in line.split([' ', ',', '[', ']', '=']) {
                let word = word.trim_matches(['"', '\'']);
                if word.len() > 1 && word.starts_with('/') && !word.starts_with("//") {
                    names.absolute.push(word.to_owned());
                } else if word.starts_with("./") || word.starts_with("../") {
                    names.relative.push(word.to_owned());
                }
            }
            let own = line.strip_prefix("slug:").or_else(|| line.strip_prefix("id:"));
            let own = own.map(|name| name.trim().trim_matches(['"', '\'']));
            names
                .own
                .extend(own.filter(|name| !name.is_empty() && !name.starts_with('/')).map(str::to_owned));
        }
        names
    }
}

/// Other names of all pages, and texts that list redirects.
struct Served {
    pages: HashMap<String, String>,
    labels: HashMap<String, String>,
    lists: Vec<(String, String)>,
    /// Folders below which pages are made from data.
    made: Vec<String>,
}

impl Served {
    fn of(world: &World) -> Self {
        let (mut pages, mut labels) = (HashMap::new(), HashMap::new());
        for path in world.files().filter(|path| Names::applies(path)) {
            let Some(names) = world.facts::<Names>(path) else { continue };
            for name in &names.absolute {
                let name = normal(name);
                // The site may put a name of its own in front of all.
                if let Some((_, inner)) = name.split_once('/').filter(|(_, inner)| inner.contains('/')) {
                    pages.entry(inner.to_owned()).or_insert_with(|| path.to_owned());
                }
                pages.insert(name, path.to_owned());
            }
            for alias in names.relative.iter().filter_map(|name| join(folder(path), name)) {
                pages.entry(normal(&alias)).or_insert_with(|| path.to_owned());
            }
            labels.extend(names.labels.iter().map(|label| (label.clone(), path.to_owned())));
            for name in names.own.iter().filter_map(|name| join(folder(path), name)) {
                let route = normal(&name);
                pages.insert(seen(&route).to_owned(), path.to_owned());
                pages.insert(route, path.to_owned());
            }
        }
        let read = |path: &str| {
            let bytes = world.read(path).filter(|bytes| bytes.len() <= LONGEST)?;
            let text = String::from_utf8_lossy(&bytes);
            // These list pages as well; what is redirected has a name.
            let is_mixed = ["docs.json", "mint.json", "vercel.json"].iter().any(|name| path.ends_with(name));
            let text = if is_mixed { sources(&text) } else { text.into_owned() };
            Some((path.to_owned(), text))
        };
        let lists =
            world.files().filter(|path| lists_redirects(path)).take(MOST_LISTS).filter_map(read).collect();
        let made = world.files().filter(|path| makes_pages(path)).map(|path| normal(folder(path))).collect();
        Self { pages, labels, lists, made }
    }
}

/// What is known of a route that no file has.
pub(super) enum Other {
    /// This file answers for it.
    Page(String),
    /// Pages there are made from data, and nobody here can tell which.
    Made,
}

/// Looks for a target of a link among the other names.
pub(super) fn find(target: &str, file: &str, world: &World) -> Option<Other> {
    let bare = target.trim_end_matches('/');
    let stem = bare.strip_suffix(".html").unwrap_or(bare);
    let routes: Vec<String> = match stem.strip_prefix('/') {
        Some(absolute) => vec![normal(absolute)],
        None => {
            let served = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
            [folder(file), served]
                .iter()
                .filter_map(|from| join(from, stem))
                .map(|path| normal(&path))
                .collect()
        }
    };
    let served = world.once(Served::of);
    if let Some(page) = served.labels.get(target) {
        return Some(Other::Page(page.clone()));
    }
    if let Some(page) =
        routes.iter().find_map(|route| served.pages.get(route).or_else(|| served.pages.get(seen(route))))
    {
        return Some(Other::Page(page.clone()));
    }
    let asked: Vec<&str> = match stem.strip_prefix('/') {
        Some(absolute) => vec![absolute.trim_matches('/')],
        // What a reader's browser asks for; one word may be anything.
        None => routes.iter().map(|route| seen(route)).filter(|route| route.contains('/')).collect(),
    };
    for route in asked.into_iter().filter(|route| route.len() > 1) {
        let listed = |text: &str| {
            names(text, &format!("/{route}")) || names(text, &format!("\"{route}")) || is_moved(text, route)
        };
        if let Some((path, _)) = served.lists.iter().find(|(_, text)| listed(text)) {
            return Some(Other::Page(path.clone()));
        }
    }
    let is_below = |made: &str, route: &str| {
        !made.is_empty() && route.strip_prefix(made).is_some_and(|rest| rest.starts_with('/'))
    };
    let is_below = |made: &String, route: &String| is_below(made, route) || is_below(seen(made), route);
    let is_made = routes.iter().any(|route| served.made.iter().any(|made| is_below(made, route)));
    is_made.then_some(Other::Made)
}

/// The page that calls itself so, of those whose file has more to its name: `intro.md` for `intro-python.md` with `id: intro`.
pub(super) fn by_id(target: &str, file: &str, world: &World) -> Option<String> {
    let stem = target.strip_suffix(".mdx").or_else(|| target.strip_suffix(".md"))?;
    let path = join(folder(file), stem.trim_start_matches('/'))?;
    let page = world.once(Served::of).pages.get(&normal(&path)).cloned()?;
    page.starts_with(&format!("{path}-")).then_some(page)
}

/// What a reader sees of a route: what is behind the folder in which the pages begin.
fn seen(route: &str) -> &str {
    let is_root = |at: &usize| {
        let part = route.get(..*at).unwrap_or_default().rsplit('/').next().unwrap_or_default();
        super::site::CONTENT_ROOTS.contains(&part)
    };
    let mut ends = route.match_indices('/').map(|(at, _)| at).filter(is_root);
    ends.next_back().and_then(|at| route.get(at + 1..)).unwrap_or(route)
}

/// Whether a text has a route, and not only the beginning of a longer one.
fn names(text: &str, route: &str) -> bool {
    text.match_indices(route).any(|(at, _)| {
        let after = text.get(at + route.len()..).unwrap_or_default().trim_start_matches('/');
        !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    })
}

/// Whether a text redirects everything below a folder of a route: `/old/:path*`, `/old/*`.
fn is_moved(text: &str, route: &str) -> bool {
    let is_all = |rest: &str| {
        let name = rest
            .strip_prefix(':')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'));
        name.is_some_and(|rest| rest.starts_with('*')) || rest.starts_with('*') || rest.starts_with("(.*)")
    };
    route.match_indices('/').filter_map(|(at, _)| route.get(..=at)).any(|above| {
        text.match_indices(above).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default().trim_end_matches('/');
            let is_start = before.is_empty() || before.ends_with(['"', '\'', ' ', '\n', '\t']);
            is_start && text.get(at + above.len()..).is_some_and(is_all)
        })
    })
}

/// What is redirected, a line each.
fn sources(text: &str) -> String {
    let ends = |part: &str| part.find(['}', ',', '\n']).unwrap_or(part.len());
    let source = |part: &'_ str| part.get(..ends(part)).unwrap_or_default().to_owned();
    text.split("\"source\"").skip(1).map(source).collect::<Vec<_>>().join("\n")
}

fn lists_redirects(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_data = [".json", ".yml", ".yaml", ".toml", ".js", ".ts", ".mjs", ".cjs"];
    (name.contains("redirect") && is_data.iter().any(|ending| name.ends_with(ending)))
        || matches!(
            name,
            "_redirects" | "docs.json" | "mint.json" | "vercel.json" | "netlify.toml" | "mkdocs.yml"
        )
        || [
            "docusaurus.config.",
            "gatsby-config.",
            "gatsby-node.",
            "svelte.config.",
            "next.config.",
            "astro.config.",
            "nuxt.config.",
        ]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Content adapters of Hugo; files such as `[slug].tsx` and `[...path].astro`.
fn makes_pages(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("_content.") || (name.starts_with('[') && name.contains(']'))
}
