//! The modules of a crate: which file holds which, and what a path inside the crate means.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::items::{Item, Module, Submodule, parse};
use super::uses::Use;

/// Re-exports of re-exports that are followed.
const MAX_HOPS: usize = 8;
/// Modules inside of each other that are followed.
const MAX_DEPTH: usize = 64;

/// All modules of a crate; the first one is its root.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

/// A module.
#[derive(Default)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    pub(super) docs: String,
    pub(super) items: Vec<Item>,
    pub(super) uses: Vec<Use>,
    pub(super) impls: Vec<super::items::Impl>,
    /// Submodules in the order of the source, and whether each is public.
    pub(super) children: Vec<(String, usize, bool)>,
    by_name: HashMap<String, usize>,
    child_by_name: HashMap<String, usize>,
    use_by_name: HashMap<String, usize>,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Module(usize),
    Item { module: usize, item: usize },
}

impl Tree {
    /// Follows `mod` declarations from the crate's root file.
    pub(super) fn new(root: &str, sources: &BTreeMap<String, String>) -> Tree {
        let mut tree = Tree { nodes: Vec::new() };
        let read = HashSet::from([root.to_owned()]);
        let mut reading = Reading { sources, read, templates: HashMap::new() };
        let module = parse(sources.get(root).map_or("", String::as_str));
        let folder = folder_of(root);
        tree.add(module, None, &Place { file_folder: folder, folder, depth: 0 }, &mut reading);
        tree
    }

    /// Adds a module with all below it; returns its number.
    fn add(
        &mut self,
        module: Module,
        parent: Option<usize>,
        place: &Place<'_>,
        reading: &mut Reading<'_>,
    ) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node { parent, ..Node::default() });
        self.fill(number, module, place, reading);
        number
    }

    /// Adds what was read to a module.
    fn fill(&mut self, number: usize, module: Module, place: &Place<'_>, reading: &mut Reading<'_>) {
        let Some(node) = self.nodes.get_mut(number) else { return };
        node.docs.push_str(&module.docs);
        for item in module.items {
            node.by_name.entry(item.name.clone()).or_insert(node.items.len());
            node.items.push(item);
        }
        for r#use in module.uses {
            if let Some(name) = &r#use.name {
                node.use_by_name.entry(name.clone()).or_insert(node.uses.len());
            }
            node.uses.push(r#use);
        }
        node.impls.extend(module.impls);
        reading.templates.extend(module.templates);
        if place.depth < MAX_DEPTH {
            for submodule in module.modules {
                self.add_submodule(number, submodule, place, reading);
            }
        }
        for call in module.calls {
            // Each is used up, so that macros that call each other come to an end.
            if let Some(template) = reading.templates.remove(&call) {
                self.fill(number, template, place, reading);
            }
        }
    }

    fn add_submodule(
        &mut self,
        number: usize,
        submodule: Submodule,
        place: &Place<'_>,
        reading: &mut Reading<'_>,
    ) {
        let Submodule { name, is_public, docs, path, path_under_condition, inline } = submodule;
        let folder = join(place.folder, name.trim_start_matches("r#"));
        let depth = place.depth + 1;
        let child = match inline {
            Some(inner) => {
                let place = Place { file_folder: place.file_folder, folder: &folder, depth };
                self.add(inner, Some(number), &place, reading)
            }
            None => {
                let usual = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
                let other = path_under_condition.map(|path| join(place.file_folder, &path));
                let candidates = match path {
                    Some(path) => vec![join(place.file_folder, &path)],
                    None => usual.into_iter().chain(other).collect(),
                };
                let file = candidates.into_iter().find(|file| reading.sources.contains_key(file));
                let Some(file) = file.filter(|file| reading.read.insert(file.clone())) else { return };
                let inner = parse(reading.sources.get(&file).map_or("", String::as_str));
                let own = if file.ends_with("/mod.rs") { folder_of(&file).to_owned() } else { folder };
                let place = Place { file_folder: folder_of(&file), folder: &own, depth };
                self.add(inner, Some(number), &place, reading)
            }
        };
        if let Some(node) = self.nodes.get_mut(child)
            && !docs.trim().is_empty()
        {
            node.docs = format!("{docs}\n{}", node.docs);
        }
        if let Some(node) = self.nodes.get_mut(number) {
            node.child_by_name.entry(name.clone()).or_insert(child);
            node.children.push((name, child, is_public));
        }
    }

    pub(super) fn item(&self, module: usize, item: usize) -> Option<&Item> {
        self.nodes.get(module)?.items.get(item)
    }

    /// What a path that is written in a module means; nothing for what is outside of the crate.
    pub(super) fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.resolve_within(from, path, MAX_HOPS)
    }

    fn resolve_within(&self, from: usize, path: &[String], hops: usize) -> Option<Target> {
        let (mut module, mut rest) = (from, path);
        loop {
            match rest.first().map(String::as_str) {
                Some("crate" | "$crate") => module = 0,
                Some("self") => {}
                Some("super") => module = self.nodes.get(module)?.parent?,
                _ => break,
            }
            rest = rest.get(1..)?;
        }
        let first = rest.first();
        if let Some(target) = self.walk(module, rest, hops) {
            return Some(target);
        }
        // Before the edition of 2018 paths of `use` began at the root.
        let starts_plain = first.is_some() && rest.len() == path.len() && rest.len() > 1;
        if starts_plain && module != 0 { self.walk(0, rest, hops) } else { None }
    }

    fn walk(&self, mut module: usize, path: &[String], hops: usize) -> Option<Target> {
        let Some((last, folders)) = path.split_last() else { return Some(Target::Module(module)) };
        for name in folders {
            let node = self.nodes.get(module)?;
            module = match node.child_by_name.get(name) {
                Some(&child) => child,
                None => match self.used(module, name, hops)? {
                    Target::Module(child) => child,
                    Target::Item { .. } => return None,
                },
            };
        }
        let node = self.nodes.get(module)?;
        if let Some(&item) = node.by_name.get(last) {
            return Some(Target::Item { module, item });
        }
        // A module and a function may share a name; `use` means both, and the function is what users come for.
        let used = self.used(module, last, hops);
        let child = || node.child_by_name.get(last).map(|&child| Target::Module(child));
        used.filter(|target| matches!(target, Target::Item { .. })).or_else(child).or(used)
    }

    fn used(&self, module: usize, name: &str, hops: usize) -> Option<Target> {
        let node = self.nodes.get(module)?;
        let r#use = node.uses.get(*node.use_by_name.get(name)?)?;
        self.resolve_within(module, &r#use.path, hops.checked_sub(1)?)
    }
}

/// Where a module's files are: beside its own file, and in the folder of its name.
struct Place<'a> {
    file_folder: &'a str,
    folder: &'a str,
    depth: usize,
}

/// What is known while the files are read.
struct Reading<'a> {
    sources: &'a BTreeMap<String, String>,
    /// Files that have their module.
    read: HashSet<String>,
    /// Items that macros make, by the name of the macro.
    templates: HashMap<String, Module>,
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path below a folder, with `..` taken back.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
