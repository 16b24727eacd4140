//! Token ids against those of the reference tokeniser; `fixtures/make_fixtures.py tokens` makes them.

use docent_embed::MiniLm;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u32>,
}

#[test]
fn ids_are_those_of_the_reference() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../fixtures/tokens.json")).unwrap();
    assert!(cases.len() > 100);
    let model = MiniLm::new();
    for Case { text, ids } in cases {
        assert_eq!(model.tokens(&text).unwrap(), ids, "{text:?}");
    }
}

#[test]
fn names_of_special_tokens_are_text() {
    let ids = MiniLm::new().tokens("[SEP] [CLS]").unwrap();
    assert_eq!(ids.iter().filter(|&&id| id == 101 || id == 102).count(), 2, "{ids:?}");
}
