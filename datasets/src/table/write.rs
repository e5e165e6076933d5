//! A column on its way to disk: chunks in row order, appended to its files.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::build::{ColumnChunk, Reading, Tally, Values, overflows};
use super::column::{MISSING_BOOL, MISSING_CODE, MISSING_TIME};
use super::interner::Interner;
use super::manifest::{ColumnFile, Stored};
use crate::mapped::{Mapped, bytes_of};
use crate::{Error, Result};

/// Rows written at once where values are made up or rewritten.
const PIECE: usize = 1 << 16;

/// The writer of one column.
#[derive(Debug)]
pub(super) struct ColumnWriter {
    stem: PathBuf,
    reading: Reading,
    state: State,
    n_rows: usize,
    n_missing: u64,
    tally: Tally,
}

#[derive(Debug)]
enum State {
    /// Every row so far is missing: nothing is written, for nothing is known of the type.
    Blank,
    Number(File),
    Time(File),
    Bool(File),
    Coded {
        codes: File,
        set: Interner,
    },
    Plain {
        ends: File,
        bytes: File,
        n_bytes: u64,
    },
    /// Numbers stood before words: their text is lost, and another pass has to read the column as text.
    Unfit,
}

/// What became of a column in a pass.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is on disk.
    Done(ColumnFile),
    /// It has to be read again, in this way.
    Again(Reading),
}

impl ColumnWriter {
    /// A writer of column `index` in the folder `dir`.
    pub(super) fn new(dir: &Path, index: usize, reading: Reading) -> Self {
        let stem = stem(dir, index);
        Self {
            stem,
            reading,
            state: State::Blank,
            n_rows: 0,
            n_missing: 0,
            tally: Tally::default(),
        }
    }

    /// Whether the column is known to be text by now.
    pub(super) fn is_text(&self) -> bool {
        matches!(
            self.state,
            State::Coded { .. } | State::Plain { .. } | State::Unfit
        )
    }

    /// Whether the column is known to be too varied for a dictionary.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self.state, State::Plain { .. })
    }

    /// Appends the next rows.
    pub(super) fn append(&mut self, chunk: ColumnChunk, n_rows: usize) -> Result<()> {
        let before = self.n_missing;
        match chunk.values {
            Values::Skipped => return Ok(()),
            Values::Number(values) => self.numbers(&values)?,
            Values::Coded { codes, set } => self.coded(&codes, &set)?,
            Values::Plain { ends, bytes } => self.plain(&ends, &bytes)?,
            Values::Time(values) => self.times(&values)?,
            Values::Bool(values) => self.bools(&values)?,
        }
        self.n_rows += n_rows;
        assert!(self.n_missing - before <= n_rows as u64);
        self.tally.merge(chunk.tally);
        Ok(())
    }

    /// Ends the column.
    pub(super) fn finish(mut self, name: &str) -> Result<Outcome> {
        if self.reading == Reading::Auto && self.tally.is_text() {
            let again = self
                .tally
                .is_number_with_strangers()
                .then_some(Reading::Number);
            if let Some(reading) =
                again.or(matches!(self.state, State::Unfit).then_some(Reading::Text))
            {
                self.discard();
                return Ok(Outcome::Again(reading));
            }
        }
        if matches!(self.state, State::Blank) {
            let n = self.n_rows;
            let mut file = self.create("values")?;
            self.repeat(&mut file, f64::NAN, n)?;
            self.state = State::Number(file);
        }
        let stored = match &self.state {
            State::Number(_) => Stored::Number,
            State::Time(_) => Stored::Time,
            State::Bool(_) => Stored::Bool,
            State::Coded { set, .. } => {
                self.write(&mut self.create("ends")?, bytes_of(set.ends()))?;
                self.write(&mut self.create("text")?, set.bytes())?;
                Stored::Coded
            }
            State::Plain { .. } => Stored::Plain,
            State::Blank | State::Unfit => unreachable!("settled above"),
        };
        Ok(Outcome::Done(ColumnFile {
            name: name.to_owned(),
            stored,
            n_missing: self.n_missing,
            n_unread: if self.reading == Reading::Number {
                self.tally.words
            } else {
                0
            },
            unread: match (self.reading, self.tally.strangers.get()) {
                (Reading::Number, Some(words)) => words
                    .iter()
                    .map(|word| String::from_utf8_lossy(word).into_owned())
                    .collect(),
                _ => Vec::new(),
            },
            leading_zeros: self.tally.leading_zeros,
        }))
    }

    fn numbers(&mut self, values: &[f64]) -> Result<()> {
        let n_missing = values.iter().filter(|value| value.is_nan()).count();
        let all_missing = n_missing == values.len();
        match self.state {
            State::Blank if all_missing => {}
            State::Blank => {
                let mut file = self.create("values")?;
                self.repeat(&mut file, f64::NAN, self.n_rows)?;
                self.write(&mut file, bytes_of(values))?;
                self.state = State::Number(file);
            }
            State::Number(ref file) => self.write(file, bytes_of(values))?,
            State::Coded { .. } | State::Plain { .. } if all_missing => {
                self.missing_text(values.len())?
            }
            State::Coded { .. } | State::Plain { .. } => self.state = State::Unfit,
            State::Time(_) | State::Bool(_) | State::Unfit => {}
        }
        self.n_missing += n_missing as u64;
        Ok(())
    }

    fn times(&mut self, values: &[i64]) -> Result<()> {
        if matches!(self.state, State::Blank) {
            let mut file = self.create("values")?;
            self.repeat(&mut file, MISSING_TIME, self.n_rows)?;
            self.state = State::Time(file);
        }
        if let State::Time(file) = &self.state {
            self.write(file, bytes_of(values))?;
        }
        self.n_missing += values
            .iter()
            .filter(|&&value| value == MISSING_TIME)
            .count() as u64;
        Ok(())
    }

    fn bools(&mut self, values: &[u8]) -> Result<()> {
        if matches!(self.state, State::Blank) {
            let mut file = self.create("values")?;
            self.repeat(&mut file, MISSING_BOOL, self.n_rows)?;
            self.state = State::Bool(file);
        }
        if let State::Bool(file) = &self.state {
            self.write(file, values)?;
        }
        self.n_missing += values
            .iter()
            .filter(|&&value| value == MISSING_BOOL)
            .count() as u64;
        Ok(())
    }

    fn coded(&mut self, codes: &[u32], set: &Interner) -> Result<()> {
        self.n_missing += codes.iter().filter(|&&code| code == MISSING_CODE).count() as u64;
        if matches!(self.state, State::Blank) {
            if set.len() == 0 {
                return Ok(());
            }
            self.begin_text()?;
        }
        match &mut self.state {
            State::Coded {
                codes: file,
                set: all,
            } => {
                let ours: Vec<u32> = (0..set.len())
                    .map(|code| all.code(set.text(code)))
                    .collect();
                let mapped: Vec<u32> = codes
                    .iter()
                    .map(|&code| ours.get(code as usize).copied().unwrap_or(MISSING_CODE))
                    .collect();
                file.write_all(bytes_of(&mapped))
                    .map_err(Error::io("write", &self.stem))?;
                if overflows(all) {
                    self.spread()
                } else {
                    Ok(())
                }
            }
            State::Plain { .. } => {
                let (mut ends, mut bytes) = (Vec::with_capacity(codes.len()), Vec::new());
                for &code in codes {
                    if code != MISSING_CODE {
                        bytes.extend_from_slice(set.text(code as usize));
                    }
                    ends.push(bytes.len() as u64);
                }
                self.append_plain(&ends, &bytes)
            }
            State::Number(_) if set.len() == 0 => {
                let State::Number(file) = &self.state else {
                    return Ok(());
                };
                self.repeat(&mut &*file, f64::NAN, codes.len())
            }
            State::Number(_) => {
                self.state = State::Unfit;
                Ok(())
            }
            State::Blank | State::Time(_) | State::Bool(_) | State::Unfit => Ok(()),
        }
    }

    fn plain(&mut self, ends: &[u64], bytes: &[u8]) -> Result<()> {
        let starts = std::iter::once(&0).chain(ends);
        self.n_missing += starts.zip(ends).filter(|(start, end)| start == end).count() as u64;
        if matches!(self.state, State::Blank) {
            self.begin_text()?;
        }
        if matches!(self.state, State::Coded { .. }) {
            self.spread()?;
        }
        match self.state {
            State::Plain { .. } => self.append_plain(ends, bytes),
            State::Number(_) => {
                self.state = State::Unfit;
                Ok(())
            }
            State::Blank | State::Coded { .. } | State::Time(_) | State::Bool(_) | State::Unfit => {
                Ok(())
            }
        }
    }

    /// Begins a text column behind rows that are all missing.
    fn begin_text(&mut self) -> Result<()> {
        let mut codes = self.create("codes")?;
        self.repeat(&mut codes, MISSING_CODE, self.n_rows)?;
        self.state = State::Coded {
            codes,
            set: Interner::default(),
        };
        Ok(())
    }

    /// Appends rows without text to a text column.
    fn missing_text(&mut self, n: usize) -> Result<()> {
        match &self.state {
            State::Coded { codes, .. } => self.repeat(&mut &*codes, MISSING_CODE, n),
            State::Plain { ends, n_bytes, .. } => self.repeat(&mut &*ends, *n_bytes, n),
            State::Blank | State::Number(_) | State::Time(_) | State::Bool(_) | State::Unfit => {
                Ok(())
            }
        }
    }

    fn append_plain(&mut self, chunk_ends: &[u64], chunk: &[u8]) -> Result<()> {
        let State::Plain {
            ends,
            bytes,
            n_bytes,
        } = &mut self.state
        else {
            return Ok(());
        };
        let shifted: Vec<u64> = chunk_ends.iter().map(|end| end + *n_bytes).collect();
        *n_bytes += chunk.len() as u64;
        let written = ends
            .write_all(bytes_of(&shifted))
            .and_then(|()| bytes.write_all(chunk));
        written.map_err(Error::io("write", &self.stem))
    }

    /// Turns a coded column on disk into a plain one: its dictionary has become too large.
    fn spread(&mut self) -> Result<()> {
        let plain = State::Plain {
            ends: self.create("ends")?,
            bytes: self.create("text")?,
            n_bytes: 0,
        };
        let State::Coded { codes, set } = std::mem::replace(&mut self.state, plain) else {
            return Ok(());
        };
        drop(codes);
        let path = self.stem.with_extension("codes");
        let codes = Mapped::<u32>::open(&path).map_err(Error::io("read", &path))?;
        for piece in codes.chunks(PIECE) {
            let (mut ends, mut bytes) = (Vec::with_capacity(piece.len()), Vec::new());
            for &code in piece {
                if code != MISSING_CODE {
                    bytes.extend_from_slice(set.text(code as usize));
                }
                ends.push(bytes.len() as u64);
            }
            self.append_plain(&ends, &bytes)?;
        }
        drop(codes);
        std::fs::remove_file(&path).map_err(Error::io("write", &path))
    }

    /// Removes what was written; what is not there needs no removing.
    fn discard(&self) {
        for extension in ["values", "codes", "ends", "text"] {
            let _ = std::fs::remove_file(self.stem.with_extension(extension));
        }
    }

    fn create(&self, extension: &str) -> Result<File> {
        let path = self.stem.with_extension(extension);
        File::create(&path).map_err(Error::io("create", &path))
    }

    fn write(&self, mut file: impl Write, bytes: &[u8]) -> Result<()> {
        file.write_all(bytes)
            .map_err(Error::io("write", &self.stem))
    }

    /// Writes a value `n` times.
    fn repeat<T: crate::mapped::Plain>(
        &self,
        file: &mut impl Write,
        value: T,
        n: usize,
    ) -> Result<()> {
        let piece = vec![value; n.min(PIECE)];
        let mut left = n;
        while left > 0 {
            let now = left.min(PIECE);
            self.write(&mut *file, bytes_of(&piece[..now]))?;
            left -= now;
        }
        Ok(())
    }
}

/// The path of a column's files, without the extension: `values`, `codes`, `ends`, `text`.
pub(super) fn stem(dir: &Path, index: usize) -> PathBuf {
    dir.join(format!("{index:05}"))
}
