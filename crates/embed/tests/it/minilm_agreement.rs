//! The same text gives the same vector, whatever the batch, the threads and the machine.

use docent_embed::MiniLm;
use docent_index::Embedder;
use docent_kernels::Isa;

const TEXTS: &[&str] = &[
    "",
    "short",
    "A Service exposes an application that runs in one or more pods behind one address.",
    "The scheduler picks a node for each pod. It filters, then scores the nodes that are left.",
    "fn main() { let x = 1; }",
];

fn texts() -> Vec<String> {
    (0..15).map(|i| TEXTS[i % TEXTS.len()].repeat(1 + i % 4)).collect()
}

#[test]
fn a_batch_gives_what_each_text_gives_alone() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for isa in Isa::available() {
        let model = MiniLm::with(isa, 2);
        let together = model.embed_documents(&texts).unwrap();
        assert_eq!(model.embed_queries(&texts).unwrap(), together, "{isa}");
        for (text, vector) in texts.iter().zip(&together) {
            assert_eq!(&model.embed_query(text).unwrap(), vector, "{isa}: {text:?}");
        }
    }
}

#[test]
fn threads_do_not_change_anything() {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let one = MiniLm::with(Isa::detect(), 1).embed_documents(&texts).unwrap();
    for threads in [0, 2, 5] {
        let model = MiniLm::with(Isa::detect(), threads);
        assert_eq!(model.embed_documents(&texts).unwrap(), one);
        assert_eq!(model.embed_queries(&texts).unwrap(), one);
        assert!(model.embed_queries(&[]).unwrap().is_empty());
    }
}

#[test]
fn one_embedder_serves_many_threads() {
    let model = MiniLm::new();
    let expected = model.embed_query(TEXTS[2]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(model.embed_query(TEXTS[2]).unwrap(), expected);
                }
            });
        }
    });
}

#[test]
fn machines_agree_bit_for_bit() {
    let portable = MiniLm::with(Isa::portable(), 2).embed_documents(TEXTS).unwrap();
    for isa in Isa::available() {
        assert!(MiniLm::with(isa, 2).embed_documents(TEXTS).unwrap() == portable, "{isa}");
    }
}

#[test]
fn the_model_says_what_it_is() {
    let model = MiniLm::new();
    let model = model.model();
    assert_eq!((model.id.as_str(), model.dimensions), ("minilm-l6-v2-int8-1", 384));
    assert_eq!((model.name.as_str(), model.provider.as_str()), ("all-MiniLM-L6-v2", "local"));
}
