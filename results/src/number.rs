//! A number as it is written down: JSON and SQLite have no place for NaN and infinity, scores do.
//!
//! In JSON a non-finite number is one of the strings `nan`, `inf`, `-inf`; in SQL it is a NULL value
//! beside its kind in a column of its own.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A measured number that keeps its kind when it is not finite.
#[derive(Debug, Clone, Copy)]
pub struct Number(pub f64);

impl Number {
    /// The value for its SQL column: absent unless finite.
    pub(crate) fn value(self) -> Option<f64> {
        self.0.is_finite().then_some(self.0)
    }

    /// The kind for its SQL column.
    pub(crate) fn kind(self) -> &'static str {
        if self.0.is_finite() {
            "finite"
        } else if self.0.is_nan() {
            "nan"
        } else if self.0 > 0.0 {
            "inf"
        } else {
            "-inf"
        }
    }

    /// Puts the two columns together again; `None` for a pair that was never written.
    pub(crate) fn from_columns(value: Option<f64>, kind: &str) -> Option<Self> {
        match (kind, value) {
            ("finite", Some(value)) => Some(Self(value)),
            (kind, None) => Self::from_kind(kind),
            (_, Some(_)) => None,
        }
    }

    fn from_kind(kind: &str) -> Option<Self> {
        match kind {
            "nan" => Some(Self(f64::NAN)),
            "inf" => Some(Self(f64::INFINITY)),
            "-inf" => Some(Self(f64::NEG_INFINITY)),
            _ => None,
        }
    }
}

/// Equal when they would be written the same, so that NaN equals NaN.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits() || (self.0.is_nan() && other.0.is_nan())
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value() {
            Some(value) => serializer.serialize_f64(value),
            None => serializer.serialize_str(self.kind()),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Finite(f64),
            Kind(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Finite(value) => Ok(Self(value)),
            Written::Kind(kind) => Self::from_kind(&kind)
                .ok_or_else(|| de::Error::custom(format!("{kind:?} is no number"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives_json_and_sql() {
        for value in [
            0.0,
            -0.0,
            1.5,
            f64::MIN_POSITIVE,
            f64::MAX,
            0.1 + 0.2,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            let number = Number(value);
            let json = serde_json::to_string(&number).unwrap();
            assert_eq!(
                serde_json::from_str::<Number>(&json).unwrap(),
                number,
                "{json}"
            );
            assert_eq!(
                Number::from_columns(number.value(), number.kind()),
                Some(number),
                "{json}"
            );
        }
        assert!(serde_json::from_str::<Number>("\"much\"").is_err());
        assert_eq!(Number::from_columns(Some(1.0), "nan"), None);
        assert_eq!(Number::from_columns(None, "finite"), None);
    }
}
