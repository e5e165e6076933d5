//! Typed files in, columns out.

use std::fs::File;
use std::path::Path;

use polars::prelude::*;

use crate::source::{ReadOptions, Source};
use crate::table::{IngestOptions, Table, Values};
use crate::{Error, Finding, Result, What};

fn read(name: &str, frame: &mut DataFrame, one_in: u32) -> Result<(tempfile::TempDir, Table)> {
    read_all(name, frame, one_in).map(|(dir, table, _)| (dir, table))
}

fn read_all(
    name: &str,
    frame: &mut DataFrame,
    one_in: u32,
) -> Result<(tempfile::TempDir, Table, Vec<Finding>)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    write(&path, frame);
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let options = IngestOptions {
        one_in,
        ..IngestOptions::new(1)
    };
    let (table, findings) = Table::ingest(&source, &dir.path().join("t"), &options, &mut |_| {})?;
    Ok((dir, table, findings))
}

/// Writes a frame in the format of the file's name.
fn write(path: &Path, frame: &mut DataFrame) {
    let file = File::create(path).unwrap();
    if path.extension().is_some_and(|end| end == "parquet") {
        ParquetWriter::new(file)
            .with_row_group_size(Some(2))
            .finish(frame)
            .unwrap();
    } else {
        IpcWriter::new(file).finish(frame).unwrap();
    }
}

fn levels(table: &Table, column: &str) -> Vec<String> {
    let values = table.column(column).unwrap().values();
    (0..table.n_rows())
        .map(|row| {
            values
                .level(row)
                .map_or("·".into(), |level| level.into_owned())
        })
        .collect()
}

#[test]
fn typed_columns_keep_their_types() {
    for name in ["t.parquet", "t.arrow"] {
        let mut frame = df!(
            "whole" => [Some(1i64), None, Some(3)],
            "real" => [0.5f32, f32::INFINITY, -1.0],
            "truth" => [Some(true), None, Some(false)],
            "code" => [Some("01"), Some(""), None],
            "key" => [1u64 << 60, 2, 3],
            "day" => [Some(0i32), None, Some(18_262)],
            "time" => [Some(1_500i64), Some(0), None],
            "level" => ["b", "a", "b"],
        )
        .unwrap();
        frame
            .try_apply("day", |column| column.cast(&DataType::Date))
            .unwrap();
        frame
            .try_apply("time", |column| {
                column.cast(&DataType::Datetime(TimeUnit::Milliseconds, None))
            })
            .unwrap();
        let categories = DataType::from_categories(Categories::global());
        frame
            .try_apply("level", |column| column.cast(&categories))
            .unwrap();
        let (_dir, table) = read(name, &mut frame, 1).unwrap();
        for (column, expected) in [
            ("whole", ["1", "·", "3"]),
            ("real", ["0.5", "inf", "-1"]),
            ("truth", ["true", "·", "false"]),
            ("code", ["01", "·", "·"]),
            ("key", ["1152921504606847000", "2", "3"]),
            ("day", ["1970-01-01 00:00:00", "·", "2020-01-01 00:00:00"]),
            (
                "time",
                ["1970-01-01 00:00:01.500", "1970-01-01 00:00:00", "·"],
            ),
            ("level", ["b", "a", "b"]),
        ] {
            assert_eq!(levels(&table, column), expected, "{name} {column}");
        }
        assert!(matches!(
            table.column("truth").unwrap().values(),
            Values::Bool(_)
        ));
        assert!(matches!(
            table.column("day").unwrap().values(),
            Values::Time(_)
        ));
        assert!(matches!(
            table.column("code").unwrap().values(),
            Values::Text(_)
        ));
    }
}

#[test]
fn columns_that_no_model_reads_are_left_out_and_named() {
    for name in ["t.parquet", "t.arrow"] {
        let list = || {
            Series::new(
                "tags".into(),
                [
                    Series::new("".into(), [1i64, 2]),
                    Series::new("".into(), [3i64]),
                ],
            )
            .into_column()
        };
        let mut frame = DataFrame::new(2, vec![list()]).unwrap();
        let error = read(name, &mut frame, 1).unwrap_err();
        assert!(
            matches!(&error, Error::Nested { column, what, .. } if column == "tags" && what == "lists"),
            "{error}"
        );
        frame
            .with_column(Series::new("a".into(), [1i64, 2]).into_column())
            .unwrap();
        let (_dir, table, findings) = read_all(name, &mut frame, 1).unwrap();
        assert_eq!((table.n_rows(), table.columns().len()), (2, 1));
        assert_eq!(levels(&table, "a"), ["1", "2"]);
        let [finding] = &findings[..] else {
            panic!("{findings:?}")
        };
        assert_eq!(
            (finding.what, finding.column.as_deref()),
            (What::Unreadable, Some("tags"))
        );
        assert!(finding.text.contains("lists"), "{}", finding.text);
        let error = read(name, &mut df!("a" => Vec::<i64>::new()).unwrap(), 1).unwrap_err();
        assert!(matches!(error, Error::Empty { .. }), "{error}");
    }
}

#[test]
fn a_sample_takes_the_same_rows_of_every_column() {
    for name in ["t.parquet", "t.arrow"] {
        let rows: Vec<i64> = (0..2_000).collect();
        let texts: Vec<String> = rows.iter().map(ToString::to_string).collect();
        let mut frame = df!("a" => rows, "b" => texts).unwrap();
        let (_dir, table) = read(name, &mut frame, 4).unwrap();
        assert!((400..600).contains(&table.n_rows()), "{}", table.n_rows());
        assert_eq!(levels(&table, "a"), levels(&table, "b"));
    }
}

#[test]
fn two_columns_of_one_name_are_an_error() {
    for (name, said) in [
        ("t.parquet", "two columns of the same name \"same_a\""),
        ("t.arrow", "two columns of the same name"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let mut frame = df!("same_a" => [1i64, 2], "same_b" => [3i64, 4]).unwrap();
        write(&path, &mut frame);
        // No writer at hand makes such a file; others do.
        let mut bytes = std::fs::read(&path).unwrap();
        while let Some(at) = bytes.windows(6).position(|bytes| bytes == b"same_b") {
            bytes[at + 5] = b'a';
        }
        std::fs::write(&path, bytes).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        let ingested = Table::ingest(
            &source,
            &dir.path().join("t"),
            &IngestOptions::new(1),
            &mut |_| {},
        );
        let error = ingested.err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
}
