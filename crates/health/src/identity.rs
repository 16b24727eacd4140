//! Which repository a folder belongs to, and what it is called.
//!
//! Read off the files of git, so that it costs nothing and works without the git program. The name is that of the remote,
//! because a clone may have any folder name and must still be the same repository.

use std::path::{Path, PathBuf};

/// Longest configuration of git that is read.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// A repository by its folder and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its folder, links resolved.
    pub root: PathBuf,
    /// Whose it is; empty when nobody says.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Owner and name by its other remotes, in order: a fork is known by the repository that it was made from, too.
    pub others: Vec<(String, String)>,
    /// Host and path of the remote that it is called by, alike for every way to write it; `None` when nobody says.
    pub origin: Option<String>,
    /// Whether it is a repository of git at all.
    pub is_git: bool,
}

impl Identity {
    /// The repository around `folder`; outside of one, the folder itself.
    pub fn around(folder: &Path) -> Self {
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        match folder.ancestors().find(|folder| folder.join(".git").exists()) {
            Some(root) => Self::of(root),
            None => Self { is_git: false, ..Self::by_folder(&folder) },
        }
    }

    /// The repository whose folder this is; `None` when it is none.
    pub fn at(folder: &Path) -> Option<Self> {
        let folder = std::fs::canonicalize(folder).ok()?;
        folder.join(".git").exists().then(|| Self::of(&folder))
    }

    /// A repository that is not here, by host and path of its remote. Its folder is only a name.
    pub fn remote(origin: &str) -> Option<Self> {
        let (before, name) = origin.rsplit_once('/')?;
        let (_, owner) = before.rsplit_once('/')?;
        Some(Self {
            root: PathBuf::from(origin),
            owner: owner.to_owned(),
            name: name.to_owned(),
            others: Vec::new(),
            origin: Some(origin.to_owned()),
            is_git: true,
        })
    }

    fn of(root: &Path) -> Self {
        let config = git_folder(root).map(|folder| folder.join("config")).and_then(|path| read(&path));
        let remotes = config.as_deref().map(remotes).unwrap_or_default();
        let others = others(&remotes);
        match called(&remotes) {
            Some((origin, owner, name)) => {
                Self { root: root.to_owned(), owner, name, others, origin: Some(origin), is_git: true }
            }
            None => Self { others, ..Self::by_folder(root) },
        }
    }

    fn by_folder(root: &Path) -> Self {
        let name =
            root.file_name().map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned());
        let (root, others) = (root.to_owned(), Vec::new());
        Self { root, owner: String::new(), name, others, origin: None, is_git: true }
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.owner.is_empty() {
            true => formatter.write_str(&self.name),
            false => write!(formatter, "{}/{}", self.owner, self.name),
        }
    }
}

/// Where the configuration is: for a linked worktree, in the repository that it belongs to.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let own = root.join(read(&dot_git)?.trim().strip_prefix("gitdir:")?.trim());
    match read(&own.join("commondir")) {
        Some(common) => Some(own.join(common.trim())),
        None => Some(own),
    }
}

fn read(path: &Path) -> Option<String> {
    let metadata = std::fs::metadata(path).ok()?;
    let is_sound = metadata.is_file() && metadata.len() <= MAX_CONFIG_BYTES;
    is_sound
        .then(|| std::fs::read(path).ok())
        .flatten()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The remotes and their first addresses, in order.
fn remotes(config: &str) -> Vec<(String, String)> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    let mut current: Option<String> = None;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let name = section.strip_prefix("remote \"").and_then(|rest| rest.split_once('"'));
            current = name.map(|(name, _)| name.to_owned());
        } else if let (Some(remote), Some((key, value))) = (&current, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("url")
            && remotes.iter().all(|(known, _)| known != remote)
        {
            remotes.push((remote.clone(), value.trim().trim_matches('"').to_owned()));
        }
    }
    remotes
}

/// What the remotes call the repository, with host and path before owner and name: `origin`, else the first one on GitHub.
fn called(remotes: &[(String, String)]) -> Option<(String, String, String)> {
    let named = |url: &String| {
        let (owner, name) = owner_and_name(url)?;
        Some((format!("{}/{}", host(url)?.to_ascii_lowercase(), path(url)?), owner, name))
    };
    let origin = remotes.iter().find(|(name, _)| name == "origin").and_then(|(_, url)| named(url));
    let hosted = || {
        let on_github = |url: &str| host(url).is_some_and(|host| host.eq_ignore_ascii_case("github.com"));
        remotes.iter().filter(|(_, url)| on_github(url)).find_map(|(_, url)| named(url))
    };
    origin.or_else(hosted)
}

/// What all remotes but the one that counts call it, each once.
fn others(remotes: &[(String, String)]) -> Vec<(String, String)> {
    let counts = called(remotes).map(|(_, owner, name)| (owner, name));
    let mut others: Vec<(String, String)> = Vec::new();
    for other in remotes.iter().filter_map(|(_, url)| owner_and_name(url)) {
        if counts.as_ref() != Some(&other) && !others.contains(&other) {
            others.push(other);
        }
    }
    others
}

/// `git@host:owner/name.git`, `https://host/owner/name`, `ssh://git@host/owner/name.git`.
fn owner_and_name(url: &str) -> Option<(String, String)> {
    host(url)?;
    let (before, name) = path(url)?.rsplit_once('/')?;
    let owner = before.rsplit('/').next().unwrap_or(before);
    (!owner.is_empty() && !name.is_empty()).then(|| (owner.to_owned(), name.to_owned()))
}

fn path(url: &str) -> Option<&str> {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => url.split_once(':')?.1,
    };
    let path = path.trim_matches('/');
    Some(path.strip_suffix(".git").unwrap_or(path))
}

fn host(url: &str) -> Option<&str> {
    let authority = match url.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split('/').next()?,
        None => url.split_once(':').map(|(before, _)| before).filter(|before| !before.contains('/'))?,
    };
    let host = authority.rsplit('@').next()?.split(':').next()?;
    // One letter before a colon is a drive.
    (host.len() > 1).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(config: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(owner, name)| (owner.to_owned(), name.to_owned()));
        let found = called(&remotes(config)).map(|(_, owner, name)| (owner, name));
        assert_eq!(found, expected, "{config}");
    }

    #[test]
    fn every_way_to_write_an_address_gives_owner_and_name() {
        for url in [
            "https://github.com/acme/shop.git",
            "https://github.com/acme/shop",
            "https://user:secret@github.com/acme/shop/",
            "git@github.com:acme/shop.git",
            "ssh://git@github.com/acme/shop.git",
            "ssh://git@github.com:22/acme/shop.git",
            "git@gitlab.com:group/acme/shop.git",
        ] {
            check(&format!("[remote \"origin\"]\n\turl = {url}\n"), Some(("acme", "shop")));
        }
        check("[remote \"origin\"]\nurl = https://github.com/acme/shop.js.git\n", Some(("acme", "shop.js")));
    }

    #[test]
    fn the_origin_is_the_same_for_every_way_to_write_it() {
        let origin = |url: &str| called(&remotes(&format!("[remote \"origin\"]\nurl = {url}\n"))).unwrap().0;
        for url in [
            "https://u:p@GitHub.com/acme/shop.git",
            "git@github.com:acme/shop",
            "ssh://git@github.com:22/acme/shop/",
        ] {
            assert_eq!(origin(url), "github.com/acme/shop");
        }
        assert_eq!(origin("git@gitlab.corp:group/acme/shop.git"), "gitlab.corp/group/acme/shop");
    }

    #[test]
    fn without_an_origin_the_first_remote_on_github_counts() {
        let config = "[remote \"mirror\"]\n url = https://example.org/x/y.git\n[branch \"main\"]\n remote = a\n\
                      [remote \"fork\"]\n url = git@github.com:acme/shop.git\n[remote \"b\"]\n url = git@github.com:o/p\n";
        check(config, Some(("acme", "shop")));
    }

    #[test]
    fn the_other_remotes_are_known_in_order_and_once() {
        let config = "[remote \"fork\"]\n url = git@github.com:me/shop.git\n[remote \"origin\"]\n url = https://github.com/you/shop\n\
                      [remote \"upstream\"]\n url = ssh://git@github.com/acme/shop.git\n[remote \"b\"]\n url = https://github.com/me/shop.git\n\
                      [remote \"same\"]\n url = git@github.com:you/shop.git\n[remote \"disk\"]\n url = /srv/shop.git\n";
        check(config, Some(("you", "shop")));
        let named = others(&remotes(config)).into_iter().map(|(owner, name)| format!("{owner}/{name}"));
        assert_eq!(named.collect::<Vec<_>>(), ["me/shop", "acme/shop"]);
    }

    #[test]
    fn folders_and_nonsense_are_no_names() {
        for url in
            ["/srv/git/shop.git", "../shop", "file:///srv/git/shop.git", "C:\\git\\shop", "", "https://"]
        {
            check(&format!("[remote \"origin\"]\n\turl = {url}\n"), None);
        }
        check("[remote \"origin\nurl = =\n[[[\n", None);
    }

    #[test]
    fn a_folder_without_remotes_is_called_what_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap().join("shop");
        std::fs::create_dir_all(root.join("docs/deep")).unwrap();
        assert_eq!(Identity::at(&root), None);
        let outside = Identity::around(&root);
        assert_eq!((outside.is_git, outside.to_string().as_str()), (false, "shop"));
        std::fs::create_dir(root.join(".git")).unwrap();
        let inside = Identity::around(&root.join("docs/deep"));
        assert_eq!((&inside.root, inside.to_string().as_str(), inside.is_git), (&root, "shop", true));
    }

    #[test]
    fn a_linked_worktree_has_the_remotes_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(base.join("main/.git/worktrees/other")).unwrap();
        std::fs::create_dir_all(base.join("other")).unwrap();
        let config = "[remote \"origin\"]\n\turl = git@github.com:acme/shop.git\n";
        std::fs::write(base.join("main/.git/config"), config).unwrap();
        std::fs::write(base.join("main/.git/worktrees/other/commondir"), "../..\n").unwrap();
        let pointer = format!("gitdir: {}\n", base.join("main/.git/worktrees/other").display());
        std::fs::write(base.join("other/.git"), pointer).unwrap();
        assert_eq!(Identity::around(&base.join("other")).to_string(), "acme/shop");
    }
}
