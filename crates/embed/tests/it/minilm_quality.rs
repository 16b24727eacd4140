//! Vectors against those of the original float32 model; `fixtures/make_fixtures.py vectors` makes them.

use docent_embed::MiniLm;
use docent_index::Embedder;
use docent_kernels::Isa;

#[test]
fn vectors_are_close_to_the_original_model_with_all_instructions() {
    let texts: Vec<String> = serde_json::from_str(include_str!("../fixtures/vectors.json")).unwrap();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (numbers, _) = include_bytes!("../fixtures/vectors.f32").as_chunks::<4>();
    let expected: Vec<f32> = numbers.iter().map(|&number| f32::from_le_bytes(number)).collect();
    assert_eq!(expected.len(), texts.len() * 384);
    for isa in Isa::available() {
        let vectors = MiniLm::with(isa, 2).embed_documents(&texts).unwrap();
        let cosines: Vec<f32> = vectors.iter().zip(expected.chunks(384)).map(|(a, b)| dot(a, b)).collect();
        let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
        let lowest = cosines.iter().copied().fold(1.0, f32::min);
        println!("{isa}: mean {mean:.5}, lowest {lowest:.5}");
        assert!(mean >= 0.998, "{isa}: mean cosine {mean}");
        assert!(lowest >= 0.99, "{isa}: lowest cosine {lowest}");
    }
}

#[test]
fn related_texts_are_closer_than_unrelated_ones() {
    let model = MiniLm::new();
    let query = model.embed_query("how do I restart a pod?").unwrap();
    let texts = ["Use kubectl rollout restart to restart the pods.", "Burgundy is known for its red wine."];
    let vectors = model.embed_documents(&texts).unwrap();
    assert!(dot(&query, &vectors[0]) > dot(&query, &vectors[1]) + 0.3);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
