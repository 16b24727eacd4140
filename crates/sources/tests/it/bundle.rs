//! Bundles: written, read, and refused after any change.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use docent_index::{PassageHash, QuantisedVector};
use docent_sources::Outcome;
use docent_sources::bundle::{BundleCard, BundleCounts, BundleModel, BundleSummary, ChunkLine, Writer};
use proptest::prelude::*;

use crate::support::{Desk, files};

fn model() -> BundleModel {
    BundleModel { id: "m-1".to_owned(), name: "M".to_owned(), dimensions: 4 }
}

fn card(documents: u64, manifests: u64, chunks: u64, vectors: Option<u64>) -> BundleCard {
    BundleCard {
        docent: "0.1.0".to_owned(),
        name: "guide".to_owned(),
        version: Some("1.2".to_owned()),
        description: Some("About\u{7} things".to_owned()),
        metadata: BTreeMap::from([("team".to_owned(), "web".to_owned())]),
        source: Some("git+https://h.org/r".to_owned()),
        revision: Some("abc".to_owned()),
        model: vectors.map(|_| model()),
        counts: BundleCounts { documents, manifests, chunks, vectors: vectors.unwrap_or(0) },
        created: Some("2026-01-01".to_owned()),
    }
}

fn chunk(id: &str) -> ChunkLine {
    ChunkLine { id: id.to_owned(), headings: vec!["A".to_owned(), "B".to_owned()], lines: (1, 3) }
}

fn vectors() -> Vec<(PassageHash, QuantisedVector)> {
    [1, 2].map(|n| (PassageHash([n; 16]), QuantisedVector::new(&[0.6, -0.8, 0.0, 0.0]))).into()
}

/// A bundle with a little of everything.
pub(crate) fn sample() -> (Vec<u8>, BundleSummary) {
    let mut bytes = Vec::new();
    let mut writer = Writer::create(&mut bytes, &card(2, 1, 3, Some(2))).unwrap();
    writer.manifest("docs/.docs-mcp.json", "{}").unwrap();
    writer.document("a.md", b"# A\n", 1_000_000_000_000, &[chunk("1"), chunk("2")]).unwrap();
    writer.document("docs/b.md", b"# B\r\n\xff", 1_000_000_001_000, &[chunk("3")]).unwrap();
    writer.vectors(&model(), vectors()).unwrap();
    let summary = writer.finish().unwrap();
    (bytes, summary)
}

fn save(desk: &Desk, bytes: &[u8]) {
    std::fs::write(desk.path("x.docent"), bytes).unwrap();
}

fn refused(bytes: &[u8], part: &str) {
    let desk = Desk::new();
    save(&desk, bytes);
    let said = desk.refusal("x.docent");
    assert!(said.contains(part), "{part}: {said}");
}

#[test]
fn what_is_packed_comes_back() {
    let desk = Desk::new();
    let (bytes, summary) = sample();
    save(&desk, &bytes);
    assert_eq!(summary.bytes, bytes.len() as u64);
    assert_eq!(summary.hash, format!("blake3:{}", blake3::hash(&bytes).to_hex()));
    let fetched = desk.fetch("x.docent");
    let found = files(&fetched.root);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a.md", "docs/.docs-mcp.json", "docs/b.md"]);
    assert_eq!(std::fs::read(fetched.root.join("docs/b.md")).unwrap(), b"# B\r\n\xff");
    let modified = fetched.root.join("docs/b.md").metadata().unwrap().modified().unwrap();
    assert_eq!(modified, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_001));
    assert_eq!(fetched.name.as_deref(), Some("guide"));
    assert_eq!(fetched.version.as_deref(), Some("1.2"));
    assert_eq!(fetched.description.as_deref(), Some("About  things"));
    assert_eq!(fetched.metadata["team"], "web");
    assert_eq!(fetched.revision.as_deref(), Some(summary.hash.as_str()));
    let found = fetched.vectors.unwrap();
    assert_eq!((found.model.as_str(), found.vectors), ("m-1", vectors()));
    assert!(matches!(desk.try_fetch("x.docent", Some(&summary.hash)).unwrap(), Outcome::Unchanged));
    assert!(desk.fetch_with("x.docent", None, Some(&summary.hash)).is_ok());
    let wrong = format!("blake3:{}", "00".repeat(32));
    let error = desk.fetch_with("x.docent", None, Some(&wrong)).unwrap_err();
    assert!(error.message.contains(&wrong) && error.message.contains(&summary.hash), "{error}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    assert_eq!(sample(), sample());
}

#[test]
fn any_changed_byte_is_noticed() {
    let desk = Desk::new();
    let (bytes, _) = sample();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << (place % 8);
        save(&desk, &changed);
        assert!(desk.try_fetch("x.docent", None).is_err(), "byte {place}");
    }
}

#[test]
fn any_cut_and_any_addition_is_noticed() {
    let desk = Desk::new();
    let (bytes, _) = sample();
    for length in 0..bytes.len() {
        save(&desk, &bytes[..length]);
        assert!(desk.try_fetch("x.docent", None).is_err(), "cut at {length}");
    }
    save(&desk, &bytes[1..]);
    assert!(desk.try_fetch("x.docent", None).is_err());
    for more in [&b"\0"[..], b"x", &bytes] {
        save(&desk, &[&bytes, more].concat());
        assert!(desk.try_fetch("x.docent", None).is_err());
    }
}

#[test]
fn other_files_are_not_bundles() {
    refused(b"", "is not a bundle");
    refused(&[b'x'; 200], "is not a bundle");
    refused(&forge(&[("a.md", b"x")]), "is not a bundle");
}

/// A file with these entries and a right seal, as somebody might make it who knows the format.
fn forge(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let gzip = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::default());
    let mut tar = tar::Builder::new(gzip);
    for (path, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(content.len() as u64);
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    let mut bytes = tar.into_inner().unwrap().finish().unwrap();
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, b'D', b'C', 32, 0]);
    bytes.extend_from_slice(hash.as_bytes());
    bytes.extend_from_slice(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// The same with checksums that fit.
fn forge_checked(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let sums: Vec<String> = entries
        .iter()
        .map(|(path, bytes)| format!(r#"["{path}","{}"]"#, blake3::hash(bytes).to_hex()))
        .collect();
    let sums = format!(r#"{{"count":{},"entries":[{}]}}"#, entries.len(), sums.join(","));
    let mut entries = entries.to_vec();
    entries.push(("checksums.json", sums.as_bytes()));
    forge(&entries)
}

const CARD: &str =
    r#"{"format":1,"docent":"1","name":"n","counts":{"documents":1,"manifests":0,"chunks":0,"vectors":0}}"#;

fn line(path: &str, bytes: &[u8]) -> Vec<u8> {
    let hash = blake3::hash(bytes).to_hex();
    format!("{{\"path\":\"{path}\",\"hash\":\"{hash}\",\"modified\":0,\"chunks\":[]}}\n").into_bytes()
}

#[test]
fn forged_bundles_are_refused() {
    let card = ("docent-bundle.json", CARD.as_bytes());
    let lines = line("a.md", b"a");
    let (a, chunks) = (("documents/a.md", &b"a"[..]), ("chunks.jsonl", lines.as_slice()));
    let desk = Desk::new();
    save(&desk, &forge_checked(&[card, a, chunks]));
    assert_eq!(files(&desk.fetch("x.docent").root).len(), 1);
    save(&desk, &forge_checked(&[card, a, chunks, ("claims.jsonl", b"{}\n")]));
    assert_eq!(files(&desk.fetch("x.docent").root).len(), 1);

    let check = |entries: &[(&str, &[u8])], part: &str| refused(&forge_checked(entries), part);
    check(&[card, a, chunks, ("documents/b.md", b"b")], "out of place");
    check(&[card, chunks, a], "does not fit its documents");
    check(&[card, a, a, chunks], "out of place");
    check(&[card, card, a, chunks], "out of place");
    check(&[a, card, chunks], "is not a bundle");
    check(&[card, a], "chunks are missing");
    check(&[card, chunks], "does not fit its documents");
    check(&[card, a, ("documents/b.md", b"b"), chunks], "does not fit its documents");
    check(&[card, a, ("chunks.jsonl", &line("a.md", b"b"))], "does not fit its documents");
    check(&[card, a, ("chunks.jsonl", b"nonsense\n")], "cannot be read");
    check(&[card, a, chunks, ("more.txt", b"x")], "more.txt does not belong");
    check(&[card, a, chunks, ("vectors.bin", b"x")], "names no model");
    check(&[card, ("documents/../evil.md", b"a"), chunks], ". or .. in it");
    check(&[card, ("documents//etc/passwd", b"a"), chunks], "absolute");
    check(&[card, ("documents/.git/a.md", b"a"), chunks], ".git");
    check(&[card, ("documents/A.md", b"a"), a, chunks], "only in case");
    check(&[card, ("manifests/x.json", b"{}"), a, chunks], "out of place");
    check(&[card, ("documents/.docs-mcp.json", b"{}"), chunks], "out of place");
    refused(&forge(&[card, a, chunks]), "checksums are missing");
    refused(&forge(&[card, a, chunks, ("checksums.json", b"{\"count\":0,\"entries\":[]}")]), "do not fit");
    let large = vec![b'x'; (16 << 20) + 1];
    check(&[card, ("documents/a.md", &large), chunks], "is the most");
    let newer = CARD.replace("\"format\":1", "\"format\":2");
    check(&[("docent-bundle.json", newer.as_bytes())], "made by a newer docent");
    let older = CARD.replace("\"format\":1", "\"format\":0");
    check(&[("docent-bundle.json", older.as_bytes())], "format 0");
    check(&[("docent-bundle.json", b"{}")], "card cannot be read");
    let two = CARD.replace("\"documents\":1", "\"documents\":2");
    check(&[("docent-bundle.json", two.as_bytes()), a, chunks], "does not fit its card");
}

#[test]
fn forged_vectors_are_refused() {
    let card = CARD
        .replace("\"vectors\":0}", "\"vectors\":1},\"model\":{\"id\":\"m\",\"name\":\"m\",\"dimensions\":2}");
    let lines = line("a.md", b"a");
    let check = |id: &str, dimensions: u32, count: u64, records: &[u8], part: &str| {
        let mut bytes = b"DOCVEC1\n".to_vec();
        bytes.extend_from_slice(&u16::try_from(id.len()).unwrap().to_le_bytes());
        bytes.extend_from_slice(id.as_bytes());
        bytes.extend_from_slice(&dimensions.to_le_bytes());
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(records);
        let entries = [
            ("docent-bundle.json", card.as_bytes()),
            ("documents/a.md", b"a"),
            ("chunks.jsonl", &lines),
            ("vectors.bin", &bytes),
        ];
        let desk = Desk::new();
        save(&desk, &forge_checked(&entries));
        match desk.try_fetch("x.docent", None) {
            Ok(_) => assert_eq!(part, ""),
            Err(error) => assert!(!part.is_empty() && error.message.contains(part), "{part}: {error}"),
        }
    };
    let numbers =
        |scale: f32, values: [u8; 2]| [vec![1; 16], scale.to_le_bytes().to_vec(), values.to_vec()].concat();
    // 3, 4 and 5 are the sides of a triangle.
    let record = |scale: f32| numbers(scale, [30, 40]);
    let good = record(0.02);
    check("m", 2, 1, &good, "");
    check("other", 2, 1, &good, "fit");
    check("m", 3, 1, &good, "fit");
    check("m", 2, 2, &good, "fit");
    check("m", 2, u64::MAX, &good, "fit");
    check("m", 2, 0, &[], "fit its card");
    check("m", 2, 1, &record(f32::NAN), "not a number");
    check("m", 2, 1, &record(-1.0), "not a number");
    check("m", 2, 2, &[good.clone(), good.clone()].concat(), "not in order");
    check("m", 2, 1, &record(0.019), "");
    // No embedder makes a vector of zeros either.
    let wrong = [
        (1e30, [30, 40]),
        (0.03, [30, 40]),
        (0.01, [30, 40]),
        (0.0, [30, 40]),
        (0.02, [0, 0]),
        (0.0, [0, 0]),
    ];
    for (scale, values) in wrong {
        check("m", 2, 1, &numbers(scale, values), "does not have the length 1");
    }
}

#[test]
fn what_does_not_fit_is_not_packed() {
    type Act = dyn Fn(&mut Writer<Vec<u8>>) -> Result<(), docent_sources::SourceError>;
    let check = |act: &Act, part: &str| {
        let mut writer = Writer::create(Vec::new(), &card(1, 0, 0, Some(2))).unwrap();
        let error = act(&mut writer).and_then(|()| writer.finish().map(drop)).unwrap_err();
        assert!(error.message.contains(part), "{error}");
    };
    check(&|writer| writer.document("../a.md", b"", 0, &[]), "..");
    check(
        &|writer| writer.document("b.md", b"", 0, &[]).and_then(|()| writer.document("a.md", b"", 0, &[])),
        "not in order",
    );
    check(
        &|writer| writer.document("a.md", b"", 0, &[]).and_then(|()| writer.document("a.md", b"", 0, &[])),
        "twice",
    );
    check(&|writer| writer.document("a.md", &vec![0; (16 << 20) + 1], 0, &[]), "larger than 16 MiB");
    check(&|writer| writer.document("a.md", b"", 0, &[]), "no vectors");
    check(&|writer| writer.vectors(&model(), vectors()), "announces");
    check(&|writer| writer.vectors(&model(), vectors().into_iter().rev()), "not in order");
    check(&|writer| writer.manifest("x.json", "{}"), "x.json is not");
    check(
        &|writer| writer.document("a.md", b"", 0, &[]).and_then(|()| writer.manifest(".docs-mcp.json", "{}")),
        "after",
    );
    check(
        &|writer| writer.vectors(&model(), vectors()).and_then(|()| writer.document("a.md", b"", 0, &[])),
        "after",
    );
}

#[test]
fn tar_shows_what_is_inside() {
    let desk = Desk::new();
    save(&desk, &sample().0);
    let output = std::process::Command::new("tar").arg("tzf").arg(desk.path("x.docent")).output();
    // Not every machine has the program.
    let Ok(output) = output else { return };
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = [
        "docent-bundle.json",
        "manifests/docs/.docs-mcp.json",
        "documents/a.md",
        "documents/docs/b.md",
        "chunks.jsonl",
        "vectors.bin",
        "checksums.json",
    ];
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_documents_come_back(contents in proptest::collection::btree_map("[a-z]{1,40}(/[a-zü ]{1,60}){0,3}x", proptest::collection::vec(any::<u8>(), 0..2000), 1..12)) {
        let mut bytes = Vec::new();
        let mut card = card(0, 0, 0, None);
        let mut names = Vec::new();
        for path in contents.keys() {
            // A file cannot be a folder too.
            if !contents.keys().any(|other| other.starts_with(&format!("{path}/"))) {
                names.push(path);
            }
        }
        card.counts.documents = names.len() as u64;
        let mut writer = Writer::create(&mut bytes, &card).unwrap();
        for path in &names {
            writer.document(path, &contents[*path], 0, &[]).unwrap();
        }
        writer.finish().unwrap();
        let desk = Desk::new();
        save(&desk, &bytes);
        let fetched = desk.fetch("x.docent");
        for path in names {
            prop_assert_eq!(&std::fs::read(fetched.root.join(path)).unwrap(), &contents[path]);
        }
    }
}
