//! Pairs of files: `NAME.ext` becomes `NAME.expected.md`. `UPDATE_FIXTURES=1` writes what is expected anew.

use std::path::{Path, PathBuf};

use docent_convert::{Converted, ErrorKind, Format, Limits, Origin, convert};
use proptest::prelude::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/convert")
}

/// All inputs: what is neither expected output nor the script that makes them.
fn inputs() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".expected.md") && !name.ends_with(".py") {
            found.push((name, std::fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

fn input(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

fn converted(name: &str) -> Converted {
    convert(&input(name), name, &Limits::default()).unwrap()
}

fn origin(line: u32, page: Option<u32>, label: &str) -> Origin {
    Origin { line, page, label: Some(label.to_owned()) }
}

#[test]
fn every_fixture_becomes_what_is_expected() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut failed = Vec::new();
    for (name, bytes) in inputs() {
        assert!(bytes.len() <= 20_000, "{name} is larger than a fixture should be");
        let text = match convert(&bytes, &name, &Limits::default()) {
            Ok(converted) => converted.markdown,
            Err(error) => format!("{error}\n"),
        };
        let path = folder().join(&name).with_extension("expected.md");
        if update {
            std::fs::write(&path, &text).unwrap();
        } else if std::fs::read_to_string(&path).unwrap_or_default() != text {
            failed.push(format!("{name}:\n{text}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn origins_are_in_order_and_inside_of_the_text() {
    for (name, bytes) in inputs() {
        let Ok(converted) = convert(&bytes, &name, &Limits::default()) else { continue };
        let lines = u32::try_from(converted.markdown.lines().count()).unwrap();
        assert!(converted.origins.iter().all(|origin| (1..=lines).contains(&origin.line)), "{name}");
        assert!(converted.origins.is_sorted_by(|a, b| a.line < b.line), "{name}: {:?}", converted.origins);
        assert!(converted.markdown.ends_with('\n') && !converted.markdown.ends_with("\n\n"), "{name}");
    }
}

#[test]
fn slides_are_pages() {
    let deck = converted("review.pptx");
    let line = |text: &str| deck.markdown.lines().position(|line| line == text).unwrap() + 1;
    let found = deck.origin_of(u32::try_from(line("| Small | 12 |")).unwrap()).unwrap();
    assert_eq!((found.page, found.label.as_deref()), (Some(3), Some("Numbers")));
    assert_eq!(deck.title.as_deref(), Some("Quarter in review"));
    assert_eq!(deck.format, Format::Pptx);
}

#[test]
fn sheets_are_labels_and_what_is_left_out_is_said() {
    let book = converted("prices.xlsx");
    let labels: Vec<_> = book.origins.iter().filter_map(|origin| origin.label.as_deref()).collect();
    assert_eq!(labels, ["Prices", "Far & wide"]);
    assert!(book.notes.iter().any(|note| note.contains("hidden sheet \"Secret\"")), "{:?}", book.notes);
}

#[test]
fn anchors_of_headings_are_labels_and_links_are_absolute() {
    let page = convert(&input("docs-page.html"), "https://a.b/docs/guides/retries.html", &Limits::default())
        .unwrap();
    assert_eq!(page.title.as_deref(), Some("Retries"));
    assert_eq!(page.origins.first(), Some(&origin(1, None, "retries")));
    assert!(page.markdown.contains("[limits](https://a.b/docs/limits.html#time)"), "{}", page.markdown);
    for gone in ["cookies", "Home", "Related", "Hidden", "© Example", "not text", "¶"] {
        assert!(!page.markdown.contains(gone), "{gone}: {}", page.markdown);
    }
}

#[test]
fn rows_above_the_limit_are_cut_with_a_note() {
    let limits = Limits { rows: 1, ..Limits::default() };
    for name in ["prices.xlsx", "table.csv", "stock.ods"] {
        let cut = convert(&input(name), name, &limits).unwrap();
        assert!(cut.notes.iter().any(|note| note.contains("cut after 1 rows")), "{name}: {:?}", cut.notes);
        assert!(cut.markdown.contains("cut after 1 rows"), "{name}");
    }
}

#[test]
fn containers_above_the_limits_are_refused() {
    for (name, bytes) in inputs().iter().filter(|(_, bytes)| bytes.starts_with(b"PK")) {
        for limits in [
            Limits { entries: 1, ..Limits::default() },
            Limits { entry_bytes: 20, ..Limits::default() },
            Limits {
                decoded_bytes: u64::try_from(bytes.len()).unwrap(),
                entry_bytes: 100,
                ..Limits::default()
            },
        ] {
            // An archive says which of its files were left out instead.
            match convert(bytes, name, &limits) {
                Err(error) => assert_eq!(error.kind, ErrorKind::TooLarge, "{name}: {error}"),
                Ok(converted) => assert!(!converted.notes.is_empty(), "{name}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_fixtures_never_panic(at in any::<prop::sample::Index>(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8), cut in any::<bool>()) {
        let limits = Limits::default();
        for (name, mut bytes) in inputs() {
            for (place, value) in &flips {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
            if cut {
                bytes.truncate(at.index(bytes.len()));
            }
            let _ = convert(&bytes, &name, &limits);
        }
    }
}
