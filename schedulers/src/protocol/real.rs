//! Floats on the wire. JSON has no NaN: a value that is not finite goes as null with its kind,
//! `{"value":null,"kind":"nan"}`; a bare null is read as NaN. For `#[serde(with = "real")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "nan")]
    Nan,
    #[serde(rename = "inf")]
    Plus,
    #[serde(rename = "-inf")]
    Minus,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(untagged)]
enum Real {
    Finite(f64),
    Other { value: Option<f64>, kind: Kind },
    Null,
}

impl From<f64> for Real {
    fn from(x: f64) -> Self {
        let other = |kind| Self::Other { value: None, kind };
        if x.is_finite() {
            Self::Finite(x)
        } else if x.is_nan() {
            other(Kind::Nan)
        } else if x > 0.0 {
            other(Kind::Plus)
        } else {
            other(Kind::Minus)
        }
    }
}

impl From<Real> for f64 {
    fn from(real: Real) -> Self {
        match real {
            Real::Finite(x) => x,
            Real::Other {
                kind: Kind::Plus, ..
            } => Self::INFINITY,
            Real::Other {
                kind: Kind::Minus, ..
            } => Self::NEG_INFINITY,
            Real::Other {
                kind: Kind::Nan, ..
            }
            | Real::Null => Self::NAN,
        }
    }
}

/// Writes one float.
///
/// # Errors
/// When the serializer fails.
pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Real::from(*x).serialize(serializer)
}

/// Reads one float.
///
/// # Errors
/// When it is neither a number, null, nor an object with a kind.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Real::deserialize(deserializer).map(f64::from)
}

/// The same for a map of named floats, as `#[serde(with = "real::map")]`.
pub mod map {
    use std::collections::BTreeMap;

    use super::{Deserialize, Deserializer, Real, Serializer};

    /// Writes named floats in the order of their names.
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(
        map: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(map.iter().map(|(name, x)| (name, Real::from(*x))))
    }

    /// Reads named floats.
    ///
    /// # Errors
    /// When it is no object of floats.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let map = BTreeMap::<String, Real>::deserialize(deserializer)?;
        Ok(map
            .into_iter()
            .map(|(name, real)| (name, real.into()))
            .collect())
    }
}
