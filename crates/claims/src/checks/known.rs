//! What a state of the repository knows about one word: who defines it, and where it merely stands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::code::{Code, Definition, Kind};
use crate::facts::outline::Outline;
use crate::facts::package::Package;
use crate::{Facts, Place, World};

/// What is known about a word.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Its definitions.
    pub definitions: Vec<(String, Definition)>,
    /// What a type of that name inherits from, implements or derives.
    pub bases: Vec<String>,
    /// Where it is a text of its own, or stands in code of a language that we do not parse.
    pub texts: Vec<Place>,
    /// Files that hold it.
    pub files: Arc<[String]>,
}

impl Known {
    /// Looks at the files that hold a word, and only at those.
    pub(super) fn about(word: &str, world: &World) -> Arc<Self> {
        let cache = world.once(|_| Cache::default());
        if let Some(known) = cache.0.lock().unwrap_or_else(PoisonError::into_inner).get(word) {
            return Arc::clone(known);
        }
        let known = Arc::new(Self::look(word, world));
        cache.0.lock().unwrap_or_else(PoisonError::into_inner).insert(word.to_owned(), Arc::clone(&known));
        known
    }

    fn look(word: &str, world: &World) -> Self {
        let mut known = Self { files: world.mentioning(word), ..Self::default() };
        world.expect::<Code>(known.files.iter().filter(|path| !is_vendored(path)));
        for path in known.files.iter().filter(|path| !is_vendored(path)) {
            if let Some(code) = world.facts::<Code>(path) {
                known
                    .definitions
                    .extend(code.defining(word).iter().map(|found| (path.clone(), found.clone())));
                let bases = code.bases.iter().filter(|(name, _)| name == word);
                known.bases.extend(bases.map(|(_, base)| base.clone()));
                known.texts.extend(code.string(word).map(|line| Place::at(path.clone(), line)));
            } else if Outline::applies(path) {
                known.texts.push(Place::of(path.clone()));
            }
        }
        known
    }

    /// Whether it stands in any file, a comment or a lock file included.
    pub(super) fn is_mentioned(&self) -> bool {
        !self.files.is_empty()
    }

    /// Whether a type of that name is defined.
    pub(super) fn is_type(&self) -> bool {
        self.definitions.iter().any(|(_, found)| found.kind() == Kind::Type)
    }

    /// The definitions that `is_right` chooses, as places.
    pub(super) fn places(&self, is_right: impl Fn(&str, &Definition) -> bool) -> Vec<Place> {
        let right = self.definitions.iter().filter(|(path, found)| is_right(path, found));
        right.take(MAX_PLACES).map(|(path, found)| Place::at(path.clone(), found.line())).collect()
    }

    /// Where it is a text of its own in code that we parse.
    pub(super) fn text_places(&self) -> Vec<Place> {
        self.texts.iter().filter(|place| place.line.is_some()).take(MAX_PLACES).cloned().collect()
    }

    /// Where code that we do not parse defines it.
    pub(super) fn outlined(&self, word: &str, world: &World) -> Vec<Place> {
        let files = || self.texts.iter().filter(|place| place.line.is_none()).map(|place| &place.path);
        world.expect::<Outline>(files());
        let defined = files().filter_map(|path| {
            let line = world.facts::<Outline>(path)?.defining(word)?;
            Some(Place::at(path.clone(), line))
        });
        defined.take(MAX_PLACES).collect()
    }
}

/// More places tell a reader nothing new.
const MAX_PLACES: usize = 5;

#[derive(Default)]
struct Cache(Mutex<HashMap<String, Arc<Known>>>);

/// Whether a file belongs to a site.
pub(crate) fn is_of_site(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["_website", "content", "docs", "guides", "i18n", "locales", "site", "website", "www"];
    path.split('/').any(|folder| FOLDERS.contains(&folder))
}

/// Whether a file is a copy of somebody else's.
pub(super) fn is_vendored(path: &str) -> bool {
    path.split('/')
        .any(|component| matches!(component, "node_modules" | "third_party" | "vendor" | "vendored"))
}

/// Whether this is a repository of documents, with hardly any code beside what builds them: its pages speak about the code
/// of other repositories.
pub(super) fn is_of_documents(world: &World) -> bool {
    struct OfDocuments(bool);
    let made = world.once(|world| {
        let is_document = |path: &&str| crate::world::is_document(path);
        let is_code = |path: &&str| (Code::applies(path) || Outline::applies(path)) && !is_aside(path);
        let (documents, code) =
            (world.files().filter(is_document).count(), world.files().filter(is_code).count());
        // `acme/docs`, `acme/website`
        let own = super::hosted::own_name(world).unwrap_or_default();
        let last = own.rsplit(['/', '-', '_', '.']).next().unwrap_or_default();
        let is_named = matches!(last, "docs" | "documentation" | "site" | "website");
        OfDocuments(documents > 50 && documents > if is_named { 2 } else { 30 } * code)
    });
    made.0
}

/// Packages and programs of this repository.
#[derive(Debug, Default)]
pub(super) struct Packages {
    /// Under which names others import them, `_` for `-`.
    pub names: Vec<String>,
    /// Programs, with the manifest that says so.
    pub programs: Vec<(String, String)>,
}

impl Packages {
    pub(super) fn of(world: &World) -> Arc<Self> {
        world.once(Self::collect)
    }

    fn collect(world: &World) -> Self {
        let mut packages = Self::default();
        for path in world.files() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let is_inside = |child: &str| world.entry(&join(folder, child)).is_some();
            if let Some(package) = is_about_this(path).then(|| world.facts::<Package>(path)).flatten() {
                packages.names.extend(package.names.iter().map(|name| name.replace('-', "_")));
                let is_library = match name {
                    "Cargo.toml" => !is_inside("src/main.rs") && !is_inside("src/bin"),
                    "go.mod" => !is_inside("main.go") && !is_inside("cmd"),
                    _ => false,
                };
                for (at, program) in package.programs.iter().enumerate() {
                    // The first is the package's own name, which is a program only with a main file.
                    if at > 0 || !is_library {
                        packages.programs.push((program.clone(), path.to_owned()));
                    }
                }
            }
            if name == "main.go" && folder.rsplit('/').nth(1) == Some("cmd") {
                let program = folder.rsplit('/').next().unwrap_or(folder);
                packages.programs.push((program.to_owned(), path.to_owned()));
            }
            if let (Some(program), true) = (name.strip_suffix(".rs"), folder.ends_with("src/bin")) {
                packages.programs.push((program.to_owned(), path.to_owned()));
            }
            if name == "__init__.py" {
                let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
                if world.entry(&join(parent, "__init__.py")).is_none() {
                    packages.names.extend(folder.rsplit('/').next().map(str::to_owned));
                }
            }
        }
        packages.names.sort();
        packages.names.dedup();
        packages
    }

    /// Whether a file lies in the folder of a package that builds other programs, and not this one.
    pub(super) fn is_of_another(&self, path: &str, program: &str) -> bool {
        let folder = |manifest: &str| manifest.rsplit_once('/').map_or(0, |(folder, _)| folder.len());
        let holds = |manifest: &str| {
            manifest.get(..folder(manifest)).is_some_and(|folder| {
                path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') && !folder.is_empty())
            })
        };
        let around = self.programs.iter().filter(|(_, manifest)| holds(manifest));
        let Some(nearest) = around.clone().map(|(_, manifest)| folder(manifest)).max() else { return false };
        around.filter(|(_, manifest)| folder(manifest) == nearest).all(|(name, _)| name != program)
    }

    /// Whether a name, as it is imported, is one of this repository's packages or inside one.
    pub(super) fn is_ours(&self, imported: &str) -> bool {
        let imported = imported.replace('-', "_");
        let is_same = |name: &String| {
            imported
                .strip_prefix(name.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        };
        self.names.iter().any(is_same)
    }
}

/// Packages of fixtures, tests and examples are not what a repository offers.
pub(super) fn is_about_this(path: &str) -> bool {
    !is_aside(path)
}

/// Whether a file is a test, an example or somebody else's: there names, ports and versions can be anything.
pub(crate) fn is_aside(path: &str) -> bool {
    const ASIDE: &[&str] = &[
        "__fixtures__",
        "__snapshots__",
        "__tests__",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "demo",
        "demos",
        "e2e",
        "example",
        "examples",
        "fixtures",
        "integration",
        "node_modules",
        "playground",
        "samples",
        "snapshots",
        "spec",
        "test",
        "testdata",
        "tests",
        "third_party",
        "vendor",
    ];
    path.split('/').any(|component| {
        let stem = component.split('.').next().unwrap_or(component);
        ASIDE.contains(&component)
            || stem.ends_with("_test")
            || stem.starts_with("test_")
            || component.contains(".test.")
            || component.contains(".spec.")
    })
}

fn join(folder: &str, child: &str) -> String {
    if folder.is_empty() { child.to_owned() } else { format!("{folder}/{child}") }
}
