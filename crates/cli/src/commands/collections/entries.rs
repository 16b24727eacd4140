//! Entries of `[collections]` in a settings file: written, taken out and renamed without touching the rest of the file.

use std::fs::File;
use std::path::{Path, PathBuf};

use docent_sources::{Place, Spec};
use toml_edit::{Array, DocumentMut, Item, Table, Value, value};

use crate::collections::{Listed, Owner};
use crate::config_file::CollectionSection;
use crate::edited_file::EditedFile;
use crate::errors::CliError;
use crate::project::SETTINGS_FILE;
use crate::settings::Settings;

const SECTION: &str = "collections";

/// A settings file that is about to change.
pub(super) struct Entries {
    file: EditedFile,
    path: PathBuf,
    document: DocumentMut,
}

impl Entries {
    /// Reads the file at `path`; one that is not there is made.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let file = EditedFile::read(path)?;
        let document = file.text().unwrap_or_default().parse::<DocumentMut>().map_err(|error| {
            CliError::usage(
                format!("{} cannot be read: {}", path.display(), error.message()),
                "mend the file; nothing was written",
            )
        })?;
        Ok(Self { file, path: path.to_owned(), document })
    }

    /// Writes an entry, in the place of one with the same name.
    pub(super) fn put(&mut self, name: &str, section: &CollectionSection) -> Result<(), CliError> {
        let mut entry = Table::new();
        entry["source"] = value(section.source.as_str());
        let texts =
            [("description", &section.description), ("version", &section.version), ("hash", &section.hash)];
        for (key, text) in texts {
            if let Some(text) = text {
                entry[key] = value(text.as_str());
            }
        }
        let lists =
            [("aliases", &section.aliases), ("include", &section.include), ("exclude", &section.exclude)];
        for (key, list) in lists {
            if !list.is_empty() {
                entry[key] = Item::Value(Value::Array(list.iter().map(String::as_str).collect::<Array>()));
            }
        }
        self.section()?.insert(name, Item::Table(entry));
        Ok(())
    }

    /// Takes an entry out.
    pub(super) fn take(&mut self, name: &str) -> Result<Option<Item>, CliError> {
        let section = self.section()?;
        let taken = section.remove(name);
        if section.is_empty() {
            self.document.remove(SECTION);
        }
        Ok(taken)
    }

    /// Gives an entry another name.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), CliError> {
        if let Some(entry) = self.take(from)? {
            self.section()?.insert(to, entry);
        }
        Ok(())
    }

    /// Writes the file.
    pub(super) fn write(self) -> Result<PathBuf, CliError> {
        self.file.write(&self.document.to_string())?;
        Ok(self.path)
    }

    fn section(&mut self) -> Result<&mut Table, CliError> {
        let section = self.document.entry(SECTION).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        // `collections = { … }` on one line becomes a section that can grow.
        if let Some(inline) = section.as_inline_table() {
            *section = Item::Table(inline.clone().into_table());
        }
        section.as_table_mut().ok_or_else(|| {
            CliError::usage(
                format!("`{SECTION}` in {} is not a section", self.path.display()),
                format!("write it as [{SECTION}.NAME]"),
            )
        })
    }
}

/// Reads the file, changes it and writes it. Another process may do the same at the same moment: then once more.
pub(super) fn change(
    path: &Path,
    change: impl Fn(&mut Entries) -> Result<(), CliError>,
) -> Result<PathBuf, CliError> {
    let _turn = Turn::take(path);
    let mut entries = Entries::read(path)?;
    change(&mut entries)?;
    entries.write()
}

/// The turn of one docent process to change a settings file. Editors know nothing of it; what they write in between is
/// noticed when the file is written.
struct Turn(#[expect(dead_code, reason = "locked as long as it is open")] Option<File>);

impl Turn {
    fn take(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new("."));
        Self(File::open(folder).ok().filter(|folder| folder.lock().is_ok()))
    }
}

/// The file that an entry of this owner goes into.
pub(super) fn file_of(settings: &Settings, owner: Owner) -> Result<PathBuf, CliError> {
    let folder = match owner {
        Owner::Project => settings.project.as_ref(),
        Owner::User => settings.config.as_ref(),
    };
    let folder = folder.ok_or_else(|| match owner {
        Owner::Project => CliError::usage(
            "this folder is in no project",
            "keep the collection for all your projects with --user, or make a docent.toml here",
        ),
        Owner::User => CliError::failed(
            "cannot find your settings folder",
            "set HOME, or name a folder with DOCENT_CONFIG_DIR",
        ),
    })?;
    Ok(folder.join(SETTINGS_FILE))
}

/// A source as it is written into `file`. A path that was typed relative, or lies below the file's folder, is relative to
/// it, so that the project can be moved and shared.
pub(super) fn written(spec: &Spec, typed: &str, file: &Path) -> String {
    let path = match spec {
        Spec::Folder(path) | Spec::File(path) => path,
        Spec::Archive(Place::Path(path)) | Spec::Bundle(Place::Path(path)) => path,
        spec => return spec.to_string(),
    };
    let resolved = path.canonicalize().unwrap_or_else(|_| path.clone());
    let folder = file.parent().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    match folder {
        Some(folder) if resolved.starts_with(&folder) || Path::new(typed).is_relative() => {
            relative(&folder, &resolved)
        }
        _ => spec.to_string(),
    }
}

/// The way from a folder to a path, both absolute.
fn relative(folder: &Path, path: &Path) -> String {
    let shared = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().count() - shared;
    let way: PathBuf = std::iter::repeat_n("..".as_ref(), up)
        .chain(path.components().skip(shared).map(std::path::Component::as_os_str))
        .collect();
    match up {
        0 => format!("./{}", way.display()),
        _ => way.display().to_string(),
    }
}

/// The entry of that name.
pub(super) fn find<'a>(settings: &'a Settings, name: &str) -> Option<&'a Listed> {
    settings.collections.iter().find(|listed| listed.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_places() {
        let check = |folder: &str, path: &str, expected: &str| {
            assert_eq!(relative(Path::new(folder), Path::new(path)), expected);
        };
        check("/a/b", "/a/b/c/d", "./c/d");
        check("/a/b", "/a/b", "./");
        check("/a/b", "/a/c", "../c");
        check("/a/b/c", "/x", "../../../x");
    }
}
