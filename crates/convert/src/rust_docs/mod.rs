//! API documentation of a Rust crate from the doc comments in its sources: one page a public module.
//!
//! Shows what a reader of the crate can use: public items of public modules, and those that are re-exported from private
//! ones, at the place where users find them. Nothing is expanded or compiled, so what macros make is not seen.

mod attributes;
mod doc_text;
mod items;
mod lexer;
mod parser;
mod render;
mod signature;
mod tree;
mod uses;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use crate::Page;
use items::Item;
use tree::{Target, Tree};
use uses::Use;

/// Globs of globs that are followed.
const MAX_GLOBS: usize = 16;

/// The pages of a crate: `api/NAME.md` for its root, `api/NAME/module.md` for a module.
///
/// `sources` are the texts of its files by their paths inside of the crate, and `root` is the path of its root file,
/// usually `src/lib.rs`. Modules about which nothing is said have no page.
pub fn pages(name: &str, root: &str, sources: &BTreeMap<String, String>) -> Vec<Page> {
    let tree = Tree::new(root, sources);
    let methods = methods_by_type(&tree);
    let public = public_modules(&tree);
    let mut exports = Exports { tree: &tree, shown: HashSet::new(), globbed: HashSet::new(), public };
    let mut queue: VecDeque<(usize, Vec<String>)> = VecDeque::from([(0, vec![name.replace('-', "_")])]);
    let mut seen = HashSet::from([0]);
    let mut paths = HashSet::new();
    let mut pages = Vec::new();
    while let Some((module, path)) = queue.pop_front() {
        let content = exports.of_module(module);
        let mut submodules = Vec::new();
        for (name, child) in content.modules {
            if seen.insert(child) {
                let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
                queue.push_back((child, path));
                submodules.push((name, child));
            }
        }
        let page = render::ModulePage {
            tree: &tree,
            methods: &methods,
            path: &path,
            module,
            items: &content.items,
            submodules: &submodules,
            foreign: &content.foreign,
        };
        let file = format!("api/{}.md", path.join("/"));
        if let Some(text) = page.render().filter(|_| paths.insert(file.clone())) {
            pages.push(Page { path: file, text });
        }
    }
    pages
}

/// Methods of `impl` blocks, by the item that they belong to.
type Methods<'a> = HashMap<(usize, usize), Vec<&'a Item>>;

fn methods_by_type(tree: &Tree) -> Methods<'_> {
    let mut by_name: HashMap<&str, (usize, usize)> = HashMap::new();
    for (module, node) in tree.nodes.iter().enumerate() {
        for (item, found) in node.items.iter().enumerate() {
            if matches!(found.kind, "struct" | "enum" | "union" | "trait") {
                by_name.entry(&found.name).or_insert((module, item));
            }
        }
    }
    let mut methods: Methods<'_> = HashMap::new();
    for (module, node) in tree.nodes.iter().enumerate() {
        for block in &node.impls {
            let owner = match tree.resolve(module, &block.target) {
                Some(Target::Item { module, item }) => Some((module, item)),
                _ => block.target.last().and_then(|name| by_name.get(name.as_str()).copied()),
            };
            if let Some(owner) = owner {
                methods.entry(owner).or_default().extend(&block.members);
            }
        }
    }
    methods
}

/// Modules that can be reached through public modules alone.
fn public_modules(tree: &Tree) -> HashSet<usize> {
    let mut public = HashSet::from([0]);
    let mut waiting = vec![0];
    while let Some(module) = waiting.pop() {
        let children = tree.nodes.get(module).map(|node| node.children.as_slice()).unwrap_or_default();
        for &(_, child, is_public) in children {
            if is_public && public.insert(child) {
                waiting.push(child);
            }
        }
    }
    public
}

/// What a module shows.
#[derive(Default)]
struct Content {
    /// Items with their names here.
    items: Vec<(usize, usize, String)>,
    modules: Vec<(String, usize)>,
    /// Re-exports of what is documented elsewhere.
    foreign: Vec<String>,
}

struct Exports<'a> {
    tree: &'a Tree,
    /// Items that have their place; a second re-export only names them.
    shown: HashSet<(usize, usize)>,
    /// Modules whose items all have their place.
    globbed: HashSet<usize>,
    public: HashSet<usize>,
}

impl Exports<'_> {
    fn of_module(&mut self, module: usize) -> Content {
        let mut content = Content::default();
        self.collect(module, &mut content, 0);
        if module == 0 {
            for (number, node) in self.tree.nodes.iter().enumerate() {
                for (at, item) in node.items.iter().enumerate().filter(|(_, item)| item.is_exported) {
                    if self.shown.insert((number, at)) {
                        content.items.push((number, at, item.name.clone()));
                    }
                }
            }
        }
        content
    }

    /// Adds what a module has, and through globs what others have.
    fn collect(&mut self, module: usize, content: &mut Content, depth: usize) {
        let Some(node) = self.tree.nodes.get(module) else { return };
        for (at, item) in node.items.iter().enumerate() {
            if item.is_public && !item.is_exported && self.shown.insert((module, at)) {
                content.items.push((module, at, item.name.clone()));
            }
        }
        let public = node.children.iter().filter(|(_, _, is_public)| *is_public);
        content.modules.extend(public.map(|(name, child, _)| (name.clone(), *child)));
        for r#use in node.uses.iter().filter(|r#use| r#use.is_public) {
            self.follow(module, r#use, content, depth);
        }
    }

    fn follow(&mut self, module: usize, r#use: &Use, content: &mut Content, depth: usize) {
        match (self.tree.resolve(module, &r#use.path), &r#use.name) {
            (Some(Target::Item { module, item }), Some(name)) => {
                let is_elsewhere = self.public.contains(&module);
                if !is_elsewhere && self.shown.insert((module, item)) {
                    content.items.push((module, item, name.clone()));
                } else {
                    content.foreign.push(r#use.written());
                }
            }
            (Some(Target::Module(target)), None)
                if depth < MAX_GLOBS && !self.public.contains(&target) && self.globbed.insert(target) =>
            {
                self.collect(target, content, depth + 1);
            }
            (Some(Target::Module(target)), Some(name)) if !self.public.contains(&target) => {
                content.modules.push((name.clone(), target));
            }
            _ => content.foreign.push(r#use.written()),
        }
    }
}
