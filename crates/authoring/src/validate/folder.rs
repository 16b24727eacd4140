//! A whole folder, checked: every file alone and in parallel, then all of them together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Page, Site, check_manifest, check_page, check_site};
use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::manifest_path;
use crate::manifests::Manifests;

/// The texts of a folder.
#[derive(Debug, Clone, Default)]
pub struct Folder {
    /// Documents by path relative to the folder.
    pub documents: BTreeMap<String, String>,
    /// Manifests by the folder that they are in; empty for the folder itself.
    pub manifests: BTreeMap<String, String>,
    /// Folders whose manifest is there and cannot be read: none is proposed in its place.
    pub unreadable: BTreeSet<String>,
    /// What the settings say in the place of a manifest.
    pub base: Manifest,
    /// The longest chunk where no strategy names one.
    pub max_chars: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Checked {
    /// What is wrong, with the path of the file, in the order of paths and lines.
    pub findings: Vec<(String, Finding)>,
    /// Every page.
    pub pages: BTreeMap<String, Page>,
    /// Every manifest.
    pub manifests: Manifests,
}

impl Folder {
    /// Checks everything. `exists` is asked about files that are no documents, as in [`check_site`].
    pub fn check(&self, exists: &dyn Fn(&str) -> bool) -> Checked {
        let mut manifests = Manifests::new(self.base.clone());
        let mut findings = Vec::new();
        for (folder, text) in &self.manifests {
            let (manifest, found) = check_manifest(text);
            findings.extend(found.into_iter().map(|finding| (manifest_path(folder), finding)));
            manifests.insert(folder, manifest);
        }
        let mut pages = self.check_pages(&manifests);
        for (path, page) in &mut pages {
            findings.extend(page.findings.drain(..).map(|finding| (path.clone(), finding)));
        }
        let site = Site { pages: &pages, manifest_texts: &self.manifests, manifests: &manifests };
        findings.extend(check_site(&site, exists));
        findings.sort_by(|(a, one), (b, two)| {
            (a, one.line, one.code, &one.message).cmp(&(b, two.line, two.code, &two.message))
        });
        Checked { findings, pages, manifests }
    }

    fn check_pages(&self, manifests: &Manifests) -> BTreeMap<String, Page> {
        let documents: Vec<(&String, &String)> = self.documents.iter().collect();
        let threads =
            std::thread::available_parallelism().map_or(1, |count| count.get()).min(documents.len()).max(1);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some((path, text)) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push(((*path).clone(), check_page(path, text, manifests, self.max_chars)));
            }
            done
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut pages: BTreeMap<String, Page> = work().into_iter().collect();
            for worker in workers {
                // A worker that panics is our bug, and ours to pass on.
                match worker.join() {
                    Ok(done) => pages.extend(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            pages
        })
    }
}
