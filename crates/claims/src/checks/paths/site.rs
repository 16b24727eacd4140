//! Links as site generators resolve them: without ending, with a slash at the end, from the root of the site.
//!
//! One table holds where each page is served, whatever the generator: no ending, no `index` or `README`, no numbers that
//! only sort (`01-intro.md`), in lower case. Docusaurus, MkDocs, Hugo, VitePress, mdBook and Jekyll agree on that much.

use std::collections::{HashMap, HashSet};

use super::{folder, join, shared};
use crate::World;

/// Where the pages of a state are served.
#[derive(Default)]
struct Routes {
    pages: HashMap<String, String>,
    /// Last component → routes.
    by_name: HashMap<String, Vec<String>>,
    folders: HashSet<String>,
}

impl Routes {
    fn of(world: &World) -> Self {
        let mut routes = Self::default();
        for path in world.files() {
            let Some(route) = route_of_page(path) else { continue };
            let mut above = route.as_str();
            while let Some((parent, _)) = above.rsplit_once('/') {
                if !routes.folders.insert(parent.to_owned()) {
                    break;
                }
                above = parent;
            }
            let name = route.rsplit('/').next().unwrap_or(&route).to_owned();
            routes.by_name.entry(name).or_default().push(route.clone());
            routes.pages.insert(route, path.to_owned());
        }
        routes
    }

    /// The page whose route ends so, and that is closest to `file`. One component says little, except where a site begins.
    fn ending(&self, tail: &str, file: &str) -> Option<&String> {
        let name = tail.rsplit('/').next().unwrap_or(tail);
        let is_end = |route: &&String| {
            route.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let pages = self.by_name.get(name)?.iter().filter(is_end).filter_map(|route| self.pages.get(route));
        pages.filter(|page| tail.contains('/') || is_top_page(page)).max_by_key(|page| shared(page, file))
    }

    /// `/guides/state`, where a site leaves out the folders between: `guides/03_blocks/02_state.md`.
    fn flattened(&self, route: &str) -> Option<&String> {
        let (folder, name) = route.split_once('/').filter(|(_, name)| !name.contains('/'))?;
        let is_below = |route: &&String| route.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let mut below = self.by_name.get(name)?.iter().filter(is_below);
        below.next().and_then(|route| self.pages.get(route))
    }
}

const PAGES: &[&str] =
    &["md", "mdx", "markdown", "html", "rst", "adoc", "vue", "astro", "tsx", "jsx", "ipynb", "qmd", "Rmd"];

fn route_of_page(path: &str) -> Option<String> {
    let (stem, ending) = path.rsplit_once('.')?;
    PAGES.contains(&ending).then(|| normal(stem))
}

/// A path as it would be served.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<String> =
        path.split('/').filter(|part| !part.is_empty()).map(without_number).collect();
    if parts
        .last()
        .is_some_and(|last| matches!(last.as_str(), "index" | "_index" | "readme" | "page" | "+page"))
    {
        parts.pop();
    }
    parts.join("/")
}

/// `01-intro` → `intro`
fn without_number(part: &str) -> String {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < part.len() && rest.starts_with(['-', '_', '.']) && rest.len() > 1;
    let name = if is_numbered { &rest[1..] } else { part };
    name.to_lowercase().replace(' ', "-")
}

/// The file that a link of a page leads to.
pub(super) fn find(target: &str, file: &str, world: &World) -> Option<String> {
    let routes = world.once(Routes::of);
    let bare = target.trim_end_matches('/');
    let stem =
        [".html", ".htm", ".md", ".mdx"].iter().find_map(|ending| bare.strip_suffix(ending)).unwrap_or(bare);
    let page = |path: Option<String>| path.and_then(|path| routes.pages.get(&normal(&path)).cloned());
    if let Some(absolute) = stem.strip_prefix('/') {
        return from_root(&routes, absolute, target, file, world);
    }
    // A page `a/b.md` is served as `a/b/`, so `../c/` is its neighbour.
    let served = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_markdown = bare.ends_with(".md") || bare.ends_with(".mdx");
    let found =
        (!is_markdown).then(|| page(join(folder(file), stem)).or_else(|| page(join(served, stem)))).flatten();
    found
        .or_else(|| page(join("", stem)).filter(|_| !is_markdown))
        .or_else(|| join(folder(file), bare).and_then(|path| asset(&path, world)))
        .or_else(|| join(served, bare).filter(|path| world.entry(path).is_some()))
        .or_else(|| from_content_root(bare, file, world))
        .or_else(|| is_markdown.then(|| of_hugo(bare, file, world)).flatten())
}

/// Hugo calls the page of a folder `_index.md`, and finds a page by its name alone where only one has it.
fn of_hugo(target: &str, file: &str, world: &World) -> Option<String> {
    let name = target.rsplit('/').next().unwrap_or(target);
    if name == "index.md" {
        let path = format!("{}_index.md", target.strip_suffix(name).unwrap_or_default());
        return join(folder(file), &path).filter(|path| world.entry(path).is_some());
    }
    let is_hugo =
        ["hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"].iter().any(|name| !world.named(name).is_empty());
    let root = file.split_inclusive("content/").next().filter(|root| root.ends_with("content/"))?;
    let mut pages = world.named(name).iter().filter(|path| path.starts_with(root));
    let page = pages.next().filter(|_| is_hugo && name == target.trim_start_matches("./"))?;
    pages.next().is_none().then(|| page.clone())
}

/// `/guide/x`: the root of a site is some folder of the repository, perhaps below a prefix.
fn from_root(routes: &Routes, absolute: &str, target: &str, page: &str, world: &World) -> Option<String> {
    let route = normal(absolute);
    let mut tail = route.as_str();
    // The prefix under which a site is served has one or two components.
    for _ in 0..3 {
        if tail.is_empty() {
            break;
        }
        if let Some(page) = routes.ending(tail, page) {
            return Some(page.clone());
        }
        match tail.split_once('/') {
            Some((_, rest)) if rest.contains('/') || tail.matches('/').count() == 1 => tail = rest,
            _ => break,
        }
    }
    if let Some(page) = routes.flattened(&route) {
        return Some(page.clone());
    }
    let file = target.trim_matches('/');
    let is_page = route.is_empty() || routes.folders.contains(&route);
    world
        .ending(file)
        .first()
        .map(|found| (*found).to_owned())
        .or_else(|| {
            file.split_once('/')
                .filter(|(_, below)| below.contains('/') || crate::extract::has_known_ending(below))
                .and_then(|(first, below)| {
                    // A folder of the repository is no prefix of a site, unless all that is below lies where a site has it.
                    let is_folder = world.entry(first).is_some();
                    let is_served = |path: &str| {
                        let root = path.strip_suffix(below).unwrap_or_default();
                        below.contains('/') && (root.ends_with("public/") || root.ends_with("static/"))
                    };
                    world
                        .ending(below)
                        .into_iter()
                        .find(|path| !is_folder || is_served(path))
                        .map(str::to_owned)
                })
        })
        .or_else(|| is_page.then_some(route))
}

/// Whether a page stands where the pages of a site begin.
fn is_top_page(path: &str) -> bool {
    let folder = folder(path);
    folder.is_empty() || CONTENT_ROOTS.contains(&folder.rsplit('/').next().unwrap_or(folder))
}

/// Folders in which the pages of a site begin.
pub(super) const CONTENT_ROOTS: &[&str] = &[
    "docs", "doc", "content", "src", "pages", "book", "static", "public", "assets", "source", "website",
    "site",
];

/// Files next to the pages that a generator copies from another folder.
fn asset(path: &str, world: &World) -> Option<String> {
    let stem = path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm"))?;
    ["md", "mdx", "rst", "adoc"]
        .iter()
        .map(|ending| format!("{stem}.{ending}"))
        .find(|path| world.entry(path).is_some())
}

/// From the folder in which the pages of a site begin.
fn from_content_root(target: &str, file: &str, world: &World) -> Option<String> {
    let mut at = folder(file);
    while !at.is_empty() {
        if CONTENT_ROOTS.contains(&at.rsplit('/').next().unwrap_or(at)) {
            let found =
                ["", "/static", "/public"].iter().filter_map(|below| join(&format!("{at}{below}"), target));
            if let Some(path) = found.into_iter().find(|path| world.entry(path).is_some()) {
                return Some(path);
            }
        }
        at = folder(at);
    }
    None
}

/// Whether a link that leads nowhere was meant to lead to a file of this repository.
pub(super) fn is_ours(target: &str, file: &str, world: &World) -> bool {
    let bare = target.trim_end_matches('/');
    if crate::extract::has_known_ending(bare) && !target.starts_with('/') {
        return !bare.ends_with(".html") || world.once(Routes::of).folders.contains(&normal(folder(file)));
    }
    let from_root = bare.trim_start_matches('/');
    let above = folder(from_root);
    if crate::extract::has_known_ending(bare) && !above.is_empty() && world.entry(above).is_some() {
        return true;
    }
    // A route may come from front matter, a plugin or a redirect: its neighbours must at least be pages.
    let routes = world.once(Routes::of);
    let parent = if let Some(absolute) = bare.strip_prefix('/') {
        let parent = normal(folder(absolute));
        let is_folder = routes.folders.contains(&parent)
            || routes.folders.iter().any(|folder| folder.ends_with(&format!("/{parent}")));
        return !parent.is_empty() && is_folder;
    } else {
        join(folder(file), folder(bare))
    };
    parent.is_some_and(|parent| parent.is_empty() || world.entry(&parent).is_some())
}
