//! The columns of one block while it is read: numbers as long as everything is one, else text.

use super::cell;
use super::column::{MISSING_CODE, number_level};
use super::few::Few;
use super::interner::Interner;

/// Most distinct texts of a coded column.
const DICTIONARY_TEXTS: usize = 1 << 16;
/// Most bytes of the distinct texts of a coded column.
const DICTIONARY_BYTES: usize = 4 << 20;

/// How a column is read in one pass over the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Not: an earlier pass has it.
    Skip,
    /// Numbers if every value is one, else text.
    Auto,
    /// Numbers; what is none is missing, and counted.
    Number,
    /// Text as written.
    Text,
}

/// Whether the texts are too many or too long for a dictionary.
pub(super) fn overflows(set: &Interner) -> bool {
    set.len() > DICTIONARY_TEXTS || set.n_bytes() > DICTIONARY_BYTES
}

/// The values of one column in one block.
#[derive(Debug)]
pub(super) enum Values {
    Skipped,
    Number(Vec<f64>),
    Coded { codes: Vec<u32>, set: Interner },
    Plain { ends: Vec<u64>, bytes: Vec<u8> },
    Time(Vec<i64>),
    Bool(Vec<u8>),
}

/// What was seen of a column, added up over blocks in any number.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Values that are numbers.
    pub(super) numbers: u64,
    /// Values that are not.
    pub(super) words: u64,
    /// Whether some value is a code with leading zeros.
    pub(super) leading_zeros: bool,
    /// The distinct words.
    pub(super) strangers: Few<Vec<u8>, 3>,
    /// The distinct numbers, as bits.
    pub(super) levels: Few<u64, 20>,
}

impl Tally {
    fn word(&mut self, text: &[u8], times: u64) {
        self.words += times;
        if !self.strangers.is_many() {
            self.strangers.add(text.to_vec());
        }
    }

    fn number(&mut self, value: f64, times: u64) {
        self.numbers += times;
        if !self.levels.is_many() {
            self.levels.add((value + 0.0).to_bits());
        }
    }

    /// Adds what was seen in another block.
    pub(super) fn merge(&mut self, other: Self) {
        self.numbers += other.numbers;
        self.words += other.words;
        self.leading_zeros |= other.leading_zeros;
        self.strangers.merge(other.strangers);
        self.levels.merge(other.levels);
    }

    /// Whether the values are text: some are words or codes.
    pub(super) fn is_text(&self) -> bool {
        self.words > 0 || self.leading_zeros
    }

    /// Whether the values are numbers after all, with a few words that stand for missing: at least 95 % of
    /// the values and more than 20 different ones are numbers, and the words are at most three.
    pub(super) fn is_number_with_strangers(&self) -> bool {
        let share = self.numbers as f64 / (self.numbers + self.words).max(1) as f64;
        !self.leading_zeros
            && self.words > 0
            && share >= 0.95
            && self.levels.is_many()
            && !self.strangers.is_many()
    }
}

/// One column of one block.
#[derive(Debug)]
pub(super) struct ColumnChunk {
    pub(super) values: Values,
    pub(super) tally: Tally,
}

/// One column of one block, being read.
#[derive(Debug)]
pub(super) enum Builder {
    Skip,
    Number(NumberBuilder),
    Text(TextBuilder),
}

impl Builder {
    /// A builder; `plain` when the column is known to be too varied for a dictionary.
    pub(super) fn new(reading: Reading, plain: bool, rows: usize) -> Self {
        match reading {
            Reading::Skip => Self::Skip,
            Reading::Auto | Reading::Number => Self::Number(NumberBuilder {
                values: Vec::with_capacity(rows),
                lenient: reading == Reading::Number,
                failed: false,
                tally: Tally::default(),
            }),
            Reading::Text => Self::Text(TextBuilder::new(plain, rows)),
        }
    }

    /// Takes the next value as text.
    pub(super) fn push(&mut self, text: &[u8]) {
        match self {
            Self::Skip => {}
            Self::Number(number) => number.push(text),
            Self::Text(words) => words.push(text),
        }
    }

    /// Takes the next value as a number.
    pub(super) fn push_number(&mut self, value: f64) {
        match self {
            Self::Skip => {}
            Self::Number(number) => number.push_number(value),
            Self::Text(words) => words.push(number_level(value).unwrap_or_default().as_bytes()),
        }
    }

    /// Whether the column turned out to be text and has to be read again.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self, Self::Number(number) if number.failed)
    }

    /// The finished column.
    pub(super) fn finish(self) -> ColumnChunk {
        match self {
            Self::Skip => ColumnChunk {
                values: Values::Skipped,
                tally: Tally::default(),
            },
            Self::Number(number) => number.finish(),
            Self::Text(words) => words.finish(),
        }
    }
}

/// A column of numbers.
#[derive(Debug)]
pub(super) struct NumberBuilder {
    values: Vec<f64>,
    lenient: bool,
    failed: bool,
    tally: Tally,
}

impl NumberBuilder {
    /// Whether values are still taken.
    pub(super) fn is_open(&self) -> bool {
        !self.failed
    }

    /// Takes a number; NaN is missing.
    pub(super) fn push_number(&mut self, value: f64) {
        if !self.failed {
            self.values.push(value);
        }
    }

    fn push(&mut self, text: &[u8]) {
        if self.failed {
            return;
        }
        let value = match cell::number(text) {
            Some(_) if !self.lenient && cell::has_leading_zero(text) => None,
            Some(value) => Some(value),
            None if cell::is_missing(text) => Some(f64::NAN),
            None if self.lenient => {
                self.tally.word(text, 1);
                Some(f64::NAN)
            }
            None => None,
        };
        match value {
            Some(value) => self.values.push(value),
            None => self.failed = true,
        }
    }

    fn finish(mut self) -> ColumnChunk {
        for &value in self.values.iter().filter(|value| !value.is_nan()) {
            self.tally.numbers += 1;
            if !self.tally.levels.is_many() {
                self.tally.levels.add((value + 0.0).to_bits());
            }
        }
        ColumnChunk {
            values: Values::Number(self.values),
            tally: self.tally,
        }
    }
}

/// A column of text: coded until its dictionary overflows.
#[derive(Debug)]
pub(super) struct TextBuilder {
    values: Text,
    tally: Tally,
    /// Rows of each code.
    counts: Vec<u64>,
    /// Whether missing values are told by their text, or given as empty text.
    typed: bool,
}

#[derive(Debug)]
enum Text {
    Coded { codes: Vec<u32>, set: Interner },
    Plain { ends: Vec<u64>, bytes: Vec<u8> },
}

impl TextBuilder {
    fn new(plain: bool, rows: usize) -> Self {
        let values = if plain {
            Text::Plain {
                ends: Vec::with_capacity(rows),
                bytes: Vec::new(),
            }
        } else {
            Text::Coded {
                codes: Vec::with_capacity(rows),
                set: Interner::default(),
            }
        };
        Self {
            values,
            tally: Tally::default(),
            counts: Vec::new(),
            typed: false,
        }
    }

    /// For a source with types: only an empty text is missing, `NA` is a word.
    pub(super) fn typed(rows: usize) -> Self {
        Self {
            typed: true,
            ..Self::new(false, rows)
        }
    }

    /// Takes the next value.
    pub(super) fn push(&mut self, text: &[u8]) {
        let missing = if self.typed {
            text.is_empty()
        } else {
            cell::is_missing(text)
        };
        match &mut self.values {
            Text::Coded { codes, .. } if missing => codes.push(MISSING_CODE),
            Text::Coded { codes, set } => {
                let code = set.code(text);
                codes.push(code);
                match self.counts.get_mut(code as usize) {
                    Some(count) => *count += 1,
                    None => self.counts.push(1),
                }
                if overflows(set) {
                    self.spread();
                }
            }
            Text::Plain { ends, bytes } => {
                if !missing {
                    bytes.extend_from_slice(text);
                    see(&mut self.tally, text, 1);
                }
                ends.push(bytes.len() as u64);
            }
        }
    }

    /// Turns codes into plain text.
    fn spread(&mut self) {
        self.see_codes();
        let Text::Coded { codes, set } = &self.values else {
            return;
        };
        let (mut ends, mut bytes) = (Vec::with_capacity(codes.capacity()), Vec::new());
        for &code in codes {
            if code != MISSING_CODE {
                bytes.extend_from_slice(set.text(code as usize));
            }
            ends.push(bytes.len() as u64);
        }
        self.values = Text::Plain { ends, bytes };
    }

    fn see_codes(&mut self) {
        if let Text::Coded { set, .. } = &self.values {
            for (code, &count) in self.counts.iter().enumerate() {
                see(&mut self.tally, set.text(code), count);
            }
        }
    }

    /// The finished column.
    pub(super) fn finish(mut self) -> ColumnChunk {
        self.see_codes();
        let values = match self.values {
            Text::Coded { codes, set } => Values::Coded { codes, set },
            Text::Plain { ends, bytes } => Values::Plain { ends, bytes },
        };
        ColumnChunk {
            values,
            tally: self.tally,
        }
    }
}

/// Counts a text as a number or as a word.
fn see(tally: &mut Tally, text: &[u8], times: u64) {
    match cell::number(text) {
        Some(value) => {
            tally.number(value, times);
            tally.leading_zeros |= cell::has_leading_zero(text);
        }
        None => tally.word(text, times),
    }
}
