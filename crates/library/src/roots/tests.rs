//! Paths and things in a folder that were made to lead out of it, to block, or to confuse.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

const MOST: u64 = 1 << 20;

/// A root with a few documents, and a folder outside of it with a secret.
struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["root/docs", "root/.git", "root-evil", "outside"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for file in
            ["root/notes.md", "root/docs/a.md", "root/.env", "root/.git/config", "root-evil/secret.md"]
        {
            fs::write(dir.path().join(file), format!("content of {file}")).unwrap();
        }
        fs::write(dir.path().join("outside/secret.md"), "secret").unwrap();
        Self { dir }
    }

    fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    fn read(&self, path: &str) -> Result<String, LibraryError> {
        let roots = Roots::new(&[self.root()], &self.root());
        let contents = roots.place(path)?.read(MOST)?;
        Ok(String::from_utf8(contents.bytes).unwrap())
    }

    fn check_refused(&self, path: &str, expected: &str) {
        let error = self.read(path).unwrap_err();
        assert!(error.message.contains(expected), "{path:?}: {}", error.message);
        assert!(!error.hint.is_empty());
    }
}

#[test]
fn documents_are_read_however_their_path_is_written() {
    let world = World::new();
    let root = world.root().display().to_string();
    for path in [
        "notes.md",
        "./notes.md",
        "docs/../notes.md",
        &format!("{root}/notes.md"),
        &format!("{root}//docs/./../notes.md"),
    ] {
        assert_eq!(world.read(path).unwrap(), "content of root/notes.md", "{path}");
    }
}

#[test]
fn paths_that_lead_out_are_refused_with_the_same_words_whether_something_is_there_or_not() {
    let world = World::new();
    let root = world.root().display().to_string();
    for path in [
        "/etc/passwd",
        "/etc/no-such-file",
        "/etc/../etc/passwd",
        "docs/../../../../../../../../../etc/passwd",
        "docs/./.././../../../../../../../../etc/passwd",
        &format!("{root}/../root-evil/secret.md"),
        &format!("{root}-evil/secret.md"),
        &format!("{root}/.."),
        "/proc/self/fd/3",
        "/proc/self/environ",
        "/dev/zero",
        "/dev/stdin",
        "/",
    ] {
        let error = world.read(path).unwrap_err();
        assert_eq!(error.message, format!("{path} is not inside a folder that may be read"));
        // What may be read is said, and nothing else.
        assert!(error.hint.starts_with(&format!("name a file below {root}, or ")), "{}", error.hint);
    }
}

#[test]
fn spellings_that_other_programs_would_decode_are_ordinary_names() {
    let world = World::new();
    for path in [
        "\u{ff0e}\u{ff0e}\u{ff0f}\u{ff0e}\u{ff0e}\u{ff0f}etc/passwd",
        "C:\\Windows\\win.ini",
        "\\\\?\\C:\\Windows\\win.ini",
        "CON",
        "notes.md::$DATA",
        "~/notes.md",
        "$HOME/notes.md",
    ] {
        world.check_refused(path, "there is no file");
    }
    for path in [
        "..%252f..%252fetc%252fpasswd",
        "..%2f..%2fetc%2fpasswd",
        "..\u{2215}..\u{2215}etc\u{2215}passwd",
        "~/.ssh/id_rsa",
    ] {
        world.check_refused(path, "hidden");
    }
}

#[test]
fn what_is_no_path_is_refused_before_it_is_looked_for() {
    let world = World::new();
    let root = world.root().display().to_string();
    world.check_refused("", "it is empty");
    world.check_refused(" ", "it is empty");
    world.check_refused(&format!("{root}/a\0/../../etc/passwd"), "a NUL character");
    world.check_refused(&format!("{root}/{}x.md", "d/".repeat(3000)), "longer than 4,096 bytes");
    world.check_refused(&"n".repeat(300), "name too long");
}

#[test]
fn hidden_files_and_keys_are_refused_whether_they_are_there_or_not() {
    let world = World::new();
    for path in [".git/config", ".git/no-such-file", ".env", ".envrc", "docs/id_rsa", "docs/server.pem"] {
        world.check_refused(path, "is not read: ");
    }
    symlink(world.root().join(".env"), world.root().join("harmless.md")).unwrap();
    symlink(".env", world.root().join("harmless-too.md")).unwrap();
    world.check_refused("harmless.md", "hidden");
    world.check_refused("harmless-too.md", "hidden");
}

#[test]
fn a_private_key_is_not_read_whatever_it_is_called_unless_a_user_names_it() {
    let world = World::new();
    let key = world.root().join("notes/plan.md");
    fs::create_dir_all(key.parent().unwrap()).unwrap();
    fs::write(&key, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n").unwrap();
    world.check_refused("notes/plan.md", "is not read: it holds a private key");
    let roots = Roots::new(std::slice::from_ref(&key), Path::new("/"));
    assert!(roots.place(key.to_str().unwrap()).unwrap().read(MOST).is_ok());
}

#[test]
fn control_characters_of_a_name_do_not_get_into_messages() {
    let world = World::new();
    fs::create_dir_all(world.root().join("a\u{1b}[2Jb")).unwrap();
    fs::write(world.root().join("a\u{7}.md"), vec![b'x'; MOST as usize + 1]).unwrap();
    for path in ["a\u{1b}[2Jb", "a\u{7}.md", "no\nfile", "../a\u{1b}b", ".a\u{1b}"] {
        let error = world.read(path).unwrap_err();
        assert!(!error.message.contains(char::is_control), "{error:?}");
    }
    let roots = Roots::new(&[world.root()], &world.root());
    let error = roots.place("a\u{7}.md").unwrap().check_folder().unwrap_err();
    assert!(!error.message.contains(char::is_control), "{error:?}");
}

#[test]
fn what_a_user_names_is_a_root_by_itself() {
    let world = World::new();
    let named = world.root().join(".env");
    let roots = Roots::new(std::slice::from_ref(&named), Path::new("/"));
    let place = roots.place(named.to_str().unwrap()).unwrap();
    assert_eq!(place.read(MOST).unwrap().bytes, b"content of root/.env");
    assert_eq!(place.full(), named);
    let roots = Roots::new(&[world.root(), world.root().join(".git")], &world.root());
    assert_eq!(roots.place(".git/config").unwrap().read(MOST).unwrap().bytes, b"content of root/.git/config");
}

#[test]
fn links_are_followed_inside_a_root_and_nowhere_else() {
    let world = World::new();
    let root = world.root();
    let link = |target: &str, name: &str| symlink(target, root.join(name)).unwrap();
    link("docs/a.md", "inside.md");
    link(&root.join("docs/a.md").display().to_string(), "inside-absolute.md");
    link("docs", "inside-folder");
    for path in ["inside.md", "inside-absolute.md", "inside-folder/a.md"] {
        assert_eq!(world.read(path).unwrap(), "content of root/docs/a.md", "{path}");
    }
    link("/etc/passwd", "absolute.md");
    link("/etc/no-such-file", "dangling.md");
    link("../outside/secret.md", "relative.md");
    link("/etc", "folder");
    link(&world.outside().display().to_string(), "out");
    link("chain-2.md", "chain-1.md");
    link("chain-3.md", "chain-2.md");
    link("/etc/passwd", "chain-3.md");
    link("/proc/self/root", "magic");
    for path in ["absolute.md", "dangling.md", "relative.md", "folder/passwd", "out/secret.md", "chain-1.md"]
    {
        world.check_refused(path, "is not inside a folder that may be read");
    }
    assert!(world.read("magic/etc/passwd").is_err());
    link("loop-b.md", "loop-a.md");
    link("loop-a.md", "loop-b.md");
    world.check_refused("loop-a.md", "too many levels of symbolic links");
    let roots = Roots::new(std::slice::from_ref(&root), &root);
    assert!(roots.place("folder").unwrap().check_folder().is_err());
    assert!(roots.place("inside-folder").unwrap().check_folder().is_ok());
}

#[test]
fn a_root_that_is_a_link_is_known_by_both_names() {
    let world = World::new();
    let link = world.dir.path().join("link");
    symlink(world.root(), &link).unwrap();
    let roots = Roots::new(std::slice::from_ref(&link), &link);
    for path in [
        "notes.md".to_owned(),
        link.join("notes.md").display().to_string(),
        world.root().join("notes.md").display().to_string(),
    ] {
        let place = roots.place(&path).unwrap();
        assert_eq!(place.full(), world.root().join("notes.md"));
        assert!(place.read(MOST).is_ok());
    }
}

/// Runs `disturb` again and again while `work` is done, and stops with it, however it ends.
fn while_disturbed<T>(disturb: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&done);
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                disturb();
            }
        });
        work()
    })
}

/// Reads a document while somebody swaps it: what is read is never the secret.
fn check_races(world: &World, path: &str, swap: impl Fn() + Sync) {
    let texts: Vec<_> = while_disturbed(swap, || (0..500).map(|_| world.read(path)).collect());
    for text in texts.into_iter().flatten() {
        assert!(text.is_empty() || text.starts_with("content of root"), "{text}");
    }
}

#[test]
fn a_file_that_is_swapped_for_a_link_leads_nowhere() {
    let world = World::new();
    let file = world.root().join("swap.md");
    let secret = world.outside().join("secret.md");
    check_races(&world, "swap.md", || {
        let _ = fs::write(&file, "content of root");
        let _ = fs::remove_file(&file);
        let _ = symlink(&secret, &file);
        let _ = fs::remove_file(&file);
    });
}

#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    let world = World::new();
    let (docs, aside) = (world.root().join("docs"), world.root().join("aside"));
    fs::write(world.outside().join("a.md"), "secret").unwrap();
    check_races(&world, "docs/a.md", || {
        let _ = fs::rename(&docs, &aside);
        let _ = symlink(world.outside(), &docs);
        let _ = fs::remove_file(&docs);
        let _ = fs::rename(&aside, &docs);
    });
}

#[test]
fn the_way_without_help_of_the_system_is_as_strict() {
    let world = World::new();
    let root = world.root();
    symlink("docs/a.md", root.join("inside.md")).unwrap();
    symlink("/etc/passwd", root.join("out.md")).unwrap();
    let opened = open::resolved_first(&root, Path::new("inside.md")).ok().unwrap();
    assert_eq!(opened.below.as_deref(), Some(Path::new("docs/a.md")));
    assert!(matches!(open::resolved_first(&root, Path::new("out.md")), Err(open::OpenError::LeadsOut)));
}

#[test]
fn pipes_devices_and_folders_are_no_documents() {
    let world = World::new();
    let pipe = world.root().join("pipe.md");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    world.check_refused("pipe.md", "is not a regular file");
    world.check_refused("docs", "is a folder");
    let device = world.root().join("device.md");
    // Only root may make one, and not everywhere.
    if mknodat(CWD, &device, FileType::CharacterDevice, Mode::RUSR, rustix::fs::makedev(1, 3)).is_ok() {
        assert!(world.read("device.md").is_err());
    }
    let socket = world.root().join("socket.md");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(world.read("socket.md").is_err());
}

#[test]
fn a_file_without_permission_says_so() {
    let world = World::new();
    let path = world.root().join("closed.md");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    match world.read("closed.md") {
        Err(error) => assert!(error.message.contains("permission denied"), "{}", error.message),
        Ok(_) => assert!(rustix::process::geteuid().is_root()),
    }
}

#[test]
fn what_is_too_large_is_not_read() {
    let world = World::new();
    fs::write(world.root().join("large.md"), vec![b'a'; MOST as usize + 1]).unwrap();
    world.check_refused("large.md", "has 1048577 bytes, at most 1048576 are read");
    fs::write(world.root().join("just.md"), vec![b'a'; MOST as usize]).unwrap();
    assert!(world.read("just.md").is_ok());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_an_error_and_never_more() {
    let world = World::new();
    let path = world.root().join("log.md");
    fs::write(&path, "x".repeat(300_000)).unwrap();
    let rewrite = || {
        use std::io::Write;
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        let _ = file.write_all(&[b'x'; 4096]);
        let _ = file.set_len(300_000);
        let _ = file.set_len(0);
    };
    let outcomes: Vec<_> = while_disturbed(rewrite, || (0..300).map(|_| world.read("log.md")).collect());
    for error in outcomes.into_iter().filter_map(Result::err) {
        assert!(error.message.contains("changed while it was read"), "{}", error.message);
    }
}

#[test]
fn a_file_that_says_it_is_empty_and_is_not_is_an_error() {
    let roots = Roots::new(&[PathBuf::from("/proc/self/status")], Path::new("/"));
    if Path::new("/proc/self/status").exists() {
        let place = roots.place("/proc/self/status").unwrap();
        assert!(place.read(MOST).is_err());
    }
}

#[test]
fn twins_in_case_and_in_composition_are_two_files() {
    let world = World::new();
    for (name, text) in [
        ("Readme.md", "content of root 1"),
        ("README.md", "content of root 2"),
        ("caf\u{e9}.md", "content of root 3"),
        ("cafe\u{301}.md", "content of root 4"),
    ] {
        fs::write(world.root().join(name), text).unwrap();
    }
    // Not every system tells them apart.
    if fs::read_to_string(world.root().join("Readme.md")).unwrap() == "content of root 1" {
        assert_eq!(world.read("README.md").unwrap(), "content of root 2");
        assert_eq!(world.read("caf\u{e9}.md").unwrap(), "content of root 3");
        assert_eq!(world.read("cafe\u{301}.md").unwrap(), "content of root 4");
    }
}

#[test]
fn names_that_are_no_unicode_can_be_opened_and_are_left_to_the_caller() {
    let world = World::new();
    let name = OsStr::from_bytes(b"caf\xe9\xff.md");
    fs::write(world.root().join(name), "# ok").unwrap();
    let roots = Roots::new(&[world.root()], &world.root());
    let place = roots.place(".").unwrap().inside(Path::new(name));
    assert_eq!(place.read(MOST).unwrap().bytes, b"# ok");
    assert!(place.full().to_str().is_none());
}
