//! Checks the answer to an embeddings request: right number, right order, right length.

use serde::Deserialize;

/// The part of an answer that matters.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    data: Vec<Item>,
}

#[derive(Debug, Deserialize)]
struct Item {
    /// Absent in some servers, which then answer in order.
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Answer {
    /// The vectors in the order of the texts, at unit length; what is wrong if they do not fit.
    pub(super) fn vectors(self, texts: usize, dimensions: Option<usize>) -> Result<Vec<Vec<f32>>, Misfit> {
        if self.data.len() != texts {
            return Err(Misfit::Count { expected: texts, found: self.data.len() });
        }
        let mut vectors: Vec<Option<Vec<f32>>> = vec![None; texts];
        for (position, Item { index, embedding }) in self.data.into_iter().enumerate() {
            let place = vectors.get_mut(index.unwrap_or(position)).filter(|place| place.is_none());
            *place.ok_or(Misfit::Order)? = Some(embedding);
        }
        let mut vectors: Vec<Vec<f32>> = vectors.into_iter().flatten().collect();
        let expected = dimensions.or(vectors.first().map(Vec::len)).unwrap_or(0);
        for vector in &mut vectors {
            if vector.len() != expected || vector.is_empty() {
                return Err(Misfit::Dimensions { expected, found: vector.len() });
            }
            docent_kernels::normalise(vector);
            if vector.iter().all(|&x| x == 0.0) {
                return Err(Misfit::NoDirection);
            }
        }
        Ok(vectors)
    }
}

/// Why an answer cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// Another number of vectors than texts.
    Count { expected: usize, found: usize },
    /// Positions out of range or twice.
    Order,
    /// Another length than expected.
    Dimensions { expected: usize, found: usize },
    /// A vector of zeros, or with something that is not a number.
    NoDirection,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, texts: usize, expected: Result<Vec<Vec<f32>>, Misfit>) {
        let answer: Answer = serde_json::from_str(json).unwrap();
        assert_eq!(answer.vectors(texts, Some(2)), expected, "{json}");
    }

    #[test]
    fn vectors_come_in_order_and_at_unit_length() {
        let json = r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}]}"#;
        check(json, 2, Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));
        check(r#"{"data":[{"embedding":[2,0]}]}"#, 1, Ok(vec![vec![1.0, 0.0]]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        check(r#"{"data":[]}"#, 1, Err(Misfit::Count { expected: 1, found: 0 }));
        check(r#"{"data":[{"index":1,"embedding":[1,0]}]}"#, 1, Err(Misfit::Order));
        let twice = r#"{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}"#;
        check(twice, 2, Err(Misfit::Order));
        check(r#"{"data":[{"embedding":[1,0,0]}]}"#, 1, Err(Misfit::Dimensions { expected: 2, found: 3 }));
        check(r#"{"data":[{"embedding":[0,0]}]}"#, 1, Err(Misfit::NoDirection));
    }
}
