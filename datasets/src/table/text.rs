//! CSV and JSON lines: a stream of text, through the pipeline, into columns.

use std::io::{Cursor, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::build::Reading;
use super::csv::{self, Columns, HEAD_BYTES, Untold, Whole};
use super::ingest::{Job, Pass, Progress, Read, passes};
use super::json;
use super::pipeline::{Block, Fault, Parse, Plan, Sample, Stop, Trouble, run};
use super::write::ColumnWriter;
use crate::source::{BadText, Format, Source, TextStream, read_full, unreadable};
use crate::{Error, Finding, Result};

/// How a text is made up, whichever format it has.
struct Shape {
    format: Format,
    delimiter: u8,
    names: Vec<String>,
    /// Where the first row begins, and on which line (counted from 0).
    start: usize,
    start_line: u64,
    sample: Sample,
}

/// Decodes a source of text.
pub(super) fn read(job: &mut Job<'_>) -> Result<Read> {
    let (shape, findings) = match job.source.format {
        Format::JsonLines => (json_shape(job)?, Vec::new()),
        Format::Csv | Format::Parquet | Format::Ipc => csv_shape(job)?,
    };
    let names = shape.names.clone();
    let (n_rows, n_left_out, columns) = passes(&names, job, &mut TextPass { shape })?;
    Ok(Read {
        n_rows,
        n_left_out,
        columns,
        findings,
    })
}

/// The head of the text, and the whole of it where it is short.
struct Head {
    bytes: Vec<u8>,
    whole: bool,
}

fn head(source: &Source) -> Result<Head> {
    let mut stream = TextStream::open(source)?;
    let mut bytes = vec![0; HEAD_BYTES];
    let n = read_full(&mut stream, &mut bytes).map_err(|error| match bad_text(&error) {
        // Line and column are told by the pass that reads the same place again.
        Some(_) => Error::Empty {
            path: source.path.clone(),
            what: "cannot be decoded",
        },
        None => unreadable(source, error),
    });
    let n = match n {
        Ok(n) => n,
        // The bad byte stands in the head: what stands before it is head enough.
        Err(Error::Empty { .. }) => first_bad(source, &mut bytes)?,
        Err(error) => return Err(error),
    };
    bytes.truncate(n);
    Ok(Head {
        whole: n < HEAD_BYTES,
        bytes,
    })
}

/// Reads what stands before the first byte that is no text.
fn first_bad(source: &Source, bytes: &mut [u8]) -> Result<usize> {
    let mut stream = TextStream::open(source)?;
    let mut n = 0;
    while let Ok(read @ 1..) = stream.read(&mut bytes[n..]) {
        n += read;
    }
    Ok(n)
}

fn csv_shape(job: &Job<'_>) -> Result<(Shape, Vec<Finding>)> {
    let source = job.source;
    let head = head(source)?;
    let (dialect, findings) =
        csv::sniff(&head.bytes, head.whole, &source.options).map_err(|untold| match untold {
            Untold::Empty => Error::Empty {
                path: source.path.clone(),
                what: "is empty",
            },
            Untold::ColumnCount { seen, given } => Error::ColumnCount {
                path: source.path.clone(),
                seen,
                given,
            },
        })?;
    let shape = Shape {
        format: Format::Csv,
        delimiter: dialect.delimiter,
        start_line: memchr::memchr_iter(b'\n', &head.bytes[..dialect.start]).count() as u64,
        sample: Sample::one_in(job.options.one_in),
        names: dialect.names,
        start: dialect.start,
    };
    Ok((shape, findings))
}

fn json_shape(job: &mut Job<'_>) -> Result<Shape> {
    let names = json::names(job)?;
    Ok(Shape {
        format: Format::JsonLines,
        delimiter: b'\n',
        names,
        start: 0,
        start_line: 0,
        sample: Sample::one_in(job.options.one_in),
    })
}

struct TextPass {
    shape: Shape,
}

impl Pass for TextPass {
    fn run(
        &mut self,
        readings: &[Reading],
        writers: &mut [ColumnWriter],
        job: &mut Job<'_>,
    ) -> Result<(u64, u64)> {
        let shape = &self.shape;
        let flags = || {
            readings
                .iter()
                .map(|_| AtomicBool::new(false))
                .collect::<Vec<_>>()
        };
        let (known_text, known_plain) = (flags(), flags());
        let columns = Columns {
            delimiter: shape.delimiter,
            readings,
            known_text: &known_text,
            known_plain: &known_plain,
            sample: shape.sample,
        };
        let parse = |text: &[u8], offset: u64| match shape.format {
            Format::JsonLines => json::parse(text, offset, &columns, &shape.names),
            Format::Csv | Format::Parquet | Format::Ipc => csv::parse(text, offset, &columns),
        };
        let (mut n_rows, mut n_left_out) = (0, 0);
        let (source, progress) = (job.source, &mut *job.progress);
        let take = |block: Block, bytes: u64| {
            for (index, chunk) in block.columns.into_iter().enumerate() {
                writers[index].append(chunk, block.n_rows)?;
                known_text[index].store(writers[index].is_text(), Ordering::Relaxed);
                known_plain[index].store(writers[index].is_plain(), Ordering::Relaxed);
            }
            n_rows += block.n_rows as u64;
            n_left_out += block.n_left_out;
            progress(Progress {
                bytes,
                of: source.size_bytes,
                rows: n_rows,
            });
            Ok(())
        };
        stream(source, job.options, shape, &parse, take)?;
        Ok((n_rows, n_left_out))
    }
}

/// Runs the pipeline over the rows of a source.
fn stream(
    source: &Source,
    options: &super::IngestOptions,
    shape: &Shape,
    parse: &Parse<'_>,
    mut take: impl FnMut(Block, u64) -> Result<()>,
) -> Result<()> {
    let mut text = TextStream::open(source)?;
    let (consumed, mark_bytes) = (text.consumed(), text.mark_bytes);
    let mut skipped = vec![0; shape.start];
    read_full(&mut text, &mut skipped).map_err(|error| unreadable(source, error))?;
    let cut = |text: &[u8]| match shape.format {
        Format::JsonLines => Whole {
            end: memchr::memrchr(b'\n', text).map_or(0, |at| at + 1),
            open_quote: None,
        },
        Format::Csv | Format::Parquet | Format::Ipc => csv::whole_records(text, shape.delimiter),
    };
    let plan = Plan {
        threads: options.threads,
        block_bytes: options.block_bytes,
        offset: shape.start as u64 + mark_bytes,
        cut: &cut,
        parse,
    };
    run(Cursor::new([]).chain(text), &plan, |block| {
        take(block, consumed.load(Ordering::Relaxed))
    })
    .map_err(|stop| match stop {
        Stop::Taker(error) => error,
        Stop::Text(fault) => fault_error(source, shape, fault),
    })
}

/// Runs the pipeline over the lines of a JSON source; for the pass that finds the names.
pub(super) fn lines(job: &mut Job<'_>, parse: &Parse<'_>) -> Result<()> {
    let shape = Shape {
        format: Format::JsonLines,
        delimiter: b'\n',
        names: Vec::new(),
        start: 0,
        start_line: 0,
        sample: Sample::ALL,
    };
    stream(job.source, job.options, &shape, parse, |_, _| Ok(()))
}

/// A fault of the text as an error of the file.
fn fault_error(source: &Source, shape: &Shape, fault: Fault) -> Error {
    let path = source.path.clone();
    let line = shape.start_line + fault.line + 1;
    match fault.trouble {
        Trouble::Ragged { seen } => Error::Ragged {
            path,
            line,
            expected: shape.names.len(),
            seen,
        },
        Trouble::OpenQuote => Error::OpenQuote { path, line },
        Trouble::LongRecord => Error::LongRecord {
            path,
            line,
            limit: 64 << 20,
        },
        Trouble::Json(why) => Error::JsonLine { path, line, why },
        Trouble::Nested(column, what) => Error::Nested {
            path,
            column,
            what: what.to_owned(),
        },
        Trouble::BadText {
            column,
            offset,
            encoding,
        } => not_text(&path, line, column_name(shape, column), offset, encoding),
        Trouble::Stream { error, record } => match bad_text(&error) {
            None => unreadable(source, error),
            Some((offset, encoding)) => {
                let column = csv::record(&record, 0, shape.delimiter).0.len() - 1;
                not_text(&path, line, column_name(shape, column), offset, encoding)
            }
        },
    }
}

fn not_text(path: &Path, line: u64, column: String, offset: u64, encoding: &str) -> Error {
    Error::Encoding {
        path: path.to_owned(),
        line,
        offset,
        column,
        encoding: encoding.to_owned(),
    }
}

fn column_name(shape: &Shape, column: usize) -> String {
    match shape.names.get(column) {
        Some(name) if shape.format == Format::Csv => format!("\"{name}\""),
        _ => (column + 1).to_string(),
    }
}

fn bad_text(error: &std::io::Error) -> Option<(u64, &'static str)> {
    error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<BadText>())
        .map(|bad| (bad.offset, bad.encoding))
}
