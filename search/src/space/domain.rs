//! What one parameter may be: the twelve kinds of Ludwig, with the bounds of Ray Tune.
//!
//! Each domain is drawn through the unit interval, so that every sampler sees one cube; the way back
//! gives the middle of what stands for a value.

use serde_json::{Map, Value};
use statrs::distribution::{ContinuousCDF, Normal};

use super::lattice::Lattice;
use crate::error::{ConfigError, nearest};

/// What one parameter may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// One of these, each as often.
    Choice {
        /// Numbers, texts, booleans, lists, or fragments of a config.
        categories: Vec<Value>,
    },
    /// All of these in turn; other samplers than `Grid` and `Random` take it for a choice.
    GridSearch {
        /// As categories.
        values: Vec<Value>,
    },
    /// Any number between.
    Uniform {
        /// Least.
        lower: f64,
        /// Most.
        upper: f64,
    },
    /// Multiples of `q`, both ends included.
    Quniform {
        /// Least.
        lower: f64,
        /// Most.
        upper: f64,
        /// Step.
        q: f64,
    },
    /// Any number between, evenly by its logarithm.
    Loguniform {
        /// Least; above 0.
        lower: f64,
        /// Most.
        upper: f64,
    },
    /// Multiples of `q`, by the logarithm, both ends included.
    Qloguniform {
        /// Least; above 0.
        lower: f64,
        /// Most.
        upper: f64,
        /// Step.
        q: f64,
    },
    /// A normal distribution.
    Randn {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        sd: f64,
    },
    /// A normal distribution, rounded to multiples of `q`.
    Qrandn {
        /// Its mean.
        mean: f64,
        /// Its standard deviation.
        sd: f64,
        /// Step.
        q: f64,
    },
    /// Integers, the upper end excluded.
    Randint {
        /// Least.
        lower: i64,
        /// One more than most.
        upper: i64,
    },
    /// Integer multiples of `q`, both ends included.
    Qrandint {
        /// Least.
        lower: i64,
        /// Most.
        upper: i64,
        /// Step.
        q: i64,
    },
    /// Integers by their logarithm, the upper end excluded.
    Lograndint {
        /// Least; above 0.
        lower: i64,
        /// One more than most.
        upper: i64,
    },
    /// Integer multiples of `q` by their logarithm, both ends included.
    Qlograndint {
        /// Least; above 0.
        lower: i64,
        /// Most.
        upper: i64,
        /// Step.
        q: i64,
    },
}

/// Names of the kinds, with the keys of each.
const KINDS: &[(&str, &[&str])] = &[
    ("choice", &["categories"]),
    ("grid_search", &["values"]),
    ("uniform", &["lower", "upper"]),
    ("quniform", &["lower", "upper", "q"]),
    ("loguniform", &["lower", "upper", "base"]),
    ("qloguniform", &["lower", "upper", "q", "base"]),
    ("randn", &["mean", "sd"]),
    ("qrandn", &["mean", "sd", "q"]),
    ("randint", &["lower", "upper"]),
    ("qrandint", &["lower", "upper", "q"]),
    ("lograndint", &["lower", "upper", "base"]),
    ("qlograndint", &["lower", "upper", "q", "base"]),
];

/// Floats hold every integer up to here.
const MAX_INTEGER: i64 = 1 << 53;

/// Draws from a normal distribution stay this far from 0 and 1, which are infinite: within 8.2 deviations.
const NORMAL_EDGE: f64 = 1e-16;

impl Domain {
    /// Reads a domain as a config writes it, as in `{space: loguniform, lower: 1e-4, upper: 0.1}`.
    ///
    /// # Errors
    /// One that names the parameter, when the kind is unknown, a key is missing, unknown or out of range.
    pub fn from_value(parameter: &str, value: &Value) -> Result<Self, ConfigError> {
        let fault = |what: String, hint: Option<String>| ConfigError {
            file: String::new(),
            line: None,
            path: format!("hyperopt.parameters.{parameter}"),
            what,
            hint,
        };
        let map = value.as_object().ok_or_else(|| {
            fault(
                format!("expected a space, found {value}"),
                Some("write it as {space: uniform, lower: 0, upper: 1}".to_owned()),
            )
        })?;
        let kind = map.get("space").and_then(Value::as_str).ok_or_else(|| {
            fault(
                "it does not say its `space`".to_owned(),
                Some(format!("one of {}", names().collect::<Vec<_>>().join(", "))),
            )
        })?;
        let Some((_, keys)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            let hint = nearest(kind, names()).map(|near| format!("did you mean {near:?}?"));
            return Err(fault(format!("unknown space {kind:?}"), hint));
        };
        if let Some(unknown) = map
            .keys()
            .find(|key| !matches!(key.as_str(), "space" | "when") && !keys.contains(&key.as_str()))
        {
            return Err(fault(
                format!("{kind} has no key {unknown:?}"),
                Some(format!("its keys are {}", keys.join(", "))),
            ));
        }
        Self::read(kind, &Keys(map))
            .map_err(|what| fault(what, Some(format!("{kind} takes {}", keys.join(", ")))))
    }

    fn read(kind: &str, keys: &Keys<'_>) -> Result<Self, String> {
        let log = kind.contains("log");
        match kind {
            "choice" => Ok(Self::Choice {
                categories: keys.list("categories")?,
            }),
            "grid_search" => Ok(Self::GridSearch {
                values: keys.list("values")?,
            }),
            "randn" => Ok(Self::Randn {
                mean: keys.number_or("mean", 0.0)?,
                sd: keys.positive_or("sd", 1.0)?,
            }),
            "qrandn" => Ok(Self::Qrandn {
                mean: keys.number_or("mean", 0.0)?,
                sd: keys.positive_or("sd", 1.0)?,
                q: keys.positive("q")?,
            }),
            "uniform" | "loguniform" => {
                let (lower, upper) = keys.range(log)?;
                Ok(if log {
                    Self::Loguniform { lower, upper }
                } else {
                    Self::Uniform { lower, upper }
                })
            }
            "quniform" | "qloguniform" => {
                let (lower, upper) = keys.range(log)?;
                let q = keys.positive("q")?;
                let domain = if log {
                    Self::Qloguniform { lower, upper, q }
                } else {
                    Self::Quniform { lower, upper, q }
                };
                domain.not_empty()
            }
            "randint" | "lograndint" => {
                let (lower, upper) = keys.integers(log)?;
                Ok(if log {
                    Self::Lograndint { lower, upper }
                } else {
                    Self::Randint { lower, upper }
                })
            }
            _ => {
                let (lower, upper) = keys.integers(log)?;
                let q = keys.integer("q")?;
                if q < 1 {
                    return Err(format!("q must be at least 1, found {q}"));
                }
                let domain = if log {
                    Self::Qlograndint { lower, upper, q }
                } else {
                    Self::Qrandint { lower, upper, q }
                };
                domain.not_empty()
            }
        }
    }

    fn not_empty(self) -> Result<Self, String> {
        if self.has_lattice() && self.lattice().is_none() {
            return Err("there is no multiple of q between lower and upper".to_owned());
        }
        Ok(self)
    }

    const fn has_lattice(&self) -> bool {
        match self {
            Self::Choice { .. }
            | Self::GridSearch { .. }
            | Self::Uniform { .. }
            | Self::Loguniform { .. }
            | Self::Randn { .. }
            | Self::Qrandn { .. } => false,
            Self::Quniform { .. }
            | Self::Qloguniform { .. }
            | Self::Randint { .. }
            | Self::Qrandint { .. }
            | Self::Lograndint { .. }
            | Self::Qlograndint { .. } => true,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "bounds lie within 2^53")]
    fn lattice(&self) -> Option<Lattice> {
        match *self {
            Self::Choice { .. }
            | Self::GridSearch { .. }
            | Self::Uniform { .. }
            | Self::Loguniform { .. }
            | Self::Randn { .. }
            | Self::Qrandn { .. } => None,
            Self::Quniform { lower, upper, q } => Lattice::multiples(lower, upper, q, false, false),
            Self::Qloguniform { lower, upper, q } => {
                Lattice::multiples(lower, upper, q, false, true)
            }
            Self::Randint { lower, upper } => Some(Lattice::integers(lower, upper, false)),
            Self::Lograndint { lower, upper } => Some(Lattice::integers(lower, upper, true)),
            Self::Qrandint { lower, upper, q } => {
                Lattice::multiples(lower as f64, upper as f64, q as f64, true, false)
            }
            Self::Qlograndint { lower, upper, q } => {
                Lattice::multiples(lower as f64, upper as f64, q as f64, true, true)
            }
        }
    }

    /// The values that are listed one by one, if they are.
    pub(crate) fn listed(&self) -> Option<&[Value]> {
        match self {
            Self::Choice { categories } => Some(categories),
            Self::GridSearch { values } => Some(values),
            Self::Uniform { .. }
            | Self::Quniform { .. }
            | Self::Loguniform { .. }
            | Self::Qloguniform { .. }
            | Self::Randn { .. }
            | Self::Qrandn { .. }
            | Self::Randint { .. }
            | Self::Qrandint { .. }
            | Self::Lograndint { .. }
            | Self::Qlograndint { .. } => None,
        }
    }

    /// How many values there are; nothing when there is no end of them.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.listed()
            .map(|values| values.len() as u64)
            .or_else(|| self.lattice().map(|lattice| lattice.len()))
    }

    /// The `i`-th value of a domain that has a size; nothing past its end.
    #[must_use]
    pub fn nth(&self, i: u64) -> Option<Value> {
        if let Some(values) = self.listed() {
            return values.get(usize::try_from(i).ok()?).cloned();
        }
        self.lattice()
            .filter(|lattice| i < lattice.len())
            .map(|lattice| lattice.nth(i))
    }

    /// The value that a point `u` in [0, 1) stands for.
    #[must_use]
    pub fn at(&self, u: f64) -> Value {
        if let Some(values) = self.listed() {
            return values[index_of(u, values.len())].clone();
        }
        if let Some(lattice) = self.lattice() {
            return lattice.nth(lattice.index_at(u));
        }
        Value::from(self.number_at(u))
    }

    /// Which of the values of a domain that has a size a point stands for; nothing when it has none.
    pub(crate) fn index_at(&self, u: f64) -> Option<u64> {
        match self.listed() {
            Some(values) => Some(index_of(u, values.len()) as u64),
            None => self.lattice().map(|lattice| lattice.index_at(u)),
        }
    }

    /// Where the shares of the values of a domain that has a size end on the unit interval, ascending, the
    /// last one at 1; nothing when it has no size or more than `most` values.
    pub(crate) fn shares(&self, most: u64) -> Option<Vec<f64>> {
        let n = self.size().filter(|n| *n <= most)?;
        #[expect(clippy::cast_precision_loss, reason = "a list is short")]
        let even = |i: u64| (i + 1) as f64 / n as f64;
        Some(match self.lattice() {
            Some(lattice) => (0..n).map(|i| lattice.share_end(i)).collect(),
            None => (0..n).map(even).collect(),
        })
    }

    /// The point of the value of the domain that is nearest; nothing for what is no number, or not listed.
    #[must_use]
    pub(crate) fn nearest_unit(&self, value: &Value) -> Option<f64> {
        if let Some(u) = self.unit(value) {
            return Some(u);
        }
        let x = value.as_f64().filter(|x| x.is_finite())?;
        if self.listed().is_some() {
            return None;
        }
        // Domains are monotone: halve the interval until it is finer than any share that matters.
        let (mut from, mut to) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = f64::midpoint(from, to);
            let at = self.at(middle).as_f64()?;
            if at < x { from = middle } else { to = middle }
        }
        self.unit(&self.at(from.min(1.0 - f64::EPSILON)))
    }

    /// As `at`, for the domains of numbers without end.
    fn number_at(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { lower, upper } => (lower + u * (upper - lower)).min(upper),
            Self::Loguniform { lower, upper } => (lower.ln() + u * (upper.ln() - lower.ln()))
                .exp()
                .clamp(lower, upper),
            Self::Randn { mean, sd } => {
                mean + sd * standard().inverse_cdf(u.clamp(NORMAL_EDGE, 1.0 - NORMAL_EDGE))
            }
            Self::Qrandn { mean, sd, q } => {
                (Self::Randn { mean, sd }.number_at(u) / q).round() * q + 0.0
            }
            Self::Choice { .. }
            | Self::GridSearch { .. }
            | Self::Quniform { .. }
            | Self::Qloguniform { .. }
            | Self::Randint { .. }
            | Self::Qrandint { .. }
            | Self::Lograndint { .. }
            | Self::Qlograndint { .. } => unreachable!("these have a size, and are drawn by it"),
        }
    }

    /// The point that stands for a value, in the middle of its share; nothing when it is not in the domain.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a list is short")]
    pub fn unit(&self, value: &Value) -> Option<f64> {
        if let Some(values) = self.listed() {
            let i = values.iter().position(|listed| same(listed, value))?;
            return Some((i as f64 + 0.5) / values.len() as f64);
        }
        let x = value.as_f64().filter(|x| x.is_finite())?;
        if let Some(lattice) = self.lattice() {
            return lattice.unit(x);
        }
        match *self {
            Self::Uniform { lower, upper } if (lower..=upper).contains(&x) => {
                Some((x - lower) / (upper - lower))
            }
            Self::Loguniform { lower, upper } if (lower..=upper).contains(&x) => {
                Some((x.ln() - lower.ln()) / (upper.ln() - lower.ln()))
            }
            Self::Randn { mean, sd } => Some(standard().cdf((x - mean) / sd)),
            Self::Qrandn { mean, sd, q } => ((x / q).round() * q - x)
                .abs()
                .le(&(1e-9 * q.max(x.abs())))
                .then(|| standard().cdf((x - mean) / sd)),
            Self::Uniform { .. }
            | Self::Loguniform { .. }
            | Self::Choice { .. }
            | Self::GridSearch { .. }
            | Self::Quniform { .. }
            | Self::Qloguniform { .. }
            | Self::Randint { .. }
            | Self::Qrandint { .. }
            | Self::Lograndint { .. }
            | Self::Qlograndint { .. } => None,
        }
    }
}

/// Whether two values mean the same: 1 and 1.0 do.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    super::space::canonical(a) == super::space::canonical(b)
}

fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

fn standard() -> Normal {
    Normal::standard()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "u lies in [0, 1), so the product lies in the list"
)]
fn index_of(u: f64, n: usize) -> usize {
    ((u * n as f64) as usize).min(n - 1)
}

/// The keys of a domain, read with their types.
struct Keys<'a>(&'a Map<String, Value>);

impl Keys<'_> {
    fn list(&self, key: &str) -> Result<Vec<Value>, String> {
        match self.0.get(key).and_then(Value::as_array) {
            Some(values) if !values.is_empty() => Ok(values.clone()),
            Some(_) => Err(format!("{key} is empty")),
            None => Err(format!("{key} must be a list")),
        }
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        let value = self.0.get(key).ok_or_else(|| format!("{key} is missing"))?;
        value
            .as_f64()
            .filter(|x| x.is_finite())
            .ok_or_else(|| format!("{key} must be a number, found {value}"))
    }

    fn number_or(&self, key: &str, default: f64) -> Result<f64, String> {
        if self.0.contains_key(key) {
            self.number(key)
        } else {
            Ok(default)
        }
    }

    fn positive(&self, key: &str) -> Result<f64, String> {
        let x = self.number(key)?;
        if x > 0.0 {
            Ok(x)
        } else {
            Err(format!("{key} must be above 0, found {x}"))
        }
    }

    fn positive_or(&self, key: &str, default: f64) -> Result<f64, String> {
        if self.0.contains_key(key) {
            self.positive(key)
        } else {
            Ok(default)
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be an integer within 2^53"
    )]
    fn integer(&self, key: &str) -> Result<i64, String> {
        let x = self.number(key)?;
        #[expect(clippy::cast_precision_loss, reason = "2^53 is a float")]
        if x.fract().abs() > 0.0 || x.abs() > MAX_INTEGER as f64 {
            return Err(format!("{key} must be an integer, found {x}"));
        }
        Ok(x as i64)
    }

    fn range(&self, log: bool) -> Result<(f64, f64), String> {
        let (lower, upper) = (self.number("lower")?, self.number("upper")?);
        if lower >= upper {
            return Err(format!(
                "lower must be below upper, found {lower} and {upper}"
            ));
        }
        if log && lower <= 0.0 {
            return Err(format!(
                "lower must be above 0 on a log scale, found {lower}"
            ));
        }
        if !(upper - lower).is_finite() {
            return Err("lower and upper lie too far apart".to_owned());
        }
        Ok((lower, upper))
    }

    fn integers(&self, log: bool) -> Result<(i64, i64), String> {
        self.range(log)?;
        Ok((self.integer("lower")?, self.integer("upper")?))
    }
}
