//! Folders: what is taken, what is passed over, and what is in the way.

use std::fs;

use docent_engine::Cancel;
use docent_library::{FolderRules, Into, Status};

use crate::world::{World, outcomes};

const INDEXED: Option<Status> = Some(Status::Indexed);

#[test]
fn documents_are_taken_and_everything_else_is_counted() {
    let world = World::new();
    for (path, content) in [
        ("in/a.md", "# A\n\ntext\n"),
        ("in/deep/er/b.txt", "text"),
        ("in/README", "read me"),
        ("in/main.rs", "fn main() {}"),
        ("in/server.pem", "secret"),
        ("in/logo.png", "png"),
        ("in/.hidden.md", "hidden"),
        ("in/.git/config", "x"),
        ("in/.gitignore", "ignored.md\n"),
        ("in/ignored.md", "ignored"),
    ] {
        world.write(path, content);
    }
    world.write("in/data.xyz", [0, 1, 2, 255, 254, 0, 0]);
    let report = world.folder("in");
    let names: Vec<_> = outcomes(&report);
    let expected = [("README", INDEXED), ("a.md", INDEXED), ("b.txt", INDEXED), ("server.pem", None)]
        .map(|(n, s)| (n.to_owned(), s));
    assert_eq!(names, expected);
    assert_eq!(
        report.notes,
        [
            "2 files that are no documents were passed over",
            "1 file of an unknown kind without text was passed over"
        ]
    );
    let again = outcomes(&world.folder("in"));
    assert_eq!(again.iter().filter(|(_, status)| *status == Some(Status::Skipped)).count(), 3);
}

#[test]
fn patterns_choose_files_and_a_limit_ends_the_walk() {
    let world = World::new();
    for number in 0..20 {
        world.write(format!("in/{number:02}.md"), format!("# Page {number}\n"));
        world.write(format!("in/{number:02}.txt"), format!("page {number}\n"));
    }
    world.write("in/main.rs", "fn main() {}");
    let rules = |include: &[&str], max_files: usize| FolderRules {
        max_concurrency: 99,
        include: include.iter().map(|it| (*it).to_owned()).collect(),
        max_files,
    };
    assert_eq!(world.folder_by("in", &rules(&["0*.md", "*.rs"], 100)).unwrap().files.len(), 11);
    assert_eq!(world.library.count_folder("in", &rules(&["0*.md"], 100), &Cancel::default()), Ok(10));
    assert_eq!(world.library.count_folder("in", &rules(&[], 5), &Cancel::default()), Ok(5));
    let report = world.folder_by("in", &rules(&["**/*.md"], 100)).unwrap();
    assert_eq!(report.notes, ["21 files that no pattern names were passed over"]);
    let report = world.folder_by("in", &rules(&["*.txt"], 5)).unwrap();
    assert_eq!(report.files.len(), 5);
    assert!(report.notes.iter().any(|note| note.starts_with("stopped after 5 files")), "{:?}", report.notes);
    assert!(world.folder_by("in", &rules(&["a["], 5)).is_err());
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere_and_odd_names_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let world = World::new();
    world.write("in/a.md", "# A\n\ntext\n");
    world.write("in/Readme.md", "# One\n");
    world.write("in/README.md", "# Two\n");
    world.write("in/caf\u{e9}.md", "# Three\n");
    world.write("in/cafe\u{301}.md", "# Four\n");
    symlink("/etc/passwd", world.path("in/passwd.md")).unwrap();
    symlink("/etc", world.path("in/etc")).unwrap();
    symlink(world.path("in"), world.path("in/self")).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, world.path("in/pipe.md"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    fs::write(world.path("in").join(std::ffi::OsStr::from_bytes(b"caf\xe9\xff.md")), "# ok").unwrap();
    let report = world.folder("in");
    let done = report.files.iter().filter(|file| file.outcome.is_ok()).count();
    assert_eq!(done, 5, "{:?}", outcomes(&report));
    let errors: Vec<_> = report.files.iter().filter_map(|file| file.outcome.as_ref().err()).collect();
    assert!(errors.iter().any(|error| error.message.contains("not valid Unicode")));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(
        report.notes,
        [
            "3 links to folders or out of this one were passed over",
            "1 pipe, socket or device was passed over"
        ]
    );
    assert!(world.found("root").iter().all(|source| !source.contains("passwd")));
}

#[test]
fn very_many_files_in_one_folder_are_survived() {
    let world = World::new();
    let folder = world.path("in");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..100_000 {
        fs::File::create(folder.join(format!("{number}.md"))).unwrap();
    }
    let rules = FolderRules { max_concurrency: 2, include: Vec::new(), max_files: 20 };
    let report = world.folder_by("in", &rules).unwrap();
    assert_eq!(report.files.len(), 20);
    assert!(report.notes.iter().any(|note| note.starts_with("stopped after 20 files")));
}

#[cfg(unix)]
#[test]
fn very_deep_folders_are_survived() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let world = World::new();
    world.write("in/a.md", "# A\n");
    // The whole path is longer than the system takes, so that it is made step by step.
    let open = |at: std::os::fd::BorrowedFd<'_>, name: &std::path::Path| {
        openat(at, name, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).unwrap()
    };
    let mut folder = open(CWD, &world.path("in"));
    for _ in 0..3000 {
        mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = open(std::os::fd::AsFd::as_fd(&folder), std::path::Path::new("d"));
    }
    let report = world.folder("in");
    assert_eq!(outcomes(&report), [("a.md".to_owned(), INDEXED)]);
    // The folder is too deep for what would clean it up.
    let _ = std::process::Command::new("rm").arg("-rf").arg(world.path("in")).status();
}

#[test]
fn only_folders_below_a_root_are_walked() {
    let world = World::new();
    world.write("a.md", "# A\n");
    let error = |path: &str| {
        let rules = FolderRules { max_concurrency: 1, include: Vec::new(), max_files: 10 };
        world.folder_by(path, &rules).unwrap_err().message
    };
    assert!(error("/etc").contains("not inside a folder that may be read"));
    assert!(error("..").contains("not inside a folder that may be read"));
    assert!(error(".git").contains("hidden"));
    assert!(error("missing").contains("there is no file"));
    assert!(error("a.md").contains("not a"));
}

#[test]
fn a_walk_can_be_stopped() {
    let world = World::new();
    for number in 0..50 {
        world.write(format!("in/{number:02}.md"), format!("# Page {number}\n"));
    }
    let cancel = Cancel::default();
    let told = |_: &docent_library::FileReport| cancel.cancel();
    let rules = FolderRules { max_concurrency: 1, include: Vec::new(), max_files: 100 };
    let report = world.library.ingest_folder("in", &rules, &Into::default(), &told, &cancel).unwrap();
    assert!(report.cancelled);
    assert!(report.files.len() < 3, "{}", report.files.len());
}
