//! What git is told to ignore is made by a program or by the reader; that it is not there means nothing.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{folder, join};
use crate::World;

/// Files with patterns that are read, and their size.
const MAX_FILES: usize = 200;
const MAX_BYTES: usize = 256 << 10;

/// The patterns of a state, each with the folder that it is about.
#[derive(Default)]
struct Patterns(Vec<(String, Gitignore)>);

impl Patterns {
    fn of(world: &World) -> Self {
        let read = |path: &String| {
            let bytes = world.read(path).filter(|bytes| bytes.len() <= MAX_BYTES)?;
            let mut builder = GitignoreBuilder::new("");
            for line in String::from_utf8_lossy(&bytes).lines() {
                // A pattern that git would not understand either ignores nothing.
                let _ = builder.add_line(None, line);
            }
            Some((folder(path).to_owned(), builder.build().ok()?))
        };
        Self(world.named(".gitignore").iter().take(MAX_FILES).filter_map(read).collect())
    }
}

/// Whether a path, from the document's folder or from the root, is ignored.
pub(in crate::checks) fn is_ignored(world: &World, file: &str, target: &str) -> bool {
    let patterns = world.once(Patterns::of);
    let paths = [join(folder(file), target), join("", target)];
    paths.iter().flatten().any(|path| {
        patterns.0.iter().any(|(folder, patterns)| {
            let below = match folder.as_str() {
                "" => Some(path.as_str()),
                folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            below.is_some_and(|below| {
                [false, true]
                    .iter()
                    .any(|&is_folder| patterns.matched_path_or_any_parents(below, is_folder).is_ignore())
            })
        })
    })
}
