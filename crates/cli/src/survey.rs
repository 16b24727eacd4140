//! Reads a folder of documents and its manifests for the commands that look at authors' work.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use docent_authoring::{Checked, Code, Exemptions, Finding, Folder, manifest_path};
use docent_engine::{Source, list_files, read_file};

use crate::errors::CliError;
use crate::settings::Settings;

/// A folder as it was read.
#[derive(Debug)]
pub(crate) struct Survey {
    /// Where it is.
    pub(crate) root: PathBuf,
    /// Its texts.
    pub(crate) folder: Folder,
    /// Files that could not be read, each with its finding.
    pub(crate) unreadable: Vec<(String, Finding)>,
    /// What the authors have decided to live with.
    exemptions: Exemptions,
}

impl Survey {
    /// Reads everything that the settings let through.
    pub(crate) fn read(settings: &Settings, allow: &[String]) -> Result<Survey, CliError> {
        let exemptions = exemptions(settings, allow)?;
        let source = Source::new("docs", &settings.docs.value, &settings.rules())?;
        let list = list_files(&source)?;
        let manifests: Vec<String> =
            list.manifest_folders.iter().map(|folder| manifest_path(folder)).collect();
        let (documents, mut unreadable) = read_all(&source, &list.documents);
        let (texts, broken) = read_all(&source, &manifests);
        unreadable.extend(broken);
        for (path, reason) in &list.problems {
            let path = Path::new(path)
                .strip_prefix(&source.root)
                .map_or(path.clone(), |path| path.display().to_string());
            unreadable.push((path, refused(reason)));
        }
        let folder_of = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let manifests = texts.into_iter().map(|(path, text)| (folder_of(&path), text)).collect();
        let base = settings.manifest.value.clone();
        let broken = unreadable.iter().map(|(path, _)| path.as_str());
        let broken = broken.filter(|path| *path == manifest_path(&folder_of(path))).map(folder_of).collect();
        let max_chars = settings.max_chars.value;
        let folder = Folder { documents, manifests, unreadable: broken, base, max_chars };
        Ok(Survey { root: source.root.clone(), folder, unreadable, exemptions })
    }

    /// Checks what was read. Files that could not be read are among the findings; what is allowed is not.
    pub(crate) fn check(&self) -> Checked {
        let exists = |path: &str| self.root.join(path).exists();
        let mut checked = self.folder.check(&exists);
        checked.findings.extend(self.unreadable.iter().cloned());
        checked.findings.retain(|(path, finding)| !self.exemptions.cover(finding.code, path));
        checked.findings.sort_by(|(a, one), (b, two)| (a, one.line, one.code).cmp(&(b, two.line, two.code)));
        checked
    }
}

/// What the settings allow, and what was allowed on the command line.
fn exemptions(settings: &Settings, allow: &[String]) -> Result<Exemptions, CliError> {
    let told = |place: String| {
        move |(message, hint): (String, String)| CliError::usage(format!("{place}: {message}"), hint)
    };
    let set = &settings.allow;
    Exemptions::parse(set.value.iter().map(String::as_str)).map_err(told(set.origin.to_string()))?;
    Exemptions::parse(allow.iter().map(String::as_str)).map_err(told("--allow".to_owned()))?;
    let all = set.value.iter().chain(allow).map(String::as_str);
    Exemptions::parse(all).map_err(told("--allow".to_owned()))
}

fn read_all(source: &Source, paths: &[String]) -> (BTreeMap<String, String>, Vec<(String, Finding)>) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((path.clone(), read_file(source, path)));
        }
        done
    };
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(paths.len()).max(1);
    let read = std::thread::scope(|scope| {
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut read = work();
        for worker in workers {
            match worker.join() {
                Ok(done) => read.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        read
    });
    let (mut texts, mut unreadable) = (BTreeMap::new(), Vec::new());
    for (path, result) in read {
        match result {
            Ok(text) => {
                texts.insert(path, text);
            }
            Err(reason) => unreadable.push((path, refused(&reason))),
        }
    }
    (texts, unreadable)
}

fn refused(reason: &str) -> Finding {
    Finding::new(
        Code::Unreadable,
        1,
        reason,
        "put the file right, or leave it out with `exclude` in docent.toml",
    )
}
