//! Documents out of archives on this machine, whole, damaged and hostile.

use std::io::Write;

use docent_sources::Outcome;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use tar::{EntryType, Header};

use crate::support::{Desk, files, names};

/// A tar that is put together by hand, because `tar` itself does not write what is tested here.
#[derive(Default)]
pub(crate) struct Tar(Vec<u8>);

impl Tar {
    fn entry(mut self, path: &str, kind: EntryType, content: &[u8]) -> Self {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(1_000_000_000);
        header.set_link_name("/etc/passwd").unwrap();
        header.set_cksum();
        self.0.extend_from_slice(header.as_bytes());
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub(crate) fn file(self, path: &str, content: &str) -> Self {
        self.entry(path, EntryType::Regular, content.as_bytes())
    }

    pub(crate) fn packed(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        gzip(&self.0)
    }

    /// Writes it to `x.tar.gz` on the desk.
    fn save(self, desk: &Desk) {
        std::fs::write(desk.path("x.tar.gz"), self.packed()).unwrap();
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// These documents come out, under the root of what was fetched.
fn check(tar: Tar, expected: &[&str]) -> Vec<String> {
    let desk = Desk::new();
    tar.save(&desk);
    let fetched = desk.fetch("x.tar.gz");
    assert_eq!(names(&fetched.root), expected);
    assert!(!desk.path("evil.md").exists());
    fetched.notes
}

/// The whole archive is refused with these words.
fn refused(bytes: &[u8], part: &str) {
    let desk = Desk::new();
    std::fs::write(desk.path("x.tar.gz"), bytes).unwrap();
    let said = desk.refusal("x.tar.gz");
    assert!(said.contains(part), "{said}");
}

#[test]
fn documents_come_out() {
    check(Tar::default().file("a.md", "a").file("x/b.mdx", "b").file("x/c.png", "c"), &["a.md", "x/b.mdx"]);
    check(Tar::default().file("./a.md", "a").file("./b.md", "b"), &["a.md", "b.md"]);
}

#[test]
fn a_single_folder_at_the_top_is_the_root() {
    let tar = Tar::default().entry("pax_global_header", EntryType::XGlobalHeader, b"19 comment=abcdefg\n");
    let tar = tar.entry("r-1.0/", EntryType::Directory, b"");
    check(tar.file("r-1.0/a.md", "a").file("r-1.0/docs/b.md", "b"), &["a.md", "docs/b.md"]);
    check(Tar::default().file("r/a.md", "a").file("s/b.md", "b"), &["r/a.md", "s/b.md"]);
    check(Tar::default().file("r/a.md", "a").file("LICENSE", "l"), &["r/a.md"]);
}

#[test]
fn a_manifest_at_the_root_decides() {
    let manifest = r#"{"name":"n","sources":{"glob":"docs/*.txt"}}"#;
    let desk = Desk::new();
    let tar = Tar::default().file("r/docs/a.txt", "a").file("r/b.md", "b").file("r/manifest.json", manifest);
    tar.save(&desk);
    let fetched = desk.fetch("x.tar.gz");
    assert_eq!(names(&fetched.root), ["docs/a.txt"]);
    assert_eq!((fetched.name.as_deref(), fetched.include), (Some("n"), vec!["docs/*.txt".to_owned()]));
}

#[test]
fn long_names_are_read() {
    let long = format!("{}/a.md", "d".repeat(120));
    let tar = Tar::default().entry("././@LongLink", EntryType::GNULongName, format!("{long}\0").as_bytes());
    check(tar.file("short", "x").file("b.md", "b"), &["b.md", long.as_str()]);
    let record = format!("path={long}\n");
    let record = format!("{} {record}", record.len() + 4);
    let tar = Tar::default().entry("pax", EntryType::XHeader, record.as_bytes());
    check(tar.file("short", "x").file("b.md", "b"), &["b.md", long.as_str()]);
}

#[test]
fn nothing_leaves_the_folder() {
    let mut tar = Tar::default().file("ok.md", "ok").file("OK.md", "again");
    for path in [
        "../evil.md",
        "a/../../evil.md",
        "/tmp/evil.md",
        "..\\evil.md",
        "C:\\evil.md",
        ".git/evil.md",
        "e\nvil.md",
    ] {
        tar = tar.file(path, "evil");
    }
    let notes = check(tar, &["ok.md"]).join("\n");
    for part in [
        "2 files passed over (the path has .",
        "2 files passed over (the path is absolute",
        "only in case",
        "backslash",
        ".git part",
        "control characters",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
}

#[test]
fn links_and_devices_are_passed_over() {
    let kinds = [EntryType::Symlink, EntryType::Link, EntryType::Char, EntryType::Block, EntryType::Fifo];
    let mut tar = Tar::default().file("ok.md", "ok");
    for (number, kind) in kinds.into_iter().enumerate() {
        tar = tar.entry(&format!("{number}.md"), kind, b"");
    }
    // What would be written through a link that came before.
    let notes =
        check(tar.entry("dir", EntryType::Symlink, b"").file("dir/x.md", "x"), &["dir/x.md", "ok.md"]);
    assert!(notes.join("\n").contains("5 files passed over (links and devices"), "{notes:?}");
}

#[test]
fn damage_refuses_the_whole_archive() {
    let whole = Tar::default().file("a.md", "a").file("b.md", "b").packed();
    for length in 0..whole.len() {
        refused(&whole[..length], "cannot be read");
    }
    refused(&[&whole[..], b"garbage"].concat(), "cannot be read");
    refused(b"not an archive", "cannot be read");
    refused(&gzip(b"not a tar"), "ends too early");
    refused(&gzip(&[7; 2048]), "a header is not one");
    refused(&Tar::default().file("a.md", "a").file("a.md", "b").packed(), "a.md is in it twice");
    refused(&Tar::default().file("a.txt", "a").packed(), "has no documents");
    refused(&Tar::default().packed(), "has no documents");
    let mut tar = Tar::default().file("a.md", "a");
    tar.0.extend_from_slice(&[0; 1024]);
    refused(&tar.file("b.md", "b").packed(), "something follows its end");
}

#[test]
fn sizes_that_lie_are_refused() {
    let mut tar = Tar::default().file("a.md", "a");
    let mut header = Header::new_gnu();
    header.set_path("b.md").unwrap();
    header.set_size(u64::MAX - 100);
    header.set_cksum();
    tar.0.extend_from_slice(header.as_bytes());
    refused(&tar.packed(), "ends too early");
    let name = vec![b'x'; 100_000];
    refused(&Tar::default().entry("././@LongLink", EntryType::GNULongName, &name).packed(), "100000 bytes");
    let records = Tar::default().entry("pax", EntryType::XHeader, b"99 path=x\n").file("a.md", "a");
    refused(&records.packed(), "extended attributes");
    let mut tar = Tar::default();
    for _ in 0..10 {
        tar = tar.entry("x", EntryType::XGlobalHeader, b"");
    }
    refused(&tar.file("a.md", "a").packed(), "too many extended headers");
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 80 << 20];
    let bomb = Tar::default().file("a.md", "a").entry("zeros", EntryType::Regular, &zeros).packed();
    refused(&bomb, "200 times");
    refused(&bomb, "unpack it yourself");
    let folders = (0..=100_000).fold(Tar::default(), |tar, _| tar.entry("x", EntryType::Directory, b""));
    let folders = folders.packed();
    refused(&folders, "more than 100000 entries");
    refused(&folders, "unpack it yourself");
}

#[test]
fn large_documents_are_passed_over() {
    let large = "x".repeat((16 << 20) + 1);
    let notes = check(Tar::default().file("large.md", &large).file("a.md", "a"), &["a.md"]);
    assert_eq!(notes, ["1 file passed over (larger than 16 MiB): large.md"]);
}

#[test]
fn hashes_and_revisions_are_compared() {
    let desk = Desk::new();
    let bytes = Tar::default().file("a.md", "a").packed();
    std::fs::write(desk.path("x.tar.gz"), &bytes).unwrap();
    let revision = desk.fetch("x.tar.gz").revision.unwrap();
    assert_eq!(revision, format!("blake3:{}", blake3::hash(&bytes).to_hex()));
    assert!(matches!(desk.try_fetch("x.tar.gz", Some(&revision)).unwrap(), Outcome::Unchanged));
    assert!(desk.fetch_with("x.tar.gz", None, Some(&revision)).is_ok());
    let other = format!("sha256:{}", "00".repeat(32));
    let error = desk.fetch_with("x.tar.gz", Some(&revision), Some(&other)).unwrap_err();
    assert!(error.message.contains(&other) && error.message.matches("sha256:").count() == 2, "{error}");
    assert!(desk.fetch_with("x.tar.gz", None, Some("nonsense")).unwrap_err().is_usage);
    std::fs::write(desk.path("x.tar.gz"), Tar::default().file("a.md", "b").packed()).unwrap();
    let Outcome::Fetched(fetched) = desk.try_fetch("x.tar.gz", Some(&revision)).unwrap() else {
        panic!("unchanged")
    };
    assert_eq!(files(&fetched.root)["a.md"], "b");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_change_of_a_tar_is_read_or_refused(changes in proptest::collection::vec((0usize..4000, any::<u8>()), 1..6)) {
        let long = Tar::default().entry("././@LongLink", EntryType::GNULongName, &[b'n'; 150]).file("short", "x");
        let pax = long.entry("pax", EntryType::XHeader, b"12 path=a.md\n").file("short", "y");
        let mut tar = pax.file("docs/b.md", "b").entry("link.md", EntryType::Symlink, b"");
        for (place, byte) in changes {
            let length = tar.0.len();
            tar.0[place % length] = byte;
        }
        let desk = Desk::new();
        tar.save(&desk);
        if let Ok(Outcome::Fetched(fetched)) = desk.try_fetch("x.tar.gz", None) {
            prop_assert!(fetched.root.starts_with(desk.path("into")));
        }
        prop_assert_eq!(std::fs::read_dir(desk.folder.path()).unwrap().count(), 2, "written beside the folder");
    }
}
