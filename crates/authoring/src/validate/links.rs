//! Links inside of the documents that lead nowhere.
//!
//! A link to a file of Markdown is relative to its page. A link without an ending, or to `.html`, is an address of the
//! published site: it may be relative to the page's folder or to the page's own address, which has a slash at its end
//! on many sites, so both are tried. A link that starts with `/` is checked only where most such links lead to pages:
//! elsewhere the documents are published under an address that nobody here knows.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::markdown::Link;
use super::page::Page;
use super::targets::{self, Kind, Target};
use crate::finding::{Code, Finding, Fix};

/// Links that start with `/` are checked when at least this share of them leads to a page.
const TRUSTED: f64 = 0.8;

const CREATE: &str = "correct the link, or create the page";

fn leads_nowhere(link: &Link) -> String {
    format!("`{}` leads to no page", whole(&link.target))
}

/// Findings about links, each with its page.
pub(super) fn check(pages: &BTreeMap<String, Page>, exists: &dyn Fn(&str) -> bool) -> Vec<(String, Finding)> {
    let map = Map::new(pages, exists);
    let mut findings = Vec::new();
    let mut rooted = Vec::new();
    let mut rooted_links = 0_usize;
    for (path, page) in pages.iter().filter(|(path, _)| !is_part(path)) {
        for link in &page.links {
            let Some(target) = targets::read(&link.target) else { continue };
            let found = map.look(path, link, &target);
            if !target.from_root {
                findings.extend(found.map(|finding| (path.clone(), finding)));
                continue;
            }
            rooted_links += 1;
            match found {
                Some(finding) if finding.code == Code::MissingPage => {
                    rooted.push((path.clone(), Finding { code: Code::MissingRootPage, ..finding }));
                }
                found => findings.extend(found.map(|finding| (path.clone(), finding))),
            }
        }
    }
    let led = (rooted_links - rooted.len()) as f64;
    if led >= TRUSTED * rooted_links as f64 {
        findings.append(&mut rooted);
    }
    findings
}

/// Whether a file is put into other pages, from where its links are to be read.
fn is_part(path: &str) -> bool {
    let folders =
        ["includes", "_includes", "include", "snippets", "_snippets", "partials", "_partials", "fragments"];
    let name = path.rsplit('/').next().unwrap_or_default();
    let own = name.starts_with('_') && !name.starts_with("_index.");
    own || targets::folder(path).split('/').any(|folder| folders.contains(&folder))
}

/// What there is to link to.
struct Map<'a> {
    pages: &'a BTreeMap<String, Page>,
    exists: &'a dyn Fn(&str) -> bool,
    /// Published address → pages.
    addresses: HashMap<String, Vec<&'a str>>,
    /// Every path in lower case: a link that differs only in case is wrong on systems that tell them apart.
    lower: HashSet<String>,
    /// Every folder with a page in it or below, in lower case.
    folders: HashSet<String>,
    /// File name in lower case → pages.
    names: HashMap<String, Vec<&'a str>>,
}

impl<'a> Map<'a> {
    fn new(pages: &'a BTreeMap<String, Page>, exists: &'a dyn Fn(&str) -> bool) -> Self {
        let (mut addresses, mut names) =
            (HashMap::<String, Vec<&str>>::new(), HashMap::<String, Vec<&str>>::new());
        let (mut lowered, mut folders) = (HashSet::new(), HashSet::from([String::new()]));
        for (path, page) in pages {
            addresses.entry(targets::address(path)).or_default().push(path);
            for address in &page.addresses {
                addresses.entry(address.clone()).or_default().push(path);
            }
            let lower = path.to_lowercase();
            let mut folder = targets::folder(&lower);
            while !folder.is_empty() && folders.insert(folder.to_owned()) {
                folder = targets::folder(folder);
            }
            names.entry(lower.rsplit('/').next().unwrap_or_default().to_owned()).or_default().push(path);
            lowered.insert(lower);
        }
        Self { pages, exists, addresses, lower: lowered, folders, names }
    }

    /// What is wrong with a link, if anything.
    fn look(&self, path: &str, link: &Link, target: &Target) -> Option<Finding> {
        match target.kind {
            Kind::Itself => self.look_at_anchor(&[path], link, target),
            Kind::Source => self.look_at_source(path, link, target),
            Kind::Address => self.look_at_address(path, link, target),
        }
    }

    fn look_at_source(&self, path: &str, link: &Link, target: &Target) -> Option<Finding> {
        let folder = if target.from_root { "" } else { targets::folder(path) };
        let Some(full) = targets::join(folder, &target.path) else {
            // It leads out of the documents, where the disk decides.
            let outside = format!("{folder}/{}", target.path);
            let gone = !(self.exists)(outside.trim_start_matches('/'));
            return gone.then(|| Finding::new(Code::MissingPage, link.line, leads_nowhere(link), CREATE));
        };
        if self.pages.contains_key(&full) {
            return self.look_at_anchor(&[&full], link, target);
        }
        if (self.exists)(&full) {
            return None;
        }
        // Some generators publish `a.md` as the address `a`, whatever the page's file is called.
        let published = self
            .addresses
            .get(&targets::address(&full))
            .filter(|_| !self.lower.contains(&full.to_lowercase()));
        match published {
            Some(pages) => self.look_at_anchor(pages, link, target),
            None => Some(self.missing(path, link, target)),
        }
    }

    fn look_at_address(&self, path: &str, link: &Link, target: &Target) -> Option<Finding> {
        let own = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let bases = if target.from_root { vec![""] } else { vec![targets::folder(path), own] };
        let mut leads_out = false;
        for base in bases {
            let Some(full) = targets::join(base, &target.path) else {
                leads_out = true;
                continue;
            };
            if let Some(pages) = self.addresses.get(&targets::address(&full)) {
                return self.look_at_anchor(pages, link, target);
            }
            if self.folders.contains(&full.to_lowercase()) || (self.exists)(&full) {
                return None;
            }
        }
        // Beyond the documents there may be more of the same site.
        (!leads_out).then(|| self.missing(path, link, target))
    }

    fn look_at_anchor(&self, pages: &[&str], link: &Link, target: &Target) -> Option<Finding> {
        let fragment = target.fragment.as_deref()?;
        let has = |path: &&str| self.pages.get(*path).is_none_or(|page| page.anchors.has(fragment));
        if pages.iter().any(has) {
            return None;
        }
        let page = pages.first().copied().unwrap_or_default();
        let page = whole(page);
        let message = format!("{page} has no anchor `#{}`", whole(fragment));
        Some(Finding::new(Code::MissingAnchor, link.line, message, "correct the part after `#`"))
    }

    fn missing(&self, path: &str, link: &Link, target: &Target) -> Finding {
        let message = leads_nowhere(link);
        let Some(moved) = self.moved(target) else {
            return Finding::new(Code::MissingPage, link.line, message, CREATE);
        };
        let new = if target.from_root {
            format!("/{moved}")
        } else {
            targets::between(targets::folder(path), moved)
        };
        let hint = format!("did you mean `{}`?", whole(&new));
        let fix = link.bytes.clone().and_then(|bytes| {
            let rest =
                link.target.find(['#', '?']).map_or("", |at| link.target.get(at..).unwrap_or_default());
            let anchors = &self.pages.get(moved)?.anchors;
            let fits = target.fragment.as_deref().is_none_or(|fragment| anchors.has(fragment));
            let encoded = new.replace('%', "%25").replace(' ', "%20");
            let plain = !encoded.contains(['(', ')', '<', '>']);
            (fits && plain).then(|| Fix { bytes, replacement: format!("{encoded}{rest}") })
        });
        Finding::new(Code::MissingPage, link.line, message, hint).with_fix(fix)
    }

    /// The one page that has the file name which the link names.
    fn moved(&self, target: &Target) -> Option<&'a str> {
        let name = target.path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let common = ["index", "_index", "readme"].iter().any(|stem| name.starts_with(&format!("{stem}.")));
        if target.kind != Kind::Source || common {
            return None;
        }
        match self.names.get(&name).map(Vec::as_slice) {
            Some([only]) => Some(only),
            _ => None,
        }
    }
}
/// An address, which is of no use when it is cut.
fn whole(address: &str) -> String {
    docent_text::visible_line(address, 400)
}
