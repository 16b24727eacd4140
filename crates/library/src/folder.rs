//! The files of a folder, several at once.
//!
//! The walk leaves out what developers expect to be left out: hidden files and what ignore files name. Links are not followed.
//! It is only a list of names: each file is opened through its root like any other, so that what is swapped during the walk
//! leads nowhere. Names go through a short queue, so that a folder with very many files takes no more memory than its report.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use docent_engine::{Cancel, PathGlob};
use ignore::WalkBuilder;

use crate::library::{FolderRules, Into, Library};
use crate::roots::Place;
use crate::{FileReport, LibraryError, Report, file_types};

/// Most conversions at once.
const MOST_AT_ONCE: usize = 8;
/// Names that wait.
const QUEUE: usize = 64;
/// Folders that cannot be read are named up to this many.
const NAMED: usize = 5;

impl Library {
    /// Takes in the files of the folder at this place.
    pub(crate) fn take_folder(
        &self,
        place: &Place,
        rules: &FolderRules,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Result<Report, LibraryError> {
        let include = patterns(place, rules)?;
        let walk = Walk { place, include: &include, max_files: rules.max_files, cancel };
        let at_once = rules.max_concurrency;
        Ok(self.take_many(at_once, |sender| walk.send(sender), into, told, cancel))
    }

    /// How many files of the folder at this place would be taken in.
    pub(crate) fn count_folder_at(
        &self,
        place: &Place,
        rules: &FolderRules,
        cancel: &Cancel,
    ) -> Result<usize, LibraryError> {
        let include = patterns(place, rules)?;
        let mut count = 0;
        Walk { place, include: &include, max_files: rules.max_files, cancel }.each(|_| {
            count += 1;
            count < rules.max_files
        });
        Ok(count)
    }

    /// Takes in every file that `send` names, several at once.
    pub(crate) fn take_many(
        &self,
        at_once: usize,
        send: impl FnOnce(SyncSender<Named>) -> Vec<String>,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Report {
        let files = Mutex::new(Vec::new());
        let (sender, receiver) = sync_channel(QUEUE);
        let receiver = Mutex::new(receiver);
        let notes = std::thread::scope(|scope| {
            for _ in 0..at_once.clamp(1, MOST_AT_ONCE) {
                scope.spawn(|| {
                    while let Some(file) = next(&receiver) {
                        // What is left is taken out of the queue, so that nobody waits to put more in.
                        if cancel.is_cancelled() {
                            continue;
                        }
                        let report = self.report(file, into, cancel);
                        // What was stopped halfway has not failed.
                        if cancel.is_cancelled() && report.outcome.is_err() {
                            continue;
                        }
                        told(&report);
                        files.lock().unwrap_or_else(PoisonError::into_inner).push(report);
                    }
                });
            }
            send(sender)
        });
        let mut files = files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.source.cmp(&b.source));
        Report { files, notes, cancelled: cancel.is_cancelled() }
    }

    fn report(&self, file: Named, into: &Into, cancel: &Cancel) -> FileReport {
        let place = match file {
            Ok(place) => place,
            Err(report) => return *report,
        };
        FileReport {
            source: place.full().display().to_string(),
            outcome: self.take_file(&place, into, cancel),
        }
    }
}

/// The patterns of a walk through what must be a folder.
fn patterns(place: &Place, rules: &FolderRules) -> Result<Vec<PathGlob>, LibraryError> {
    place.check_folder()?;
    let include = rules.include.iter().map(|pattern| PathGlob::new(pattern));
    include.collect::<Result<Vec<_>, _>>().map_err(|message| LibraryError {
        message,
        hint: "patterns look like guides/**/*.md, or name a folder".to_owned(),
    })
}

/// A file that is to be taken in, or what is wrong with its name.
pub(crate) type Named = Result<Place, Box<FileReport>>;

/// The next file, or `None` when there is none left.
fn next<T>(receiver: &Mutex<Receiver<T>>) -> Option<T> {
    receiver.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// A walk through a folder.
struct Walk<'a> {
    place: &'a Place,
    include: &'a [PathGlob],
    max_files: usize,
    cancel: &'a Cancel,
}

/// What a walk left out.
#[derive(Default)]
struct PassedOver {
    /// By their names, or not named by a pattern.
    unwanted: usize,
    /// Of unknown kinds, and no text inside.
    binary: usize,
    /// Links that lead out of the folder, to folders, or nowhere.
    links: usize,
    /// Pipes, sockets, devices.
    special: usize,
    unread: Vec<String>,
}

impl Walk<'_> {
    /// Sends every file that is wanted, and returns what a reader should know.
    fn send(&self, sender: SyncSender<Named>) -> Vec<String> {
        let mut sent = 0;
        let mut is_cut = false;
        let passed_over = self.each(|file| {
            is_cut = sent == self.max_files;
            sent += usize::from(!is_cut);
            !is_cut && sender.send(file).is_ok()
        });
        let mut notes = passed_over.notes(self.include.is_empty());
        if is_cut {
            notes.insert(0, format!(
                "stopped after {sent} files, there are more; name a folder below, or give patterns of the files to take"
            ));
        }
        notes
    }

    /// Visits every file that is wanted, until a visit says that it is enough.
    fn each(&self, mut visit: impl FnMut(Named) -> bool) -> PassedOver {
        let root = self.place.full();
        let mut passed_over = PassedOver::default();
        let walk = WalkBuilder::new(&root).hidden(true).require_git(false).follow_links(false).build();
        for entry in walk.take_while(|_| !self.cancel.is_cancelled()) {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    passed_over.unread.push(error.to_string());
                    continue;
                }
            };
            let (Ok(below), Some(kind)) = (entry.path().strip_prefix(&root), entry.file_type()) else {
                continue;
            };
            if kind.is_dir() || below.as_os_str().is_empty() {
                continue;
            }
            let left_out = match below.to_str() {
                _ if !kind.is_file() && !kind.is_symlink() => &mut passed_over.special,
                Some(path) if !self.is_named(path) => &mut passed_over.unwanted,
                Some(_) if kind.is_symlink() && self.place.inside(below).open_file().is_err() => {
                    &mut passed_over.links
                }
                Some(path) if self.include.is_empty() && self.is_binary(path) => &mut passed_over.binary,
                path => {
                    let file = match path {
                        Some(_) => Ok(self.place.inside(below)),
                        None => Err(Box::new(self.impossible(below))),
                    };
                    if !visit(file) {
                        break;
                    }
                    continue;
                }
            };
            *left_out += 1;
        }
        passed_over
    }

    fn is_named(&self, path: &str) -> bool {
        match self.include {
            [] => !file_types::is_passed_over(path),
            patterns => {
                let path = path.replace('\\', "/");
                patterns.iter().any(|pattern| pattern.matches(&path))
            }
        }
    }

    /// Whether a file whose name says nothing is something else than text or a document. One that cannot be looked at is
    /// taken in like any other, so that the reason is told.
    fn is_binary(&self, path: &str) -> bool {
        let is_unknown = !file_types::is_document(path);
        is_unknown && self.place.inside(Path::new(path)).head().is_ok_and(|head| file_types::is_binary(&head))
    }

    /// The report of a file whose name is no Unicode.
    fn impossible(&self, below: &Path) -> FileReport {
        let outcome = Err(LibraryError {
            message: format!("the name of {} is not valid Unicode", below.display()),
            hint: "rename it".to_owned(),
        });
        FileReport { source: self.place.full().join(below).display().to_string(), outcome }
    }
}

impl PassedOver {
    /// What was left out, in words; `by_kind` when nobody gave patterns.
    fn notes(&self, by_kind: bool) -> Vec<String> {
        let said = |number: usize, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one} was passed over")),
            number => Some(format!("{number} {many} were passed over")),
        };
        let unwanted = match by_kind {
            true => said(self.unwanted, "file that is no document", "files that are no documents"),
            false => said(self.unwanted, "file that no pattern names", "files that no pattern names"),
        };
        let binary =
            said(self.binary, "file of an unknown kind without text", "files of unknown kinds without text");
        let links =
            said(self.links, "link to a folder or out of this one", "links to folders or out of this one");
        let special = said(self.special, "pipe, socket or device", "pipes, sockets and devices");
        let mut notes: Vec<String> = [unwanted, binary, links, special].into_iter().flatten().collect();
        notes.extend(self.unread.iter().take(NAMED).map(|error| format!("not read: {error}")));
        if self.unread.len() > NAMED {
            notes.push(format!("not read: {} more", self.unread.len() - NAMED));
        }
        notes
    }
}
