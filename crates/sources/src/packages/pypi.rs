//! `pypi:NAME`: a package from the nearest folder of Python packages.
//!
//! Its long description, the documents that it installed, and the docstrings of its public modules.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::files::{Passed, file_name, is_legal, is_markdown, read_text, walk};
use super::pages::{Pages, stop_if_cancelled};
use super::places::Places;
use super::python_metadata::{Description, Metadata};
use crate::{Context, Fetched, Outcome, SourceError};

/// Files of one package that are looked at.
const MAX_FILES: usize = 100_000;
/// Folders that an error names.
const MAX_NAMED: usize = 3;

pub(super) fn fetch(
    places: &Places,
    name: &str,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(SourceError::usage(
            format!("not the name of a Python package: {name}"),
            "write pypi:NAME, such as pypi:requests",
        ));
    }
    let Some(found) = places.site_packages.iter().find_map(|site| Found::in_folder(site, name)) else {
        return Err(not_found(places, name));
    };
    let metadata = Metadata::read(&found.about);
    let mut pages = Pages::default();
    if let Some(text) = metadata.description.as_ref().map(markdown) {
        pages.add("README.md", text);
    }
    for path in found.files() {
        stop_if_cancelled(context)?;
        add_file(&mut pages, &found.site, &path);
    }
    if pages.len() == 0 {
        return Err(SourceError::failed(
            format!("the package {name} in {} has no documentation", found.site.display()),
            "look for its documentation in its repository: git+https://…",
        ));
    }
    let said = Fetched {
        name: Some(metadata.name.unwrap_or_else(|| name.to_owned())),
        version: metadata.version,
        description: metadata.summary,
        metadata: BTreeMap::from([("language".to_owned(), "python".to_owned())]),
        ..Fetched::default()
    };
    pages.hand_over(said, context, into)
}

/// Names that differ only in case and in what joins their parts are the same.
fn normalised(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// An installed package.
struct Found {
    /// Folder of all packages.
    site: PathBuf,
    /// Folder of what is known about this one.
    about: PathBuf,
    name: String,
}

impl Found {
    fn in_folder(site: &Path, name: &str) -> Option<Found> {
        let wanted = normalised(name);
        let entries = std::fs::read_dir(site).ok()?.flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        let is_it = |folder: &&String| {
            let stem = folder.strip_suffix(".dist-info").or_else(|| folder.strip_suffix(".egg-info"));
            let own = stem.map(|stem| stem.split_once('-').map_or(stem, |(name, _)| name));
            own.is_some_and(|own| normalised(own) == wanted)
        };
        let folder = names.iter().find(is_it)?;
        Some(Found { site: site.to_owned(), about: site.join(folder), name: name.to_owned() })
    }

    /// Files of the package below the folder of packages: those that it recorded, or those of its top folders.
    fn files(&self) -> Vec<String> {
        if let Ok(record) = read_text(&self.about.join("RECORD")) {
            return record.lines().filter_map(recorded_path).take(MAX_FILES).collect();
        }
        let tops = read_text(&self.about.join("top_level.txt"))
            .unwrap_or_else(|_| self.name.replace(['-', '.'], "_"));
        let mut found = Vec::new();
        for top in tops.lines().map(str::trim).filter(|top| is_inside(top)) {
            let folder = self.site.join(top);
            let is_folder = std::fs::symlink_metadata(&folder).is_ok_and(|about| about.is_dir());
            let files = if is_folder { walk(&folder, &|_| true) } else { Vec::new() };
            found.extend(files.into_iter().map(|path| format!("{top}/{path}")));
            found.push(format!("{top}.py"));
        }
        found.truncate(MAX_FILES);
        found
    }
}

/// The path of a line of RECORD, if it stays below the folder of packages.
fn recorded_path(line: &str) -> Option<String> {
    let path = match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => line.split(',').next()?,
    };
    is_inside(path).then(|| path.to_owned())
}

fn is_inside(path: &str) -> bool {
    let mut components = Path::new(path).components().peekable();
    components.peek().is_some() && components.all(|component| matches!(component, Component::Normal(_)))
}

fn add_file(pages: &mut Pages, site: &Path, path: &str) {
    let Some(kind) = Kind::of(path) else { return };
    let file = site.join(path);
    // A link could lead out of the package, and so could a folder that is one.
    let is_own = file
        .canonicalize()
        .ok()
        .zip(site.canonicalize().ok())
        .is_some_and(|(file, site)| file == site.join(path));
    if !is_own {
        return;
    }
    let text = match read_text(&file) {
        Ok(text) => text,
        Err(Passed::Unreadable) => return,
        Err(passed) => return pages.note(passed.about(path)),
    };
    match kind {
        Kind::Module(module) => {
            if let Some(page) = docent_convert::python_docs::module_page(&module, &text) {
                pages.add(&format!("api/{}.md", module), page);
            }
        }
        Kind::Markdown => pages.add(path, text),
        Kind::Rst => pages.add(&ending_in_md(path), docent_convert::rst::to_markdown(&text)),
        Kind::Text => pages.add(&ending_in_md(path), in_block(file_name(path), &text)),
    }
}

fn ending_in_md(path: &str) -> String {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    format!("{stem}.md")
}

/// What a file of a package is good for.
enum Kind {
    Module(String),
    Markdown,
    Rst,
    Text,
}

impl Kind {
    fn of(path: &str) -> Option<Kind> {
        let is_left_out = path.split('/').any(|part| {
            matches!(part, "tests" | "test" | "testing" | "__pycache__" | "node_modules")
                || part.ends_with(".dist-info")
                || part.ends_with(".egg-info")
                || part.ends_with(".data")
        });
        if is_left_out || is_legal(path) {
            return None;
        }
        if let Some(module) = path.strip_suffix(".py") {
            let module = module.strip_suffix("/__init__").unwrap_or(module);
            let is_public =
                module.split('/').all(|part| !part.starts_with('_') && !part.starts_with("test_"));
            return is_public.then(|| Kind::Module(module.replace('/', ".")));
        }
        let (_, ending) = file_name(path).rsplit_once('.')?;
        let is_document = || {
            let name = file_name(path).to_ascii_lowercase();
            let starts = ["readme", "change", "history", "news", "faq", "usage", "install"];
            path.split('/').any(|part| matches!(part, "docs" | "doc"))
                || starts.iter().any(|start| name.starts_with(start))
        };
        match ending.to_ascii_lowercase().as_str() {
            _ if is_markdown(path) => Some(Kind::Markdown),
            "rst" => Some(Kind::Rst),
            "txt" if is_document() => Some(Kind::Text),
            _ => None,
        }
    }
}

fn markdown(description: &Description) -> String {
    match description {
        Description::Markdown(text) => text.clone(),
        Description::Rst(text) => docent_convert::rst::to_markdown(text),
        Description::Plain(text) => in_block("README", text),
    }
}

/// Plain text, kept as it is.
fn in_block(title: &str, text: &str) -> String {
    let fence = "`".repeat(
        text.lines().map(|line| line.len() - line.trim_start_matches('`').len()).max().unwrap_or(0).max(2)
            + 1,
    );
    format!("# {title}\n\n{fence}text\n{}\n{fence}\n", text.trim_end())
}

fn not_found(places: &Places, name: &str) -> SourceError {
    let folders = places.site_packages.iter().map(|folder| folder.display().to_string());
    let named: Vec<String> = folders.take(MAX_NAMED).collect();
    let looked = match places.site_packages.len().saturating_sub(named.len()) {
        _ if named.is_empty() => "no folder of Python packages was found".to_owned(),
        0 => format!("looked in {}", named.join(", ")),
        more => format!("looked in {} and {more} more", named.join(", ")),
    };
    SourceError::failed(
        format!("the package {name} is not installed: {looked}"),
        format!("run `pip install {name}`, or set VIRTUAL_ENV to the environment that has it"),
    )
}
