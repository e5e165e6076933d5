//! Parquet and Arrow IPC: columns that have types already, decoded one column at a time.
//!
//! Memory holds one column of one row group or record batch. A column of text keeps its text, also where
//! it looks like numbers: whoever wrote the file made it text on purpose.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Cursor, Read as _, Seek, SeekFrom};
use std::path::Path;

use polars_arrow::array::Array;
use polars_arrow::datatypes::ArrowSchema;
use polars_arrow::io::ipc::read::{FileMetadata as IpcMetadata, FileReader, read_file_metadata};
use polars_buffer::Buffer;
use polars_parquet::read::schema::parquet_to_arrow_schema;
use polars_parquet::read::{
    BasicDecompressor, FileMetadata, PageReader, column_iter_to_arrays, read_metadata,
};

use super::arrays;
use super::build::{Builder, ColumnChunk, Reading, Tally, TextBuilder, Values};
use super::ingest::{Job, Pass, Progress, Read, passes};
use super::pipeline::Sample;
use super::write::ColumnWriter;
use crate::source::{Format, Source};
use crate::{Error, Finding, Result, What};

/// Decodes a source of typed columns. Those whose type no model reads are left out, with a finding each.
pub(super) fn read(job: &mut Job<'_>) -> Result<Read> {
    let file = TypedFile::open(job.source)?;
    let schema = file.schema();
    let mut findings = Vec::new();
    let names = super::csv::unique(
        schema.iter_names().map(ToString::to_string).collect(),
        &mut findings,
    );
    let unreadable: Vec<Option<String>> = schema
        .iter_values()
        .map(|field| arrays::unreadable(&field.dtype))
        .collect();
    if unreadable.iter().all(Option::is_some)
        && let (Some(column), Some(Some(what))) = (names.first(), unreadable.first())
    {
        return Err(Error::Nested {
            path: job.source.path.clone(),
            column: column.clone(),
            what: what.clone(),
        });
    }
    for (name, what) in names.iter().zip(&unreadable) {
        if let Some(what) = what {
            let text = format!("holds {what}, which no model reads: it is left out");
            findings.push(Finding::warning(What::Unreadable, Some(name), text));
        }
    }
    let kept: Vec<usize> = (0..names.len())
        .filter(|&column| unreadable[column].is_none())
        .collect();
    let names: Vec<String> = kept.iter().map(|&column| names[column].clone()).collect();
    let (n_rows, n_left_out, columns) = passes(&names, job, &mut Readable { file, kept })?;
    Ok(Read {
        n_rows,
        n_left_out,
        columns,
        findings,
    })
}

/// The columns of a file that are read, by their places in it.
struct Readable {
    file: TypedFile,
    kept: Vec<usize>,
}

/// A file of typed columns.
enum TypedFile {
    Parquet {
        file: File,
        metadata: FileMetadata,
        schema: ArrowSchema,
    },
    Ipc {
        file: File,
        metadata: IpcMetadata,
    },
}

/// What a decoder refuses is a damaged file.
fn damaged<T, E: std::fmt::Display>(path: &Path, result: std::result::Result<T, E>) -> Result<T> {
    result.map_err(|error| Error::Damaged {
        path: path.to_owned(),
        why: error.to_string(),
    })
}

impl TypedFile {
    fn open(source: &Source) -> Result<Self> {
        let path = &source.path;
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        // A schema here holds one column of each name: where two have the same, what follows would be mixed up.
        let same_name = |column: Option<&str>| Error::SameName {
            path: path.clone(),
            column: column.map(str::to_owned),
        };
        Ok(match source.format {
            Format::Ipc => {
                let metadata = damaged(path, read_file_metadata(&mut file))?;
                if metadata.schema.len() < metadata.ipc_schema.fields.len() {
                    return Err(same_name(None));
                }
                Self::Ipc { metadata, file }
            }
            Format::Parquet | Format::Csv | Format::JsonLines => {
                let metadata = damaged(path, read_metadata(&mut file))?;
                let mut names = HashSet::new();
                let fields = metadata.schema().fields();
                if let Some(twice) = fields.iter().find(|field| !names.insert(field.name())) {
                    return Err(same_name(Some(twice.name())));
                }
                // The types of Parquet itself: without the notes of the writer, dictionaries are plain text.
                let schema = parquet_to_arrow_schema(metadata.schema().fields());
                Self::Parquet {
                    file,
                    metadata,
                    schema,
                }
            }
        })
    }

    fn schema(&self) -> &ArrowSchema {
        match self {
            Self::Parquet { schema, .. } => schema,
            Self::Ipc { metadata, .. } => &metadata.schema,
        }
    }

    /// Gives the arrays of one column, in row order, to `each`.
    fn arrays(
        &self,
        path: &Path,
        column: usize,
        each: &mut dyn FnMut(&dyn Array) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Parquet {
                file,
                metadata,
                schema,
            } => {
                let (name, field) = damaged(
                    path,
                    schema.get_at_index(column).ok_or("a column without a type"),
                )?;
                for group in &metadata.row_groups {
                    for chunk in group.columns_under_root_iter(name).into_iter().flatten() {
                        let bytes = piece(file, path, chunk.byte_range())?;
                        let pages = PageReader::new(
                            Cursor::new(Buffer::from(bytes)),
                            chunk,
                            vec![],
                            usize::MAX,
                        );
                        let pages = BasicDecompressor::new(pages, vec![]);
                        let kind = &chunk.descriptor().descriptor.primitive_type;
                        let decoded =
                            column_iter_to_arrays(vec![pages], vec![kind], field.clone(), None);
                        for array in damaged(path, decoded)?.0 {
                            each(&*array)?;
                        }
                    }
                }
            }
            Self::Ipc { file, metadata } => {
                let file = file.try_clone().map_err(Error::io("read", path))?;
                let reader = FileReader::new(
                    BufReader::new(file),
                    metadata.clone(),
                    Some(vec![column]),
                    None,
                );
                for batch in reader {
                    for array in damaged(path, batch)?.arrays() {
                        each(&**array)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Rows in all, counted along `column` where the file does not say.
    fn n_rows(&self, path: &Path, column: usize) -> Result<u64> {
        match self {
            Self::Parquet { metadata, .. } => Ok(metadata.num_rows as u64),
            Self::Ipc { .. } => {
                let mut n = 0;
                self.arrays(path, column, &mut |array| {
                    n += array.len() as u64;
                    Ok(())
                })?;
                Ok(n)
            }
        }
    }
}

/// A range of bytes of the file.
fn piece(mut file: &File, path: &Path, range: std::ops::Range<u64>) -> Result<Vec<u8>> {
    let read = || {
        let mut bytes =
            vec![0; usize::try_from(range.end - range.start).map_err(std::io::Error::other)?];
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    let read: std::io::Result<_> = { read }();
    read.map_err(Error::io("read", path))
}

impl Pass for Readable {
    fn run(
        &mut self,
        readings: &[Reading],
        writers: &mut [ColumnWriter],
        job: &mut Job<'_>,
    ) -> Result<(u64, u64)> {
        let path = &job.source.path;
        let all = match self.kept.first() {
            Some(&first) => self.file.n_rows(path, first)?,
            None => 0,
        };
        let sample = Sample::one_in(job.options.one_in);
        let mut kept = 0;
        for (column, writer) in writers.iter_mut().enumerate() {
            if readings[column] == Reading::Skip {
                continue;
            }
            let mut row = 0;
            kept = 0;
            self.file.arrays(path, self.kept[column], &mut |array| {
                let first = row;
                row += array.len() as u64;
                let keeps = |place: usize| sample.keeps(first + place as u64);
                let chunk =
                    chunk(array, readings[column], &keeps).ok_or_else(|| Error::Damaged {
                        path: path.clone(),
                        why: format!("unknown values {:?}", array.dtype()),
                    })?;
                let n = chunk_len(&chunk.values);
                kept += n as u64;
                writer.append(chunk, n)
            })?;
            let done = (column + 1) as u64 * job.source.size_bytes / readings.len() as u64;
            (job.progress)(Progress {
                bytes: done,
                of: job.source.size_bytes,
                rows: kept,
            });
        }
        Ok((kept, all - kept))
    }
}

/// The rows of an array that are kept, as a chunk of a column.
fn chunk(
    array: &dyn Array,
    reading: Reading,
    keeps: &dyn Fn(usize) -> bool,
) -> Option<ColumnChunk> {
    let kept = |place: &usize| keeps(*place);
    let rows = || (0..array.len()).filter(kept);
    if let Some(texts) = arrays::texts(array) {
        if reading == Reading::Number {
            let mut builder = Builder::new(reading, false, array.len());
            rows().for_each(|row| builder.push(texts(row).unwrap_or_default().as_bytes()));
            return Some(builder.finish());
        }
        let mut builder = TextBuilder::typed(array.len());
        rows().for_each(|row| builder.push(texts(row).unwrap_or_default().as_bytes()));
        // A typed text is text, whatever it looks like: nothing is counted that would say otherwise.
        return Some(ColumnChunk {
            tally: Tally::default(),
            ..builder.finish()
        });
    }
    let pick = |values: Vec<f64>| rows().map(|row| values[row]).collect::<Vec<_>>();
    let values = if let Some(times) = arrays::times(array) {
        Values::Time(rows().map(|row| times[row]).collect())
    } else if let Some(bools) = arrays::bools(array) {
        Values::Bool(rows().map(|row| bools[row]).collect())
    } else {
        Values::Number(pick(arrays::numbers(array)?))
    };
    Some(ColumnChunk {
        values,
        tally: Tally::default(),
    })
}

fn chunk_len(values: &Values) -> usize {
    match values {
        Values::Skipped => 0,
        Values::Number(values) => values.len(),
        Values::Coded { codes, .. } => codes.len(),
        Values::Plain { ends, .. } => ends.len(),
        Values::Time(values) => values.len(),
        Values::Bool(values) => values.len(),
    }
}

#[cfg(test)]
mod tests;
