//! The domains with gaps: integers, and multiples of a step.

use serde_json::Value;

/// Evenly spaced values `(first + i) * q`, drawn evenly or by the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    /// The first value, counted in steps.
    first: i64,
    /// How many values there are; at least 1.
    n: u64,
    /// The step.
    q: f64,
    /// Whether values are written as integers.
    integer: bool,
    scale: Scale,
}

/// How draws are spread over the values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// Every value as often.
    Linear,
    /// A log-uniform draw, rounded down: integers.
    LogFloor,
    /// A log-uniform draw, rounded to the nearest: multiples. From these bounds.
    LogNearest { lower: f64, upper: f64 },
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "bounds are checked to lie within 2^53, where integers and floats agree"
)]
impl Lattice {
    /// The integers from `lower` up to, not including, `upper`.
    pub(super) fn integers(lower: i64, upper: i64, log: bool) -> Self {
        let scale = if log { Scale::LogFloor } else { Scale::Linear };
        Self {
            first: lower,
            n: (upper - lower) as u64,
            q: 1.0,
            integer: true,
            scale,
        }
    }

    /// The multiples of `q` from `lower` to `upper`, both included; nothing when there is none.
    pub(super) fn multiples(
        lower: f64,
        upper: f64,
        q: f64,
        integer: bool,
        log: bool,
    ) -> Option<Self> {
        // 0.3 / 0.1 is 2.9999999999999996: a bound that is a multiple but for rounding counts as one.
        const SLACK: f64 = 1e-9;
        let first = (lower / q - SLACK).ceil() as i64;
        let last = (upper / q + SLACK).floor() as i64;
        let scale = if log {
            Scale::LogNearest { lower, upper }
        } else {
            Scale::Linear
        };
        (last >= first).then(|| Self {
            first,
            n: (last - first) as u64 + 1,
            q,
            integer,
            scale,
        })
    }

    pub(super) const fn len(&self) -> u64 {
        self.n
    }

    /// The `i`-th value, as a number.
    fn number(&self, i: u64) -> f64 {
        let steps = (self.first + i as i64) as f64;
        let per_unit = 1.0 / self.q;
        // Dividing keeps 0.3 what it is, where 3 * 0.1 is 0.30000000000000004.
        if self.q < 1.0 && (per_unit - per_unit.round()).abs() < 1e-9 {
            steps / per_unit.round()
        } else {
            steps * self.q
        }
    }

    /// The `i`-th value.
    pub(super) fn nth(&self, i: u64) -> Value {
        let number = self.number(i);
        if self.integer {
            Value::from(number as i64)
        } else {
            Value::from(number)
        }
    }

    /// Which value a point of the unit interval stands for.
    pub(super) fn index_at(&self, u: f64) -> u64 {
        let last = self.n - 1;
        match self.bounds() {
            None => ((u * self.n as f64) as u64).min(last),
            Some((lower, upper)) => {
                let x = (lower.ln() + u * (upper.ln() - lower.ln())).exp();
                let steps = if self.scale == Scale::LogFloor {
                    x.floor()
                } else {
                    (x / self.q).round()
                };
                ((steps as i64 - self.first).max(0) as u64).min(last)
            }
        }
    }

    /// The middle of what stands for a value; nothing when it is not one of ours.
    pub(super) fn unit(&self, number: f64) -> Option<f64> {
        let steps = (number / self.q).round() as i64;
        let i = u64::try_from(steps.checked_sub(self.first)?)
            .ok()
            .filter(|i| *i < self.n)?;
        if (self.number(i) - number).abs() > 1e-9 * self.q.max(number.abs()) {
            return None;
        }
        let Some((lower, upper)) = self.bounds() else {
            return Some((i as f64 + 0.5) / self.n as f64);
        };
        let (from, to) = match self.scale {
            Scale::LogFloor => (number, number + 1.0),
            Scale::Linear | Scale::LogNearest { .. } => {
                (number - self.q / 2.0, number + self.q / 2.0)
            }
        };
        let middle = (from.max(lower).ln() + to.min(upper).ln()) / 2.0;
        Some((middle - lower.ln()) / (upper.ln() - lower.ln()))
    }

    /// Where the share of the `i`-th value ends on the unit interval.
    pub(super) fn share_end(&self, i: u64) -> f64 {
        if i + 1 >= self.n {
            return 1.0;
        }
        let Some((lower, upper)) = self.bounds() else {
            return (i + 1) as f64 / self.n as f64;
        };
        let end = match self.scale {
            Scale::LogFloor => self.number(i) + 1.0,
            Scale::Linear | Scale::LogNearest { .. } => self.number(i) + self.q / 2.0,
        };
        ((end.ln() - lower.ln()) / (upper.ln() - lower.ln())).clamp(0.0, 1.0)
    }

    /// What is drawn from on a log scale; nothing on a linear one, and where there is but one value.
    fn bounds(&self) -> Option<(f64, f64)> {
        match self.scale {
            Scale::LogFloor if self.n > 1 => {
                Some((self.first as f64, (self.first + self.n as i64) as f64))
            }
            Scale::LogNearest { lower, upper } if self.n > 1 => Some((lower, upper)),
            Scale::Linear | Scale::LogFloor | Scale::LogNearest { .. } => None,
        }
    }
}
