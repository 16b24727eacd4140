//! Whatever the text, there is a vector of unit length and no panic.

use std::time::{Duration, Instant};

use docent_embed::MiniLm;
use docent_index::Embedder;
use proptest::prelude::*;

fn check(model: &MiniLm, text: &str) {
    let vector = model.embed_query(text).unwrap();
    let length: f32 = vector.iter().map(|x| x * x).sum();
    assert!(vector.len() == 384 && (length - 1.0).abs() < 1e-4, "{length} for {:.40?}", text);
}

#[test]
fn odd_texts() {
    let model = MiniLm::new();
    let marks = "\u{301}".repeat(100_000);
    for text in ["", " ", "\0", "\u{200b}\u{200c}", "\u{301}", "\u{10ffff}", "\u{1b}[0m", "\r\n\r\n", &marks]
    {
        check(&model, text);
    }
    assert!(model.embed_documents(&[]).unwrap().is_empty());
}

#[test]
fn huge_texts_are_cut_early() {
    let model = MiniLm::new();
    let start = Instant::now();
    for unit in ["word and word ", "x", "é", "!", "中", "\0"] {
        check(&model, &unit.repeat(10_000_000 / unit.len()));
    }
    // Generous: this is about the order of growth, not about speed.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_ids_within_the_vocabulary_and_the_limit(text in any::<String>()) {
        let ids = MiniLm::new().tokens(&text).unwrap();
        prop_assert!(ids.len() >= 2 && ids.len() <= docent_embed::MAX_TOKENS);
        prop_assert_eq!((ids[0], ids[ids.len() - 1]), (101, 102));
        prop_assert!(ids.iter().all(|&id| id < 30_522));
    }
}
