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
        place.check_folder()?;
        let include = rules.include.iter().map(|pattern| PathGlob::new(pattern));
        let include = include.collect::<Result<Vec<_>, _>>().map_err(|message| LibraryError {
            message,
            hint: "patterns look like guides/**/*.md, or name a folder".to_owned(),
        })?;
        let walk = Walk { place, include: &include, max_files: rules.max_files, cancel };
        let at_once = rules.max_concurrency;
        Ok(self.take_many(at_once, |sender| walk.send(sender), into, told, cancel))
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

impl Walk<'_> {
    /// Sends every file that is wanted, and returns what a reader should know.
    fn send(&self, sender: SyncSender<Named>) -> Vec<String> {
        let root = self.place.full();
        let (mut sent, mut passed_over, mut unread) = (0, 0, Vec::new());
        let mut notes = Vec::new();
        let walk = WalkBuilder::new(&root).hidden(true).require_git(false).follow_links(false).build();
        for entry in walk {
            if self.cancel.is_cancelled() {
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    unread.push(error.to_string());
                    continue;
                }
            };
            let Ok(below) = entry.path().strip_prefix(&root) else { continue };
            if entry.file_type().is_none_or(|kind| kind.is_dir()) || below.as_os_str().is_empty() {
                continue;
            }
            let Some(file) = self.wanted(below) else {
                passed_over += 1;
                continue;
            };
            if sent == self.max_files {
                notes.push(format!(
                    "stopped after {sent} files, there are more; name a folder below, or give patterns of the files to take"
                ));
                break;
            }
            sent += 1;
            if sender.send(file).is_err() {
                break;
            }
        }
        if passed_over > 0 {
            notes.push(match passed_over {
                1 => "1 file that is no document was passed over".to_owned(),
                many => format!("{many} files that are no documents were passed over"),
            });
        }
        notes.extend(unread.iter().take(NAMED).map(|error| format!("not read: {error}")));
        if unread.len() > NAMED {
            notes.push(format!("not read: {} more", unread.len() - NAMED));
        }
        notes
    }

    /// The file if it is to be taken in; one with an impossible name is reported instead.
    fn wanted(&self, below: &Path) -> Option<Named> {
        let Some(path) = below.to_str() else {
            let outcome = Err(LibraryError {
                message: format!("the name of {} is not valid Unicode", below.display()),
                hint: "rename it".to_owned(),
            });
            let source = self.place.full().join(below).display().to_string();
            return Some(Err(Box::new(FileReport { source, outcome })));
        };
        let is_wanted = match self.include {
            [] => !file_types::is_passed_over(path),
            patterns => {
                let path = path.replace('\\', "/");
                patterns.iter().any(|pattern| pattern.matches(&path))
            }
        };
        is_wanted.then(|| Ok(self.place.inside(below)))
    }
}
