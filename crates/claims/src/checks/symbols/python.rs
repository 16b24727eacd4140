//! Modules of Python that an import names: files and folders, which nothing defines.

use crate::checks::paths::folder;
use crate::{Claim, Outcome, Place, Subject, World};

/// What a module lies in: source, a stub, and what a compiler makes one of.
const ENDINGS: [&str; 5] = [".py", ".pyi", ".pyx", ".c", ".cpp"];

/// What files decide of an import: the name may be a module itself, and each module on the way to it must be there.
pub(super) fn module(claim: &Claim, containers: &[&str], leaf: &str, world: &World) -> Option<Outcome> {
    let is_python = match &claim.subject {
        Subject::Symbol { language, .. } => matches!(language.as_deref(), Some("py" | "python")),
        _ => false,
    };
    if !is_python || claim.kind != "import" {
        return None;
    }
    let packages = |depth: usize| -> Vec<&str> {
        let name = containers.get(..depth).unwrap_or_default().join("/");
        let found = world.ending(&format!("{name}/__init__.py"));
        found.into_iter().map(folder).collect()
    };
    let found = packages(containers.len()).into_iter().find_map(|package| file(package, leaf, world));
    if let Some(found) = found {
        return Some(Outcome::valid(Place::of(found)));
    }
    let depth = (1..containers.len()).rev().find(|depth| !packages(*depth).is_empty())?;
    // What begins with a line under it is often made by a compiler.
    let absent = containers.get(depth).filter(|module| !module.starts_with('_'))?;
    let has_it = |package: &&str| file(package, absent, world).is_some() || names(package, absent, world);
    let is_absent = !packages(depth).iter().any(has_it);
    let path = containers.get(..=depth).unwrap_or_default().join(".");
    is_absent.then(|| Outcome::missing(format!("the module `{path}`")))
}

/// The file or folder of a package that is a module of that name.
fn file(package: &str, module: &str, world: &World) -> Option<String> {
    let inside = format!("{package}/{module}");
    let endings = std::iter::once("").chain(ENDINGS);
    endings.map(|ending| format!("{inside}{ending}")).find(|path| world.entry(path).is_some())
}

/// Whether the code of a package itself has a name, which it may bring in from elsewhere.
fn names(package: &str, module: &str, world: &World) -> bool {
    let bytes = world.read(&format!("{package}/__init__.py")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == module)
}
