//! Where a name may lead: from its page, from the root, as the end of a path, in a drawing; and whether it would be ours.

use super::{capitalised, folder, ignored, is_aside, join, served, site};
use crate::checks::known::Packages;
use crate::extract::{has_known_ending, is_generic};
use crate::{Entry, Link, Outcome, Place, World};

/// A name, where it stands, and the state in which it is looked up.
#[derive(Clone, Copy)]
pub(super) struct Query<'q> {
    pub(super) target: &'q str,
    pub(super) link: Link,
    pub(super) file: &'q str,
    pub(super) world: &'q World,
}

impl<'q> Query<'q> {
    /// The file or folder that is meant.
    pub(super) fn find(&self) -> Option<String> {
        let bare = self.target.trim_end_matches('/');
        match self.link {
            Link::Link | Link::Image => {
                self.exact(bare).or_else(|| site::find(self.target, self.file, self.world))
            }
            Link::Tree => self.in_tree(bare),
            Link::Span if self.is_specifier(bare) => {
                self.exact(bare).or_else(|| self.with_ending(bare)).or_else(|| self.above(bare))
            }
            Link::Span if is_layout(bare) => {
                self.exact(bare).or_else(|| self.without_ending(bare)).or_else(|| self.below_page(bare))
            }
            Link::Span | Link::Argument => self
                .exact(bare)
                .or_else(|| self.as_end(bare))
                .or_else(|| self.without_ending(bare))
                .or_else(|| self.in_clone(bare)),
        }
    }

    /// What a site serves where no file is.
    pub(super) fn served_otherwise(&self) -> Option<served::Other> {
        // All pages have to be read for an answer, so only links ask.
        if self.link != Link::Link {
            return None;
        }
        if let Some(page) = served::by_id(self.target, self.file, self.world) {
            return Some(served::Other::Page(page));
        }
        let is_page = !has_known_ending(self.target.trim_end_matches('/')) || self.target.ends_with(".html");
        is_page.then(|| served::find(self.target, self.file, self.world)).flatten()
    }

    /// From the folder of the document, or from the root.
    fn exact(&self, target: &str) -> Option<String> {
        let is_there = |path: &String| path.is_empty() || self.world.entry(path).is_some();
        let from_root = || join("", target.trim_start_matches('/'));
        match target.starts_with('/') {
            true => from_root().filter(is_there),
            false => {
                join(folder(self.file), target).filter(is_there).or_else(|| from_root().filter(is_there))
            }
        }
    }

    /// As the last components of a path; more than one such path is fine, too.
    fn as_end(&self, target: &str) -> Option<String> {
        let tail = target.trim_start_matches("./").trim_start_matches("../");
        if tail.starts_with('.') && tail.contains("..") {
            return None;
        }
        // Every project has a `lib/` somewhere: a name alone means the one next to the page, or above it.
        if !tail.contains('/') && self.target.ends_with('/') {
            return self.above(tail);
        }
        let is_own = |path: &&str| !is_aside(path.strip_suffix(tail).unwrap_or(path));
        if let Some(found) = self.world.ending(tail).into_iter().find(is_own) {
            return Some(found.to_owned());
        }
        // Prose writes `makefile` for `Makefile`; a link to `agents` does not lead to `AGENTS.md`.
        if matches!(self.link, Link::Image | Link::Link) {
            return None;
        }
        let name = tail.rsplit('/').next().unwrap_or(tail);
        let shouted = name.split_once('.').map_or_else(
            || name.to_uppercase(),
            |(stem, ending)| format!("{}.{ending}", stem.to_uppercase()),
        );
        let other = [shouted, name.to_lowercase(), capitalised(name)];
        let same = |path: &&String| path.to_lowercase().ends_with(&tail.to_lowercase());
        other
            .iter()
            .filter(|other| *other != name)
            .find_map(|other| self.world.named(other).iter().find(same).cloned())
    }

    /// In a part of what the page is for: `src/app/` in `server/AGENTS.md` is `server/api/src/app/`.
    fn below_page(&self, target: &str) -> Option<String> {
        let inside = format!("{}/", folder(self.file));
        let tail = target.trim_start_matches("./");
        let is_inside = |path: &&str| path.starts_with(&inside) && !is_aside(path);
        self.world.ending(tail).into_iter().find(is_inside).map(str::to_owned)
    }

    /// A module that is named without the ending of its file.
    fn without_ending(&self, target: &str) -> Option<String> {
        if !target.contains('/') || has_known_ending(target) {
            return None;
        }
        // Every package has a `src/x`: only a name that is less common is looked for everywhere.
        let is_common = is_layout(target) || target.starts_with("pkg/");
        let anywhere = || ENDINGS.iter().find_map(|ending| self.as_end(&format!("{target}.{ending}")));
        self.with_ending(target).or_else(|| if is_common { None } else { anywhere() })
    }

    /// The same, exactly there.
    fn with_ending(&self, target: &str) -> Option<String> {
        ENDINGS.iter().find_map(|ending| self.exact(&format!("{target}.{ending}")))
    }

    /// Behind `cd name`, which is mostly the folder of the clone.
    fn in_clone(&self, target: &str) -> Option<String> {
        let (first, below) = target.split_once('/')?;
        let is_clone = self.link == Link::Argument && self.above(first).is_none() && below.contains('/');
        is_clone.then(|| self.exact(below)).flatten()
    }

    /// Whether it names a module of one of our packages as code imports it: `jest-circus/runner`.
    fn is_specifier(&self, target: &str) -> bool {
        let first = target.split('/').next().filter(|first| first.len() < target.len());
        // A folder is none.
        !has_known_ending(target)
            && !self.target.ends_with('/')
            && first.is_some_and(|first| {
                Packages::of(self.world).names.binary_search(&first.replace('-', "_")).is_ok()
            })
    }

    /// Below the root of the drawing, which may be a folder, the repository itself, or its parent.
    fn in_tree(&self, target: &str) -> Option<String> {
        let below = target.split_once('/').map(|(_, below)| below);
        // A drawing of the folder in which the page lies.
        let beside = || {
            let (parent, here) = (folder(target), folder(self.file));
            let is_here = !parent.is_empty() && format!("/{here}").ends_with(&format!("/{parent}"));
            let path = join(here, target.rsplit('/').next().unwrap_or(target)).filter(|_| is_here);
            path.filter(|path| self.world.entry(path).is_some())
        };
        let found = self.exact(target).or_else(|| below.and_then(|below| self.exact(below))).or_else(beside);
        if found.is_some() || is_generic(target.rsplit('/').next().unwrap_or(target)) {
            return found;
        }
        found
            .or_else(|| target.contains('/').then(|| self.as_end(target)).flatten())
            .or_else(|| below.filter(|below| below.contains('/')).and_then(|below| self.as_end(below)))
    }

    /// Whether it is missing here, and not simply something else.
    pub(super) fn is_ours(&self) -> bool {
        let bare = self.target.trim_end_matches('/');
        let first = bare.trim_start_matches("./").trim_start_matches('/').split('/').next().unwrap_or(bare);
        // A drawing of the folder in which the page lies is nobody else's.
        let here = folder(self.file).rsplit('/').next().unwrap_or_default();
        let is_here = self.link == Link::Tree
            && !here.is_empty()
            && bare.split_once('/').is_some_and(|(root, _)| root == here);
        let is_output =
            !is_here && OUTPUTS.contains(&first) || bare.split('/').any(|part| part == "node_modules");
        if is_output
            || self.leaves_repository(bare)
            || self.is_behind_link(bare)
            || ignored::is_ignored(self.world, self.file, bare)
        {
            return false;
        }
        match self.link {
            Link::Link | Link::Image => site::is_ours(self.target, self.file, self.world),
            Link::Tree => {
                let parent =
                    Query { target: bare.rsplit_once('/').map_or("", |(parent, _)| parent), ..*self };
                let is_shaped = has_known_ending(bare) || self.target.ends_with('/');
                let name = bare.rsplit('/').next().unwrap_or(bare);
                let is_common = is_generic(name) || matches!(name, "src" | "test" | "tests" | "lib" | "app");
                let is_anybodys = !parent.target.contains('/') && is_common && !is_here;
                if !is_shaped || is_anybodys {
                    return false;
                }
                is_here
                    || parent.target.is_empty()
                    || !parent.target.contains('/')
                    || parent.in_tree(parent.target).is_some()
            }
            Link::Span | Link::Argument => {
                let is_known = self.above(first).is_some();
                // It is there, in an example or in what tests work on.
                if !self.world.ending(bare.trim_start_matches("./")).is_empty() && !self.target.ends_with('/')
                {
                    return false;
                }
                if !bare.trim_start_matches("./").contains('/') {
                    return !is_generic(bare.trim_start_matches("./"));
                }
                let is_hidden = first.starts_with('.');
                // `thread/goal/set` may be anything; `crates/x/y` is a path where there are `crates/`.
                let is_shaped = has_known_ending(bare) || self.target.ends_with('/');
                is_known || (is_shaped && !is_hidden)
            }
        }
    }

    pub(super) fn in_range(&self, found: &str, lines: (u32, u32)) -> Outcome {
        match has_lines(found, lines, self.world) {
            Some((true, _)) => Outcome::valid(Place::at(found, lines.0)),
            // A name that several files have may mean another one.
            Some(_) if self.exact(self.target).is_none() && self.world.ending(self.target).len() > 1 => {
                Outcome::NotOurs
            }
            Some((false, last)) => Outcome::missing(format!("`{found}`, which has {last} lines")),
            None => Outcome::NotOurs,
        }
    }

    /// What has this name next to the page or above it.
    fn above(&self, name: &str) -> Option<String> {
        let mut at = folder(self.file);
        loop {
            if let Some(path) = join(at, name).filter(|path| self.world.entry(path).is_some()) {
                return Some(path);
            }
            if at.is_empty() {
                return None;
            }
            at = folder(at);
        }
    }

    /// `../../x` from a folder that is not as deep.
    fn leaves_repository(&self, target: &str) -> bool {
        target.starts_with("..") && join(folder(self.file), target).is_none()
    }

    /// Whether a folder on the way is another repository, or a link to somewhere.
    fn is_behind_link(&self, target: &str) -> bool {
        let paths = [join(folder(self.file), target), join("", target)];
        paths.iter().flatten().any(|path| {
            let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
            ends.filter_map(|above| self.world.entry(above))
                .any(|entry| matches!(entry, Entry::Submodule | Entry::Link))
        })
    }

    pub(super) fn looked(&self) -> String {
        match (folder(self.file), self.link) {
            ("", _) => format!("`{}` from the root", self.target),
            (folder, Link::Link | Link::Image) => format!("`{}` from `{folder}/`", self.target),
            (folder, _) => format!("`{}` from `{folder}/`, from the root and anywhere below", self.target),
        }
    }
}

/// Endings of files that are named without.
const ENDINGS: &[&str] =
    &["rs", "ts", "tsx", "js", "py", "go", "md", "mdx", "java", "kt", "sh", "vue", "json", "yml", "yaml"];

/// Whether a file has these lines; and how many it has.
fn has_lines(path: &str, (from, to): (u32, u32), world: &World) -> Option<(bool, u32)> {
    let bytes = world.read(path)?;
    let count = bytes.split(|&byte| byte == b'\n').count() - usize::from(bytes.ends_with(b"\n"));
    let last = u32::try_from(count).unwrap_or(u32::MAX);
    Some((from >= 1 && from.max(to) <= last, last))
}

/// Whether a path is one that many projects have, such as `src/lib` or `src/routes/+page.svelte`: somewhere in a repository
/// there is mostly one, and the reader's is meant.
fn is_layout(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["app", "components", "lib", "pages", "public", "routes", "src", "static", "test", "tests"];
    let path = path.trim_start_matches("./");
    let (first, name) = (path.split('/').next().unwrap_or(path), path.rsplit('/').next().unwrap_or(path));
    let stem = name.split('.').next().unwrap_or(name);
    let is_usual = matches!(stem, "app" | "hooks" | "index" | "main" | "types") || name.starts_with('+');
    FOLDERS.contains(&first)
        && path.matches('/').count() <= 2
        && (!has_known_ending(path) || is_usual || is_generic(name))
}

/// Folders that builds and package managers make.
#[rustfmt::skip]
const OUTPUTS: &[&str] = &[
    ".cache", ".git", ".next", ".nuxt", ".pytest_cache", ".ruff_cache", ".terraform", ".tox", ".turbo",
    ".venv", "__pycache__", "build", "coverage", "dist", "env", "lib64", "node_modules", "obj", "out",
    "output", "public", "site-packages", "target", "tmp", "venv",
];
