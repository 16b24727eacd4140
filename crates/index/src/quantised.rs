//! A vector as it is kept: signed bytes and one scale.
//!
//! 384 numbers take 388 bytes. The largest magnitude maps to 127, so taking the numbers back and quantising them again
//! gives the same bytes: the cache, the vector file and a fresh embedding agree exactly.

/// A quantised vector of unit length.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantisedVector {
    /// Factor from a stored value back to the number.
    pub scale: f32,
    /// Values from -127 to 127.
    pub values: Vec<i8>,
}

impl QuantisedVector {
    /// Quantises `vector`. Numbers that are not finite count as 0.
    pub fn new(vector: &[f32]) -> Self {
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(finite(*x).abs()));
        if largest == 0.0 {
            return Self { scale: 0.0, values: vec![0; vector.len()] };
        }
        let scale = largest / 127.0;
        let values = vector.iter().map(|x| (finite(*x) / scale).round().clamp(-127.0, 127.0) as i8).collect();
        Self { scale, values }
    }

    /// The numbers, as well as they were kept.
    pub fn to_f32(&self) -> Vec<f32> {
        self.values.iter().map(|value| f32::from(*value) * self.scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::QuantisedVector;

    #[test]
    fn quantising_twice_changes_nothing() {
        let vector: Vec<f32> = (0..384).map(|i| ((i * 37 % 101) as f32 - 50.0) / 700.0).collect();
        let once = QuantisedVector::new(&vector);
        assert_eq!(once.values, QuantisedVector::new(&once.to_f32()).values);
    }

    #[test]
    fn zeros_and_nan_are_kept_as_zero() {
        assert_eq!(QuantisedVector::new(&[0.0, f32::NAN]).values, [0, 0]);
    }
}
