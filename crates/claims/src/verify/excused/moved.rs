//! What may live on elsewhere: on another branch, in a dependency, on a site that others make.

use std::sync::Arc;

use super::super::Run;
use crate::{Claim, Entry, Link, Outcome, Place, Subject, World, checks};

/// Whether an address names another branch than ours: what lies there cannot be seen from here. `master` became `main` in
/// many places, where the old addresses still lead to it; and a branch that somebody works on is none to compare with.
pub(super) fn is_of_another_branch(run: &Run<'_>, claim: &Claim) -> bool {
    const MAIN: &[&str] = &["canary", "dev", "develop", "main", "master", "next", "trunk"];
    let is_usual = |branch: &str| matches!(branch, "main" | "master");
    let Subject::Hosted { branch, .. } = &claim.subject else { return false };
    let Some(ours) = run.repository.main_branch() else { return false };
    let ours = ours.as_str();
    MAIN.contains(&ours) && ours != branch && branch != "HEAD" && !(is_usual(ours) && is_usual(branch))
}

/// Whether nothing decides about a route or a command any more: a text of code still has it; its program is still ours, or
/// has moved to where scripts still call it from.
pub(super) fn is_undecided(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
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
pub(super) fn is_served_elsewhere(run: &Run<'_>, claim: &Claim, document: &str, then: &[Place]) -> bool {
    let Subject::Path { target, link: Link::Image | Link::Link, .. } = &claim.subject else { return false };
    // The folder of the site may be called otherwise now; its part is still there.
    let is_around = |part: &str| {
        let mut around = document.rmatch_indices('/').filter_map(|(end, _)| document.get(..=end));
        around.any(|folder| run.now.entry(&format!("{folder}{part}")) == Some(Entry::Folder))
    };
    let is_gone = |place: &Place| {
        // `/api/` is no folder of pictures.
        let is_page = target.starts_with('/') && !target.contains('.');
        if is_page && place.path.split('/').any(|folder| matches!(folder, "images" | "img" | "static")) {
            return true;
        }
        // `/blog/a`, where no `blog/` is left nor its pages anywhere else: somebody else makes that part of the site.
        let part = target.strip_prefix('/').and_then(|route| route.split('/').next()).unwrap_or_default();
        let inside = format!("/{}", place.path);
        let end = inside.find(&format!("/{part}/")).map(|at| at + part.len());
        let name = place.path.rsplit('/').next().unwrap_or_default();
        let is_left = end
            .and_then(|end| place.path.get(..end))
            .is_some_and(|folder| run.now.entry(folder).is_none() && run.now.named(name).is_empty());
        if is_page && !part.is_empty() && target.matches('/').count() > 1 && is_left && !is_around(part) {
            return true;
        }
        // `app/(site)/docs/demo/page.tsx` is served as `docs/demo`.
        let slug = target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let page = format!("/{slug}/page.");
        if !slug.contains('.') && slug.len() > 3 && run.now.files().any(|file| file.contains(&page)) {
            return true;
        }
        let root = target.strip_prefix('/').and_then(|target| place.path.strip_suffix(target));
        let folder = root.and_then(|root| root.trim_end_matches('/').rsplit('/').next()).unwrap_or_default();
        let inside = format!("{folder}/");
        let is_anywhere =
            || run.now.files().any(|file| file.starts_with(&inside) || file.contains(&format!("/{inside}")));
        // Another part of the repository may have a folder that is called so; it serves its own pages.
        let is_whole = root.is_some_and(|root| run.now.entry(root.trim_end_matches('/')).is_none());
        matches!(folder, "assets" | "public" | "static")
            && (!is_anywhere()
                || is_whole && !["assets", "public", "static"].iter().any(|name| is_around(name)))
    };
    !then.is_empty() && then.iter().all(is_gone)
}

/// Whether an address of the site was kept here where git ignores everything now: it is made with the site.
pub(super) fn is_made_on_release(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let is_address =
        matches!(&claim.subject, Subject::Path { target, link: Link::Link, .. } if target.starts_with('/'));
    is_address && !then.is_empty() && then.iter().all(|place| checks::is_ignored(&place.path, run.now))
}

/// Whether code names the page to which a link leads: it is made when the site is.
pub(super) fn is_made_by_code(run: &Run<'_>, claim: &Claim, document: &str, then: &[Place]) -> bool {
    let Subject::Path { target, link: Link::Link, .. } = &claim.subject else { return false };
    let makes = |file: &String| checks::is_code(file) && !checks::is_aside(file);
    // `/cli`, which a plugin of the site has as a text. One that named the page while it was kept here does not make it.
    let is_route = target.starts_with('/') && target.len() > 2 && !target.contains(['.', '#']);
    let last = || then.first().and_then(|place| before_deletion(run, &place.path));
    let has_text = |file: &String, world: &World| {
        let bytes = world.read(file).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        ['"', '\'', '`'].iter().any(|quote| text.contains(&format!("{quote}{target}{quote}")))
    };
    let made = |quote: &char| run.now.mentioning(&format!("{quote}{target}{quote}")).to_vec();
    let by: Vec<String> = match is_route {
        true => ['"', '\'', '`'].iter().flat_map(made).filter(makes).collect(),
        false => Vec::new(),
    };
    if !by.is_empty() && last().is_none_or(|last| by.iter().any(|file| !has_text(file, &last))) {
        return true;
    }
    let is_page = [".md", ".mdx", ".html"].iter().any(|ending| target.ends_with(ending));
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let Some(path) = crate::world::joined(folder, target).filter(|_| is_page) else { return false };
    // A folder and a name: `cli/serve.md`.
    let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    let tail = path.get(start..).filter(|tail| tail.contains('/'));
    // An address of the page in a message does not make it, nor does what named it while it was kept here.
    let before = then.iter().any(|place| place.path == path).then(|| before_deletion(run, &path)).flatten();
    let names = |file: &String, tail: &str, world: &World| {
        let bytes = world.read(file).unwrap_or_default();
        String::from_utf8_lossy(&bytes).lines().any(|line| line.contains(tail) && !line.contains("://"))
    };
    let is_new = |file: &String, tail: &str| before.as_ref().is_none_or(|before| !names(file, tail, before));
    tail.is_some_and(|tail| {
        let files = run.now.mentioning(tail);
        files.iter().any(|file| makes(file) && names(file, tail, run.now) && is_new(file, tail))
    })
}

/// The last state that had a file which is gone.
fn before_deletion(run: &Run<'_>, path: &str) -> Option<Arc<World>> {
    let deletion = run.history.deletions().of_file(path).next();
    let last = match deletion {
        Some(commit) => run.repository.commit(commit)?.parents.first()?.clone(),
        None => run.repository.head()?.to_owned(),
    };
    run.history.world(&last).ok()
}

/// Whether a file is made from another when something is built or installed: `notify.sh` from `notify.sh.in`. A link leads to
/// one that is made beside its page, from what lies beside that or in a folder beside it.
pub(super) fn is_made_from_template(run: &Run<'_>, claim: &Claim, document: &str) -> bool {
    const ENDINGS: &[&str] = &["in", "j2", "jinja", "jinja2", "template", "tmpl", "tpl"];
    let Subject::Path { target, link, .. } = &claim.subject else { return false };
    let name = target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let around = document.rmatch_indices('/').nth(1).and_then(|(end, _)| document.get(..=end));
    let is_near = |path: &String| match link {
        Link::Argument | Link::Span => true,
        Link::Link => around.is_some_and(|around| path.starts_with(around)) && name == target.as_str(),
        _ => false,
    };
    let is_made = |ending: &&str| run.now.named(&format!("{name}.{ending}")).iter().any(is_near);
    name.contains('.') && ENDINGS.iter().any(is_made)
}

/// Whether a port went with the file that set it: what listened there is gone, and what a page means may be another's.
pub(super) fn went_with_its_file(run: &Run<'_>, claim: &Claim, then: &[Place]) -> bool {
    let is_port = matches!(&claim.subject, Subject::Value { of, .. } if of == "port");
    is_port && !then.is_empty() && then.iter().all(|place| run.now.entry(&place.path).is_none())
}
