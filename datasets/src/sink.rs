//! Where columns of ours are written for others to read: predictions, block by block, as CSV or Parquet.
//!
//! A file appears whole or not at all: it is written beside its place and put there by [`Sink::finish`].
//! Where it may stand is for [`Destination`] to say.

mod place;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{
    Column, DataFrame, DataType, IntoColumn, NamedFrom, ParquetWriter, PolarsError, Schema, Series,
};

pub use place::Destination;
use place::{Layout, Place};

use crate::{Error, Result};

/// One column of a block.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// Numbers; NaN is an empty field in CSV and a null in Parquet.
    Number(&'a [f32]),
    /// The same in double precision.
    Real(&'a [f64]),
    /// Codes into names, such as predicted classes.
    Name {
        /// One for each row, below `names.len()`.
        codes: &'a [u32],
        /// The names.
        names: &'a [String],
    },
}

impl Cells<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Name { codes, .. } => codes.len(),
        }
    }
}

/// A table being written.
pub struct Sink {
    names: Vec<String>,
    place: Place,
    writer: Writer,
}

enum Writer {
    Csv(Box<dyn Write>),
    /// Made at the first block, which tells the types.
    Parquet {
        file: Option<File>,
        batches: Option<Box<BatchedWriter<File>>>,
    },
}

impl Sink {
    /// Writes CSV to a stream, such as standard output, with a header of `names`.
    ///
    /// # Errors
    /// When the stream cannot be written.
    pub fn stream(stream: Box<dyn Write>, names: Vec<String>) -> Result<Self> {
        let sink = Self {
            names,
            place: Place::Stream("the output".into()),
            writer: Writer::Csv(Box::new(BufWriter::new(stream))),
        };
        sink.begin()
    }

    /// Writes to `path`: a new file, CSV (`.csv` or no ending) or Parquet (`.parquet`, `.pq`). A pipe or a device is
    /// written directly, and may have any ending.
    ///
    /// # Errors
    /// When a file stands there already, the name asks for a format that is not written, or writing fails.
    pub fn file(path: &Path, names: Vec<String>) -> Result<Self> {
        let (place, file) = Place::open(Destination::of(path)?)?;
        let writer = match Layout::of(path) {
            Some(Layout::Parquet) => Writer::Parquet {
                file: Some(file),
                batches: None,
            },
            // Streams are called as they like.
            Some(Layout::Csv) | None => Writer::Csv(Box::new(BufWriter::new(file))),
        };
        Self {
            names,
            place,
            writer,
        }
        .begin()
    }

    fn begin(mut self) -> Result<Self> {
        if let Writer::Csv(out) = &mut self.writer {
            let header = self
                .names
                .iter()
                .map(|name| quoted(name))
                .collect::<Vec<_>>()
                .join(",");
            writeln!(out, "{header}").map_err(Error::io("write", self.place.shown()))?;
        }
        Ok(self)
    }

    /// Writes some rows.
    ///
    /// # Errors
    /// When they cannot be written.
    ///
    /// # Panics
    /// When `block` has another number of columns than the sink has names, or columns of different lengths.
    pub fn write(&mut self, block: &[Cells<'_>]) -> Result<()> {
        assert_eq!(block.len(), self.names.len(), "one column a name");
        let n_rows = block.first().map_or(0, Cells::len);
        assert!(
            block.iter().all(|cells| cells.len() == n_rows),
            "columns of one length"
        );
        let written = match &mut self.writer {
            Writer::Csv(out) => write_csv(out, block, n_rows),
            Writer::Parquet { file, batches } => {
                write_parquet(file, batches, &self.names, block, n_rows).map_err(io::Error::other)
            }
        };
        written.map_err(Error::io("write", self.place.shown()))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When what is left cannot be written.
    pub fn finish(mut self) -> Result<()> {
        let ended = match &mut self.writer {
            Writer::Csv(out) => out.flush(),
            Writer::Parquet {
                batches: Some(batches),
                ..
            } => batches.finish().map(drop).map_err(io::Error::other),
            // No block came: an empty table still has its columns.
            Writer::Parquet { file, batches } => {
                let empty: Vec<Cells<'_>> = self.names.iter().map(|_| Cells::Number(&[])).collect();
                write_parquet(file, batches, &self.names, &empty, 0)
                    .and_then(|()| {
                        batches
                            .as_mut()
                            .map_or(Ok(()), |batches| batches.finish().map(drop))
                    })
                    .map(drop)
                    .map_err(io::Error::other)
            }
        };
        ended.map_err(Error::io("write", self.place.shown()))?;
        self.place.finish()
    }
}

fn write_csv(out: &mut dyn Write, block: &[Cells<'_>], n_rows: usize) -> io::Result<()> {
    let names: Vec<Vec<String>> = block
        .iter()
        .map(|cells| match cells {
            Cells::Name { names, .. } => names.iter().map(|name| quoted(name)).collect(),
            Cells::Number(_) | Cells::Real(_) => Vec::new(),
        })
        .collect();
    for row in 0..n_rows {
        for (at, (cells, names)) in block.iter().zip(&names).enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match cells {
                Cells::Number(values) if values[row].is_nan() => {}
                Cells::Number(values) => write!(out, "{}", values[row])?,
                Cells::Real(values) if values[row].is_nan() => {}
                Cells::Real(values) => write!(out, "{}", values[row])?,
                Cells::Name { codes, .. } => {
                    out.write_all(names[codes[row] as usize].as_bytes())?
                }
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A field as CSV (RFC 4180) wants it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) || field.is_empty() || field.trim() != field {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn write_parquet(
    file: &mut Option<File>,
    batches: &mut Option<Box<BatchedWriter<File>>>,
    names: &[String],
    block: &[Cells<'_>],
    n_rows: usize,
) -> std::result::Result<(), PolarsError> {
    let columns = names
        .iter()
        .zip(block)
        .map(|(name, cells)| column(name, cells))
        .collect();
    let frame = DataFrame::new(n_rows, columns)?;
    if let Some(file) = file.take() {
        let schema: Schema = names
            .iter()
            .zip(block)
            .map(|(name, cells)| (name.as_str().into(), data_type(cells)))
            .collect();
        *batches = Some(Box::new(
            ParquetWriter::new(file)
                .set_parallel(false)
                .batched(&schema)?,
        ));
    }
    batches
        .as_mut()
        .map_or(Ok(()), |batches| batches.write_batch(&frame))
}

fn data_type(cells: &Cells<'_>) -> DataType {
    match cells {
        Cells::Number(_) => DataType::Float32,
        Cells::Real(_) => DataType::Float64,
        Cells::Name { .. } => DataType::String,
    }
}

fn column(name: &str, cells: &Cells<'_>) -> Column {
    let series = match cells {
        Cells::Number(values) => {
            let values: Vec<Option<f32>> =
                values.iter().map(|&x| (!x.is_nan()).then_some(x)).collect();
            Series::new(name.into(), values)
        }
        Cells::Real(values) => {
            let values: Vec<Option<f64>> =
                values.iter().map(|&x| (!x.is_nan()).then_some(x)).collect();
            Series::new(name.into(), values)
        }
        Cells::Name { codes, names } => {
            let values: Vec<&str> = codes
                .iter()
                .map(|&code| names[code as usize].as_str())
                .collect();
            Series::new(name.into(), values)
        }
    };
    series.into_column()
}

#[cfg(test)]
mod tests {
    use polars::prelude::{ParquetReader, SerReader};

    use super::*;

    fn write(path: &Path) {
        let classes = ["no".to_owned(), "yes, \"sir\"".to_owned()];
        let mut sink = Sink::file(path, vec!["class".into(), "p,q".into()]).unwrap();
        sink.write(&[
            Cells::Name {
                codes: &[1, 0],
                names: &classes,
            },
            Cells::Number(&[0.1, f32::NAN]),
        ])
        .unwrap();
        sink.write(&[
            Cells::Name {
                codes: &[0],
                names: &classes,
            },
            Cells::Number(&[1e-7]),
        ])
        .unwrap();
        assert!(!path.exists(), "nothing stands there before the end");
        sink.finish().unwrap();
    }

    #[test]
    fn csv_quotes_what_needs_it_and_leaves_missing_numbers_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        write(&path);
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(
            text,
            "class,\"p,q\"\n\"yes, \"\"sir\"\"\",0.1\nno,\nno,0.0000001\n"
        );
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn parquet_holds_the_same_rows_with_their_types() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        write(&path);
        let frame = ParquetReader::new(File::open(path).unwrap())
            .finish()
            .unwrap();
        assert_eq!(frame.shape(), (3, 2));
        let classes: Vec<_> = frame
            .column("class")
            .unwrap()
            .str()
            .unwrap()
            .iter()
            .collect();
        assert_eq!(classes, [Some("yes, \"sir\""), Some("no"), Some("no")]);
        let numbers: Vec<_> = frame.column("p,q").unwrap().f32().unwrap().iter().collect();
        assert_eq!(numbers, [Some(0.1), None, Some(1e-7)]);
    }

    #[test]
    fn an_unfinished_table_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        drop(Sink::file(&dir.path().join("out.csv"), vec!["a".into()]).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_empty_parquet_file_has_its_columns() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        Sink::file(&path, vec!["a".into()])
            .unwrap()
            .finish()
            .unwrap();
        assert_eq!(
            ParquetReader::new(File::open(path).unwrap())
                .finish()
                .unwrap()
                .shape(),
            (0, 1)
        );
    }
}
