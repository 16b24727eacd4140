//! Where things are installed, as the environment says it. The only file here that reads the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Folders in which packages are looked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// The project around, or the current folder.
    pub(super) project: PathBuf,
    /// Cargo's own folder.
    pub(super) cargo_home: PathBuf,
    /// Folders of Python packages, the nearest first.
    pub(super) site_packages: Vec<PathBuf>,
    /// Folders of manual pages, in the order of precedence.
    pub(super) manuals: Vec<PathBuf>,
}

impl Places {
    /// What the environment of this process says.
    pub(super) fn of_this_machine(project: Option<&Path>) -> Places {
        let here = || std::env::current_dir().unwrap_or_default();
        Places::new(project.map_or_else(here, Path::to_owned), Path::new("/"), &|name| std::env::var_os(name))
    }

    /// Places of a project on a system whose files are below `root`.
    pub(super) fn new(project: PathBuf, root: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Places {
        let folder = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = folder("HOME").or_else(|| folder("USERPROFILE")).unwrap_or_default();
        Places {
            cargo_home: folder("CARGO_HOME").unwrap_or_else(|| home.join(".cargo")),
            site_packages: site_packages(&project, root, &home, &folder),
            manuals: manuals(root, variable("MANPATH")),
            project,
        }
    }
}

fn site_packages(
    project: &Path,
    root: &Path,
    home: &Path,
    folder: &dyn Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let mut environments: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(folder).collect();
    environments.extend([".venv", "venv", "env"].map(|name| project.join(name)));
    let pyenv = folder("PYENV_ROOT").unwrap_or_else(|| home.join(".pyenv"));
    environments.extend(newest_first(&pyenv.join("versions"), ""));
    environments.push(home.join(".local"));
    environments.extend([root.join("usr/local"), root.join("usr")]);
    let mut found = Vec::new();
    for environment in environments {
        // Windows has no folder for the version.
        found.push(environment.join("Lib").join("site-packages"));
        for library in ["lib", "lib64"] {
            for python in newest_first(&environment.join(library), "python") {
                found.push(python.join("site-packages"));
                found.push(python.join("dist-packages"));
            }
        }
    }
    found.retain(|folder| folder.is_dir());
    found
}

/// Folders whose names begin so, with the highest version first.
fn newest_first(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(start)).collect();
    let version = |name: &String| -> Vec<u64> {
        name.split(|char: char| !char.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
    };
    names.sort_by(|a, b| version(b).cmp(&version(a)).then_with(|| a.cmp(b)));
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// `$MANPATH`, in which an empty part stands for the usual folders.
fn manuals(root: &Path, variable: Option<OsString>) -> Vec<PathBuf> {
    let usual = || [root.join("usr/local/share/man"), root.join("usr/share/man")];
    let Some(variable) = variable.filter(|value| !value.is_empty()) else { return usual().to_vec() };
    let mut found = Vec::new();
    for part in std::env::split_paths(&variable) {
        match part.as_os_str().is_empty() {
            true => found.extend(usual()),
            false => found.push(part),
        }
    }
    found
}
