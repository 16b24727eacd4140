//! What readers have, and this repository need not: in their projects, in what they make of a template, in code that a page
//! gives them.

use super::super::Run;
use crate::genre::is_for_developers;
use crate::history::candidates;
use crate::{Claim, Link, Place, Subject, checks};

/// Whether a page that stands elsewhere names what only a template had, or a command of an example without the folder of
/// that: readers have it in what they make of it.
pub(super) fn is_of_templates(claim: &Claim, found: &[Place], document: &str) -> bool {
    const FOLDERS: &[&str] = &[
        "boilerplate",
        "scaffold",
        "scaffolds",
        "skeleton",
        "skeletons",
        "starter",
        "starters",
        "template",
        "templates",
    ];
    const EXAMPLES: &[&str] = &["demo", "demos", "example", "examples", "samples"];
    let is_in_example = |name: &str| name.split(['/', ':']).any(|folder| EXAMPLES.contains(&folder));
    let says_where =
        |place: &Place| place.path.rsplit_once('/').is_some_and(|(folder, _)| claim.text.contains(folder));
    let is_command = matches!(&claim.subject, Subject::Defined { by, name, within }
        if by != "cargo_example" && !is_in_example(name) && !within.as_deref().is_some_and(is_in_example))
        && !found.iter().any(says_where);
    let is_such = |folder: &str| {
        let last = folder.rsplit(['-', '_']).next().unwrap_or(folder);
        FOLDERS.contains(&last) || is_command && EXAMPLES.contains(&folder)
    };
    let is_template = |path: &str| path.split('/').any(is_such);
    let is_file = match &claim.subject {
        Subject::Path { target, .. } => !is_template(target),
        Subject::Value { of, .. } => of == "port",
        _ => is_command,
    };
    let is_only = !found.is_empty() && found.iter().all(|place| is_template(&place.path));
    is_file && is_only && !is_template(document)
}

/// Whether a path is one that readers have in their projects, such as `src/Panel.tsx`, and here lay far from the page or was
/// gone already when the page was written.
pub(super) fn is_of_reader(claim: &Claim, found: &[Place], document: &str, was_gone: bool) -> bool {
    const FOLDERS: &[&str] = &[
        "META-INF",
        "WEB-INF",
        "app",
        "assets",
        "components",
        "conf",
        "config",
        "lib",
        "pages",
        "public",
        "routes",
        "src",
        "static",
        "styles",
        "test",
        "tests",
        "views",
    ];
    let Subject::Path { target, anchor: None, lines: None, link } = &claim.subject else { return false };
    let is_such = *link == Link::Span || *link == Link::Argument && !is_for_developers(document);
    let path = target.trim_start_matches("./").trim_end_matches('/');
    let is_common = match path.split_once('/') {
        Some(("..", _)) => true,
        Some((first, below)) => !below.contains('/') && (FOLDERS.contains(&first) || first.starts_with('.')),
        None => path.contains(".config."),
    };
    let is_meant = |place: &Place| {
        let exact = candidates(target, document).iter().any(|path| {
            place
                .path
                .strip_prefix(path.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let above = place.path.strip_suffix(path).unwrap_or(&place.path);
        exact || document.starts_with(above)
    };
    is_such && is_common && !found.is_empty() && (was_gone || !found.iter().any(is_meant))
}

/// Whether code that a page shows reads a variable: it is the reader's, unless it bears our name.
pub(super) fn is_of_sample(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Variable { name } = &claim.subject else { return false };
    claim.kind == "sample_variable" && !checks::has_own_prefix(name, run.now)
}

/// A variable that does not bear our name, and the text of its page.
fn somebodys_variable<'c>(run: &Run<'_>, claim: &'c Claim, document: &str) -> Option<(&'c str, String)> {
    let Subject::Variable { name } = &claim.subject else { return None };
    let bytes = run.now.read(document).filter(|_| !checks::has_own_prefix(name, run.now))?;
    Some((name, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether a page sets a variable and uses it, unless it bears our name: it goes on to do so.
pub(super) fn is_set_by_page(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let Some((name, text)) = somebodys_variable(run, claim, document) else { return false };
    let is_set = |line: &str| {
        let line = line.trim_start().trim_start_matches("$ ");
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_used = |before: &str, after: &str| {
        before.ends_with("${") && after.starts_with('}')
            || before.ends_with('$') && !after.starts_with(is_word)
    };
    text.lines().any(is_set)
        && text.match_indices(name).any(|(at, name)| {
            is_used(text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default())
        })
}

/// Whether a variable that does not bear our name is one that the page fills in: it writes it as `{HEAD_SHA}` as well.
pub(super) fn is_filled_in(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let Some((name, text)) = somebodys_variable(run, claim, document) else { return false };
    let written = format!("{{{name}}}");
    text.match_indices(&written).any(|(at, _)| !text[..at].ends_with('$'))
}

/// Whether a command names a file in a folder to which the line before goes, and that is not there either: who mends the one
/// mends the other.
pub(super) fn is_in_missing_folder(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let Subject::Path { target, link: Link::Argument, .. } = &claim.subject else { return false };
    let named = claim.named.trim_start_matches("./");
    let folder = target.strip_suffix(named).unwrap_or_default().trim_end_matches('/');
    let tail = folder.trim_start_matches("./").trim_start_matches("../");
    let is_there = || candidates(folder, document).iter().any(|path| run.now.entry(path).is_some());
    !matches!(tail, "" | "." | "..") && !is_there() && run.now.ending(tail).is_empty()
}

/// Whether a path lies in a template or in a project that tests are made with, as it would in a reader's; or where
/// dependencies are put.
pub(super) fn is_of_made_projects(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let Subject::Path { target, link: Link::Span | Link::Argument | Link::Tree, .. } = &claim.subject else {
        return false;
    };
    let path = target.trim_start_matches("./").trim_matches('/');
    if matches!(path.split('/').next(), Some("node_modules" | "vendor" | "venv" | ".venv")) {
        return true;
    }
    let is_made = |place: &str| {
        let folders = place.strip_suffix(path).unwrap_or_default();
        !document.starts_with(folders)
            && folders
                .split('/')
                .any(|folder| matches!(folder, "testdata" | "template" | "templates" | "scaffold"))
    };
    path.contains('/') && run.now.ending(path).iter().any(|place| is_made(place))
}

/// Whether a page for users tells what they may add: the path is one of theirs.
pub(super) fn is_for_readers(claim: &Claim, document: &str) -> bool {
    const TOLD: &[&str] = &[
        "can add ",
        "can be placed",
        "can be stored",
        "can create ",
        "create a ",
        "create the ",
        "should be placed",
        "your `",
        "your own ",
        "your project",
        "your repo",
    ];
    let is_span = matches!(claim.subject, Subject::Path { link: Link::Span, .. });
    let text = claim.text.to_lowercase();
    is_span
        && TOLD.iter().any(|told| text.contains(told))
        && document.contains('/')
        && !is_for_developers(document)
}

/// Whether a page gives its readers a type, and only tests or examples had one of that name; or a variable, and only what
/// starts containers had it.
pub(super) fn is_given(claim: &Claim, then: &[Place]) -> bool {
    let is_left = |place: &Place| match &claim.subject {
        Subject::Symbol { .. } => checks::is_aside(&place.path),
        Subject::Variable { .. } => {
            let name = place.path.rsplit('/').next().unwrap_or(&place.path);
            ["compose", "docker-compose", ".env"].iter().any(|start| name.starts_with(start))
        }
        _ => false,
    };
    claim.cues.is_given && !then.is_empty() && then.iter().all(is_left)
}

/// Whether a path is one that our programs keep in a reader's project, of which the code still has the name: settings
/// (`tool.toml`), in a hidden folder (`.tool/state.json`), or one that this repository had lost before a page for users
/// named it.
pub(super) fn is_of_programs(run: &Run<'_>, claim: &Claim, document: &str, was_gone: bool) -> bool {
    let Subject::Path { target, link: Link::Span, .. } = &claim.subject else { return false };
    let path = target.trim_start_matches("./");
    let (Some(folder), Some(name)) = (path.split('/').next(), path.rsplit('/').next()) else { return false };
    let is_code = |file: &String| !checks::is_aside(file) && checks::is_code(file);
    // `rocket.toml`, which our programs look for in the folder where they are started, and `.github/copilot-instructions.md`,
    // which they write there.
    let is_text = |text: &str| {
        let quoted = |quote: char| run.now.mentioning(&format!("{quote}{text}{quote}"));
        ['"', '\'', '`'].into_iter().any(|quote| quoted(quote).iter().any(is_code))
    };
    let is_settings =
        path == name && super::is_data(name) && !name.ends_with(".md") && !name.starts_with('.');
    if (is_settings || path != name && path.starts_with('.')) && is_text(path) {
        return true;
    }
    let stands = |word: &str| run.now.mentioning(word).iter().any(is_code);
    let is_hidden = || folder.starts_with('.') && folder.len() > 2 && folder != ".github" && stands(folder);
    let is_late = was_gone && !is_for_developers(document);
    let is_kept = name.contains('.') && (is_late || is_hidden()) && stands(name);
    path.contains('/') && (is_kept || is_hidden() && stands(path.trim_end_matches('/')))
}
