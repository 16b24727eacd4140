//! `npm:NAME`: a package from the nearest `node_modules`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::{file_name, is_legal, is_markdown, read_text, walk};
use super::pages::{Pages, stop_if_cancelled};
use super::places::Places;
use crate::{Context, Fetched, Outcome, SourceError};

/// Folders of a package whose Markdown is documentation.
const FOLDERS: [&str; 6] = ["docs", "doc", "documentation", "guide", "guides", "examples"];

pub(super) fn fetch(
    places: &Places,
    name: &str,
    context: &Context<'_>,
    into: &Path,
) -> Result<Outcome, SourceError> {
    if !is_name(name) {
        return Err(SourceError::usage(
            format!("not the name of an npm package: {name}"),
            "write npm:NAME or npm:@SCOPE/NAME, such as npm:express",
        ));
    }
    let Some(root) = find(&places.project, name) else {
        return Err(SourceError::failed(
            format!(
                "the package {name} is not installed: looked for node_modules/{name} in {} and the folders above",
                places.project.display()
            ),
            format!("run `npm install {name}` in the project"),
        ));
    };
    let about = manifest(&root);
    let mut pages = Pages::default();
    for path in walk(&root, &|folder| is_entered(folder)).into_iter().filter(|path| is_documentation(path)) {
        stop_if_cancelled(context)?;
        match read_text(&root.join(&path)) {
            Ok(text) => pages.add(&path, text),
            Err(passed) => pages.note(passed.about(&path)),
        }
    }
    if pages.len() == 0 {
        return Err(SourceError::failed(
            format!("the package {name} in {} has no Markdown", root.display()),
            "look for its documentation in its repository: git+https://…",
        ));
    }
    let said = Fetched {
        name: Some(name.to_owned()),
        version: about.version,
        description: about.description,
        metadata: BTreeMap::from([("language".to_owned(), "javascript".to_owned())]),
        ..Fetched::default()
    };
    pages.hand_over(said, context, into)
}

fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '~');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain)
    };
    match name.strip_prefix('@').map(|scoped| scoped.split_once('/')) {
        Some(Some((scope, name))) => is_part(scope) && is_part(name),
        Some(None) => false,
        None => is_part(name),
    }
}

/// The package's folder. It may be a link, as pnpm and workspaces have it; nothing inside of it is followed out of it.
fn find(project: &Path, name: &str) -> Option<PathBuf> {
    let candidates = project.ancestors().map(|folder| folder.join("node_modules").join(name));
    candidates.into_iter().find(|folder| folder.is_dir()).and_then(|folder| folder.canonicalize().ok())
}

fn is_entered(folder: &str) -> bool {
    let top = folder.split('/').next().unwrap_or_default();
    file_name(folder) != "node_modules" && FOLDERS.contains(&top.to_ascii_lowercase().as_str())
}

fn is_documentation(path: &str) -> bool {
    let is_plain_readme = file_name(path).eq_ignore_ascii_case("readme");
    if path.starts_with("examples/") && !file_name(path).to_ascii_lowercase().starts_with("readme") {
        return false;
    }
    (is_markdown(path) || is_plain_readme) && !is_legal(path)
}

#[derive(Default)]
struct Manifest {
    version: Option<String>,
    description: Option<String>,
}

fn manifest(root: &Path) -> Manifest {
    let value = read_text(&root.join("package.json")).ok();
    let value: serde_json::Value =
        value.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    Manifest { version: text("version"), description: text("description") }
}
