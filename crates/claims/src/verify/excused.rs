//! Findings that nobody has to be told of: what is gone was never meant to stay, or never was what the page means.

use super::Run;
use crate::calibration::is_bare;
use crate::history::candidates;
use crate::judge::Then;
use crate::{Claim, Link, Outcome, Place, Subject, checks};

/// Whether a claim about what was found in these places, when its line was written (`then`) or at any time (`ever`), is left.
pub(super) fn is_excused(
    run: &Run<'_>,
    claim: &Claim,
    document: &str,
    then: &[Place],
    ever: &[Place],
) -> bool {
    // A name that many files have had is not about one that once lay somewhere else.
    let is_elsewhere = is_bare(claim) && is_data(&claim.named) && !was_near(then, document);
    is_elsewhere
        || is_of_tests(run, claim, then)
        || is_of_templates(claim, ever, document)
        || comes_and_goes(run, claim, ever)
        || is_of_sample(run, claim)
        || is_given(claim, then)
        || is_undecided(run, claim, document)
        || is_served_elsewhere(run, claim, then)
        || is_of_made_projects(run, claim, document)
        || is_supposed(claim)
        || went_with_its_file(run, claim, then)
        || is_of_open_flags(run, claim)
        || is_for_readers(claim, document)
        || is_set_by_scripts(run, claim, then)
        || is_of_another_branch(run, claim)
        || is_of_reader(claim, ever, document, then.is_empty())
}

/// Whether a page in one part of the repository speaks of a name that stood in another part alone when a commit took it away,
/// and that part is gone as a whole: it may live on in a repository of its own, or in a dependency. Pages at the root and
/// instructions for agents speak for everything.
pub(super) fn left_as_a_whole(run: &Run<'_>, claim: &Claim, breaking: &str, document: &str) -> bool {
    let is_name = matches!(
        claim.subject,
        Subject::Symbol { .. }
            | Subject::Variable { .. }
            | Subject::Key { .. }
            | Subject::OwnCli { flag: Some(_), .. }
            | Subject::Path { link: Link::Span, .. }
    );
    let own = document.split_once('/').map(|(own, _)| own).filter(|own| is_name && !own.starts_with('.'));
    let Some(own) = own else { return false };
    let parent = run.repository.commit(breaking).and_then(|commit| commit.parents.first().cloned());
    let Some(before) = parent.and_then(|parent| run.history.world(&parent).ok()) else { return false };
    let Outcome::Valid { found } = checks::check(claim, document, &before) else { return false };
    let is_exact = |place: &Place| match &claim.subject {
        Subject::Path { target, .. } => candidates(target, document).contains(&place.path),
        _ => false,
    };
    let has_left = |place: &Place| {
        // `references/`, `packages/ios/`, `packages/ios/src/`
        let mut ends = place.path.match_indices('/').map(|(at, _)| at).take(3).enumerate();
        let is_gone = |(depth, end): (usize, usize)| {
            let part = place.path.get(..end).unwrap_or_default();
            run.now.entry(part).is_none() && (depth < 2 || part.ends_with("/src") || part.ends_with("/lib"))
        };
        place.path.split('/').next() != Some(own) && !is_exact(place) && ends.any(is_gone)
    };
    found.iter().all(has_left)
}

/// Where it was found when its line was written.
pub(super) fn found_in(then: &Then) -> &[Place] {
    match then {
        Then::Known(Outcome::Valid { found }) => found,
        _ => &[],
    }
}

/// Whether a page that stands elsewhere names what only a template had, or a command of an example: readers have
/// it in what they make of that.
fn is_of_templates(claim: &Claim, found: &[Place], document: &str) -> bool {
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
    let is_command = matches!(&claim.subject, Subject::Defined { by, .. } if by != "cargo_example");
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
fn is_of_reader(claim: &Claim, found: &[Place], document: &str, was_gone: bool) -> bool {
    const FOLDERS: &[&str] = &[
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
    let Subject::Path { target, anchor: None, lines: None, link: Link::Span } = &claim.subject else {
        return false;
    };
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
    is_common && !found.is_empty() && (was_gone || !found.iter().any(is_meant))
}

/// Whether an address names another branch than ours: what lies there cannot be seen from here. `master` became `main` in
/// many places, where the old addresses still lead to it; and a branch that somebody works on is none to compare with.
fn is_of_another_branch(run: &Run<'_>, claim: &Claim) -> bool {
    const MAIN: &[&str] = &["canary", "dev", "develop", "main", "master", "next", "trunk"];
    let is_usual = |branch: &str| matches!(branch, "main" | "master");
    let Subject::Hosted { branch, .. } = &claim.subject else { return false };
    let Some(ours) = run.repository.main_branch() else { return false };
    let ours = ours.as_str();
    MAIN.contains(&ours) && ours != branch && branch != "HEAD" && !(is_usual(ours) && is_usual(branch))
}

/// Whether code that a page shows reads a variable: it is the reader's, unless it bears our name.
fn is_of_sample(run: &Run<'_>, claim: &Claim) -> bool {
    let Subject::Variable { name } = &claim.subject else { return false };
    claim.kind == "sample_variable" && !checks::has_own_prefix(name, run.now)
}

/// Whether nothing decides about a route or a command any more: a text of code still has it; its program is still ours, or
/// has moved to where scripts still call it from.
fn is_undecided(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    let is_ours = || checks::check(claim, document, run.now) != Outcome::NotOurs;
    let program = match &claim.subject {
        Subject::Route { .. } => return !is_ours(),
        Subject::OwnCli { program, flag: None, .. } if checks::is_own_program(program, run.now) => {
            return !is_ours();
        }
        Subject::OwnCli { program, .. } => program,
        _ => return false,
    };
    let calls = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_script = ["sh", "yaml", "yml"].contains(&name.rsplit('.').next().unwrap_or_default());
        (is_script || matches!(name, "package.json" | "Makefile" | "justfile")) && !checks::is_aside(path)
    };
    let is_own = checks::is_own_program(program, run.now);
    !is_own && !is_ours() && run.now.mentioning(program).iter().any(calls)
}

/// Whether an address from the root of a site led to a folder of files that this repository has no more: whoever makes the
/// site has it now.
fn is_served_elsewhere(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let Subject::Path { target, link: Link::Image | Link::Link, .. } = &claim.subject else { return false };
    let is_gone = |place: &Place| {
        // `/api/` is no folder of pictures.
        let is_page = target.starts_with('/') && !target.contains('.');
        if is_page && place.path.split('/').any(|folder| matches!(folder, "images" | "img" | "static")) {
            return true;
        }
        let root = target.strip_prefix('/').and_then(|target| place.path.strip_suffix(target));
        let folder = root.and_then(|root| root.trim_end_matches('/').rsplit('/').next()).unwrap_or_default();
        let inside = format!("{folder}/");
        matches!(folder, "assets" | "public" | "static")
            && !run.now.files().any(|file| file.starts_with(&inside) || file.contains(&format!("/{inside}")))
    };
    !then.is_empty() && then.iter().all(is_gone)
}

/// Whether a path lies in a template or in a project that tests are made with, as it would in a reader's; or where
/// dependencies are put.
fn is_of_made_projects(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
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
fn is_for_readers(claim: &Claim, document: &str) -> bool {
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
    const INSIDE: &[&str] =
        &["agent", "arch", "contrib", "dev", "hack", "intern", "maint", "readme", "skill", "test"];
    let is_inside = |part: &str| {
        let part = part.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
        INSIDE.iter().any(|start| part.starts_with(start))
    };
    let is_span = matches!(claim.subject, Subject::Path { link: Link::Span, .. });
    let text = claim.text.to_lowercase();
    is_span
        && TOLD.iter().any(|told| text.contains(told))
        && document.contains('/')
        && !document.split('/').any(is_inside)
}

/// Whether a port went with the file that set it: what listened there is gone, and what a page means may be another's.
fn went_with_its_file(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let is_port = matches!(&claim.subject, Subject::Value { of, .. } if of == "port");
    is_port && !then.is_empty() && then.iter().all(|place| run.now.entry(&place.path).is_none())
}

/// Whether it is a flag, and commands here take any: `ignore_unknown_options` of Click.
fn is_of_open_flags(run: &Run<'_>, claim: &Claim) -> bool {
    let is_flag = matches!(&claim.subject, Subject::OwnCli { flag: Some(_), .. });
    let is_code = |path: &String| path.ends_with(".py") && !checks::is_aside(path);
    is_flag && run.now.mentioning("ignore_unknown_options").iter().any(is_code)
}

/// Whether a page only supposes that there were such code.
fn is_supposed(claim: &Claim) -> bool {
    matches!(claim.subject, Subject::Snippet { .. }) && claim.cues.is_example
}

/// Whether scripts alone had a variable that does not bear our name: they set it for what they start.
fn is_set_by_scripts(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let Subject::Variable { name } = &claim.subject else { return false };
    let is_script = |place: &Place| place.path.ends_with(".sh");
    !then.is_empty() && then.iter().all(is_script) && !checks::has_own_prefix(name, run.now)
}

/// Whether a page gives its readers a type, and only tests or examples had one of that name; or a variable, and only what
/// starts containers had it.
fn is_given(claim: &Claim, then: &[Place]) -> bool {
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

/// Deletions of one file after which nobody expects it to stay.
const MANY_DELETIONS: usize = 3;

/// Whether a file was deleted time and again, as those are that a step of some work makes and another one takes away.
fn comes_and_goes(run: &Run<'_>, claim: &Claim, found: &[Place]) -> bool {
    let deletions = run.history.deletions();
    let is_many =
        |place: &Place| deletions.of_file(&place.path).take(MANY_DELETIONS).count() == MANY_DELETIONS;
    matches!(claim.subject, Subject::Path { anchor: None, .. }) && found.iter().any(is_many)
}

/// Whether it is a command, a key, a route or a variable that only tests, examples, vendored code or the data of a site had,
/// and that does not bear our name.
fn is_of_tests(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let is_programs = match &claim.subject {
        Subject::OwnCli { .. } | Subject::Route { .. } | Subject::Key { .. } => true,
        Subject::Variable { name } => !checks::has_own_prefix(name, run.now),
        _ => false,
    };
    let is_aside = |path: &str| checks::is_aside(path) || path.ends_with(".json") && is_of_site(path);
    is_programs && !then.is_empty() && then.iter().all(|place| is_aside(&place.path))
}

/// Whether a file belongs to a site.
fn is_of_site(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["_website", "content", "docs", "guides", "i18n", "locales", "site", "website", "www"];
    path.split('/').any(|folder| FOLDERS.contains(&folder))
}

/// Whether a file is data, which every project has under the same few names, rather than code.
fn is_data(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(
        ending,
        "csv" | "env" | "ini" | "json" | "jsonc" | "md" | "toml" | "txt" | "xml" | "yaml" | "yml"
    )
}

/// Whether what a claim named lay in the folder of its document, or above it.
fn was_near(then: &[Place], document: &str) -> bool {
    let is_near = |place: &Place| {
        let folder = place.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.is_empty() || document.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    then.iter().any(is_near)
}
