//! The kinds of column that a model can read. Knows names only; the rules that choose one are in `infer`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a column means to a model. The names are those of the config's feature types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A quantity: order and distance mean something.
    Number,
    /// One of a set of levels without order.
    Category,
    /// One of exactly two values.
    Binary,
    /// A day, or a day and a time.
    Date,
    /// Words.
    Text,
}

impl Kind {
    /// Every kind, in the order in which they are listed to users.
    pub const ALL: [Self; 5] = [
        Self::Number,
        Self::Category,
        Self::Binary,
        Self::Date,
        Self::Text,
    ];

    /// The name in configs, commands and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Category => "category",
            Self::Binary => "binary",
            Self::Date => "date",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = crate::Error;

    /// Reads a name as in `--type COL=TYPE`; `numerical`, the old name of `number`, is read too.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.trim().to_ascii_lowercase();
        if lower == "numerical" {
            return Ok(Self::Number);
        }
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == lower)
            .ok_or_else(|| crate::Error::UnknownKind {
                given: text.to_owned(),
                nearest: crate::nearest::nearest(&lower, Self::ALL.map(Self::name))
                    .map(str::to_owned),
            })
    }
}
